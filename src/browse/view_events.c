/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view of records, in the lines of ftr report. */
#include "browse/view.h"

#include <stdlib.h>

struct events {
	struct view view;
	struct rows *rows;
};

struct rows *events_view_rows(struct view *v)
{
	return ((struct events *)v)->rows;
}

/* The first slice with rows from @s on; NULL: there is none, or it takes longer. */
static const struct rows_slice *with_rows(struct rows *r, const struct rows_slice *s)
{
	while (s && !s->n)
		s = rows_slice_after(r, s);
	return s;
}

static const struct rows_slice *with_rows_before(struct rows *r, const struct rows_slice *s)
{
	do {
		s = rows_slice_before(r, s);
	} while (s && !s->n);
	return s;
}

/* The slice of the row at @p or of the first one behind it, and which of its rows that is. */
static const struct rows_slice *find_row(struct rows *r, const struct place *p, size_t *i)
{
	const struct rows_slice *s = rows_slice_at(r, p->ts);

	*i = rows_find(s, p);
	if (*i < s->n)
		return s;
	s = rows_slice_after(r, s);
	s = s ? with_rows(r, s) : NULL;
	/* the first one, unless times turned out to be out of order and this slice has all */
	*i = s ? rows_find(s, p) : 0;
	return s && *i < s->n ? s : NULL;
}

const struct row *events_view_row(struct view *v, const struct place *p)
{
	const struct rows_slice *s;
	size_t i;

	s = find_row(events_view_rows(v), p, &i);
	return s ? &s->v[i] : NULL;
}

static bool events_find(struct view *v, struct place *p)
{
	const struct row *row = events_view_row(v, p);

	if (row)
		*p = row->at;
	return row;
}

static bool events_prev(struct view *v, struct place *p)
{
	struct rows *r = events_view_rows(v);
	const struct rows_slice *s = rows_slice_at(r, p->ts);
	size_t i = rows_find(s, p);

	/* whoever found none behind @p, and is late, does not know yet that there is none */
	if (rows_are_late(r) && !i)
		return false;

	if (!i) {
		s = with_rows_before(r, s);
		i = s ? rows_find(s, p) : 0;
		if (!i)
			return false;
	}
	*p = s->v[i - 1].at;
	return true;
}

static bool events_next(struct view *v, struct place *p)
{
	struct place after = { p->ts, p->seq, p->line + 1 };

	if (!events_find(v, &after))
		return false;
	*p = after;
	return true;
}

static bool events_at(struct view *v, uint64_t ts, struct place *p)
{
	*p = (struct place){ .ts = ts };
	return events_find(v, p) || (!rows_are_late(events_view_rows(v)) && events_prev(v, p));
}

static bool events_late(struct view *v)
{
	return rows_are_late(events_view_rows(v));
}

static uint64_t events_time(struct view *v, const struct place *p)
{
	(void)v;
	return p->ts;
}

static void events_row(struct view *v, const struct place *p, struct view_row *row)
{
	const struct rows_slice *s;
	size_t i;

	s = find_row(events_view_rows(v), p, &i);
	if (!s)
		return;
	buf_add(&row->text, s->text.data + s->v[i].text, s->v[i].len);
	row->attr = s->v[i].is_loss ? GRID_LOSS : GRID_PLAIN;
}

static enum view_enter events_enter(struct view *v, const struct place *p)
{
	const struct row *row = events_view_row(v, p);

	return row && !row->is_loss ? VIEW_DETAILS : VIEW_STAYS;
}

static void events_head(struct view *v, struct buf *out)
{
	(void)v;
	buf_addstr(out, "events");
}

static void events_free(struct view *v)
{
	rows_free(events_view_rows(v));
	free(v);
}

void events_view_set(struct view *v, struct rows *rows)
{
	struct events *e = (struct events *)v;

	rows_free(e->rows);
	e->rows = rows;
}

struct view *events_view_new(struct rows *rows)
{
	static const struct view_ops ops = {
		.at = events_at, .find = events_find, .next = events_next,
		.prev = events_prev, .time = events_time, .row = events_row,
		.enter = events_enter, .late = events_late, .head = events_head,
		.free = events_free,
	};
	struct events *e = xcalloc(1, sizeof(*e));

	e->view.ops = &ops;
	e->rows = rows;
	return &e->view;
}
