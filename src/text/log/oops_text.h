/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the text of an oops, warning, panic or lockup, as 6.1 to 7.2 print it, and finds it in a
 * log.
 */
#ifndef FTR_OOPS_LOG_OOPS_TEXT_H
#define FTR_OOPS_LOG_OOPS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

#define OOPS_COMM_MAX 15	/* the kernel's TASK_COMM_LEN without its NUL */

/* A part of the text, borrowed and not escaped. */
struct oops_part {
	const char *p;			/* NULL if the text lacks it */
	size_t      len;
};

struct oops_text {
	struct oops_part head;		/* the first line, which names the event */
	struct oops_part place;		/* "func+0x1/0x2 [module]" */
	bool is_top;			/* the place is only the top of the stack */
	int  cpu, pid;			/* of the faulting task; -1: unknown */
	char comm[OOPS_COMM_MAX + 1];	/* name of the task, or "" */
	bool is_irq;			/* it happened in an interrupt */
	bool is_hung;			/* the task sleeps and does not wake up */
	bool is_killed;			/* the task is the victim of an OOM kill */
	bool is_watched;		/* a watchdog reports it, from its interrupt */
};

/*
 * Parses @text: lines without prefixes, untrusted. Of several heads it takes the first of the worst
 * kind: an oops, then an event that stops the machine, then an OOM kill, then a warning. Without a
 * head, ->head is a line that an oops prints after its end. Returns false if there is none.
 */
bool oops_text_read(const char *text, size_t len, struct oops_text *out);
/* Returns true if the text of an oops, warning or panic may start with @line, without prefix. */
bool oops_text_begins(const char *line, size_t len);

#define CRASH_TEXT_MAX (4u << 20)	/* limit for the bytes of the text */

/* The text of the crash in a log of any length, in bounded memory. A zeroed struct is empty. */
struct crash_log {
	struct buf rest;	/* the end of the last chunk, not parsed yet */
	struct buf text;	/* lines from the chosen head on, without prefixes */
	bool     found;
	bool     crashed;	/* it is more than a warning */
	uint64_t ns;		/* time of the last head that belongs to it */
};

/* Adds the next chunk of the log, which may be cut anywhere. */
void crash_log_add(struct crash_log *c, const char *p, size_t n);
/*
 * Appends to @out the text of the last crash in the log, or without a crash of its last warning,
 * from its first head of the worst kind on (see oops_text_read()), without prefixes. Heads within
 * ten minutes belong to one crash. *ns (may be NULL) gets the kernel's time of the last of them.
 * Returns false if there is none. Releases @c.
 */
bool crash_log_end(struct crash_log *c, struct buf *out, uint64_t *ns);

#endif
