/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A view of lines that are there already. */
#include "browse/view_lines.h"

#include <stdlib.h>
#include <string.h>

struct line {
	size_t at, len;		/* in ->text */
	uint64_t ts;
	enum grid_attr attr;
};

struct lines {
	struct view view;
	const char *head;
	struct buf text;
	struct line *v;
	size_t n, cap;
};

/* The place of a line is its number. */
static struct lines *lines_of(struct view *v)
{
	return (struct lines *)v;
}

static bool lines_at(struct view *v, uint64_t ts, struct place *p)
{
	struct lines *l = lines_of(v);
	size_t i, at = 0;

	for (i = 0; i < l->n; i++)
		if (l->v[i].ts != VIEW_NO_TIME && (l->v[i].ts <= ts || !at))
			at = i;
	*p = (struct place){ .seq = at };
	return l->n > 0;
}

static bool lines_find(struct view *v, struct place *p)
{
	*p = (struct place){ .seq = p->seq };
	return p->seq < lines_of(v)->n;
}

static bool lines_next(struct view *v, struct place *p)
{
	if (p->seq + 1 >= lines_of(v)->n)
		return false;
	p->seq++;
	return true;
}

static bool lines_prev(struct view *v, struct place *p)
{
	(void)v;
	if (!p->seq)
		return false;
	p->seq--;
	return true;
}

static uint64_t lines_time(struct view *v, const struct place *p)
{
	return p->seq < lines_of(v)->n ? lines_of(v)->v[p->seq].ts : VIEW_NO_TIME;
}

static void lines_row(struct view *v, const struct place *p, struct view_row *row)
{
	const struct lines *l = lines_of(v);

	if (p->seq >= l->n)
		return;
	buf_add(&row->text, l->text.data + l->v[p->seq].at, l->v[p->seq].len);
	row->attr = l->v[p->seq].attr;
}

static enum view_enter lines_enter(struct view *v, const struct place *p)
{
	return lines_time(v, p) == VIEW_NO_TIME ? VIEW_STAYS : VIEW_GOES;
}

static void lines_head(struct view *v, struct buf *out)
{
	buf_addstr(out, lines_of(v)->head);
}

static void lines_free(struct view *v)
{
	struct lines *l = lines_of(v);

	buf_release(&l->text);
	free(l->v);
	free(l);
}

struct lines *lines_view_new(const char *head)
{
	static const struct view_ops ops = {
		.at = lines_at, .find = lines_find, .next = lines_next, .prev = lines_prev,
		.time = lines_time, .row = lines_row, .enter = lines_enter, .head = lines_head,
		.free = lines_free,
	};
	struct lines *l = xcalloc(1, sizeof(*l));

	l->view.ops = &ops;
	l->head = head;
	return l;
}

struct view *lines_view(struct lines *l)
{
	return &l->view;
}

void lines_view_clear(struct lines *l)
{
	buf_reset(&l->text);
	l->n = 0;
}

size_t lines_view_count(const struct lines *l)
{
	return l->n;
}

void lines_view_add(struct lines *l, const char *text, size_t len, uint64_t ts,
		    enum grid_attr attr)
{
	l->v = xgrow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	l->v[l->n++] = (struct line){ l->text.len, len, ts, attr };
	buf_add(&l->text, text, len);
}

void lines_view_add_text(struct lines *l, const char *text, size_t len)
{
	const char *end = text + len, *nl;

	for (; text < end; text = nl + 1) {
		nl = memchr(text, '\n', end - text);
		nl = nl ? nl : end;
		lines_view_add(l, text, nl - text, VIEW_NO_TIME, GRID_PLAIN);
	}
}
