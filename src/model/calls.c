/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of the function_graph tracer: nested by the depth that their records have. */
#include "model/model_priv.h"

/* common_flags, include/linux/trace_events.h; NMI since 4.16 */
enum { FLAG_HARDIRQ = 0x08, FLAG_SOFTIRQ = 0x10, FLAG_NMI = 0x40 };

enum span_context record_context(const struct bind *b, const struct trace_rec *r)
{
	uint8_t flags = b->flags_off < r->rec.len ? r->rec.data[b->flags_off] : 0;

	if (flags & FLAG_NMI)
		return SPAN_IN_NMI;
	if (flags & FLAG_HARDIRQ)
		return SPAN_IN_HARDIRQ;
	return flags & FLAG_SOFTIRQ ? SPAN_IN_SOFTIRQ : SPAN_IN_TASK;
}

static void keep_args(struct model *m, struct span *s, const struct bind *b, const struct at *at)
{
	const uint8_t *p;
	uint32_t len;

	if (!b->entry->args || !ev_get_bytes(&at->r->rec, b->entry->args, &p, &len) ||
	    !ev_has_args(&at->r->rec, len))
		return;
	if (len > s->args_cap) {
		s->args = arena_alloc(&m->arena, len);
		s->args_cap = len;
	}
	memcpy(s->args, p, len);
	s->args_len = len;
}

static struct span *begin_call(struct model *m, const struct bind *b, const struct at *at,
			       uint64_t func, uint32_t depth)
{
	struct span *s = span_begin(m, NULL, SPAN_FUNCTION_GRAPH, func, SPAN_NAME_SYMBOL, true, at);

	if (!s)
		return NULL;
	s->depth = depth;
	s->context = record_context(b, at->r);
	s->is_interrupt = s->below && s->context > s->below->context;
	span_note_name(s);
	return s;
}

/* Those that are open at @depth or deeper: their end was not recorded. */
static inline void cut_from(struct model *m, uint64_t depth, const struct at *at)
{
	while (at->task->calls && at->task->calls->depth >= depth)
		span_end(m, at->task->calls, SPAN_NO_END, SPAN_UNKNOWN, at);
}

void call_entry(struct model *m, const struct bind *b, const struct at *at)
{
	struct fgraph_call call;
	struct span *s;

	if (!fgraph_read_call(b->entry, at->r, &call) || call.depth > FGRAPH_DEPTH_MAX)
		return;
	cut_from(m, call.depth, at);
	s = begin_call(m, b, at, call.func, call.depth);
	if (!s)
		return;
	if (b->entry->args)
		keep_args(m, s, b, at);
	span_begun(m, s, at);
}

static void note_retval(struct span *s, const struct bind *b, const struct at *at)
{
	const struct ev_field *f = b->fgraph->exit.retval;

	s->has_retval = f && b->fgraph->show_retval && at_num(at, f, &s->retval);
}

/* Its begin was not recorded: that is as long before as the exit says. */
static void lone_exit(struct model *m, const struct bind *b, const struct at *at,
		      const struct fgraph_end *end, uint64_t duration)
{
	struct span *s = begin_call(m, b, at, end->func, end->depth);

	if (!s)
		return;
	s->marks = SPAN_NO_BEGIN;
	if (duration != SPAN_UNKNOWN)
		s->begin = at->r->ts > duration ? at->r->ts - duration : 0;
	note_retval(s, b, at);
	span_begun(m, s, at);
	span_end(m, s, 0, duration, at);
}

/* Times of another clock than that of the records, or none: below 0 they are unknown. */
static uint64_t known_duration(uint64_t ns)
{
	return (int64_t)ns < 0 ? SPAN_UNKNOWN : ns;
}

/*
 * The call that an exit ends. Some tracers count the exits one deeper than the calls: until an exit
 * of the file has the depth of the innermost call, its function tells as well.
 */
static struct span *call_of(const struct at *at, const struct fgraph_end *end, bool *depths_agree)
{
	struct span *top = at->task->calls, *s = top;

	while (s && s->depth > end->depth)
		s = s->below;
	if (s && s->depth == end->depth && s->name == end->func) {
		*depths_agree |= s == top;
		return s;
	}
	for (s = *depths_agree ? NULL : top; s && s->name != end->func;)
		s = s->below;
	return s;
}

void call_exit(struct model *m, const struct bind *b, const struct at *at)
{
	struct fgraph_end end;
	uint64_t duration;
	struct span *s;

	if (!fgraph_read_end(b->fgraph, at->r, &end) || end.depth > FGRAPH_DEPTH_MAX)
		return;
	duration = known_duration(end.duration_ns);
	s = call_of(at, &end, &m->s.times[at->r->file].depths_agree);
	if (!s) {
		cut_from(m, end.depth, at);
		lone_exit(m, b, at, &end, duration);
		return;
	}
	while (at->task->calls != s)
		span_end(m, at->task->calls, SPAN_NO_END, SPAN_UNKNOWN, at);
	s->below_0 |= duration == SPAN_UNKNOWN;
	if (b->fgraph->show_retval)
		note_retval(s, b, at);
	span_end(m, s, 0, duration, at);
}
