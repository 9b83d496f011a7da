/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes windows of the lines of ftr graph around any place, and searches in them. */
#include "browse/work/graph_window.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "browse/work/row_search.h"
#include "model/index/model_replay.h"

#define READ_ON_MAX (1u << 20)	/* records to read on after the first result */

struct calls_source {
	struct trace **views;
	size_t nr_views;
	struct out_match which, given;	/* the forked match, and the caller's */
	struct model *model;
	struct span_blocks *blocks;
	struct model_replay *replay;
	struct graph_opts opts;
	struct graph_text *graph;
	/* of the present work */
	void (*on_block)(struct calls_work *w, const struct span_block *b);
	struct calls_work *work;
	uint32_t records;		/* number of records read */
	bool stop;			/* enough was read */
	uint64_t rows_before, rows_after;	/* rows of the window around the place */
	uint64_t start;			/* first block of a window or of a backward search */
	uint64_t first_at;		/* number of records before the first result, or 0 */
};

/* --- windows */

static void free_block(struct calls_block *b)
{
	buf_release(&b->text);
	free(b->nodes);
	free(b->rows);
	free(b);
}

void calls_window_release(struct calls_window *w)
{
	for (size_t i = 0; i < w->n; i++)
		free_block(w->v[i]);
	free(w->v);
	*w = (struct calls_window){0};
}

size_t calls_window_find(const struct calls_window *w, uint64_t number)
{
	return SEARCH_ABOVE(i, 0, w->n, w->v[i]->number < number);
}

uint64_t calls_row_time(const struct calls_block *b, const struct calls_row *r)
{
	const struct block_node *n = &b->nodes[r->node];

	if (r->kind != GRAPH_CLOSES && n->kind != BLOCK_CLOSE)
		return n->begin;
	return n->duration == SPAN_UNKNOWN ? b->end : n->begin + n->duration;
}

/* --- blocks */

/* Sets ->other: in opening rows the last row inside, in closing rows the opening row. */
static void pair_rows(struct calls_block *b)
{
	uint32_t *open = xcalloc(b->nr_rows + 1, sizeof(*open));
	size_t i, n = 0;

	for (i = 0; i < b->nr_rows; i++) {
		struct calls_row *r = &b->rows[i];
		const struct calls_row *top;

		/* a call without an end has no closing row */
		while (n && r->kind != GRAPH_CLOSES) {
			top = &b->rows[open[n - 1]];
			if (r->node < top->node + b->nodes[top->node].size)
				break;
			b->rows[open[--n]].other = i - 1;
		}
		while (n && r->kind == GRAPH_CLOSES && b->rows[open[n - 1]].node != r->node)
			b->rows[open[--n]].other = i - 1;
		if (n && r->kind == GRAPH_CLOSES) {
			r->other = open[--n];
			b->rows[r->other].other = i;
		} else if (r->kind == GRAPH_OPENS) {
			open[n++] = i;
		}
	}
	while (n)
		b->rows[open[--n]].other = b->nr_rows - 1;
	free(open);
}

/* Returns the block with its lines, which may be none. The caller frees it with free_block(). */
static struct calls_block *render_block(struct calls_source *s, const struct span_block *b)
{
	struct calls_block *c = xcalloc(1, sizeof(*c));
	const struct graph_line *lines;
	const char *p, *nl;
	size_t i, n, at = 0;

	c->number = b->number;
	c->file = b->task->file;
	c->pid = b->task->pid;
	c->nr_nodes = b->n;
	c->nodes = xmalloc(b->n * sizeof(*c->nodes));
	memcpy(c->nodes, b->nodes, b->n * sizeof(*c->nodes));
	c->end = replay_time(s->replay);
	graph_add_block(s->graph, b, &c->text);
	lines = graph_lines(s->graph, &n);
	p = c->text.data;
	c->rows = xcalloc(n + 1, sizeof(*c->rows));
	for (i = 0; i < n && (nl = memchr(p + at, '\n', c->text.len - at)); i++) {
		c->rows[i] = (struct calls_row){
			.text = at, .len = nl - p - at, .node = lines[i].node,
			.kind = lines[i].kind, .other = i,
		};
		at = nl + 1 - p;
	}
	c->nr_rows = i;
	pair_rows(c);
	return c;
}

static bool row_matches(const struct calls_work *w, const struct calls_block *b,
			const struct calls_row *r)
{
	const struct calls_goal *g = &w->goal;
	const struct block_node *n = &b->nodes[r->node];

	if (g->kind == CALLS_TEXT)
		return find_text(b->text.data + r->text, r->len, g->text, g->exact);
	return n->kind == BLOCK_SPAN && (r->kind == GRAPH_OPENS || r->kind == GRAPH_STANDS) &&
	       n->name == g->function.name && n->how == g->function.how &&
	       n->file == g->function.file;
}

/* Searches rows from *row on, or before it, and sets *row. Returns false if there is none. */
static bool block_find_row(const struct calls_work *w, const struct calls_block *b, uint64_t *row,
			   bool backward)
{
	while (backward ? (*row)-- > 0 : *row < b->nr_rows) {
		if (row_matches(w, b, &b->rows[*row]))
			return true;
		*row += !backward;
	}
	return false;
}

/* --- reading */

/*
 * Reads until @on_block, which gets the blocks, has enough. Returns false at the end of the files.
 */
static bool read_blocks(struct calls_source *s, struct background_job *j,
			void (*on_block)(struct calls_work *w, const struct span_block *b))
{
	struct calls_work *w = s->work;
	bool more;

	s->on_block = on_block;
	s->stop = false;
	s->first_at = 0;
	while ((more = replay_next(s->replay))) {
		/* a better result may come late, or never: the first one is good enough then */
		if (s->first_at && replay_records(s->replay) > s->first_at + READ_ON_MAX)
			s->stop = true;
		if (++s->records % JOB_LOOK_EVERY == 0)
			w->stopped |= !job_goes_on(j, w->first, w->last, replay_time(s->replay));
		if (s->stop || w->stopped)
			break;
	}
	s->on_block = NULL;
	trace_views_forget_damages(s->views, s->nr_views);
	return more;
}

/* --- finding a place */

static void work_set_place(struct calls_work *w, uint64_t number, uint32_t row)
{
	w->found = true;
	w->number = number;
	w->row = row;
}

/* Finds the block of the task around the time, else the first block that ends later. */
static void match_time(struct calls_work *w, const struct span_block *b)
{
	struct calls_source *s = w->source;
	const struct calls_goal *g = &w->goal;
	bool is_task = b->task->file == g->file && b->task->pid == g->pid;

	if (replay_time(s->replay) < g->ts)
		return;
	if (!s->first_at || (is_task && (g->next_too || b->nodes[0].begin <= g->ts)))
		work_set_place(w, b->number, 0);
	if (!s->first_at)
		s->first_at = replay_records(s->replay);
	s->stop = is_task || g->pid < 0;
}

static void match_any(struct calls_work *w, const struct span_block *b)
{
	work_set_place(w, b->number, UINT32_MAX);
}

static void match_forward(struct calls_work *w, const struct span_block *b)
{
	const struct calls_goal *g = &w->goal;
	struct calls_block *c;
	uint64_t row = 0;

	if (w->wrapped ? b->number > g->number : b->number < g->number) {
		w->source->stop = w->wrapped;
		return;
	}
	if (!w->wrapped && b->number == g->number)
		row = g->row + 1;
	c = render_block(w->source, b);
	if (block_find_row(w, c, &row, false)) {
		work_set_place(w, c->number, row);
		w->source->stop = true;
	}
	free_block(c);
}

/* Finds the last match before the start row, or before the part that was searched already. */
static void match_backward(struct calls_work *w, const struct span_block *b)
{
	const struct calls_goal *g = &w->goal;
	struct calls_source *s = w->source;
	uint64_t row = UINT64_MAX;
	struct calls_block *c;

	if (b->number >= s->start && !(b->number == g->number && s->start == g->number)) {
		s->stop = true;
		return;
	}
	c = render_block(s, b);
	row = b->number == g->number && !w->wrapped ? g->row : c->nr_rows;
	if (block_find_row(w, c, &row, true))
		work_set_place(w, c->number, row);
	free_block(c);
}

static void find_backward(struct calls_source *s, struct background_job *j)
{
	struct calls_work *w = s->work;
	const struct calls_goal *g = &w->goal;
	uint64_t from;
	bool more = true;

	s->start = g->number;
	replay_go_to_block(s->replay, g->number);
	while (more && !w->stopped) {
		from = blocks_count(s->blocks);
		read_blocks(s, j, match_backward);
		if (w->found || (w->wrapped && from <= g->number))
			return;
		s->start = from;
		more = replay_go_further_back(s->replay);
		if (!more && g->kind == CALLS_TEXT && !w->wrapped) {
			w->wrapped = more = true;
			s->start = UINT64_MAX;
			replay_go(s->replay, UINT64_MAX);
		}
	}
}

static void find_forward(struct calls_source *s, struct background_job *j)
{
	struct calls_work *w = s->work;

	replay_go_to_block(s->replay, w->goal.number);
	if (read_blocks(s, j, match_forward) || w->found || w->goal.kind != CALLS_TEXT)
		return;
	w->wrapped = true;
	replay_go_to_block(s->replay, 0);
	read_blocks(s, j, match_forward);
}

/* --- the window around the place */

static void window_add_block(struct calls_work *w, const struct span_block *b)
{
	struct calls_source *s = w->source;
	struct calls_window *win = &w->window;
	struct calls_block *c;
	size_t n = 0;

	if (b->number < s->start)
		return;
	win->begins |= !b->number;
	c = render_block(s, b);
	if (!c->nr_rows) {
		free_block(c);
		return;
	}
	win->v = xgrow(win->v, &win->cap, win->n + 1, sizeof(*win->v));
	win->v[win->n++] = c;
	if (c->number >= w->number) {
		if (!s->first_at)
			s->first_at = replay_records(s->replay);
		s->rows_after += c->nr_rows;
		s->stop = s->rows_after > CALLS_ROWS;
		return;
	}
	s->rows_before += c->nr_rows;
	if (s->rows_before <= 2 * CALLS_ROWS)
		return;
	/* drops the first blocks of too many */
	while (n + 1 < win->n && s->rows_before - win->v[n]->nr_rows > CALLS_ROWS) {
		s->rows_before -= win->v[n]->nr_rows;
		free_block(win->v[n++]);
	}
	memmove(win->v, win->v + n, (win->n - n) * sizeof(*win->v));
	win->n -= n;
	win->begins &= !n;
}

static void load_window(struct calls_source *s, struct background_job *j)
{
	struct calls_work *w = s->work;
	uint64_t back = CALLS_ROWS / 3;

	/* blocks without selected records have no rows: the next one with rows may be far */
	do {
		s->rows_before = s->rows_after = 0;
		s->start = w->number > back ? w->number - back : 0;
		replay_go_to_block(s->replay, s->start);
		w->window.ends = !read_blocks(s, j, window_add_block);
		back *= 8;
	} while (!w->window.n && s->start && !w->stopped);
	w->found &= w->window.n > 0;
}

/* --- the work */

/* Sets the row: for CALLS_TIME the last one at or before that time. */
static void work_set_row(struct calls_work *w)
{
	size_t at = calls_window_find(&w->window, w->number), i;
	const struct calls_block *b;

	if (!w->found)
		return;
	at = at < w->window.n ? at : w->window.n - 1;
	b = w->window.v[at];
	w->number = b->number;
	if (w->row >= b->nr_rows)
		w->row = b->nr_rows - 1;
	for (i = 0; w->goal.kind == CALLS_TIME && i < b->nr_rows; i++)
		if (b->rows[i].kind != GRAPH_HEAD && calls_row_time(b, &b->rows[i]) <= w->goal.ts)
			w->row = i;
	while (w->goal.kind == CALLS_TIME && b->rows[w->row].kind == GRAPH_HEAD)
		w->row++;
}

/* Finds the block of the goal. Times and blocks after the last one give the last block. */
static void find_call_place(struct calls_source *s, struct background_job *j)
{
	struct calls_work *w = s->work;

	switch (w->goal.kind) {
	case CALLS_TIME:
		replay_go(s->replay, w->goal.ts);
		read_blocks(s, j, match_time);
		break;
	case CALLS_BLOCK:
		work_set_place(w, w->goal.number, w->goal.row);
		break;
	case CALLS_TEXT:
	case CALLS_FUNCTION:
		w->goal.backward ? find_backward(s, j) : find_forward(s, j);
		return;
	default:
		break;
	}
	if (w->found || w->stopped)
		return;
	replay_go(s->replay, UINT64_MAX);
	read_blocks(s, j, match_any);
	if (!w->found && blocks_count(s->blocks))
		work_set_place(w, blocks_count(s->blocks) - 1, UINT32_MAX);
}

void calls_work_run(struct background_job *j, void *ctx)
{
	struct calls_work *w = ctx;
	struct calls_source *s = w->source;

	s->work = w;
	if (w->goal.kind == CALLS_AHEAD) {
		replay_go_on(s->replay);
		if (!replay_is_whole(s->replay))
			read_blocks(s, j, NULL);
	} else {
		find_call_place(s, j);
		if (w->found && !w->stopped)
			load_window(s, j);
		w->found &= !w->stopped;
		work_set_row(w);
	}
	s->work = NULL;
}

void calls_work_release(struct calls_work *w)
{
	free(w->goal.text);
	calls_window_release(&w->window);
	*w = (struct calls_work){0};
}

/* --- the source */

static bool call_is_selected(const struct calls_source *s, const struct trace_rec *r)
{
	return !s->which.match || s->which.match(s->which.ctx, r);
}

static void call_begins(void *ctx, struct span *span, const struct trace_rec *r)
{
	struct calls_source *s = ctx;

	span->is_shown = call_is_selected(s, r);
	blocks_begin(s->blocks, span, r);
}

static void call_ends(void *ctx, struct span *span, const struct trace_rec *r)
{
	struct calls_source *s = ctx;

	(void)r;
	blocks_end(s->blocks, span);
}

static void event_in_call(void *ctx, struct task *t, const struct trace_rec *r)
{
	struct calls_source *s = ctx;

	if (call_is_selected(s, r))
		blocks_event(s->blocks, t, r);
}

static const struct span_ops source_ops = {
	.begin = call_begins, .end = call_ends, .event = event_in_call,
};

static void source_pass_block(void *ctx, const struct span_block *b)
{
	struct calls_source *s = ctx;

	if (s->on_block && !s->stop)
		s->on_block(s->work, b);
}

struct calls_source *calls_source_new(struct trace *const *traces, size_t n,
				      const struct out_range *range,
				      const struct out_match *which)
{
	struct calls_source *s = xcalloc(1, sizeof(*s));
	struct model_opts o = { .kinds = 1u << SPAN_FUNCTION_GRAPH };
	struct replay_opts replay = {
		.cpus = range->cpus, .since = range->since, .until = range->until,
	};
	struct ftr_error err;

	s->views = trace_views(traces, n);
	s->nr_views = s->views ? n : 0;
	if (s->views) {
		s->blocks = blocks_new(false, source_pass_block, s);
		s->model = model_new(s->views, n, &o, &source_ops, s, &err);
	}
	if (!s->model) {
		calls_source_free(s);
		return NULL;
	}
	s->opts = (struct graph_opts){ .files = n > 1, .lines = true };
	s->graph = graph_new(&s->opts, s->views, s->model);
	s->replay = replay_new(s->views, n, &replay);
	replay_add_model(s->replay, s->model);
	replay_set_blocks(s->replay, s->blocks);
	s->given = *which;
	s->which = out_match_fork(which, s->views);
	return s;
}

void calls_source_free(struct calls_source *s)
{
	if (!s)
		return;
	out_match_unfork(&s->given, &s->which);
	replay_free(s->replay);
	graph_free(s->graph);
	blocks_free(s->blocks);
	model_free(s->model);
	trace_views_close(s->views, s->nr_views);
	free(s);
}

bool calls_source_is_whole(const struct calls_source *s)
{
	return replay_is_whole(s->replay);
}
