/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of a long text that was read so far, for a display. */
#ifndef FTR_TEXT_LOG_TEXT_PROGRESS_H
#define FTR_TEXT_LOG_TEXT_PROGRESS_H

#include "base/now.h"

#define TEXT_PROGRESS_NS 200000000u	/* between two displays */

struct text_progress {
	/* Shows that @percent of the step @what is done. */
	void (*show)(const char *what, unsigned int percent);
	uint64_t next;			/* time of the next display, now_ns() */
};

/* Call it now and then, from one thread. @p may be NULL. */
static inline void text_progress_step(struct text_progress *p, const char *what, uint64_t done,
				      uint64_t all)
{
	uint64_t now = p ? now_ns() : 0;

	if (!p || now < p->next)
		return;
	p->next = now + TEXT_PROGRESS_NS;
	p->show(what, all ? (unsigned int)(100.0 * done / all) : 100);
}

#endif
