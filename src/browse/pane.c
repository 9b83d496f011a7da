/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A part of the screen with the rows of a view around the selected one. */
#include "browse/pane.h"

#include <string.h>

#include "browse/work/row_search.h"

#define GUTTER 2		/* columns for marks */
#define SCROLLED_LEAST 2	/* rows that scroll below the pinned ones */

/* --- moving */

uint64_t pane_time(const struct browse_pane *p)
{
	return p->any ? p->view->ops->time(p->view, &p->cursor) : VIEW_NO_TIME;
}

/* Scrolls so that the selected row is in the middle. */
static void pane_center(struct browse_pane *p)
{
	int i;

	p->top = p->cursor;
	for (i = 0; i < p->rows / 2 && p->view->ops->prev(p->view, &p->top); i++)
		;
	p->is_cut = view_is_late(p->view);
}

void pane_go(struct browse_pane *p, uint64_t ts)
{
	p->any = p->view->ops->at(p->view, ts, &p->cursor);
	if (p->any)
		pane_center(p);
}

void pane_go_to_place(struct browse_pane *p, const struct row_place *at)
{
	p->cursor = *at;
	p->any = p->view->ops->find(p->view, &p->cursor) ||
		 (!view_is_late(p->view) && p->view->ops->prev(p->view, &p->cursor));
	if (p->any)
		pane_center(p);
}

void pane_set(struct browse_pane *p, struct browse_view *view, uint64_t ts)
{
	p->view = view;
	p->skip = 0;
	pane_go(p, ts == VIEW_NO_TIME ? 0 : ts);
}

void pane_refresh(struct browse_pane *p)
{
	struct row_place at = p->cursor;

	pane_go_to_place(p, &at);
}

bool pane_move(struct browse_pane *p, int rows)
{
	bool (*step)(struct browse_view *v, struct row_place *at) =
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

struct pane_drawing {
	struct browse_pane *pane;
	struct cell_grid *g;
	const struct pane_marks *marks;
	int y, end;
	bool active;
};

/* Returns the number of lines on the screen that a row needs. */
static int row_height(const struct browse_pane *p, const struct cell_grid *g,
		      const struct view_row *row)
{
	size_t width = grid_text_width(row->text.data, row->text.len, g->ascii);
	size_t room = g->w > GUTTER + 1 ? g->w - GUTTER : 1;

	return !p->wrap || width <= room ? 1 : (width + room - 1) / room;
}

static int height_at(const struct browse_pane *p, const struct cell_grid *g,
		     const struct row_place *at)
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

/* Returns true if the selected row is within @lines lines from the top on. */
static bool pane_shows_cursor(const struct browse_pane *p, const struct cell_grid *g, int lines)
{
	struct row_place at = p->top;

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

/* Marks the text that was searched for in a line. */
static void draw_found(struct pane_drawing *d, const struct view_row *row, size_t skip, int y)
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

/* Returns the position after @columns characters, each of which is a column wide. */
static const char *skip_columns(const char *p, const char *end, size_t columns)
{
	while (p < end && columns--)
		do
			p++;
		while (p < end && (*p & 0xc0) == 0x80);
	return p;
}

/* Applies ->look to the columns of a line. The label before them may have wide characters. */
static void draw_looks(struct pane_drawing *d, const struct view_row *row)
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

static bool row_is_head(const struct view_row *row)
{
	return !row->text.len || *row->text.data == '#';
}

/* Marks the label at the start of a line, without the blanks after it. */
static void draw_label(struct pane_drawing *d, const struct view_row *row, size_t skip)
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

static void draw_row(struct pane_drawing *d, const struct row_place *at)
{
	struct browse_pane *p = d->pane;
	const struct pane_marks *m = d->marks;
	bool selected = !place_compare(at, &p->cursor), highlit = selected && d->active;
	struct view_row row = {0};
	size_t room = d->g->w > GUTTER + 1 ? d->g->w - GUTTER : 1, height;
	uint64_t ts = p->view->ops->time(p->view, at);
	char mark = ts == VIEW_NO_TIME ? ' ' : m->letter(m->ctx, ts);

	buf_addstr(&row.text, "");
	p->view->ops->row(p->view, at, &row);
	height = row_height(p, d->g, &row);
	for (size_t i = 0; i < height && d->y < d->end; i++, d->y++) {
		size_t skip = p->wrap ? i * room : p->skip;
		int x = GUTTER + m->column - (int)skip;

		grid_fill(d->g, d->y, 0, d->g->w, highlit ? GRID_SELECTED : GRID_PLAIN);
		grid_print_from(d->g, d->y, GUTTER, d->g->w, row.text.data, row.text.len, skip,
				highlit ? GRID_SELECTED : row.attr);
		if (m->look && !highlit && !skip && !row_is_head(&row))
			draw_looks(d, &row);
		if (m->found && *m->found)
			draw_found(d, &row, skip, d->y);
		if (m->column >= (int)skip && !row_is_head(&row))
			grid_set_attr(d->g, d->y, x, x + 1, GRID_MARK);
		if (i)
			continue;
		if (m->is_marked && !highlit && m->is_marked(m->ctx, at))
			draw_label(d, &row, p->skip);
		if (mark != ' ')
			grid_print(d->g, d->y, 0, 1, &mark, 1, GRID_MARK);
		if (selected && !d->active)
			grid_print(d->g, d->y, 1, 2, ">", 1, GRID_MARK);
		if (highlit) {
			d->g->cursor_x = 0;
			d->g->cursor_y = d->y;
		}
	}
	buf_release(&row.text);
}

/* Scrolls only as far as needed to have the selected row on the screen. */
static void scroll_to_cursor(struct browse_pane *p, const struct cell_grid *g, int lines)
{
	struct row_place at;
	int used;

	if (!p->view->ops->find(p->view, &p->top) || !pane_shows_cursor(p, g, lines)) {
		bool up = place_compare(&p->cursor, &p->top) < 0;

		at = p->top = p->cursor;
		used = height_at(p, g, &p->top);
		while (!up && p->view->ops->prev(p->view, &at) &&
		       (used += height_at(p, g, &at)) <= lines)
			p->top = at;
	}
	/* no blank lines at the end as long as there are rows before the first one */
	at = p->top;
	used = height_at(p, g, &at);
	while (used < lines && p->view->ops->next(p->view, &at))
		used += height_at(p, g, &at);
	for (at = p->top; used < lines && p->view->ops->prev(p->view, &at); p->top = at) {
		used += height_at(p, g, &at);
		if (used > lines)
			break;
	}
}

void pane_draw(struct browse_pane *p, struct cell_grid *g, int y, int end, bool active,
	       const struct pane_marks *marks)
{
	struct pane_drawing d = { .pane = p, .g = g, .marks = marks, .y = y + 1, .end = end,
			     .active = active };
	struct row_place at, top = p->top;
	int lines = end - y - 1, most = lines - SCROLLED_LEAST, room;
	struct buf head = {0};

	if (lines < 0)
		return;
	p->rows = lines;
	p->nr_pinned = 0;
	most = most < PANE_PINNED ? most : PANE_PINNED;
	/* the pinned rows depend on the scrolling, and the scrolling on their number */
	if (p->any && lines) {
		do {
			room = p->nr_pinned;
			p->rows = lines - room;
			scroll_to_cursor(p, g, p->rows);
			p->nr_pinned = marks->pinned && most > 0 ?
				       marks->pinned(marks->ctx, &p->top, p->pinned, most) : 0;
		} while (p->nr_pinned > room);
		p->rows = lines - p->nr_pinned;
	}
	p->view->ops->head(p->view, &head);
	marks->add_head(marks->ctx, p, &head);
	grid_fill(g, y, 0, g->w, GRID_HEAD);
	grid_print(g, y, 0, g->w, head.data, head.len, GRID_HEAD);
	buf_release(&head);
	if (!p->any || !lines)
		return;
	for (int i = 0; i < p->nr_pinned; i++)
		draw_row(&d, &p->pinned[i]);
	at = p->top;
	do {
		draw_row(&d, &at);
	} while (d.y < d.end && p->view->ops->next(p->view, &at));
	/* a row that is not ready looks like none: the next drawing scrolls anew */
	if (view_is_late(p->view))
		p->top = top;
}
