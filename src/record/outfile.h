/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The output file: written beside its name, so that an interrupted run spares an older one. */
#ifndef FTR_RECORD_OUTFILE_H
#define FTR_RECORD_OUTFILE_H

#include "base/err.h"

struct outfile {
	char *path;			/* the name in the end, symbolic links resolved */
	char *part_path;		/* the name until then: "PATH.part-PID" */
	int   fd;
};

/*
 * Creates it (0600). -1 with a hint when the folder can't be written to, or @path is a folder
 * or device.
 */
int outfile_open(struct outfile *o, const char *path, struct ftr_error *err);
/*
 * An older file becomes "PATH.old", then ours gets its name. -1 with @err: the data is still in
 * part_path.
 */
int outfile_commit(struct outfile *o, struct ftr_error *err);
/* Closes; removes what was not committed. A zeroed one is fine. */
void outfile_release(struct outfile *o);

#endif
