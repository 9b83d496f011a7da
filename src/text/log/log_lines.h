/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Splits a log into the lines that the kernel wrote: without prefixes, carriage returns and line
 * wraps.
 */
#ifndef FTR_OOPS_LOG_LOG_LINES_H
#define FTR_OOPS_LOG_LOG_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

struct log_line {
	const char *p;
	size_t   len;
	uint64_t ns;		/* printk's time of this line, or of the last line with a time */
	uint32_t no;		/* line number in the log, from 1 */
	bool     timed;		/* it has a time */
	bool     begun;		/* it has a prefix: a line of a message starts here */
	bool     whole;		/* a newline ends it */
};

struct log_lines {
	struct log_line *v;
	size_t n, cap;
	struct string_pool joined;	/* text of lines that were joined */
};

/* Splits a text into lines. Borrows @text. */
void log_lines_split(struct log_lines *l, const char *text, size_t len);
void log_lines_release(struct log_lines *l);
/* Returns true for the row of dashes around a dump. */
bool log_line_is_dashes(const struct log_line *l);

#endif
