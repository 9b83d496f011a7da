/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of a log as the kernel wrote them: without prefixes, carriage returns and folds. */
#ifndef FTR_OOPS_LINES_H
#define FTR_OOPS_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

struct log_line {
	const char *p;
	size_t   len;
	uint64_t ns;		/* printk's time, of this line or the last that has one */
	uint32_t no;		/* in the log, from 1 */
	bool     timed;		/* it has a time */
	bool     begun;		/* it has a prefix: a message begins here, or its next line */
	bool     whole;		/* a newline ends it */
};

struct log_lines {
	struct log_line *v;
	size_t n, cap;
	struct texts joined;	/* of lines that are not in the log as they are */
};

/* Borrows @text. */
void log_lines_split(struct log_lines *l, const char *text, size_t len);
void log_lines_release(struct log_lines *l);

#endif
