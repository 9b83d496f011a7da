/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The account of a task's time as lines of text: see model/why/why_account.h. */
#ifndef FTR_OUTPUT_WHY_TEXT_H
#define FTR_OUTPUT_WHY_TEXT_H

#include "model/why/why_account.h"

struct why_text {
	const struct why *why;
	const struct model *model;
	const struct trace *const *traces;	/* by the file of the account's task */
};

/* Appends a time of the account: milliseconds, or units of a clock that does not count ns. */
void why_text_add_time(const struct why_text *t, const struct why_account *a, int width,
		       uint64_t v, struct buf *out);
/* Appends "bash-217: 12.000 ms from 1.000000 to 1.012000"; with @in, ", 2 times in openat". */
void why_text_add_title(const struct why_text *t, const struct why_account *a, const char *in,
			struct buf *out);
/* Appends the line above the rows. */
void why_text_add_heading(const struct why_text *t, const struct why_account *a, struct buf *out);
/* Appends the line of a row: time, share, count, longest, words. */
void why_text_add_row(const struct why_text *t, const struct why_account *a,
		      const struct why_row *r, struct buf *out);
/*
 * Appends a line with the longest that the waker did inside of the sleep @r, or with the disk
 * request that ended its longest stay; or nothing.
 */
void why_text_add_inside(const struct why_text *t, const struct why_account *a,
			 const struct why_row *r, struct buf *out);
/* Appends lines "# 12.0 % would be named by irq:softirq_entry". */
void why_text_add_hints(const struct why_text *t, const struct why_account *a, struct buf *out);

#endif
