/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view of calls. A place is {number of the block, 0, number of the row}. */
#include "browse/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"

#define NEAR_ROWS (CALLS_ROWS / 4)	/* more is wanted if an end of the window is nearer */

struct graph_view {
	struct browse_view view;
	struct calls_window window;
	struct calls_goal want;
	bool wants;
	uint32_t file;
	int32_t pid;
	bool next_too;
	bool folds;			/* all calls are folded, except for those in ->others */
	struct map others;		/* fold key -> 1: the opposite of ->folds; 2: no longer */
	const char *why;		/* why there are no rows, in lines, or NULL */
	bool none;			/* there never will be any */
};

static struct graph_view *graph_of(struct browse_view *v)
{
	return (struct graph_view *)v;
}

/* --- rows */

static const struct calls_row *row_at(const struct graph_view *g, const struct row_place *p,
				      const struct calls_block **b)
{
	size_t i = calls_window_find(&g->window, p->ts);

	if (i >= g->window.n || g->window.v[i]->number != p->ts ||
	    p->line >= g->window.v[i]->nr_rows)
		return NULL;
	*b = g->window.v[i];
	return &(*b)->rows[p->line];
}

static void graph_want(struct graph_view *g, enum calls_goal_kind kind, uint64_t number,
		       uint32_t row)
{
	g->wants = !g->none;
	if (g->wants)
		g->why = NULL;
	g->want = (struct calls_goal){ .kind = kind, .number = number, .row = row };
}

/* Without calls the rows are the lines of ->why. Returns a line and its length, or NULL. */
static const char *why_line(const struct graph_view *g, uint32_t line, size_t *len)
{
	const char *p = g->why ? g->why : "the calls are being read";

	if (g->window.n)
		return NULL;
	for (; line; line--, p++) {
		p = strchr(p, '\n');
		if (!p)
			return NULL;
	}
	*len = strcspn(p, "\n");
	return p;
}

static bool find_why(const struct graph_view *g, uint32_t line, struct row_place *p)
{
	size_t len;

	if (!why_line(g, line, &len))
		return false;
	*p = (struct row_place){ .line = line };
	return true;
}

/* Finds the first row from block @i and row @row on that is not folded away. */
static bool find_shown_from(const struct graph_view *g, size_t i, uint32_t row, struct row_place *p)
{
	for (; i < g->window.n; i++, row = 0)
		for (; row < g->window.v[i]->nr_rows; row++)
			if (!g->window.v[i]->rows[row].is_hidden) {
				*p = (struct row_place){ .ts = g->window.v[i]->number,
							 .line = row };
				return true;
			}
	return false;
}

static bool find_shown_before(const struct graph_view *g, size_t i, uint32_t row,
			      struct row_place *p)
{
	for (;;) {
		while (row-- > 0)
			if (!g->window.v[i]->rows[row].is_hidden) {
				*p = (struct row_place){ .ts = g->window.v[i]->number,
							 .line = row };
				return true;
			}
		if (!i--)
			return false;
		row = g->window.v[i]->nr_rows;
	}
}

/* --- folding */

static uint64_t fold_key_of(const struct calls_block *b, const struct block_node *n)
{
	uint64_t h = n->begin * 0x9e3779b97f4a7c15u + n->name;

	h = (h ^ (uint32_t)b->pid) * 0xd6e8feb86659fd93u;
	return (h ^ (uint64_t)n->depth << 20 ^ n->file) * 0x9e3779b97f4a7c15u;
}

static bool call_is_folded(const struct graph_view *g, const struct calls_block *b,
			   const struct calls_row *r)
{
	bool other = (uintptr_t)map_get(&g->others, fold_key_of(b, &b->nodes[r->node])) == 1;

	return r->kind == GRAPH_OPENS && g->folds != other;
}

static void block_hide_rows(const struct graph_view *g, struct calls_block *b)
{
	/* hides the blank line between blocks in the first block of all */
	uint32_t until = b == g->window.v[0] && g->window.begins && !b->rows[0].len;

	for (uint32_t i = 0; i < b->nr_rows; i++) {
		b->rows[i].is_hidden = i < until;
		if (i >= until && call_is_folded(g, b, &b->rows[i]))
			until = b->rows[i].other + 1;
	}
}

static void call_set_folded(struct graph_view *g, struct calls_block *b, uint32_t row, bool folded)
{
	const struct block_node *n = &b->nodes[b->rows[row].node];

	map_put(&g->others, fold_key_of(b, n), (void *)(uintptr_t)(folded == g->folds ? 2 : 1));
	block_hide_rows(g, b);
}

/*
 * Sets *row to the row that opens the call around it; for a closing row, to its own opening row.
 * Returns false if there is none.
 */
static bool find_opening_row(const struct calls_block *b, uint32_t *row)
{
	const struct calls_row *r = &b->rows[*row];
	uint32_t at = *row;

	if (r->kind == GRAPH_CLOSES && r->other < *row) {
		*row = r->other;
		return true;
	}
	while (at-- > 0)
		if (b->rows[at].kind == GRAPH_OPENS && b->rows[at].other >= *row) {
			*row = at;
			return true;
		}
	return false;
}

static void call_unfold_around(struct graph_view *g, struct calls_block *b, uint32_t row)
{
	uint32_t at = row;

	while (b->rows[row].is_hidden && find_opening_row(b, &at))
		if (call_is_folded(g, b, &b->rows[at]))
			call_set_folded(g, b, at, false);
}

static struct calls_block *window_block(struct graph_view *g, uint64_t number)
{
	size_t i = calls_window_find(&g->window, number);

	return i < g->window.n && g->window.v[i]->number == number ? g->window.v[i] : NULL;
}

/* Returns the block of a place, and the row that opens its call. NULL: the call has one line. */
static struct calls_block *find_call_block(struct graph_view *g, const struct row_place *p,
					   uint32_t *row)
{
	struct calls_block *b = window_block(g, p->ts);

	if (!b || p->line >= b->nr_rows)
		return NULL;
	*row = b->rows[p->line].kind == GRAPH_CLOSES ? b->rows[p->line].other : p->line;
	return b->rows[*row].kind == GRAPH_OPENS ? b : NULL;
}

bool graph_view_fold(struct browse_view *v, const struct row_place *p)
{
	struct graph_view *g = graph_of(v);
	uint32_t row;
	struct calls_block *b = find_call_block(g, p, &row);

	if (!b)
		return false;
	call_set_folded(g, b, row, !call_is_folded(g, b, &b->rows[row]));
	return true;
}

void graph_view_fold_all(struct browse_view *v, struct row_place *cursor)
{
	struct graph_view *g = graph_of(v);
	size_t i;

	g->folds = !g->folds;
	map_release(&g->others);
	for (i = 0; i < g->window.n; i++)
		block_hide_rows(g, g->window.v[i]);
	i = calls_window_find(&g->window, cursor->ts);
	if (i < g->window.n && !find_shown_before(g, i, cursor->line + 1, cursor))
		find_shown_from(g, i, 0, cursor);
}

/* --- moving between calls */

const struct calls_block *graph_view_block(struct browse_view *v, const struct row_place *p,
					   uint32_t *row)
{
	const struct calls_block *b;
	const struct calls_row *r = row_at(graph_of(v), p, &b);

	if (!r || r->kind == GRAPH_HEAD)
		return NULL;
	*row = p->line;
	return b;
}

bool graph_view_caller(struct browse_view *v, struct row_place *p)
{
	const struct calls_block *b;
	const struct calls_row *r = row_at(graph_of(v), p, &b);
	uint32_t row = p->line;

	if (!r)
		return false;
	if (r->kind == GRAPH_CLOSES)
		row = r->other;
	if (!find_opening_row(b, &row))
		return false;
	p->line = row;
	return true;
}

/* Returns 1 + the duration of a call, 0 if it is unknown or the row opens no call. */
static uint64_t call_length(const struct calls_block *b, uint32_t row)
{
	const struct block_node *n = &b->nodes[b->rows[row].node];

	if (n->kind != BLOCK_SPAN || n->duration == SPAN_UNKNOWN ||
	    b->rows[row].kind == GRAPH_CLOSES)
		return 0;
	return n->duration + 1;
}

bool graph_view_longest(struct browse_view *v, struct row_place *p)
{
	struct graph_view *g = graph_of(v);
	uint32_t row, at, longest = 0;
	struct calls_block *b = find_call_block(g, p, &row);

	if (!b)
		return false;
	for (at = row + 1; at <= b->rows[row].other && at < b->nr_rows; at++) {
		if (call_length(b, at) > (longest ? call_length(b, longest) : 0))
			longest = at;
		if (b->rows[at].kind == GRAPH_OPENS)
			at = b->rows[at].other;
	}
	if (!longest)
		return false;
	call_unfold_around(g, b, longest);
	p->line = longest;
	return true;
}

bool graph_view_other_end(struct browse_view *v, struct row_place *p)
{
	struct graph_view *g = graph_of(v);
	struct calls_block *b = window_block(g, p->ts);
	const struct calls_row *r;

	if (!b || p->line >= b->nr_rows)
		return false;
	r = &b->rows[p->line];
	if (r->kind != GRAPH_CLOSES && (r->kind != GRAPH_OPENS ||
					b->rows[r->other].kind != GRAPH_CLOSES ||
					b->rows[r->other].node != r->node))
		return false;
	call_unfold_around(g, b, r->other);
	p->line = r->other;
	return true;
}

/* --- the wanted window */

void graph_view_set_task(struct browse_view *v, uint32_t file, int32_t pid, bool next_too)
{
	graph_of(v)->file = file;
	graph_of(v)->pid = pid;
	graph_of(v)->next_too = next_too;
}

const struct calls_goal *graph_view_wants(struct browse_view *v, const struct row_place *cursor,
					  bool *is_near)
{
	struct graph_view *g = graph_of(v);
	const struct calls_window *w = &g->window;
	size_t at = calls_window_find(w, cursor->ts), i;
	uint64_t before = cursor->line, after;

	*is_near = false;
	if (!w->n && !g->why && !g->wants)
		graph_want(g, CALLS_BLOCK, 0, 0);
	if (g->wants)
		return &g->want;
	if (at >= w->n || cursor->line >= w->v[at]->nr_rows)
		return NULL;
	for (i = at; i-- > 0 && before < NEAR_ROWS;)
		before += w->v[i]->nr_rows;
	after = w->v[at]->nr_rows - cursor->line;
	for (i = at + 1; i < w->n && after < NEAR_ROWS; i++)
		after += w->v[i]->nr_rows;
	if ((w->begins || before >= NEAR_ROWS) && (w->ends || after >= NEAR_ROWS))
		return NULL;
	*is_near = true;
	g->want = (struct calls_goal){
		.kind = CALLS_BLOCK, .number = cursor->ts, .row = cursor->line,
	};
	return &g->want;
}

void graph_view_set_window(struct browse_view *v, struct calls_work *w, struct row_place *at)
{
	struct graph_view *g = graph_of(v);
	struct calls_block *b;

	g->wants = false;
	calls_window_release(&g->window);
	g->window = w->window;
	w->window = (struct calls_window){0};
	for (size_t i = 0; i < g->window.n; i++)
		block_hide_rows(g, g->window.v[i]);
	*at = (struct row_place){ .ts = w->number, .line = w->row };
	b = window_block(g, w->number);
	if (b && w->row < b->nr_rows)
		call_unfold_around(g, b, w->row);
}

void graph_view_show_text(struct browse_view *v, const char *text, bool none)
{
	struct graph_view *g = graph_of(v);

	g->wants = false;
	g->why = text;
	g->none = none;
}

/* --- the functions of the view */

/* Goes to the last row of the block at or before @ts, else to its first row of a call. */
static void place_in_block(const struct calls_block *b, uint64_t ts, struct row_place *p)
{
	*p = (struct row_place){ .ts = b->number };
	for (uint32_t row = 0; row < b->nr_rows; row++) {
		if (b->rows[row].kind == GRAPH_HEAD || b->rows[row].is_hidden)
			continue;
		if (b->rows[p->line].kind == GRAPH_HEAD ||
		    calls_row_time(b, &b->rows[row]) <= ts)
			p->line = row;
	}
}

/* Finds the row for CALLS_TIME. Returns false if it may be in a block outside of the window. */
static bool place_in_window(const struct graph_view *g, uint64_t ts, struct row_place *p)
{
	const struct calls_block *b, *first = NULL;
	bool is_task;

	for (size_t i = 0; i < g->window.n; i++) {
		b = g->window.v[i];
		if (b->end < ts)
			continue;
		if (!i && !g->window.begins)
			return false;
		first = first ? first : b;
		is_task = b->file == g->file && b->pid == g->pid;
		if (g->pid >= 0 && !is_task)
			continue;
		place_in_block(g->next_too || b->nodes[0].begin <= ts ? b : first, ts, p);
		return true;
	}
	if (!first || !g->window.ends)
		return false;
	place_in_block(first, ts, p);
	return true;
}

/* If the window lacks the row it is wanted; until it comes the window stays as it is. */
static bool graph_at(struct browse_view *v, uint64_t ts, struct row_place *p)
{
	struct graph_view *g = graph_of(v);

	if (ts == 0 && g->window.begins)
		return find_shown_from(g, 0, 0, p);
	if (ts >= UINT64_MAX - 1 && g->window.ends)
		return g->window.n && find_shown_before(g, g->window.n, 0, p);
	if (place_in_window(g, ts, p))
		return true;
	if (ts >= UINT64_MAX - 1)
		graph_want(g, CALLS_LAST, 0, 0);
	else
		graph_want(g, ts ? CALLS_TIME : CALLS_BLOCK, 0, 0);
	g->want.ts = ts;
	g->want.file = g->file;
	g->want.pid = g->pid;
	g->want.next_too = g->next_too;
	return find_shown_from(g, 0, 0, p) || find_why(g, 0, p);
}

static bool graph_find(struct browse_view *v, struct row_place *p)
{
	struct graph_view *g = graph_of(v);
	size_t i = calls_window_find(&g->window, p->ts);

	if (i >= g->window.n)
		return find_why(g, p->line, p) || find_why(g, 0, p);
	return find_shown_from(g, i, g->window.v[i]->number == p->ts ? p->line : 0, p);
}

static bool graph_next(struct browse_view *v, struct row_place *p)
{
	struct graph_view *g = graph_of(v);
	size_t i = calls_window_find(&g->window, p->ts);

	if (!g->window.n)
		return find_why(g, p->line + 1, p);
	return i < g->window.n &&
	       find_shown_from(g, i, g->window.v[i]->number == p->ts ? p->line + 1 : 0, p);
}

static bool graph_prev(struct browse_view *v, struct row_place *p)
{
	struct graph_view *g = graph_of(v);
	size_t i = calls_window_find(&g->window, p->ts);
	bool has = i < g->window.n && g->window.v[i]->number == p->ts;

	if (!g->window.n)
		return p->line && find_why(g, p->line - 1, p);
	return find_shown_before(g, i, has ? p->line : 0, p);
}

static uint64_t graph_time(struct browse_view *v, const struct row_place *p)
{
	const struct calls_block *b;
	const struct calls_row *r = row_at(graph_of(v), p, &b);

	return r ? calls_row_time(b, r) : VIEW_NO_TIME;
}

static void graph_row(struct browse_view *v, const struct row_place *p, struct view_row *row)
{
	const struct calls_block *b;
	const struct calls_row *r = row_at(graph_of(v), p, &b);
	const char *why;
	size_t len;

	if (!r) {
		why = why_line(graph_of(v), p->line, &len);
		if (why)
			buf_add(&row->text, why, len);
		return;
	}
	buf_add(&row->text, b->text.data + r->text, r->len);
	row->attr = GRID_PLAIN;
	if (call_is_folded(graph_of(v), b, r))
		buf_printf(&row->text, " ...%s  %u lines",
			   b->rows[r->other].node == r->node ? " }" : "", r->other - p->line);
}

static enum view_enter graph_enter(struct browse_view *v, const struct row_place *p)
{
	const struct calls_block *b;
	const struct calls_row *r = row_at(graph_of(v), p, &b);

	if (!r || r->kind == GRAPH_HEAD)
		return VIEW_STAYS;
	return r->kind == GRAPH_STANDS ? VIEW_GOES : VIEW_STAYS;
}

static void graph_head(struct browse_view *v, struct buf *out)
{
	(void)v;
	buf_addstr(out, "graph");
}

static void graph_view_free(struct browse_view *v)
{
	struct graph_view *g = graph_of(v);

	calls_window_release(&g->window);
	map_release(&g->others);
	free(g);
}

struct browse_view *graph_view_new(void)
{
	static const struct view_ops ops = {
		.at = graph_at, .find = graph_find, .next = graph_next, .prev = graph_prev,
		.time = graph_time, .row = graph_row, .enter = graph_enter, .head = graph_head,
		.free = graph_view_free,
	};
	struct graph_view *g = xcalloc(1, sizeof(*g));

	g->view.ops = &ops;
	g->pid = -1;
	return &g->view;
}
