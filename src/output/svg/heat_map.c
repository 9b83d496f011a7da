/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Distributions over powers of two: as text, over time as heat maps. */
#include "output/svg/heat_map.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "output/svg.h"

#define ROWS_NARROW	32	/* with more rows the numbers need wider columns */
#define CELL_WIDTH	6.0
#define CELL_HEIGHT	16.0
#define LEFT		160.0	/* 20 digits stand there */
#define TOP		64.0
#define BOTTOM		64.0
#define RIGHT		24.0
#define LABELS		5	/* of the axis of time */

/* Widths, as those of _print_log2_hist() in bcc's src/python/bcc/table.py. */
struct log2_layout {
	int indent, label, number, bar;
};

static const struct log2_layout narrow = { 5, 19, 10, 40 }, wide = { 15, 29, 20, 20 };

struct heat_drawing {
	const struct heat_map *h;
	const struct heat_words *w;
	struct buf *svg;
	unsigned int low, high;		/* the first and the last row that is drawn */
	uint64_t most;			/* the largest count */
};

void log2_draw(struct buf *out, const uint64_t *rows, size_t n, const char *label)
{
	const struct log2_layout *l;
	uint64_t most = 1;
	int stars;

	while (n && !rows[n - 1])
		n--;
	l = n > ROWS_NARROW ? &wide : &narrow;
	for (size_t i = 0; i < n; i++)
		most = rows[i] > most ? rows[i] : most;
	buf_printf(out, "%*s%-*s : count     distribution\n", l->indent, "", l->label, label);
	for (size_t i = 0; i < n; i++) {
		buf_printf(out, "%*" PRIu64 " -> %-*" PRIu64 " : %-8" PRIu64 " |", l->number,
			   log2_from(i), l->number, log2_to(i), rows[i]);
		stars = (unsigned __int128)rows[i] * l->bar / most;
		for (int k = 0; k < l->bar; k++)
			buf_addch(out, k < stars ? '*' : ' ');
		buf_addstr(out, "|\n");
	}
}

void heat_add(struct heat_map *h, uint64_t ts, unsigned int row)
{
	unsigned __int128 range = (unsigned __int128)h->to - h->from + 1;

	ts = ts < h->from ? h->from : ts > h->to ? h->to : ts;
	h->counts[(unsigned __int128)(ts - h->from) * HEAT_COLUMNS / range][row]++;
}

/* --- coordinates of a heat map */

static double column_x(unsigned int column)
{
	return LEFT + column * CELL_WIDTH;
}

/* Returns the lower edge of a row: small values are at the bottom. */
static double row_y(const struct heat_drawing *d, unsigned int row)
{
	return TOP + (d->high - row + 1) * CELL_HEIGHT;
}

/* Prints the time since the left edge. */
static void add_offset(const struct heat_drawing *d, uint64_t offset, struct buf *out)
{
	if (d->w->is_ns)
		buf_printf(out, "+%.6f s", offset / 1e9);
	else
		buf_printf(out, "+%" PRIu64, offset);
}

static uint64_t column_offset(const struct heat_drawing *d, unsigned int column)
{
	return (d->h->to - d->h->from) * (long double)column / HEAT_COLUMNS;
}


static void draw_cell(struct heat_drawing *d, unsigned int column, unsigned int row)
{
	struct svg_box box = { column_x(column), row_y(d, row) - CELL_HEIGHT, CELL_WIDTH,
			       CELL_HEIGHT };
	uint64_t count = d->h->counts[column][row];
	struct buf tip = {0};
	char class[8];
	unsigned int heat;

	/* the hottest colour is that of the largest count, the others follow its logarithm */
	heat = d->most < 2 ? SVG_HEAT - 1 : (SVG_HEAT - 1) * log(count) / log(d->most);
	snprintf(class, sizeof(class), "h%u", heat);
	buf_printf(&tip, "%" PRIu64 " of %" PRIu64 " to %" PRIu64 " %s, ", count, log2_from(row),
		   log2_to(row), d->w->unit);
	add_offset(d, column_offset(d, column), &tip);
	buf_addstr(&tip, " to ");
	add_offset(d, column_offset(d, column + 1), &tip);
	svg_rect(d->svg, &box, class, tip.data);
	buf_release(&tip);
}

static void draw_rows(struct heat_drawing *d)
{
	char text[24];

	for (unsigned int r = d->low; r <= d->high; r++) {
		snprintf(text, sizeof(text), "%" PRIu64, log2_from(r));
		svg_line(d->svg, LEFT, row_y(d, r), column_x(HEAT_COLUMNS), row_y(d, r), "grid");
		svg_text(d->svg, LEFT - 8, row_y(d, r) - 4, 0, "right", text);
		for (unsigned int c = 0; c < HEAT_COLUMNS; c++)
			if (d->h->counts[c][r])
				draw_cell(d, c, r);
	}
	svg_text(d->svg, LEFT - 8, TOP - 8, 0, "right dim", d->w->unit);
}

static void draw_times(struct heat_drawing *d)
{
	double y = row_y(d, d->low);

	svg_line(d->svg, LEFT, y, column_x(HEAT_COLUMNS), y, "axis");
	for (unsigned int i = 0; i < LABELS; i++) {
		unsigned int column = HEAT_COLUMNS * i / (LABELS - 1);
		const char *class = !i ? NULL : i == LABELS - 1 ? "right" : "middle";
		struct buf text = {0};

		add_offset(d, column_offset(d, column), &text);
		svg_line(d->svg, column_x(column), y, column_x(column), y + 4, "axis");
		svg_text(d->svg, column_x(column), y + 18, 0, class, text.data);
		buf_release(&text);
	}
}

/* Draws the colours with the counts of the first and the last. */
static void draw_legend(struct heat_drawing *d)
{
	double y = row_y(d, d->low) + 34, x = LEFT;
	struct svg_box box = { 0, y, CELL_HEIGHT, 12 };
	char text[24], class[8];

	svg_text(d->svg, x, y + 10, 0, "dim", "1");
	for (unsigned int i = 0; i < SVG_HEAT; i++) {
		box.x = x + 2 * SVG_CHAR + i * CELL_HEIGHT;
		snprintf(class, sizeof(class), "h%u", i);
		svg_rect(d->svg, &box, class, NULL);
	}
	snprintf(text, sizeof(text), "%" PRIu64, d->most);
	svg_text(d->svg, box.x + CELL_HEIGHT + SVG_CHAR, y + 10, 0, "dim", text);
}

void heat_draw(const struct heat_map *h, const struct heat_words *w, struct buf *svg)
{
	struct heat_drawing d = { .h = h, .w = w, .svg = svg, .low = HEAT_ROWS };
	struct svg_head head = { .title = w->title,
				 .width = LEFT + HEAT_COLUMNS * CELL_WIDTH + RIGHT };

	for (unsigned int c = 0; c < HEAT_COLUMNS; c++) {
		for (unsigned int r = 0; r < HEAT_ROWS; r++) {
			if (!h->counts[c][r])
				continue;
			d.low = r < d.low ? r : d.low;
			d.high = r > d.high ? r : d.high;
			d.most = h->counts[c][r] > d.most ? h->counts[c][r] : d.most;
		}
	}
	if (d.low > d.high)
		d.low = d.high;
	head.height = TOP + (d.high - d.low + 1) * CELL_HEIGHT + BOTTOM;
	svg_begin(svg, &head);
	svg_text(svg, LEFT, 28, HEAT_COLUMNS * CELL_WIDTH, "head", w->title);
	draw_rows(&d);
	draw_times(&d);
	if (d.most)
		draw_legend(&d);
	svg_end(svg);
}
