/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The output file: written beside its name, so that an interrupted run spares an older one. */
#ifndef FTR_RECORD_OUTFILE_H
#define FTR_RECORD_OUTFILE_H

#include "base/err.h"

struct outfile {
	char *path;			/* the name in the end, symbolic links resolved */
	char *part_path;		/* the name until then: "PATH.part-PID" */
	char *spool_path;		/* what was recorded into, when it has to be copied */
	int   fd;
};

/*
 * Creates it (0600, never one that is there). -1 with a hint when the folder can't be written to,
 * @path is a folder or device, or a link that somebody else put into a folder open to all.
 */
int outfile_open(struct outfile *o, const char *path, struct ftr_error *err);
/*
 * One without a name, in $TMPDIR or /var/tmp, which ends with us: it can't be committed, and has no
 * part_path. -1 with @err.
 */
int outfile_open_nameless(struct outfile *o, struct ftr_error *err);
/*
 * An older file becomes "PATH.old", then ours gets its name. -1 with @err: the data is still in
 * part_path.
 */
int outfile_commit(struct outfile *o, struct ftr_error *err);
/*
 * Takes disk space for what is no data, before the recording can fill the disk. What is not used is
 * given back by whoever sets the size of the file.
 */
void outfile_reserve(int fd);
/*
 * What was recorded into our file has to be copied: ->fd and ->part_path become a new one, empty;
 * the other stays until outfile_commit(). 0, or -1 with @err.
 */
int outfile_begin_copy(struct outfile *o, struct ftr_error *err);
/*
 * The file could not be finished: what was recorded into gets the name that was wanted, or another.
 * That name, borrowed.
 */
const char *outfile_keep(struct outfile *o);
/* Closes; removes what was not committed. A zeroed one is fine. */
void outfile_release(struct outfile *o);

#endif
