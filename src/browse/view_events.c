/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view of records, in the lines of ftr report. */
#include "browse/view.h"

#include <stdlib.h>

struct events_view {
	struct browse_view view;
	struct text_rows *rows;
};

struct text_rows *events_view_rows(struct browse_view *v)
{
	return ((struct events_view *)v)->rows;
}

/*
 * Returns the slice with the row at @p or the first one after it, and sets its index in the slice.
 * Returns NULL if there is none, or if it is not ready.
 */
static const struct rows_slice *slice_of_place(struct text_rows *r, const struct row_place *p,
					       size_t *i)
{
	const struct rows_slice *s = rows_slice_at(r, p->ts);

	*i = rows_find(s, p);
	if (*i < s->n)
		return s;
	do {
		s = rows_slice_after(r, s);
	} while (s && !s->n);
	/* 0, unless times turned out to be out of order, and one slice has all rows */
	*i = s ? rows_find(s, p) : 0;
	return s && *i < s->n ? s : NULL;
}

const struct text_row *events_view_row(struct browse_view *v, const struct row_place *p)
{
	const struct rows_slice *s;
	size_t i;

	s = slice_of_place(events_view_rows(v), p, &i);
	return s ? &s->v[i] : NULL;
}

static bool events_find(struct browse_view *v, struct row_place *p)
{
	const struct text_row *row = events_view_row(v, p);

	if (row)
		*p = row->at;
	return row;
}

static bool events_prev(struct browse_view *v, struct row_place *p)
{
	struct text_rows *r = events_view_rows(v);
	const struct rows_slice *s = rows_slice_at(r, p->ts);
	size_t i = rows_find(s, p);

	/* if rows are late, there may be rows after @p that were not found yet */
	if (rows_are_late(r) && !i)
		return false;

	if (!i) {
		do {
			s = rows_slice_before(r, s);
		} while (s && !s->n);
		i = s ? rows_find(s, p) : 0;
		if (!i)
			return false;
	}
	*p = s->v[i - 1].at;
	return true;
}

static bool events_next(struct browse_view *v, struct row_place *p)
{
	struct row_place after = { p->ts, p->seq, p->line + 1 };

	if (!events_find(v, &after))
		return false;
	*p = after;
	return true;
}

static bool events_at(struct browse_view *v, uint64_t ts, struct row_place *p)
{
	*p = (struct row_place){ .ts = ts };
	return events_find(v, p) || (!rows_are_late(events_view_rows(v)) && events_prev(v, p));
}

static bool events_late(struct browse_view *v)
{
	return rows_are_late(events_view_rows(v));
}

static uint64_t events_time(struct browse_view *v, const struct row_place *p)
{
	(void)v;
	return p->ts;
}

static void events_row(struct browse_view *v, const struct row_place *p, struct view_row *row)
{
	const struct rows_slice *s;
	size_t i;

	s = slice_of_place(events_view_rows(v), p, &i);
	if (!s)
		return;
	buf_add(&row->text, s->text.data + s->v[i].text, s->v[i].len);
	row->attr = s->v[i].is_loss ? GRID_LOSS : GRID_PLAIN;
}

static enum view_enter events_enter(struct browse_view *v, const struct row_place *p)
{
	const struct text_row *row = events_view_row(v, p);

	return row && !row->is_loss ? VIEW_DETAILS : VIEW_STAYS;
}

static void events_head(struct browse_view *v, struct buf *out)
{
	(void)v;
	buf_addstr(out, "events");
}

static void events_free(struct browse_view *v)
{
	rows_free(events_view_rows(v));
	free(v);
}

void events_view_set(struct browse_view *v, struct text_rows *rows)
{
	struct events_view *e = (struct events_view *)v;

	rows_free(e->rows);
	e->rows = rows;
}

struct browse_view *events_view_new(struct text_rows *rows)
{
	static const struct view_ops ops = {
		.at = events_at, .find = events_find, .next = events_next,
		.prev = events_prev, .time = events_time, .row = events_row,
		.enter = events_enter, .late = events_late, .head = events_head,
		.free = events_free,
	};
	struct events_view *e = xcalloc(1, sizeof(*e));

	e->view.ops = &ops;
	e->rows = rows;
	return &e->view;
}
