/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes SVG pictures: one self-contained file, legible on light and dark pages. Texts may have any
 * bytes. Lengths are in the units of svg_head.width and ->height. Flame graphs are such pictures.
 */
#ifndef FTR_OUTPUT_SVG_H
#define FTR_OUTPUT_SVG_H

#include "base/err.h"
#include "base/mem.h"
#include "model/flame/folded_stacks.h"

#define SVG_CHAR	7.2	/* width of a character: all text is monospaced, of size 12 */
#define SVG_COLOURS	12	/* classes "c0" to "c11": fill colours that differ */
#define SVG_HEAT	10	/* classes "h0" to "h9": from few to many, on light and dark */

/* More classes: "grid" and "axis" of lines; "dim", "head", "right" and "middle" of texts. */
struct svg_head {
	double width, height;
	const char *title;		/* any bytes */
	const char *style, *script;	/* additional CSS and JavaScript: trusted, or NULL */
};

struct svg_box {
	double x, y, width, height;
};

/* Starts a picture in an empty buffer, with an empty page of this size. */
void svg_begin(struct buf *svg, const struct svg_head *h);
void svg_end(struct buf *svg);

/*
 * Appends a rectangle. @class is trusted. @tip is shown when the pointer is over it; NULL for none.
 */
void svg_rect(struct buf *svg, const struct svg_box *b, const char *class, const char *tip);
/* Appends @text at @x with its baseline at @y. It is cut to @width; 0: not cut. */
void svg_text(struct buf *svg, double x, double y, double width, const char *class,
	      const char *text);
void svg_line(struct buf *svg, double x1, double y1, double x2, double y2, const char *class);
/* Starts a group of @class, which lasts until svg_group_end(). */
void svg_group_begin(struct buf *svg, const char *class, const char *tip);
void svg_group_end(struct buf *svg);

/*
 * Appends text escaped for XML, also for attributes. It is sanitised as by text_sanitise(), and
 * characters that XML forbids become U+FFFD.
 */
void svg_escape(struct buf *svg, const char *text, size_t n);
/* Appends a number with at most two decimals. */
void svg_number(struct buf *svg, double v);

/* --- flame graphs: folded stacks as a picture with search and zoom (svg/flame_svg.c) */

struct flame_look {
	const char *title;		/* any bytes */
	const char *note;		/* a line below the frames, or NULL */
	const char *unit;		/* unit of the numbers; NULL: nanoseconds */
	bool is_diff;			/* column 0 is before, column 1 now */
};

/*
 * Draws sorted folded stacks into an empty buffer. Frames narrower than a tenth of a unit are left
 * out.
 */
void flame_draw(struct buf *svg, const struct folded_stacks *w, const struct flame_look *look);

#endif
