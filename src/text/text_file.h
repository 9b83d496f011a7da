/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the records of a text as a trace.dat file. */
#ifndef FTR_TEXT_FILE_H
#define FTR_TEXT_FILE_H

#include "base/err.h"
#include "text/text_events.h"

/*
 * Writes a new file @path. If @formats is empty all events get one field, the text. @lines has more
 * lines "key=value" for the file, or is NULL. Returns 0, or -1 with @err.
 */
int text_file_write(const char *path, const struct log_dump *d, const struct format_files *formats,
		    const struct buf *lines, struct text_counts *counts, struct ftr_error *err);
/*
 * Like text_file_write(), to @fd: an empty file, opened for reading and writing, which the caller
 * keeps. @path is for messages.
 */
int text_file_write_fd(int fd, const char *path, const struct log_dump *d,
		       const struct format_files *formats, const struct buf *lines,
		       struct text_counts *counts, struct ftr_error *err);

#endif
