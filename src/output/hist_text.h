/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draws a histogram: a table with shares and bars, or distributions with the kernel's bounds. Makes
 * JSON of it.
 */
#ifndef FTR_OUTPUT_HIST_TEXT_H
#define FTR_OUTPUT_HIST_TEXT_H

#include <jansson.h>

#include "base/mem.h"
#include "tracefs/hist/hist_parse.h"

/* The form of the drawing. */
struct hist_look {
	size_t width;			/* columns of the terminal; 0 = no limit */
	bool utf8;			/* bars of block elements, else of '#' */
	bool table;			/* draw a table, also if a key is a range */
	size_t top;			/* number of rows, 0 = all */
	const char *main;		/* the value of shares and bars; NULL = the first */
};

/*
 * Appends the drawing to @out. The rows are drawn in their order, see hist_order(). The totals come
 * last, and always include the dropped events.
 */
void hist_draw(const struct hist *h, const struct hist_look *look, struct buf *out);
/* Returns the index of the value for shares and bars; @name as hist_look.main. */
size_t hist_main_value(const struct hist *h, const char *name);
/* Returns a JSON object as in ftr-hist(1), with @event and @seconds. The caller releases it. */
json_t *hist_json_object(const struct hist *h, const char *event, double seconds);
/* Appends this object as text with a newline. */
void hist_json(const struct hist *h, const char *event, double seconds, bool compact,
	       struct buf *out);
/*
 * Sorts the rows for drawing by @sorts. Without them it sorts a distribution by its keys, and a
 * table by its main value, largest first. Returns true for a distribution.
 */
bool hist_order(struct hist *h, const struct hist_look *look, const struct hist_at *sorts,
		size_t nr_sorts);

#endif
