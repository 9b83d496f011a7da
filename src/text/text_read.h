/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The traces in a text: its bytes, its lines, and their records. */
#ifndef FTR_TEXT_READ_H
#define FTR_TEXT_READ_H

#include "text/log/log_dump.h"
#include "text/log/text_progress.h"
#include "text/log/text_types.h"
#include "text/text_input.h"

struct text_read {
	struct text_input input;
	struct log_dumps dumps;		/* ->n is 0 if the text has no trace */
	size_t filled;			/* dumps that have records */
};

/*
 * Reads the text in the file @fd, which the caller keeps. @path is for messages. @type, unless it
 * is NULL, is the type of the text. @progress may be NULL. Returns 0, or -1 with @err. Release @r
 * in both cases.
 */
int text_read(struct text_read *r, int fd, const char *path, const struct text_type *type,
	      struct text_progress *progress, struct ftr_error *err);
/* Returns true if the dump @i is one to be written: it has records, or no dump has any. */
bool text_read_takes(const struct text_read *r, size_t i);
void text_read_release(struct text_read *r);

#endif
