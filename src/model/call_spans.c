/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Spans of the function_graph tracer: calls, nested by the depth in their records. */
#include "model/model_priv.h"

#include <stdlib.h>

#define EXITS_MAX	(1u << 22)	/* in files without entries; later ones have no start */

/* common_flags, include/linux/trace_events.h; NMI since 4.16 */
enum { FLAG_HARDIRQ = 0x08, FLAG_SOFTIRQ = 0x10, FLAG_NMI = 0x40 };

enum span_context record_context(const struct model_bind *b, const struct trace_rec *r)
{
	uint8_t flags = b->flags_off < r->rec.len ? r->rec.data[b->flags_off] : 0;

	if (flags & FLAG_NMI)
		return SPAN_IN_NMI;
	if (flags & FLAG_HARDIRQ)
		return SPAN_IN_HARDIRQ;
	return flags & FLAG_SOFTIRQ ? SPAN_IN_SOFTIRQ : SPAN_IN_TASK;
}

/*
 * Begins a call. Ends the open ones at @depth or deeper, whose exits were not recorded. One of them
 * is still open: up to 6.9 ftrace_pop_return_trace() lowers curr_ret_depth before the exit is
 * recorded, so that an interrupt between the two has the depth of the call that it hits.
 */
static struct span *call_begin(struct model *m, const struct model_bind *b,
			       const struct model_rec *at, uint64_t func, uint32_t depth)
{
	enum span_context context = record_context(b, at->r);
	const struct span *top;
	struct span *s;

	while ((top = at->task->calls) && top->depth >= depth &&
	       (top->depth > depth || context <= top->context))
		span_end(m, at->task->calls, SPAN_NO_END, SPAN_UNKNOWN, at);
	s = span_begin(m, NULL, SPAN_FUNCTION_GRAPH, func, SPAN_NAME_SYMBOL, true, at);
	if (!s)
		return NULL;
	s->depth = depth;
	s->context = context;
	s->is_interrupt = s->below && s->context > s->below->context;
	span_note_name(s);
	return s;
}

void call_entry(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	struct fgraph_call call;
	const uint8_t *args;
	uint32_t len;
	struct span *s;

	if (!fgraph_read_call(b->entry, at->r, &call) || call.depth > FGRAPH_DEPTH_MAX)
		return;
	m->s.times[at->r->file].has_entries = true;
	s = call_begin(m, b, at, call.func, call.depth);
	if (!s)
		return;
	if (b->entry->args && ev_get_bytes(&at->r->rec, b->entry->args, &args, &len) &&
	    ev_has_args(&at->r->rec, b->entry->args, len)) {
		if (len > s->args_cap) {
			s->args = arena_alloc(&m->arena, len);
			s->args_cap = len;
		}
		memcpy(s->args, args, len);
		s->args_len = len;
	}
	span_begun(m, s, at);
}

static void call_set_retval(struct span *s, const struct model_bind *b, const struct model_rec *at)
{
	const struct ev_field *f = b->fgraph->exit.retval;

	s->has_retval = f && b->fgraph->show_retval && at_num(at, f, &s->retval);
}

/*
 * Returns the duration in ns. It is SPAN_UNKNOWN if it is negative: the times in the record then
 * are of another clock than the record's own, or one of them is missing.
 */
static uint64_t known_duration(const struct fgraph_end *end)
{
	return end->backwards || (int64_t)end->duration_ns < 0 ? SPAN_UNKNOWN : end->duration_ns;
}

/* --- files without entries: with tracing_thresh the kernel records only exits */

/* A call of which only the exit was recorded. */
struct lone_call {
	uint64_t begin, end;		/* timestamps */
	uint64_t data;			/* offset of the exit record in exits.data */
	uint32_t nr;			/* number of the exit, from 1 */
	uint32_t after;			/* nr of the task's last exit before this call, or 0 */
	uint32_t len;			/* bytes of the exit record */
	int32_t  pid;
	int16_t  cpu;
	uint16_t stream, depth;
	uint8_t  context;		/* enum span_context, of the exit */
};

struct lone_exits {
	struct lone_call *v;		/* by nr; exits_new() sorts them by start */
	size_t n, cap;
	struct buf data;		/* the exit records */
	struct map last;		/* task -> nr of its last exit outside of all others */
	struct trace_rec first;		/* the exit that was read first, without its data */
	struct model_bind bind;
};

void exits_free(struct lone_exits *x)
{
	if (!x)
		return;
	free(x->v);
	buf_release(&x->data);
	map_release(&x->last);
	free(x);
}

/* Returns true if @in is inside of @c where more than its second half is: see call_begin(). */
static bool lone_call_has(const struct lone_call *c, const struct lone_call *in)
{
	return in->depth > c->depth || (in->depth == c->depth && in->context > c->context);
}

/*
 * Sets the start of @c. The kernel writes a record a bit later than it reads the clock for the
 * duration: the start is moved so that it includes all calls inside of @c and follows the call
 * before it.
 */
static void lone_call_place(struct lone_exits *x, struct lone_call *c, uint64_t duration)
{
	uint64_t key = (uint64_t)(uint32_t)c->pid << 16 | (c->pid ? 0 : (uint16_t)c->cpu);
	uint64_t start = c->end > duration ? c->end - duration : 0;
	uint32_t last = (uintptr_t)map_get(&x->last, key + 1);

	for (c->begin = start; last; last = x->v[last - 1].after) {
		const struct lone_call *in = &x->v[last - 1];

		if (!lone_call_has(c, in) || start >= in->begin + (in->end - in->begin) / 2)
			break;
		if (in->begin < c->begin)
			c->begin = in->begin;
	}
	if (last && c->begin < x->v[last - 1].end)
		c->begin = x->v[last - 1].end;
	c->after = last;
	map_put(&x->last, key + 1, (void *)(uintptr_t)c->nr);
}

static void exits_add(struct lone_exits *x, const struct trace_rec *r, uint32_t stream_0)
{
	struct lone_call c = {
		.begin = UINT64_MAX, .end = r->ts, .data = x->data.len, .nr = x->n + 1,
		.len = r->rec.len, .pid = r->pid, .cpu = r->cpu, .stream = stream_0 + r->stream,
		.context = record_context(&x->bind, r),
	};
	struct fgraph_end end;

	if (!fgraph_read_end(x->bind.fgraph, r, &end) || end.depth > FGRAPH_DEPTH_MAX)
		return;
	c.depth = end.depth;
	if (known_duration(&end) != SPAN_UNKNOWN)
		lone_call_place(x, &c, end.duration_ns);
	buf_add(&x->data, r->rec.data, r->rec.len);
	x->v = xgrow(x->v, &x->cap, x->n + 1, sizeof(*x->v));
	x->v[x->n++] = c;
}

/*
 * Reads the records from @since to @until. Returns false if one of them is an entry. Adds the exits
 * to @x if that is not NULL.
 */
static bool exits_scan(const struct fgraph *g, struct trace *t, unsigned int buffer,
		       uint64_t since, uint64_t until, struct lone_exits *x, uint32_t stream_0)
{
	struct trace_iter *it = trace_iter_new_range(&t, 1, NULL, since, until);
	const struct trace_rec *r;
	bool alone = true;

	while (alone && (r = trace_iter_next(it))) {
		if (r->buffer != buffer || !r->rec.fmt || r->pid < 0)
			continue;
		alone = !fgraph_entry_of(g, r);
		if (x && x->n < EXITS_MAX && r->rec.fmt == g->exit.fmt)
			exits_add(x, r, stream_0);
	}
	trace_iter_free(it);
	return alone;
}

static int compare_starts(const void *p, const void *q)
{
	const struct lone_call *a = p, *b = q;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	if (a->after != b->after)
		return a->after < b->after ? -1 : 1;
	return a->nr > b->nr ? -1 : a->nr < b->nr;
}

/*
 * Collects all exits from @r, the first one read, to the end of the file. Returns NULL if the file
 * has entries, before or after @r, or is live. The caller frees the result with exits_free().
 */
static struct lone_exits *exits_new(struct model *m, const struct model_bind *b,
				    const struct trace_rec *r)
{
	struct trace *view = r->trace->live ? NULL : trace_view(r->trace);
	struct lone_exits *x;
	uint32_t stream_0 = 0;
	bool alone;

	if (!view)
		return NULL;
	x = xcalloc(1, sizeof(*x));
	x->bind = *b;
	x->first = *r;
	for (size_t i = 0; i < r->file; i++)
		stream_0 += trace_nr_streams(&m->files[i].trace, 1);
	alone = exits_scan(b->fgraph, view, r->buffer, r->ts, UINT64_MAX, x, stream_0) &&
		exits_scan(b->fgraph, view, r->buffer, 0, r->ts, NULL, 0);
	trace_close(view);
	if (!alone) {
		exits_free(x);
		return NULL;
	}
	map_release(&x->last);
	if (x->n)
		qsort(x->v, x->n, sizeof(*x->v), compare_starts);
	return x;
}

/* Opens the span as an entry at the start of the call would have done. */
static void lone_call_begin(struct model *m, const struct lone_exits *x, const struct lone_call *c)
{
	struct trace_rec r = x->first;
	struct model_rec at = { .r = &r, .stream = &m->s.streams[c->stream] };
	struct fgraph_end end;
	struct span *s;

	r.cpu = c->cpu;
	r.stream = c->stream;
	r.ts = c->begin;
	r.pid = c->pid;
	r.rec.data = (const uint8_t *)x->data.data + c->data;
	r.rec.len = c->len;
	r.rec.behind = 0;
	r.lost = 0;
	r.gaps = NULL;
	at.task = task_of(m, r.file, c->pid, c->cpu);
	if (!fgraph_read_end(x->bind.fgraph, &r, &end))
		return;
	s = call_begin(m, &x->bind, &at, end.func, end.depth);
	if (!s)
		return;
	s->begin_computed = true;
	/* the states of its task up to then were read before the call was known */
	if (c->begin < x->first.ts)
		s->off_begin = SPAN_UNKNOWN;
	span_begun(m, s, &at);
}

/*
 * Opens the calls that start before @ts, and of those that start at @ts the ones whose previous
 * exit has a number lower than @nr.
 */
static void lone_calls_begin(struct model *m, const struct lone_exits *x, struct file_time *t,
			     uint64_t ts, uint32_t nr)
{
	const struct lone_call *c;

	for (; t->begun < x->n; t->begun++) {
		c = &x->v[t->begun];
		if (c->begin > ts || (c->begin == ts && c->after >= nr))
			break;
		if (c->begin > t->last)
			t->last = c->begin;
		lone_call_begin(m, x, c);
	}
}

void calls_begin_before(struct model *m, const struct trace_rec *r)
{
	struct file_time *t = &m->s.times[r->file];

	if (t->exits)
		lone_calls_begin(m, m->files[r->file].exits, t, r->ts, 0);
}

/*
 * Returns the open call that an exit ends, or NULL. Some tracers count exits one level deeper than
 * entries: as long as no exit of the file had the depth of the innermost call, an equal function is
 * enough.
 */
static struct span *call_find(const struct model_rec *at, const struct fgraph_end *end,
			      bool *depths_agree)
{
	struct span *top = at->task->calls, *s = top;

	while (s && (s->depth > end->depth || (s->depth == end->depth && s->name != end->func)))
		s = s->below;
	if (s && s->depth == end->depth) {
		*depths_agree |= s == top;
		return s;
	}
	for (s = *depths_agree ? NULL : top; s && s->name != end->func;)
		s = s->below;
	return s;
}

void call_exit(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	struct model_file *f = &m->files[at->r->file];
	struct file_time *t = &m->s.times[at->r->file];
	struct fgraph_end end;
	uint64_t duration;
	struct span *s;

	if (!fgraph_read_end(b->fgraph, at->r, &end) || end.depth > FGRAPH_DEPTH_MAX)
		return;
	duration = known_duration(&end);
	if (__builtin_expect(!t->has_entries, 0)) {
		/* the first exit without an entry collects all others */
		if (!f->exits_known)
			f->exits = exits_new(m, b, at->r);
		f->exits_known = true;
		if (f->exits)
			lone_calls_begin(m, f->exits, t, at->r->ts, ++t->exits);
	}
	s = call_find(at, &end, &t->depths_agree);
	if (!s) {
		/* without an entry the span starts @duration earlier, if that is known */
		s = call_begin(m, b, at, end.func, end.depth);
		if (!s)
			return;
		s->marks = SPAN_NO_BEGIN;
		if (duration != SPAN_UNKNOWN)
			s->begin = at->r->ts > duration ? at->r->ts - duration : 0;
		call_set_retval(s, b, at);
		span_begun(m, s, at);
	} else {
		while (at->task->calls != s)
			span_end(m, at->task->calls, SPAN_NO_END, SPAN_UNKNOWN, at);
		s->below_0 |= duration == SPAN_UNKNOWN;
		if (b->fgraph->show_retval)
			call_set_retval(s, b, at);
	}
	span_end(m, s, 0, duration, at);
}
