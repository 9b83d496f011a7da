/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draws a histogram: a table with shares and bars, or distributions with the kernel's bounds. */
#ifndef FTR_OUT_HIST_H
#define FTR_OUT_HIST_H

#include <jansson.h>

#include "base/mem.h"
#include "model/hist/hist.h"

struct hist_look {
	size_t width;			/* columns of the terminal; 0 = no limit */
	bool utf8;			/* bars of block elements, else of '#' */
	bool table;			/* rows as they are, although a key is a range */
	size_t top;			/* so many rows, 0 = all */
	const char *main;		/* the value of shares and bars; NULL = the first */
};

/*
 * Appends to @out. The rows are drawn in their order, see hist_order(). Ends in the totals, the
 * dropped ones always among them.
 */
void hist_draw(const struct hist *h, const struct hist_look *look, struct buf *out);
/* The value that shares and bars are of; @name as in struct hist_look. */
size_t hist_main_value(const struct hist *h, const char *name);
/* ftr-hist(1) has its shape; @event and @seconds go into it. The caller releases it. */
json_t *hist_json_object(const struct hist *h, const char *event, double seconds);
/* The same as text, and a newline. */
void hist_json(const struct hist *h, const char *event, double seconds, bool compact,
	       struct buf *out);
/*
 * Sorts for drawing: by @sorts (names; those that are no column do not count), else distributions
 * by their keys and tables by the value, the most first. Returns true for a distribution.
 */
bool hist_order(struct hist *h, const struct hist_look *look, const struct hist_at *sorts,
		size_t nr_sorts);

#endif
