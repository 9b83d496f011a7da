/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of the crash in a log of any length, in bounded memory. */
#ifndef FTR_OOPS_LOG_LOG_CRASH_H
#define FTR_OOPS_LOG_LOG_CRASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

#define CRASH_TEXT_MAX (4u << 20)	/* bytes of the text, from its head on */

/* A log that comes in pieces. Zeroed is empty. */
struct crash_log {
	struct buf rest;	/* of the last piece: lines that were not looked at yet */
	struct buf text;	/* from the head that was chosen on, without prefixes */
	bool     found;
	bool     crashed;	/* it is more than a warning */
	uint64_t ns;		/* time of the last head that belongs to it */
};

/* The next piece of the log, cut anywhere. */
void crash_log_add(struct crash_log *c, const char *p, size_t n);
/*
 * Appends the text to @out: that of the last crash in the log, or without a crash of its last
 * warning, from its first head line of the worst kind on (see oops_text_read()), without prefixes.
 * Heads within ten minutes are of one crash. *ns (may be NULL) gets the kernel's time of the last
 * of them. Returns false if there is none. Releases @c.
 */
bool crash_log_end(struct crash_log *c, struct buf *out, uint64_t *ns);

#endif
