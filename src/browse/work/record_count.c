/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hidden events, tasks and CPUs, and the pass that counts records. */
#include "browse/work/record_count.h"

#include <stdlib.h>

#include "base/search.h"

#define FILE_SHIFT 48
#define EVENTS	   (UINT16_MAX + 1u)	/* values of common_type */
#define HASH	   0x9e3779b97f4a7c15ull

static uint64_t hide_key_of(uint64_t file, uint32_t what)
{
	return file << FILE_SHIFT | what;
}

/*
 * Returns the key of a record: its file and, by the kind, the event's number, the pid or the CPU.
 */
static uint64_t hide_key(enum hide_kind kind, const struct trace_rec *r)
{
	uint32_t what = kind == HIDE_EVENT ? r->type : kind == HIDE_TASK ? (uint32_t)r->pid :
			(uint32_t)r->cpu;

	return hide_key_of(r->file, what);
}

/* --- hidden records */

static size_t find_key(const struct hidden_keys *k, uint64_t key)
{
	return SEARCH_ABOVE(i, 0, k->n, k->v[i] < key);
}

bool hidden_has(const struct hidden_records *h, enum hide_kind kind, uint64_t key)
{
	const struct hidden_keys *k = &h->kinds[kind];
	size_t at = find_key(k, key);

	return at < k->n && k->v[at] == key;
}

void hidden_toggle(struct hidden_records *h, enum hide_kind kind, uint64_t key)
{
	struct hidden_keys *k = &h->kinds[kind];
	size_t at = find_key(k, key);

	if (at < k->n && k->v[at] == key) {
		memmove(k->v + at, k->v + at + 1, (--k->n - at) * sizeof(*k->v));
		return;
	}
	k->v = xgrow(k->v, &k->cap, k->n + 1, sizeof(*k->v));
	memmove(k->v + at + 1, k->v + at, (k->n++ - at) * sizeof(*k->v));
	k->v[at] = key;
}

bool hidden_any(const struct hidden_records *h)
{
	return h->kinds[HIDE_EVENT].n || h->kinds[HIDE_TASK].n || h->kinds[HIDE_CPU].n;
}

bool hidden_record(const struct hidden_records *h, const struct trace_rec *r)
{
	for (int i = 0; i < HIDE_KINDS; i++)
		if (h->kinds[i].n && hidden_has(h, i, hide_key(i, r)))
			return true;
	return false;
}

void hidden_copy(struct hidden_records *to, const struct hidden_records *from)
{
	for (int i = 0; i < HIDE_KINDS; i++) {
		const struct hidden_keys *k = &from->kinds[i];

		to->kinds[i] = (struct hidden_keys){ .n = k->n, .cap = k->n };
		if (k->n) {
			to->kinds[i].v = xmalloc(k->n * sizeof(*k->v));
			memcpy(to->kinds[i].v, k->v, k->n * sizeof(*k->v));
		}
	}
}

void hidden_release(struct hidden_records *h)
{
	for (int i = 0; i < HIDE_KINDS; i++)
		free(h->kinds[i].v);
	*h = (struct hidden_records){0};
}

/* --- counts: the task and CPU are mostly those of the previous record, the event is not */

static void counts_add(struct hide_counts *c, int kind, uint64_t key, uint64_t records)
{
	uintptr_t was = (uintptr_t)map_get(&c->maps[kind], key);

	map_put(&c->maps[kind], key, (void *)(was + (uintptr_t)records));
}

static void counts_flush_recent(struct hide_counts *c, int kind, struct hide_recent *r)
{
	if (r->records)
		counts_add(c, kind, r->key, r->records);
	r->records = 0;
}

static void counts_end_run(struct hide_counts *c, int kind)
{
	uint64_t key = c->of[kind];
	struct hide_recent *r = &c->recent[kind][key * HASH >> (64 - HIDE_RECENT_BITS)];

	if (r->key != key)
		counts_flush_recent(c, kind, r);
	r->key = key;
	r->records += c->run[kind];
	c->run[kind] = 0;
}

static void counts_flush_events(struct hide_counts *c)
{
	for (uint32_t i = 0; c->events && i < EVENTS; i++) {
		if (!c->events[i])
			continue;
		counts_add(c, HIDE_EVENT, hide_key_of(c->file, i), c->events[i]);
		c->events[i] = 0;
	}
}

void hide_count_record(struct hide_counts *c, const struct trace_rec *r)
{
	if (__builtin_expect(!c->events || r->file != c->file, 0)) {
		counts_flush_events(c);
		if (!c->events)
			c->events = xcalloc(EVENTS, sizeof(*c->events));
		c->file = r->file;
	}
	c->events[r->type]++;
	for (int i = HIDE_TASK; i < HIDE_KINDS; i++) {
		uint64_t key = hide_key(i, r);

		if (key != c->of[i])
			counts_end_run(c, i);
		c->of[i] = key;
		c->run[i]++;
	}
}

static int compare_kind_and_count(const void *a, const void *b)
{
	const struct hide_count *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->records != y->records && x->kind != HIDE_CPU)
		return x->records > y->records ? -1 : 1;
	return x->key < y->key ? -1 : x->key > y->key;
}

static void hide_counts_release(struct hide_counts *c)
{
	for (int i = 0; i < HIDE_KINDS; i++)
		map_release(&c->maps[i]);
	free(c->events);
	*c = (struct hide_counts){0};
}

struct hide_count *hide_counts_finish(struct hide_counts *c, size_t *n)
{
	struct hide_count *v = NULL;
	size_t cap = 0;

	*n = 0;
	counts_flush_events(c);
	for (int i = 0; i < HIDE_KINDS; i++) {
		counts_end_run(c, i);
		for (size_t k = 0; k < 1u << HIDE_RECENT_BITS; k++)
			counts_flush_recent(c, i, &c->recent[i][k]);
		for (size_t at = 0; at < c->maps[i].cap; at++) {
			const struct map_slot *s = &c->maps[i].slots[at];

			if (!s->val)
				continue;
			v = xgrow(v, &cap, *n + 1, sizeof(*v));
			v[(*n)++] = (struct hide_count){ s->key, (uintptr_t)s->val, i };
		}
	}
	if (*n)
		qsort(v, *n, sizeof(*v), compare_kind_and_count);
	hide_counts_release(c);
	return v;
}

unsigned int hide_count_file(const struct hide_count *c)
{
	return c->key >> FILE_SHIFT;
}

const struct ev_format *hide_count_format(const struct hide_count *c, struct trace *const *traces)
{
	return event_meta_find_id(&traces[hide_count_file(c)]->meta, (uint16_t)c->key);
}

void hide_add_name(const struct hide_count *c, struct trace *const *traces, size_t n,
		   struct buf *out)
{
	const struct trace *t = traces[hide_count_file(c)];
	const struct ev_format *fmt;
	int32_t id = (int32_t)c->key;

	if (c->kind == HIDE_EVENT) {
		fmt = hide_count_format(c, traces);
		if (fmt)
			buf_printf(out, "%s:%s", fmt->system, fmt->name);
		else
			buf_printf(out, "type %u, without a format", (uint16_t)c->key);
	} else if (c->kind == HIDE_TASK) {
		buf_printf(out, "%s-%d", id < 0 ? "<...>" : trace_comm(t, id), id);
	} else {
		buf_printf(out, "CPU %d", id);
	}
	if (n > 1)
		buf_printf(out, "  '%s'", t->dat->path);
}

/* --- the pass */

static int compare_losses(const void *a, const void *b)
{
	const struct scan_loss *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->stream < y->stream ? -1 : x->stream > y->stream;
}

static void scan_trim_losses(struct record_scan *s)
{
	if (s->nr_losses)
		qsort(s->losses, s->nr_losses, sizeof(*s->losses), compare_losses);
	if (s->nr_losses > s->losses_max)
		s->nr_losses = s->losses_max;
}

static void scan_note_loss(struct record_scan *s, const struct trace_rec *r)
{
	s->all_losses++;
	if (!s->losses_max)
		return;
	if (s->nr_losses == 2 * s->losses_max)
		scan_trim_losses(s);
	s->losses = xgrow(s->losses, &s->cap_losses, s->nr_losses + 1, sizeof(*s->losses));
	s->losses[s->nr_losses++] = (struct scan_loss){
		.ts = r->ts, .lost = r->lost, .cpu = r->cpu, .stream = r->stream,
	};
}

static bool is_stopped(void *ctx)
{
	return job_stops(ctx);
}

void scan_run(struct background_job *j, void *ctx)
{
	struct record_scan *s = ctx;
	size_t n = s->nr_traces, passed, cpus;
	struct trace **views = trace_views(s->traces, n);
	const struct trace_rec *r;
	struct out_match which;
	struct trace_iter *it;
	uint64_t records = 0;

	s->damages = xcalloc(n + 1, sizeof(*s->damages));
	if (!views)
		return;
	if (s->index_pages)
		s->index = index_new(s->traces, n, s->index_pages);
	which = out_match_fork(s->which, views);
	/* one CPU after another: nothing depends on the order of their records */
	it = trace_iter_new_apart(views, n, s->range->cpus, s->range->since, s->range->until);
	s->whole = true;
	while (s->whole && (r = trace_iter_next(it))) {
		if (r->lost)
			scan_note_loss(s, r);
		if (s->index)
			index_add(s->index, r);
		if (s->counts && r->rec.data)
			hide_count_record(&s->by, r);
		if (r->rec.data && (!which.match || which.match(which.ctx, r)))
			s->records++;
		if (++records % JOB_LOOK_EVERY)
			continue;
		passed = trace_iter_passed(it, &cpus);
		s->whole = job_part_goes_on(j, passed, cpus, s->first, s->last, r->ts);
	}
	scan_trim_losses(s);
	trace_iter_free(it);
	out_match_unfork(s->which, &which);
	for (size_t i = 0; i < n; i++)
		damages_merge(&s->damages[i], &views[i]->damages);
	trace_views_close(views, n);
	if (s->whole && !s->records && s->add_none)
		s->add_none(s->ctx, is_stopped, j, &s->none);
}

void scan_release(struct record_scan *s)
{
	for (size_t i = 0; s->damages && i < s->nr_traces; i++)
		damages_release(&s->damages[i]);
	free(s->damages);
	free(s->losses);
	hide_counts_release(&s->by);
	buf_release(&s->none);
	index_free(s->index);
	s->index = NULL;
	s->damages = NULL;
	s->losses = NULL;
	s->nr_losses = s->cap_losses = 0;
	s->records = s->all_losses = 0;
}
