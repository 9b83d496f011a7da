/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The output of a command: standard output, a device, or a file that appears only when it is
 * complete.
 */
#ifndef FTR_CMD_FRAME_COMMAND_OUTPUT_H
#define FTR_CMD_FRAME_COMMAND_OUTPUT_H

#include <sys/stat.h>

#include "base/mem.h"
#include "record/file/outfile.h"

struct command_output {
	int fd;				/* to write to */
	/* private: the file is written under a temporary name, and renamed when complete */
	bool beside, replaces;
	struct dir_file at;
	struct stat old;
	struct outfile file;
};

/*
 * Opens @path. NULL, "-" and "/dev/stdout" are standard output. A pipe or a device is opened
 * directly. Anything else is a new file, with the mode of the user's umask. Returns 0, or -1 with
 * @err.
 */
int output_open(struct command_output *o, const char *path, struct ftr_error *err);
/* Gives the file its name, and replaces an older one. Returns 0, or -1 with @err. */
int output_commit(struct command_output *o, struct ftr_error *err);
/*
 * Writes @b to @path, which is opened as above; standard output is written by stdio. Returns 0, or
 * -1 with @err, and then an older file is unchanged.
 */
int output_write(const struct buf *b, const char *path, struct ftr_error *err);
/* Closes, and removes a file that was not committed. @o may be zeroed. */
void output_release(struct command_output *o);

#endif
