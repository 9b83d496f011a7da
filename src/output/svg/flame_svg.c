/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flame graphs. */
#include "output/svg.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/text.h"

#define WIDTH		1200.0
#define SIDE		10.0		/* left and right of the frames */
#define TOP		52.0
#define BOTTOM		44.0
#define ROW		17.0
#define NARROWEST	0.1
#define TEXT_FROM	(4 * SVG_CHAR + 6)	/* narrower frames have no text */
#define LEVELS		4		/* colours of frames with more, and with less */

static const char style[] =
	".f{cursor:pointer}.f text{fill:#111;pointer-events:none}\n"
	".f:hover rect,.f:focus rect{stroke:var(--ink)}.f:focus{outline:none}\n"
	".f.wide rect{opacity:.4}.f.wide text{fill:var(--ink)}\n"
	".f.hit rect{fill:#ee00ee}.f.hit text{fill:#fff}\n"
	".button{cursor:pointer;text-decoration:underline}\n"
	".same{fill:#c4c4c4}\n"
	".more0{fill:#f6cfc6}.more1{fill:#f2a898}.more2{fill:#ec8270}.more3{fill:#e5604c}\n"
	".less0{fill:#cfdff6}.less1{fill:#a9c6f0}.less2{fill:#83ade9}.less3{fill:#5f95e2}\n";

/* flame_svg.js is included as it is; it depends only on the shapes that this file draws. */
__asm__(".pushsection .rodata.flame_js, \"a\"\n"
	"flame_js: .incbin \"src/output/svg/flame_svg.js\"\n"
	".byte 0\n"
	".popsection\n");
extern const char flame_js[];

struct flame_drawing {
	const struct folded_stacks *folded;
	const struct flame_look *look;
	struct buf *svg, tip, class;
	unsigned int column;		/* the column of numbers that widths show */
	double scale;			/* units of width for a number */
	uint64_t most;			/* the largest difference of a frame, more or less */
	double *x;			/* the start of the next frame, by depth */
	size_t cap;
	size_t rows;
};

/* --- numbers */

static void add_amount(struct flame_drawing *d, uint64_t n)
{
	static const struct { uint64_t ns; const char *name; } units[] = {
		{ 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" }, { 1, "ns" },
	};
	size_t i = 0;

	if (d->look->unit) {
		text_grouped(&d->tip, n);
		buf_printf(&d->tip, " %s", d->look->unit);
		return;
	}
	while (n < units[i].ns && i < 3)
		i++;
	buf_printf(&d->tip, "%.*f %s", units[i].ns == 1 ? 0 : 3, (double)n / units[i].ns,
		   units[i].name);
}

/* Returns the difference of the self time to that before; *@more is its sign. */
static uint64_t self_difference(const struct folded_frame *frame, bool *more)
{
	*more = frame->value[1] >= frame->value[0];
	return *more ? frame->value[1] - frame->value[0] : frame->value[0] - frame->value[1];
}

/* Returns "vfs_read (1.200 ms, 3.40 %, self 200 ns)": flame_svg.js reads the name from it. */
static const char *make_tip(struct flame_drawing *d, const struct folded_frame *frame,
			    const char *name)
{
	uint64_t all = folded_root(d->folded)->all[d->column], by;
	bool more;

	buf_reset(&d->tip);
	buf_printf(&d->tip, "%s (", name);
	add_amount(d, frame->all[d->column]);
	buf_printf(&d->tip, ", %.2f %%", all ? 100.0 * frame->all[d->column] / all : 0);
	if (d->look->is_diff) {
		by = self_difference(frame, &more);
		buf_addstr(&d->tip, ", before ");
		add_amount(d, frame->all[0]);
		buf_printf(&d->tip, ", self %c", more ? '+' : '-');
		add_amount(d, by);
	} else {
		buf_addstr(&d->tip, ", self ");
		add_amount(d, frame->value[0]);
	}
	buf_addch(&d->tip, ')');
	return d->tip.data;
}


/* Returns the class of the colour, which is the same for a function in each picture. */
static const char *make_class(struct flame_drawing *d, const struct folded_frame *frame,
			      const char *name)
{
	bool more;
	uint64_t by = self_difference(frame, &more);
	unsigned int level = by < d->most ? (double)by / d->most * LEVELS : LEVELS - 1;

	level = level < LEVELS ? level : LEVELS - 1;
	buf_reset(&d->class);
	if (frame == folded_root(d->folded))
		buf_addstr(&d->class, "f same");
	else if (!d->look->is_diff)
		buf_printf(&d->class, "f c%u", (unsigned int)(hash_shown(name) % SVG_COLOURS));
	else if (by)
		buf_printf(&d->class, "f %s%u", more ? "more" : "less", level);
	else
		buf_addstr(&d->class, "f same");
	return d->class.data;
}

/* --- frames */

static double frame_width(const struct flame_drawing *d, const struct folded_frame *frame)
{
	return frame->all[d->column] * d->scale;
}

/* Finds the number of rows and the largest difference, in a pass before frames are drawn. */
static bool measure_frame(void *ctx, const struct folded_frame *frame, size_t depth)
{
	struct flame_drawing *d = ctx;
	uint64_t by;
	bool more;

	if (frame_width(d, frame) < NARROWEST)
		return false;
	by = self_difference(frame, &more);
	if (by > d->most)
		d->most = by;
	if (depth + 2 > d->rows)
		d->rows = depth + 2;
	return true;
}

static void draw_frame(struct flame_drawing *d, const struct folded_frame *frame, const char *name,
		       double x, size_t row)
{
	double width = frame_width(d, frame), y = TOP + (d->rows - 1 - row) * ROW;

	svg_group_begin(d->svg, make_class(d, frame, name), make_tip(d, frame, name));
	svg_rect(d->svg, &(struct svg_box){ x, y, width, ROW - 1 }, NULL, NULL);
	if (width >= TEXT_FROM)
		svg_text(d->svg, x + 3, y + 12, width - 6, NULL, name);
	svg_group_end(d->svg);
}

static bool place_frame(void *ctx, const struct folded_frame *frame, size_t depth)
{
	struct flame_drawing *d = ctx;
	double x;

	d->x = xgrow(d->x, &d->cap, depth + 2, sizeof(*d->x));
	x = d->x[depth];
	d->x[depth] += frame_width(d, frame);
	d->x[depth + 1] = x;
	if (frame_width(d, frame) < NARROWEST)
		return false;
	draw_frame(d, frame, folded_frame_name(d->folded, frame), x, depth + 1);
	return true;
}


void flame_draw(struct buf *svg, const struct folded_stacks *w, const struct flame_look *look)
{
	struct flame_drawing d = { .folded = w, .look = look, .svg = svg, .column = look->is_diff,
			     .most = 1, .rows = 1 };
	uint64_t all = folded_root(w)->all[d.column];
	double below;

	d.scale = all ? (WIDTH - 2 * SIDE) / all : 0;
	folded_visit(w, measure_frame, &d);
	below = TOP + d.rows * ROW;
	svg_begin(svg, &(struct svg_head){ WIDTH, below + BOTTOM, look->title, style, flame_js });
	svg_text(svg, WIDTH / 2, 20, WIDTH, "head middle", look->title);
	if (!all)
		svg_text(svg, WIDTH / 2, TOP, WIDTH, "dim middle", "nothing to show");
	if (look->note)
		svg_text(svg, SIDE, below + 32, WIDTH, "dim", look->note);
	d.x = xgrow(NULL, &d.cap, 1, sizeof(*d.x));
	d.x[0] = SIDE;
	svg_group_begin(svg, "frames", NULL);
	if (all)
		draw_frame(&d, folded_root(w), "all", SIDE, 0);
	folded_visit(w, place_frame, &d);
	svg_group_end(svg);
	svg_end(svg);
	free(d.x);
	buf_release(&d.tip);
	buf_release(&d.class);
}
