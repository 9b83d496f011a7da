/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cuts the merged records into slices of time by the time stamps of sub-buffers, without reading
 * the records between, and moves iterators to their borders.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/trace_merge.h"

/* The first line should come early, and a slice should outweigh the search for its borders. */
#define SLICE_MIN (16u << 10)
#define SLICE_MAX (512u << 10)
#define STREAMS_MAX 4096	/* each is sought at each border: with more, slices do not pay */
/*
 * With compressed chunks, one chunk of each CPU is decompressed at a border, which takes about a
 * quarter of the time of printing it.
 */
#define BORDER_SHARE 4

/* The position of the slicer in the sub-buffers of one CPU. */
struct slicer_cpu {
	struct cpu_stream *s;
	uint64_t page;		/* the first one that is in no slice yet */
	uint64_t end;		/* the end of the sub-buffers with one known time: of a chunk */
	uint64_t ts;		/* time of ->page, not below that of earlier ones */
	uint64_t begun;		/* start of a chunk at or before ->page, not later than ->ts */
	uint64_t hint;		/* where to search the start of a slice before ->page */
};

struct trace_slicer {
	struct trace_iter *it;	/* only its streams are used */
	struct slicer_cpu *v;
	struct slicer_cpu **heap; /* the CPUs that are not at their end; [0] is the earliest */
	size_t   nr_heap;
	size_t   n;		/* number of CPUs, including those at their end */
	uint64_t until, at, target, target_max;
	bool     started, ended;
};

/* --- cutting */

static bool sliced_at_end(const struct slicer_cpu *c)
{
	return c->page >= c->s->data.cpu->nr_pages;
}

static void sliced_advance_ts(struct slicer_cpu *c, uint64_t raw)
{
	uint64_t ts = stream_time(c->s, raw);

	c->ts = ts > c->ts ? ts : c->ts;
}

static void sliced_read_ts(struct slicer_cpu *c)
{
	uint64_t ts;

	if (dat_cursor_ts(&c->s->ts_cursor, c->page, &ts))
		sliced_advance_ts(c, ts);
}

/* Frees the chunk that was decompressed for a time stamp: with many CPUs it would be much. */
static void sliced_release_ts(struct slicer_cpu *c)
{
	dat_cursor_release(&c->s->ts_cursor);
}

/*
 * Moves to the next chunk. A known time before it is as good a border as its own time, for which
 * the chunk would be decompressed.
 */
static void sliced_next_chunk(struct slicer_cpu *c)
{
	const struct dat_cpu *cpu = c->s->data.cpu;
	uint64_t passed = c->page, first, last;

	c->hint = c->begun;
	c->begun = passed;
	c->page = c->end;
	if (sliced_at_end(c))
		return;
	dat_chunk_span(cpu, c->page, &c->page, &c->end);
	if (!dat_chunk_times(cpu, c->page, &first, &last) &&
	    dat_chunk_times(cpu, passed, &first, &last))
		return sliced_advance_ts(c, last);
	c->begun = c->page;
	sliced_read_ts(c);
	sliced_release_ts(c);
}

static bool sliced_earlier(const struct slicer_cpu *a, const struct slicer_cpu *b)
{
	return a->ts < b->ts || (a->ts == b->ts && a < b);
}

static void sift_sliced(struct trace_slicer *s, size_t at)
{
	struct slicer_cpu **h = s->heap, *c = h[at];
	size_t kid;

	for (; (kid = 2 * at + 1) < s->nr_heap; at = kid) {
		if (kid + 1 < s->nr_heap && sliced_earlier(h[kid + 1], h[kid]))
			kid++;
		if (!sliced_earlier(h[kid], c))
			break;
		h[at] = h[kid];
	}
	h[at] = c;
}

bool trace_slicer_next(struct trace_slicer *s, struct trace_slice *slice)
{
	uint64_t *pages, sum = 0;
	struct slicer_cpu *c;

	if (s->ended)
		return false;
	/* a slice starts in the sub-buffer before the next one of each CPU */
	pages = xcalloc(s->n + 1, sizeof(*pages));
	for (size_t i = 0; i < s->n; i++)
		pages[i] = s->v[i].hint;
	*slice = (struct trace_slice){ .since = s->at, .first = !s->started, .pages = pages };
	s->started = true;
	while (s->nr_heap && s->heap[0]->ts < s->until &&
	       (sum < s->target || s->heap[0]->ts <= s->at)) {
		c = s->heap[0];
		sum += (c->end - c->page) * c->s->data.buffer->layout.subbuf_size;
		sliced_next_chunk(c);
		if (sliced_at_end(c))
			s->heap[0] = s->heap[--s->nr_heap];
		if (s->nr_heap)
			sift_sliced(s, 0);
	}
	slice->until = s->nr_heap ? s->heap[0]->ts : UINT64_MAX;
	if (slice->until >= s->until) {
		slice->until = s->until;
		s->ended = true;
	}
	s->at = slice->until;
	s->target = s->target * 2 < s->target_max ? s->target * 2 : s->target_max;
	return true;
}

void trace_slice_release(struct trace_slice *slice)
{
	free(slice->pages);
	slice->pages = NULL;
}

/* Returns true if the chunk of @page is sound and starts before @since. */
static bool chunk_starts_before(const struct slicer_cpu *c, uint64_t page, uint64_t since)
{
	uint64_t first, last;

	return dat_chunk_times(c->s->data.cpu, page, &first, &last) &&
	       stream_time(c->s, first) < since;
}

/* Returns where to search the start of a slice, so that few chunks are decompressed for it. */
static uint64_t find_start_hint(const struct slicer_cpu *c, uint64_t page, uint64_t since)
{
	const struct dat_cpu *cpu = c->s->data.cpu;
	uint64_t first, end;

	dat_chunk_span(cpu, page + 1, &first, &end);
	if (page + 1 < cpu->nr_pages && chunk_starts_before(c, first, since))
		return first;
	if (chunk_starts_before(c, c->page, since))
		return page;
	dat_chunk_span(cpu, c->page ? c->page - 1 : 0, &first, &end);
	return first;
}

/* Moves to the chunk where the range starts. Returns false if the times are out of order. */
static bool sliced_start(struct trace_slicer *s, struct slicer_cpu *c, uint64_t since)
{
	uint64_t page;

	if (!trace_bound_stream(c->s, since, s->until, &page))
		return false;
	c->page = page;
	if (!sliced_at_end(c)) {
		dat_chunk_span(c->s->data.cpu, page, &c->page, &c->end);
		c->begun = c->page;
		sliced_read_ts(c);
	}
	sliced_release_ts(c);
	c->hint = find_start_hint(c, page, since);
	return true;
}

struct trace_slicer *trace_slicer_new(struct trace *const *traces, size_t n, const uint64_t *cpus,
				      uint64_t since, uint64_t until)
{
	struct trace_slicer *s = xcalloc(1, sizeof(*s));
	uint64_t border = 0;
	size_t i;

	s->it = trace_iter_alloc(traces, n, cpus);
	if (s->it->nr_streams > STREAMS_MAX) {
		trace_slicer_free(s);
		return NULL;
	}
	s->v = xcalloc(s->it->nr_streams + 1, sizeof(*s->v));
	s->at = since;
	s->until = until;
	s->target = SLICE_MIN;
	s->target_max = SLICE_MAX;
	for (; s->n < s->it->nr_streams; s->n++) {
		s->v[s->n].s = &s->it->streams[s->n];
		if (!sliced_start(s, &s->v[s->n], since)) {
			trace_slicer_free(s);
			return NULL;
		}
		border += dat_chunk_pages(s->v[s->n].s->data.cpu) *
			  s->v[s->n].s->data.buffer->layout.subbuf_size;
	}
	s->heap = xcalloc(s->n + 1, sizeof(struct slicer_cpu *));
	for (i = 0; i < s->n; i++)
		if (!sliced_at_end(&s->v[i]))
			s->heap[s->nr_heap++] = &s->v[i];
	for (i = s->nr_heap / 2; i-- > 0;)
		sift_sliced(s, i);
	if (border / BORDER_SHARE > s->target_max)
		s->target_max = border / BORDER_SHARE;
	return s;
}

void trace_slicer_size(struct trace_slicer *s, uint32_t bytes)
{
	s->target = s->target_max = bytes;
}

uint64_t trace_slicer_bytes(const struct trace_slicer *s)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < s->n; i++)
		sum += s->v[i].s->data.cpu->nr_pages * s->v[i].s->data.buffer->layout.subbuf_size;
	return sum;
}

void trace_slicer_free(struct trace_slicer *s)
{
	if (!s)
		return;
	trace_iter_free(s->it);
	free(s->v);
	free(s->heap);
	free(s);
}

/* --- cutting backwards */

/* A sub-buffer that starts before the end of a slice. */
struct subbuf_start {
	uint64_t ts, bytes;
};

struct subbuf_starts {
	struct subbuf_start *v;
	size_t n, cap;
};

static int later_first(const void *a, const void *b)
{
	const struct subbuf_start *x = a, *y = b;

	return x->ts < y->ts ? 1 : x->ts > y->ts ? -1 : 0;
}

/*
 * Adds the sub-buffers of one chunk that start before @until. Only the time of the chunk's first
 * one is known: the others count as evenly spread up to the next chunk. Returns their bytes.
 */
static uint64_t add_chunk(struct subbuf_starts *starts, struct cpu_stream *s, uint64_t page,
			  uint64_t next, uint64_t until)
{
	uint32_t bytes = s->data.buffer->layout.subbuf_size;
	uint64_t ts, first, last, each = 0, n = next - page, i;

	if (!dat_cursor_ts(&s->ts_cursor, page, &ts))
		return 0;
	ts = stream_time(s, ts);
	if (n > 1 && (dat_cursor_ts(&s->ts_cursor, next, &last) ||
		      dat_chunk_times(s->data.cpu, page, &first, &last))) {
		last = stream_time(s, last);
		each = last > ts ? (last - ts) / n : 0;
	}
	for (i = 0; i < n && ts + i * each < until; i++) {
		starts->v = xgrow(starts->v, &starts->cap, starts->n + 1, sizeof(*starts->v));
		starts->v[starts->n++] = (struct subbuf_start){ ts + i * each, bytes };
	}
	return i * bytes;
}

/* Adds the last sub-buffers of a CPU before @until, as many as hold @bytes. */
static void add_starts(struct subbuf_starts *starts, struct cpu_stream *s, uint64_t until,
		       uint64_t bytes)
{
	uint64_t end = s->data.cpu->nr_pages, at, next, sum = 0;

	if (!end || !stream_find_page(s, until, &at))
		return;
	/* stream_find_page() returns up to two chunks before, for those that damage may hide */
	for (int i = 0; i < 2; i++) {
		dat_chunk_span(s->data.cpu, at, &next, &at);
		at = at < end ? at : end - 1;
	}
	for (at++; at && sum < bytes;) {
		dat_chunk_span(s->data.cpu, at - 1, &at, &next);
		sum += add_chunk(starts, s, at, next, until);
	}
	dat_cursor_release(&s->ts_cursor);
}

uint64_t trace_slice_start(struct trace *const *traces, size_t n, const uint64_t *cpus,
			   uint64_t until, uint32_t bytes)
{
	struct trace_iter *it = trace_iter_alloc(traces, n, cpus);
	struct subbuf_starts starts = {0};
	uint64_t sum = 0, ts = 0;
	size_t i;

	for (i = 0; i < it->nr_streams; i++)
		add_starts(&starts, &it->streams[i], until, bytes);
	if (starts.n)
		qsort(starts.v, starts.n, sizeof(*starts.v), later_first);
	for (i = 0; i < starts.n && sum < bytes; i++)
		sum += starts.v[i].bytes;
	if (sum >= bytes)
		ts = starts.v[i - 1].ts;
	free(starts.v);
	trace_iter_free(it);
	return ts;
}

/* --- reading */

struct trace_iter *trace_iter_new_slices(struct trace *const *traces, size_t n,
					 const uint64_t *cpus, uint64_t since, uint64_t until)
{
	struct trace_iter *it = trace_iter_alloc(traces, n, cpus);
	size_t i;

	it->since = since;
	it->until = until;
	for (i = 0; i < it->nr_streams; i++)
		stream_bound(&it->streams[i], since, until, false);
	return it;
}

/* Damage before the border is not noted: it belongs to the slice before. */
void trace_iter_slice(struct trace_iter *it, const struct trace_slice *slice,
		      void (*before)(void *ctx, const struct trace_rec *r, struct trace_iter *it),
		      void *ctx)
{
	struct stream_passed passed;
	struct cpu_stream *s;

	for (s = it->streams; s < it->streams + it->nr_streams; s++) {
		if (slice->first) {
			stream_reset(s, 0);
			continue;
		}
		stream_seek(s, slice->since, slice->pages[s - it->streams], true, &passed);
		if (!passed.any || !before)
			continue;
		stream_quiet(s, true);
		stream_before(s, &passed);
		it->current = s;
		it->ahead = false;
		if (stream_due(s)->rec.data)
			before(ctx, stream_hold(s), it);
		if (!it->ahead)
			stream_next(s);
		it->current = NULL;
		it->ahead = false;
		stream_quiet(s, false);
	}
	if (slice->first)
		trace_iter_start(it, it->since, it->until);
	else
		trace_iter_heap(it);
	it->last = trace_last_before(slice->until);
}

/* --- places */

struct trace_places {
	size_t n;
	struct stream_place v[];
};

struct trace_places *trace_places_new(const struct trace_iter *it)
{
	struct trace_places *p = xcalloc(1, sizeof(*p) + it->nr_streams * sizeof(p->v[0]));

	p->n = it->nr_streams;
	return p;
}

void trace_iter_places(const struct trace_iter *it, struct trace_places *p)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		stream_place(&it->streams[i], &p->v[i]);
}

bool trace_places_equal(const struct trace_places *a, const struct trace_places *b)
{
	size_t i;

	for (i = 0; i < a->n; i++)
		if (!stream_place_equal(&a->v[i], &b->v[i]))
			return false;
	return true;
}

void trace_iter_rest(struct trace_iter *it)
{
	size_t i;

	for (i = 0; i < it->nr_streams; i++)
		if (it->streams[i].packed)
			dat_cursor_release(&it->streams[i].data);
}

void trace_iter_go(struct trace_iter *it, const struct trace_places *p, uint64_t until)
{
	size_t i;

	for (i = 0; i < it->nr_streams; i++)
		stream_set_place(&it->streams[i], &p->v[i]);
	trace_iter_heap(it);
	it->last = trace_last_before(until);
}
