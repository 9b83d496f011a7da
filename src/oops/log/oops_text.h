/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the text of an oops, warning, panic or lockup, as 6.1 to 7.2 print it. */
#ifndef FTR_OOPS_LOG_OOPS_TEXT_H
#define FTR_OOPS_LOG_OOPS_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define OOPS_COMM_MAX 15	/* the kernel's TASK_COMM_LEN without its NUL */

/* A part of the text, borrowed and not escaped. */
struct oops_part {
	const char *p;			/* NULL: the text lacks it */
	size_t      len;
};

struct oops_text {
	struct oops_part head;		/* the first line, which names the event */
	struct oops_part place;		/* "func+0x1/0x2 [module]" */
	bool is_top;			/* the place is only what is on top of the stack */
	int  cpu, pid;			/* of the faulting task; -1: unknown */
	char comm[OOPS_COMM_MAX + 1];	/* name of the task, or "" */
	bool is_irq;			/* it happened in an interrupt */
	bool is_hung;			/* the task sleeps and does not wake up */
	bool is_killed;			/* the task is the victim of an OOM kill */
	bool is_watched;		/* a watchdog says so, out of an interrupt of its own */
};

/*
 * Parses @text: lines without prefixes, untrusted. Of several heads it takes the first of the worst
 * kind: an oops, then a head of an event that stops the machine, then an OOM kill, then a warning.
 * Without one the head is what an oops says behind its end. False if there is none.
 */
bool oops_text_read(const char *text, size_t len, struct oops_text *out);
/* What a line without prefix is: a head of a warning or an OOM kill, of worse, or none. */
enum oops_line { OOPS_LINE_PLAIN, OOPS_LINE_WARNS, OOPS_LINE_CRASHES };
enum oops_line oops_text_line(const char *line, size_t len);
/* True if the text of an oops, warning or panic may begin with @line, which has no prefix. */
bool oops_text_begins(const char *line, size_t len);

#endif
