/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flame graphs. */
#include "output/svg/flame_svg.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/text.h"
#include "output/svg.h"

#define WIDTH		1200.0
#define SIDE		10.0		/* left and right of the frames */
#define TOP		52.0
#define BOTTOM		44.0
#define ROW		17.0
#define NARROWEST	0.1
#define TEXT_FROM	(4 * SVG_CHAR + 6)	/* of narrower frames nothing can be read */
#define LEVELS		4		/* of what became more, and less */

static const char style[] =
	".f{cursor:pointer}.f text{fill:#111;pointer-events:none}\n"
	".f:hover rect,.f:focus rect{stroke:var(--ink)}.f:focus{outline:none}\n"
	".f.wide rect{opacity:.4}.f.wide text{fill:var(--ink)}\n"
	".f.hit rect{fill:#ee00ee}.f.hit text{fill:#fff}\n"
	".button{cursor:pointer;text-decoration:underline}\n"
	".same{fill:#c4c4c4}\n"
	".more0{fill:#f6cfc6}.more1{fill:#f2a898}.more2{fill:#ec8270}.more3{fill:#e5604c}\n"
	".less0{fill:#cfdff6}.less1{fill:#a9c6f0}.less2{fill:#83ade9}.less3{fill:#5f95e2}\n";

/* flame_svg.js as it lies beside this file; it needs no more than what this file draws. */
__asm__(".pushsection .rodata.flame_js, \"a\"\n"
	"flame_js: .incbin \"src/output/svg/flame_svg.js\"\n"
	".byte 0\n"
	".popsection\n");
extern const char flame_js[];

struct drawing {
	const struct ways *ways;
	const struct flame_look *look;
	struct buf *svg, tip, class;
	unsigned int column;		/* of the numbers that widths are of */
	double scale;			/* units of width for a number */
	uint64_t most;			/* how much a frame has more or less at most */
	double *x;			/* where the next frame begins, by depth */
	size_t cap;
	size_t rows;
};

/* --- numbers */

static void add_ns(struct buf *b, uint64_t ns)
{
	static const struct { uint64_t ns; const char *name; } units[] = {
		{ 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" }, { 1, "ns" },
	};
	size_t i = 0;

	while (ns < units[i].ns && i < 3)
		i++;
	buf_printf(b, "%.*f %s", units[i].ns == 1 ? 0 : 3, (double)ns / units[i].ns, units[i].name);
}

static void add_amount(struct drawing *d, uint64_t n)
{
	if (!d->look->unit) {
		add_ns(&d->tip, n);
		return;
	}
	text_grouped(&d->tip, n);
	buf_printf(&d->tip, " %s", d->look->unit);
}

static double percent_of(uint64_t part, uint64_t all)
{
	return all ? 100.0 * part / all : 0;
}

/* What ended here itself: more or less than before. */
static uint64_t difference_of(const struct way *way, bool *more)
{
	*more = way->value[1] >= way->value[0];
	return *more ? way->value[1] - way->value[0] : way->value[0] - way->value[1];
}

static void add_self(struct drawing *d, const struct way *way)
{
	bool more;
	uint64_t by = difference_of(way, &more);

	buf_addstr(&d->tip, ", self ");
	if (!d->look->is_diff) {
		add_amount(d, way->value[0]);
		return;
	}
	buf_addch(&d->tip, more ? '+' : '-');
	add_amount(d, by);
}

/* "vfs_read (1.200 ms, 3.40 %, self 200 ns)": flame_svg.js takes the name from it. */
static const char *tip_of(struct drawing *d, const struct way *way, const char *name)
{
	const struct way *start = ways_start(d->ways);

	buf_reset(&d->tip);
	buf_printf(&d->tip, "%s (", name);
	add_amount(d, way->all[d->column]);
	buf_printf(&d->tip, ", %.2f %%", percent_of(way->all[d->column], start->all[d->column]));
	if (d->look->is_diff) {
		buf_addstr(&d->tip, ", before ");
		add_amount(d, way->all[0]);
	}
	add_self(d, way);
	buf_addch(&d->tip, ')');
	return d->tip.data;
}

/* --- colours */

/* A function has the same colour in each picture. */
static unsigned int colour_of_name(const char *name)
{
	return hash_shown(name) % SVG_COLOURS;
}

static unsigned int level_of(const struct drawing *d, uint64_t by)
{
	unsigned int level = (double)by / d->most * LEVELS;

	return level < LEVELS ? level : LEVELS - 1;
}

static const char *class_of(struct drawing *d, const struct way *way, const char *name)
{
	bool more;
	uint64_t by = difference_of(way, &more);

	buf_reset(&d->class);
	if (way == ways_start(d->ways))
		buf_addstr(&d->class, "f same");
	else if (!d->look->is_diff)
		buf_printf(&d->class, "f c%u", colour_of_name(name));
	else if (by)
		buf_printf(&d->class, "f %s%u", more ? "more" : "less", level_of(d, by));
	else
		buf_addstr(&d->class, "f same");
	return d->class.data;
}

/* --- frames */

static double width_of(const struct drawing *d, const struct way *way)
{
	return way->all[d->column] * d->scale;
}

/* The first walk: how many rows there are, how large differences. */
static bool measure_frame(void *ctx, const struct way *way, size_t depth)
{
	struct drawing *d = ctx;
	uint64_t by;
	bool more;

	if (width_of(d, way) < NARROWEST)
		return false;
	by = difference_of(way, &more);
	if (by > d->most)
		d->most = by;
	if (depth + 2 > d->rows)
		d->rows = depth + 2;
	return true;
}

static void draw_frame(struct drawing *d, const struct way *way, const char *name, double x,
		       size_t row)
{
	double width = width_of(d, way), y = TOP + (d->rows - 1 - row) * ROW;

	svg_group_begin(d->svg, class_of(d, way, name), tip_of(d, way, name));
	svg_rect(d->svg, &(struct svg_box){ x, y, width, ROW - 1 }, NULL, NULL);
	if (width >= TEXT_FROM)
		svg_text(d->svg, x + 3, y + 12, width - 6, NULL, name);
	svg_group_end(d->svg);
}

static bool place_frame(void *ctx, const struct way *way, size_t depth)
{
	struct drawing *d = ctx;
	double x;

	d->x = xgrow(d->x, &d->cap, depth + 2, sizeof(*d->x));
	x = d->x[depth];
	d->x[depth] += width_of(d, way);
	d->x[depth + 1] = x;
	if (width_of(d, way) < NARROWEST)
		return false;
	draw_frame(d, way, ways_text(d->ways, way), x, depth + 1);
	return true;
}

static void draw_frames(struct drawing *d)
{
	d->x = xgrow(NULL, &d->cap, 1, sizeof(*d->x));
	d->x[0] = SIDE;
	svg_group_begin(d->svg, "frames", NULL);
	if (d->scale > 0)
		draw_frame(d, ways_start(d->ways), "all", SIDE, 0);
	ways_visit(d->ways, place_frame, d);
	svg_group_end(d->svg);
}

/* --- the page */

static double height_of(const struct drawing *d)
{
	return TOP + d->rows * ROW + BOTTOM;
}

static void draw_words(const struct drawing *d)
{
	double below = height_of(d) - BOTTOM;

	svg_text(d->svg, WIDTH / 2, 20, WIDTH, "head middle", d->look->title);
	if (!(d->scale > 0))
		svg_text(d->svg, WIDTH / 2, TOP, WIDTH, "dim middle", "nothing to show");
	if (d->look->note)
		svg_text(d->svg, SIDE, below + 32, WIDTH, "dim", d->look->note);
}

void flame_draw(struct buf *svg, const struct ways *w, const struct flame_look *look)
{
	struct drawing d = { .ways = w, .look = look, .svg = svg, .column = look->is_diff,
			     .most = 1, .rows = 1 };
	uint64_t all = ways_start(w)->all[d.column];

	d.scale = all ? (WIDTH - 2 * SIDE) / all : 0;
	ways_visit(w, measure_frame, &d);
	svg_begin(svg, &(struct svg_head){ WIDTH, height_of(&d), look->title, style, flame_js });
	draw_words(&d);
	draw_frames(&d);
	svg_end(svg);
	free(d.x);
	buf_release(&d.tip);
	buf_release(&d.class);
}
