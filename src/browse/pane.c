/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A part of the screen with the rows of a view around one that is selected. */
#include "browse/pane.h"

#include <string.h>

#include "browse/work/row_search.h"

#define GUTTER 2		/* columns for marks */
#define SCROLLED_LEAST 2	/* rows of a pane that scroll below those that stay */

/* --- moving */

uint64_t pane_time(const struct pane *p)
{
	return p->any ? p->view->ops->time(p->view, &p->cursor) : VIEW_NO_TIME;
}

/* Has the selected row in the middle. */
static void center(struct pane *p)
{
	int i;

	p->top = p->cursor;
	for (i = 0; i < p->rows / 2 && p->view->ops->prev(p->view, &p->top); i++)
		;
	p->is_cut = view_is_late(p->view);
}

void pane_go(struct pane *p, uint64_t ts)
{
	p->any = p->view->ops->at(p->view, ts, &p->cursor);
	if (p->any)
		center(p);
}

void pane_go_to_place(struct pane *p, const struct place *at)
{
	p->cursor = *at;
	p->any = p->view->ops->find(p->view, &p->cursor) ||
		 (!view_is_late(p->view) && p->view->ops->prev(p->view, &p->cursor));
	if (p->any)
		center(p);
}

void pane_set(struct pane *p, struct view *view, uint64_t ts)
{
	p->view = view;
	p->skip = 0;
	pane_go(p, ts == VIEW_NO_TIME ? 0 : ts);
}

void pane_refresh(struct pane *p)
{
	struct place at = p->cursor;

	pane_go_to_place(p, &at);
}

bool pane_move(struct pane *p, int rows)
{
	bool (*step)(struct view *v, struct place *at) =
		rows > 0 ? p->view->ops->next : p->view->ops->prev;
	int n = rows > 0 ? rows : -rows, i;

	if (!p->any)
		return false;
	p->is_cut = false;
	for (i = 0; i < n && step(p->view, &p->cursor); i++)
		;
	return i > 0;
}

/* --- drawing */

struct drawing {
	struct pane *pane;
	struct grid *g;
	const struct pane_marks *marks;
	int y, end;
	bool active;
};

/* The lines of the screen that a row takes. */
static int row_height(const struct pane *p, const struct grid *g, const struct view_row *row)
{
	size_t width = grid_text_width(row->text.data, row->text.len, g->ascii);
	size_t room = g->w > GUTTER + 1 ? g->w - GUTTER : 1;

	return !p->wrap || width <= room ? 1 : (width + room - 1) / room;
}

static int height_at(const struct pane *p, const struct grid *g, const struct place *at)
{
	struct view_row row = {0};
	int h;

	if (!p->wrap)
		return 1;
	p->view->ops->row(p->view, at, &row);
	h = row_height(p, g, &row);
	buf_release(&row.text);
	return h;
}

/* Is the selected row below the top, within so many lines? */
static bool is_in_sight(const struct pane *p, const struct grid *g, int lines)
{
	struct place at = p->top;

	if (place_compare(&p->cursor, &at) < 0)
		return false;
	for (;;) {
		lines -= height_at(p, g, &at);
		if (lines < 0)
			return false;
		if (!place_compare(&at, &p->cursor))
			return true;
		if (!p->view->ops->next(p->view, &at))
			return false;
	}
}

/* Scrolls so far that the selected row is on the screen. */
static void scroll_to_cursor(struct pane *p, const struct grid *g, int lines)
{
	struct place before;

	if (!p->view->ops->find(p->view, &p->top) || !is_in_sight(p, g, lines)) {
		bool up = place_compare(&p->cursor, &p->top) < 0;

		p->top = p->cursor;
		lines -= height_at(p, g, &p->top);
		before = p->top;
		while (!up && p->view->ops->prev(p->view, &before) &&
		       (lines -= height_at(p, g, &before)) >= 0)
			p->top = before;
	}
}

/* Rows that fit before the first: there are no blank lines at the end while there are rows. */
static void fill_from_above(struct pane *p, const struct grid *g, int lines)
{
	struct place at = p->top;
	int used = height_at(p, g, &at);

	while (used < lines && p->view->ops->next(p->view, &at))
		used += height_at(p, g, &at);
	for (at = p->top; used < lines && p->view->ops->prev(p->view, &at); p->top = at) {
		used += height_at(p, g, &at);
		if (used > lines)
			break;
	}
}

/* Where the text that was looked for stands in a line. */
static void show_found(struct drawing *d, const struct view_row *row, size_t skip, int y)
{
	const char *p = row->text.data, *end = p + row->text.len, *hit;
	size_t n = strlen(d->marks->found), from, to;

	while ((hit = find_text(p, end - p, d->marks->found, d->marks->exact))) {
		from = grid_text_width(row->text.data, hit - row->text.data, d->g->ascii);
		to = from + grid_text_width(hit, n, d->g->ascii);
		if (to > skip)
			grid_set_attr(d->g, y, GUTTER + (from > skip ? from - skip : 0),
				      GUTTER + to - skip, GRID_FOUND);
		p = hit + n;
	}
}

/* The bytes of @columns characters, of which each is a column wide. */
static const char *skip_columns(const char *p, const char *end, size_t columns)
{
	while (p < end && columns--)
		do
			p++;
		while (p < end && (*p & 0xc0) == 0x80);
	return p;
}

/* Characters that look otherwise; they are behind a label of any characters. */
static void show_looks(struct drawing *d, const struct view_row *row)
{
	const char *end = row->text.data + row->text.len, *p = row->text.data, *next;
	size_t x = 0;

	while (p < end && x < d->marks->look_from) {
		next = skip_columns(p, end, 1);
		x += grid_text_width(p, next - p, d->g->ascii);
		p = next;
	}
	for (; p < end && x < d->marks->look_to; x++, p = skip_columns(p, end, 1))
		grid_set_attr(d->g, d->y, GUTTER + x, GUTTER + x + 1, d->marks->look(p));
}

static bool is_head(const struct view_row *row)
{
	return !row->text.len || *row->text.data == '#';
}

static void draw_line(struct drawing *d, const struct view_row *row, size_t skip, bool selected)
{
	enum grid_attr attr = selected ? GRID_SELECTED : row->attr;

	grid_fill(d->g, d->y, 0, d->g->w, selected ? GRID_SELECTED : GRID_PLAIN);
	grid_put_from(d->g, d->y, GUTTER, d->g->w, row->text.data, row->text.len, skip, attr);
	if (d->marks->look && !selected && !skip && !is_head(row))
		show_looks(d, row);
	if (d->marks->found && *d->marks->found)
		show_found(d, row, skip, d->y);
	if (d->marks->column >= (int)skip && !is_head(row))
		grid_set_attr(d->g, d->y, GUTTER + d->marks->column - skip,
			      GUTTER + d->marks->column - skip + 1, GRID_MARK);
}

/* The name at the begin of a line, without the blanks behind it. */
static void mark_label(struct drawing *d, const struct view_row *row, size_t skip)
{
	const char *text = row->text.data;
	size_t n = 0, end = 0, at;

	for (at = 0; n < d->marks->label && at < row->text.len; at++) {
		n += (text[at] & 0xc0) != 0x80;
		if (text[at] != ' ' && n < d->marks->label)
			end = grid_text_width(text, at + 1, d->g->ascii);
	}
	if (end > skip)
		grid_set_attr(d->g, d->y, GUTTER, GUTTER + end - skip, GRID_MARK);
}

static void draw_mark(struct drawing *d, const struct place *at)
{
	uint64_t ts = d->pane->view->ops->time(d->pane->view, at);
	char mark = ts == VIEW_NO_TIME ? ' ' : d->marks->letter(d->marks->ctx, ts);

	if (mark != ' ')
		grid_put(d->g, d->y, 0, 1, &mark, 1, GRID_MARK);
}

static void draw_row(struct drawing *d, const struct place *at)
{
	struct pane *p = d->pane;
	bool selected = !place_compare(at, &p->cursor);
	struct view_row row = {0};
	size_t room = d->g->w > GUTTER + 1 ? d->g->w - GUTTER : 1, i;
	size_t height;

	buf_addstr(&row.text, "");
	p->view->ops->row(p->view, at, &row);
	height = row_height(p, d->g, &row);
	for (i = 0; i < height && d->y < d->end; i++, d->y++) {
		draw_line(d, &row, p->wrap ? i * room : p->skip, selected && d->active);
		if (!i) {
			if (d->marks->is_marked && !(selected && d->active) &&
			    d->marks->is_marked(d->marks->ctx, at))
				mark_label(d, &row, p->skip);
			draw_mark(d, at);
			if (selected && !d->active)
				grid_put(d->g, d->y, 1, 2, ">", 1, GRID_MARK);
		}
		if (!i && selected && d->active) {
			d->g->cursor_x = 0;
			d->g->cursor_y = d->y;
		}
	}
	buf_release(&row.text);
}

static void draw_head(struct drawing *d)
{
	struct buf head = {0};

	d->pane->view->ops->head(d->pane->view, &head);
	d->marks->add_head(d->marks->ctx, d->pane, &head);
	grid_fill(d->g, d->y, 0, d->g->w, GRID_HEAD);
	grid_put(d->g, d->y, 0, d->g->w, head.data, head.len, GRID_HEAD);
	buf_release(&head);
	d->y++;
}

/* Has the selected row in sight, below rows that stay. These depend on where it scrolls to. */
static void scroll_pane(struct pane *p, const struct grid *g, const struct pane_marks *marks,
			int lines)
{
	int most = lines - SCROLLED_LEAST, room = 0;

	most = most < PANE_PINNED ? most : PANE_PINNED;
	do {
		room = p->nr_pinned;
		p->rows = lines - room;
		scroll_to_cursor(p, g, p->rows);
		fill_from_above(p, g, p->rows);
		p->nr_pinned = marks->pinned && most > 0 ?
			       marks->pinned(marks->ctx, &p->top, p->pinned, most) : 0;
	} while (p->nr_pinned > room);
	p->rows = lines - p->nr_pinned;
}

void pane_draw(struct pane *p, struct grid *g, int y, int end, bool active,
	       const struct pane_marks *marks)
{
	struct drawing d = { .pane = p, .g = g, .marks = marks, .y = y, .end = end,
			     .active = active };
	struct place at, top = p->top;
	int lines = end - y - 1;

	if (lines < 0)
		return;
	p->rows = lines;
	p->nr_pinned = 0;
	if (p->any && lines)
		scroll_pane(p, g, marks, lines);
	draw_head(&d);
	if (!p->any || !lines)
		return;
	for (int i = 0; i < p->nr_pinned; i++)
		draw_row(&d, &p->pinned[i]);
	at = p->top;
	do {
		draw_row(&d, &at);
	} while (d.y < d.end && p->view->ops->next(p->view, &at));
	/* a row that takes longer looks like none: the next drawing scrolls anew */
	if (view_is_late(p->view))
		p->top = top;
}
