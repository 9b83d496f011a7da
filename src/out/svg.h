/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pictures as SVG: one file that needs no other, legible on light and dark pages. Texts may hold
 * any bytes. Lengths are in units of the picture's own width and height.
 */
#ifndef FTR_OUT_SVG_H
#define FTR_OUT_SVG_H

#include "base/err.h"
#include "base/mem.h"

#define SVG_CHAR	7.2	/* width of a character: all texts are monospaced, of size 12 */
#define SVG_COLOURS	12	/* classes "c0" to "c11" fill with colours that differ */
#define SVG_HEAT	10	/* "h0" to "h9" from little to much, on light and dark */

/* More classes: "grid" and "axis" of lines; "dim", "head", "right" and "middle" of texts. */
struct svg_head {
	double width, height;
	const char *title;		/* any bytes */
	const char *style, *script;	/* more of them: trusted, or NULL */
};

struct svg_box {
	double x, y, width, height;
};

/* Begins in an empty buffer, with an empty page of this size. */
void svg_begin(struct buf *svg, const struct svg_head *h);
void svg_end(struct buf *svg);

/* Appends to what is there. @class is trusted; @tip is shown under the pointer, NULL for none. */
void svg_rect(struct buf *svg, const struct svg_box *b, const char *class, const char *tip);
/* @text stands at @x on the line @y; of one longer than @width the beginning; 0: all of it. */
void svg_text(struct buf *svg, double x, double y, double width, const char *class,
	      const char *text);
void svg_line(struct buf *svg, double x1, double y1, double x2, double y2, const char *class);
/* What follows is of @class, to svg_group_end(). */
void svg_group_begin(struct buf *svg, const char *class, const char *tip);
void svg_group_end(struct buf *svg);

/*
 * Appends text as XML takes it, in attributes too. What text_sanitise() escapes is escaped alike,
 * characters that XML has not become U+FFFD.
 */
void svg_escape(struct buf *svg, const char *text, size_t n);
/* A number with at most two decimals. */
void svg_number(struct buf *svg, double v);


#endif
