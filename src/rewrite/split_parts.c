/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of a trace file.
 *
 * A border between parts is a time, so that each part has a range of sub-buffers, found by their
 * time stamps. Parts of sub-buffers or of records of each CPU have other borders for each CPU.
 */
#include "rewrite/split_parts.h"

#include <stdlib.h>

struct split_parts {
	const struct split_plan *p;
	struct trace *view;		/* reads records for borders; notes no damage */
	struct trace_iter *it;		/* SPLIT_EVENTS, SPLIT_MARKERS: at ->ahead */
	const struct trace_rec *ahead;	/* the first record of the next part; NULL: at the end */
	uint64_t first, last;		/* ts of the first and the last record in the range */
	uint64_t at;			/* the next part starts with this ts */
	uint64_t nr;			/* number of the next part, from 0 */
	bool     ended;
};

/* --- records */

static bool is_wanted(const struct split_parts *s, const struct trace_rec *r)
{
	const struct split_plan *p = s->p;
	size_t i;

	for (i = 0; r->rec.data && i < p->n; i++)
		if (p->bufs[i].from - p->trace->dat->buffers == r->buffer && p->bufs[i].n)
			return !p->bufs[i].filter ||
			       filter_match(p->bufs[i].filter, r->type, r->pid, r->cpu, r->ts,
					    &r->rec);
	return false;
}

/* Reads the next record of the parts. */
static const struct trace_rec *next_wanted(const struct split_parts *s, struct trace_iter *it)
{
	const struct trace_rec *r;

	do {
		r = trace_iter_next(it);
	} while (r && !is_wanted(s, r));
	return r;
}

/* Stores the ts of the first record at or after @from. Returns false if there is none. */
static bool find_next(struct split_parts *s, uint64_t from, uint64_t *ts)
{
	struct trace_iter *it;
	const struct trace_rec *r;

	if (from >= s->p->until)
		return false;
	it = trace_iter_new_range(&s->view, 1, NULL, from, s->p->until);
	r = next_wanted(s, it);
	if (r)
		*ts = r->ts;
	trace_iter_free(it);
	return r;
}

/* --- ranges */

static void set_times(struct split_parts *s, uint64_t since, uint64_t until)
{
	const struct split_plan *p = s->p;
	struct rewrite_cpu *c;
	size_t i;

	for (i = 0; i < p->n; i++)
		for (c = p->bufs[i].cpus; c < p->bufs[i].cpus + p->bufs[i].n; c++) {
			c->page = 0;
			c->end = c->from->nr_pages;
			c->since = since;
			c->until = until;
			c->most = c->from_off = 0;
		}
	s->at = until;
	s->ended = until >= p->until;
}

static bool next_once(struct split_parts *s)
{
	set_times(s, s->p->since, s->p->until);
	s->ended = true;
	return true;
}

/* Parts without records are passed over. */
static bool next_time(struct split_parts *s)
{
	uint64_t ts, since, until, base = s->p->since_is_start ? s->p->since : s->first;

	if (!find_next(s, s->at, &ts))
		return false;
	since = base + (ts - base) / s->p->size * s->p->size;
	if (__builtin_add_overflow(since, s->p->size, &until) || until > s->p->until)
		until = s->p->until;
	set_times(s, since < s->p->since ? s->p->since : since, until);
	return true;
}

static bool next_equal(struct split_parts *s)
{
	unsigned __int128 span = (unsigned __int128)(s->last - s->first) + 1;
	uint64_t until = s->first + (uint64_t)(span * (s->nr + 1) / s->p->size);

	if (s->nr >= s->p->size)
		return false;
	set_times(s, s->at, s->nr + 1 == s->p->size ? s->p->until : until);
	s->ended = false;
	return true;
}

/* Reads on. *last becomes the latest time so far: damaged files have times that go back. */
static void next_ahead(struct split_parts *s, uint64_t *last)
{
	*last = s->ahead->ts > *last ? s->ahead->ts : *last;
	s->ahead = next_wanted(s, s->it);
}

/* Ends the part before the first record after @last. */
static bool end_after(struct split_parts *s, uint64_t last)
{
	while (s->ahead && s->ahead->ts <= last)
		next_ahead(s, &last);
	set_times(s, s->at, s->ahead ? s->ahead->ts : s->p->until);
	return true;
}

static bool start_iter(struct split_parts *s)
{
	if (s->it)
		return s->ahead;
	s->it = trace_iter_new_range(&s->view, 1, NULL, s->p->since, s->p->until);
	s->ahead = next_wanted(s, s->it);
	return s->ahead;
}

static bool next_events(struct split_parts *s)
{
	uint64_t n, last = s->at;

	if (!start_iter(s))
		return false;
	for (n = 0; s->ahead && n < s->p->size; n++)
		next_ahead(s, &last);
	return end_after(s, last);
}

static bool is_marker(const struct split_parts *s, const struct trace_rec *r)
{
	return filter_match(s->p->marker, r->type, r->pid, r->cpu, r->ts, &r->rec);
}

static bool next_marker(struct split_parts *s)
{
	uint64_t last = s->at;

	if (!start_iter(s))
		return false;
	next_ahead(s, &last);
	while (s->ahead && (s->ahead->ts <= last || !is_marker(s, s->ahead)))
		next_ahead(s, &last);
	return end_after(s, last);
}

static bool next_pages(struct split_parts *s)
{
	uint64_t first, end, from = s->nr * s->p->size, n;
	struct rewrite_buffer *b;
	struct rewrite_cpu *c;
	bool any = false;

	set_times(s, s->p->since, s->p->until);
	s->ended = false;
	for (b = s->p->bufs; b < s->p->bufs + s->p->n; b++)
		for (c = b->cpus; c < b->cpus + b->n; c++) {
			trace_cpu_pages(s->view, b->from, c->from, c->since, c->until, &first,
					&end);
			n = end > first ? end - first : 0;
			c->page = first + (from < n ? from : n);
			c->end = n - (c->page - first) > s->p->size ? c->page + s->p->size : end;
			any |= c->page < end;
		}
	return any;
}

static bool next_events_of_cpus(struct split_parts *s)
{
	struct rewrite_buffer *b;
	struct rewrite_cpu *c;
	bool any = !s->nr;

	if (!s->nr)
		set_times(s, s->p->since, s->p->until);
	for (b = s->p->bufs; b < s->p->bufs + s->p->n; b++)
		for (c = b->cpus; c < b->cpus + b->n; c++) {
			if (s->nr) {
				c->page = c->stopped ? c->stop_page : c->end;
				c->from_off = c->stopped ? c->stop_off : 0;
				any |= c->stopped;
				c->stopped = false;
			}
			c->most = s->p->size;
		}
	s->ended = false;
	return any;
}

/* Leaves out all CPUs of all buffers but those of one number. Returns false if it is too large. */
static bool next_of_kind(struct split_parts *s, bool by_buffer)
{
	struct rewrite_buffer *b;
	struct rewrite_cpu *c;
	bool more = false, mine;
	uint64_t nr;

	set_times(s, s->p->since, s->p->until);
	for (b = s->p->bufs; b < s->p->bufs + s->p->n; b++)
		for (c = b->cpus; c < b->cpus + b->n; c++) {
			nr = by_buffer ? (uint64_t)(b - s->p->bufs) : (uint64_t)c->from->cpu;
			mine = nr == s->nr;
			more |= nr >= s->nr;
			c->end = mine ? c->end : 0;
		}
	s->ended = false;
	return more;
}

static bool next_cpu(struct split_parts *s)
{
	return next_of_kind(s, false);
}

static bool next_buffer(struct split_parts *s)
{
	return next_of_kind(s, true);
}

static bool (*const nexts[])(struct split_parts *s) = {
	[SPLIT_NOT] = next_once,
	[SPLIT_TIME] = next_time,
	[SPLIT_EVENTS] = next_events,
	[SPLIT_EVENTS_CPU] = next_events_of_cpus,
	[SPLIT_PAGES] = next_pages,
	[SPLIT_PARTS] = next_equal,
	[SPLIT_MARKERS] = next_marker,
	[SPLIT_CPUS] = next_cpu,
	[SPLIT_BUFFERS] = next_buffer,
};

/* Stores the ts of the last record of the range: that of the trace, or ->until. */
static void find_edges(struct split_parts *s)
{
	uint64_t first = UINT64_MAX, last = 0;

	s->first = s->p->since;
	s->ended = !find_next(s, s->p->since, &s->first);
	trace_bounds(s->view, &first, &last);
	s->last = s->p->until <= last ? s->p->until - 1 : last;
	if (s->last < s->first)
		s->last = s->first;
}

struct split_parts *split_new(const struct split_plan *p)
{
	struct split_parts *s = xcalloc(1, sizeof(*s));

	s->p = p;
	s->at = p->since;
	s->view = trace_view(p->trace);
	if (p->by == SPLIT_TIME || p->by == SPLIT_PARTS)
		find_edges(s);
	return s;
}

bool split_next(struct split_parts *s)
{
	return !s->ended && nexts[s->p->by](s);
}

uint64_t split_copied(struct split_parts *s)
{
	return s->nr++;
}

void split_free(struct split_parts *s)
{
	if (!s)
		return;
	trace_iter_free(s->it);
	trace_close(s->view);
	free(s);
}
