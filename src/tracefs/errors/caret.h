/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where in a command the kernel's error points, and where it should. */
#ifndef FTR_TRACEFS_CARET_H
#define FTR_TRACEFS_CARET_H

#include <stddef.h>

/* An entry of error_log; nothing is NUL-terminated. */
struct caret {
	const char *where, *what;	/* "hist:sched:sched_switch", "Couldn't find field" */
	size_t where_len, what_len;
	const char *cmd;
	size_t cmd_len, at;		/* the caret's byte in ->cmd */
};

/* Moves the caret where the kernel is known to point beside what it means. */
void caret_mend(struct caret *c);

#endif
