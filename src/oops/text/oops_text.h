/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the text of an oops, warning, panic or lockup, as 6.1 to 7.2 print it. */
#ifndef FTR_OOPS_TEXT_H
#define FTR_OOPS_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define OOPS_COMM_MAX 15	/* the kernel's TASK_COMM_LEN without its NUL */

/* Borrowed of the text; as it is, for the caller to escape. */
struct oops_part {
	const char *p;			/* NULL: it is not there */
	size_t      len;
};

struct oops_text {
	struct oops_part head;		/* the line that says what happened */
	struct oops_part place;		/* "func+0x1/0x2 [module]" */
	int  cpu, pid;			/* of the task in question; -1: not told */
	char comm[OOPS_COMM_MAX + 1];	/* its name, or "" */
	bool is_irq;			/* an interrupt was on top of the task */
	bool is_hung;			/* the task sleeps and never wakes */
};

/*
 * @text has lines without prefixes, of whatever bytes. Of several heads the first of the worst kind
 * counts: an oops, then what stops the machine, then a warning. False if there is none.
 */
bool oops_text_read(const char *text, size_t len, struct oops_text *out);
/* Whether @line, without a prefix, is one that the text of an oops, warning, panic begins with. */
bool oops_text_begins(const char *line, size_t len);

#endif
