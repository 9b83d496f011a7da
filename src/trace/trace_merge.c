/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Merges the records of all CPUs, buffers and files by time; losses stay in their place. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/trace_merge.h"

static bool stream_is_before(const struct cpu_stream *a, const struct cpu_stream *b)
{
	return a->ts < b->ts || (a->ts == b->ts && a->order < b->order);
}

/* Finds the stream that is due after the run of heap[0]. */
static void find_second(struct trace_iter *it)
{
	struct cpu_stream **h = it->heap;

	it->second = NULL;
	if (it->nr_heap > 1)
		it->second = it->nr_heap > 2 && stream_is_before(h[2], h[1]) ? h[2] : h[1];
}

static void sift_stream(struct trace_iter *it, size_t at)
{
	struct cpu_stream **h = it->heap, *s = h[at];
	size_t kid;

	for (; (kid = 2 * at + 1) < it->nr_heap; at = kid) {
		if (kid + 1 < it->nr_heap && stream_is_before(h[kid + 1], h[kid]))
			kid++;
		if (!stream_is_before(h[kid], s))
			break;
		h[at] = h[kid];
	}
	h[at] = s;
}

/* The top stream has moved on. Mostly it stays due: runs of one CPU cost a comparison a record. */
static void heap_fix_top(struct trace_iter *it)
{
	struct cpu_stream *top = it->heap[0];

	if (top->have && (!it->second || !stream_is_before(it->second, top)))
		return;
	if (!top->have)
		it->heap[0] = it->heap[--it->nr_heap];
	if (it->nr_heap)
		sift_stream(it, 0);
	find_second(it);
}

/* Adds a gap that ends at the due record of @s. It is returned with the next record. */
static void add_gap(struct trace_iter *it, struct cpu_stream *s)
{
	s->due->gaps = it->gaps;
	it->gaps = s->due;
}

void trace_iter_heap(struct trace_iter *it)
{
	size_t i;

	it->nr_heap = 0;
	it->current = NULL;
	it->ahead = false;
	it->gaps = NULL;
	for (i = 0; i < it->nr_streams; i++) {
		if (!it->streams[i].have)
			continue;
		it->heap[it->nr_heap++] = &it->streams[i];
		if (it->streams[i].due->lost)
			add_gap(it, &it->streams[i]);
	}
	for (i = it->nr_heap / 2; i-- > 0;)
		sift_stream(it, i);
	find_second(it);
}

static void add_streams(struct trace_iter *it, struct trace *t, unsigned int file, size_t nr,
			const uint64_t *cpus)
{
	struct dat_buffer *b = &t->dat->buffers[nr];
	size_t i;
	int cpu;

	for (i = 0; i < b->nr_cpus; i++) {
		cpu = b->cpus[i].cpu;
		if (cpus && (cpu < 0 || cpu >= TRACE_CPU_BITS || !(cpus[cpu / 64] >> cpu % 64 & 1)))
			continue;
		/* a source may still get some */
		if (!b->cpus[i].nr_pages && !b->cpus[i].source)
			continue;
		stream_init(&it->streams[it->nr_streams], t, file, nr, i, it->nr_streams);
		it->nr_streams++;
	}
}

size_t trace_nr_streams(struct trace *const *traces, size_t n)
{
	size_t i, k, sum = 0;

	for (i = 0; i < n; i++)
		for (k = 0; k < traces[i]->dat->nr_buffers; k++)
			sum += traces[i]->dat->buffers[k].nr_cpus;
	return sum;
}

struct trace_iter *trace_iter_alloc(struct trace *const *traces, size_t n, const uint64_t *cpus)
{
	struct trace_iter *it = xcalloc(1, sizeof(*it));
	size_t i, k, max = trace_nr_streams(traces, n);

	it->streams = xcalloc(max + 1, sizeof(*it->streams));
	it->heap = xcalloc(max + 1, sizeof(struct cpu_stream *));
	it->last = UINT64_MAX;
	for (i = 0; i < n; i++)
		for (k = 0; k < traces[i]->dat->nr_buffers; k++)
			add_streams(it, traces[i], i, k, cpus);
	return it;
}

struct trace_iter *trace_iter_new(struct trace *const *traces, size_t n, const uint64_t *cpus)
{
	return trace_iter_new_range(traces, n, cpus, 0, UINT64_MAX);
}

bool trace_bound_stream(struct cpu_stream *s, uint64_t since, uint64_t until, uint64_t *page)
{
	uint64_t end;
	bool ordered;

	*page = 0;
	if (!since && until == UINT64_MAX)
		return true;
	/* damage to the tables of a file makes its times doubtful, too */
	ordered = !s->data.dat->damages.n && stream_find_page(s, since, page) &&
		  (until == UINT64_MAX || stream_find_page(s, until, &end));
	stream_bound(s, since, until, !ordered);
	return ordered;
}

static void start_stream(struct cpu_stream *s, uint64_t since, uint64_t until)
{
	struct stream_passed passed;
	uint64_t page;

	if (trace_bound_stream(s, since, until, &page) && page) {
		stream_seek(s, since, page, false, &passed);
		return;
	}
	stream_reset(s, 0);
	stream_next(s);
}

void trace_iter_start(struct trace_iter *it, uint64_t since, uint64_t until)
{
	size_t i;

	it->last = trace_last_before(until);
	for (i = 0; i < it->nr_streams && until; i++)
		start_stream(&it->streams[i], since, until);
	trace_iter_heap(it);
}

struct trace_iter *trace_iter_new_range(struct trace *const *traces, size_t n,
					const uint64_t *cpus, uint64_t since, uint64_t until)
{
	struct trace_iter *it = trace_iter_alloc(traces, n, cpus);

	trace_iter_start(it, since, until);
	return it;
}

/* --- one stream after another */

struct trace_iter *trace_iter_new_apart(struct trace *const *traces, size_t n,
					const uint64_t *cpus, uint64_t since, uint64_t until)
{
	struct trace_iter *it = trace_iter_alloc(traces, n, cpus);

	it->since = since;
	it->until = until;
	it->apart = until > since;
	it->last = trace_last_before(until);
	return it;
}

size_t trace_iter_passed(const struct trace_iter *it, size_t *of)
{
	*of = it->nr_streams;
	return it->next_apart ? it->next_apart - 1 : 0;
}

/*
 * Puts the next stream alone into the heap, and frees the decompressed data of the one before it.
 */
static bool iter_next_stream(struct trace_iter *it)
{
	while (it->apart && it->next_apart < it->nr_streams) {
		struct cpu_stream *s = &it->streams[it->next_apart++];

		if (it->next_apart > 1)
			stream_release(s - 1);
		start_stream(s, it->since, it->until);
		it->heap[0] = s;
		it->nr_heap = s->have;
		if (s->have && s->ts <= it->last)
			return true;
	}
	return false;
}

/* --- reading */

/* Moves the gaps to @r, except one that ends at @r itself, which is its ->lost. */
static __attribute__((noinline)) void hand_out_gaps(struct trace_iter *it, struct trace_rec *r)
{
	struct trace_rec *gap = it->gaps, *next, *others = NULL;

	for (it->gaps = NULL; gap; gap = next) {
		next = gap->gaps;
		if (gap == r)
			continue;
		gap->gaps = others;
		others = gap;
	}
	r->gaps = others;
}

const struct trace_rec *trace_iter_next(struct trace_iter *it)
{
	struct cpu_stream *s = it->current;
	struct trace_rec *r;

	if (s) {
		if (!it->ahead)
			stream_next(s);
		it->ahead = false;
		if (__builtin_expect(s->have && s->due->lost, 0))
			add_gap(it, s);
		heap_fix_top(it);
	}
	it->current = NULL;
	if ((!it->nr_heap || it->heap[0]->ts > it->last) && !iter_next_stream(it))
		return NULL;
	s = it->current = it->heap[0];
	r = s->due;
	if (__builtin_expect(it->gaps != NULL, 0))
		hand_out_gaps(it, r);
	else
		r->gaps = NULL;
	return stream_hold(s);
}

const struct trace_rec *trace_iter_next_but(struct trace_iter *it, const uint8_t *ignored,
					    uint32_t *passed)
{
	struct cpu_stream *s = it->current;
	int pid = s && s->held && s->held->rec.data ? s->held->pid : -1;
	const struct trace_rec *r = trace_iter_next(it);
	uint64_t before;
	uint32_t n;

	*passed = 0;
	if (!r || s != it->current || r->pid != pid || pid < 0 || r->lost || r->gaps ||
	    s->bounded || s->data.cpu->source || !r->rec.data)
		return r;
	before = it->second ? it->second->ts : UINT64_MAX;
	n = stream_pass(s, ignored, before < it->last ? before : it->last);
	if (!n)
		return r;
	*passed = n;
	s->due->gaps = NULL;
	return stream_hold(s);
}

const struct trace_rec *trace_iter_peek(struct trace_iter *it)
{
	struct cpu_stream *s = it->current;

	if (!s)
		return NULL;
	if (!it->ahead && s->have)
		stream_next(s);
	it->ahead = true;
	return s->have && stream_due(s)->rec.data ? stream_due(s) : NULL;
}

void trace_iter_skip(struct trace_iter *it)
{
	if (trace_iter_peek(it))
		stream_next(it->current);
}

void trace_iter_free(struct trace_iter *it)
{
	size_t i;

	if (!it)
		return;
	for (i = 0; i < it->nr_streams; i++)
		stream_release(&it->streams[i]);
	free(it->streams);
	free(it->heap);
	free(it);
}
