/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a command writes: standard output, a file that is whole or not there, a device. */
#ifndef FTR_CMD_OUTPUT_H
#define FTR_CMD_OUTPUT_H

#include <sys/stat.h>

#include "base/mem.h"
#include "record/file/outfile.h"

struct output {
	int fd;
	/* the command's: a file is written beside its name, and takes it when it is whole */
	bool beside, replaces;
	struct place at;
	struct stat old;
	struct outfile file;
};

/*
 * Opens @path: NULL, "-" and "/dev/stdout" are standard output; a pipe or a device is written to as
 * it is; all else is a file, with the mode that other files of the user have. -1 with @err.
 */
int output_open(struct output *o, const char *path, struct ftr_error *err);
/* The file takes its name, instead of an older one. -1 with @err. */
int output_commit(struct output *o, struct ftr_error *err);
/* All of @b to @path, as above; on standard output by stdio. -1 with @err: what was there stays. */
int output_write(const struct buf *b, const char *path, struct ftr_error *err);
/* Closes; what was not committed is gone. A zeroed one is fine. */
void output_release(struct output *o);

#endif
