/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Merges the records of all CPUs, buffers and files by time; losses stay in their place. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/mem.h"
#include "trace/priv.h"

/* The records of one CPU in one buffer of one file. */
struct stream {
	struct trace_iter *it;
	struct trace *trace;
	struct dat_buffer *buffer;
	struct dat_cpu *cpu;
	struct dat_cursor data;
	unsigned int file, buffer_nr;
	size_t   order;			/* among the streams: file, buffer, CPU */
	bool     packed;		/* page_off is that of a compressed chunk */

	uint64_t page;			/* the next one to open */
	uint64_t page_off;
	struct ring_page pg;
	bool     page_open;
	bool     any;			/* last_raw is set */
	uint64_t last_raw;		/* time of the last record, before conversion */
	uint64_t last_page_raw;		/* time stamp of the last sub-buffer that has data */

	/* the record that is due */
	bool     have;
	uint64_t ts;
	uint64_t lost;
	struct ring_record raw;		/* data NULL: only a loss at the end */
};

struct trace_iter {
	struct stream *streams;
	size_t   nr_streams;
	struct stream **heap;		/* of streams that have a record; [0] is due */
	size_t   nr_heap;
	struct stream *second;		/* the one due after heap[0]'s run, NULL if none */

	struct stream *current;		/* of ->rec; NULL before the first and at the end */
	bool     ahead;			/* ->current was already moved past ->rec */
	struct trace_rec rec, peeked;
	struct buf kept;		/* bytes of ->rec when its sub-buffer had to go */
};

static uint64_t record_off(const struct stream *s)
{
	return s->packed ? s->page_off : s->page_off + s->raw.off;
}

/* The record handed out last may live in the chunk that the next sub-buffer replaces. */
static void keep_current(struct trace_iter *it, const struct stream *s)
{
	if (it->current != s || !it->rec.rec.data || it->kept.len)
		return;
	buf_add(&it->kept, it->rec.rec.data, it->rec.rec.len);
	it->rec.rec.data = (const uint8_t *)it->kept.data;
}

static void note_page(struct stream *s, enum ring_status st, uint32_t off)
{
	damage_note(&s->trace->damages, ring_status_text(st), s->trace->dat->path,
		    s->packed ? s->page_off : s->page_off + off, s->cpu->cpu,
		    "sub-buffer %llu%s%s%s", (unsigned long long)s->page - 1,
		    *s->buffer->name ? " of instance '" : "", s->buffer->name,
		    *s->buffer->name ? "'" : "");
}

static void add_lost(struct stream *s, uint64_t lost)
{
	if (s->lost == RING_LOST_UNKNOWN || lost == RING_LOST_UNKNOWN)
		s->lost = RING_LOST_UNKNOWN;
	else if (__builtin_add_overflow(s->lost, lost, &s->lost))
		s->lost = RING_LOST_UNKNOWN;
}

static void check_page(struct stream *s, enum ring_status st)
{
	if (st == RING_OK)
		st = ring_page_check(&s->pg);
	if (st != RING_OK)
		note_page(s, st, 0);
	if (!s->page_open || !s->pg.commit)
		return;
	if (s->pg.ts < s->last_page_raw)
		damage_note(&s->trace->damages, "sub-buffer time stamps go back",
			    s->trace->dat->path, s->page_off, s->cpu->cpu,
			    "from %" PRIu64 " to %" PRIu64, s->last_page_raw, s->pg.ts);
	else if (s->any && s->pg.ts < s->last_raw)
		damage_note(&s->trace->damages, "time goes backwards between sub-buffers",
			    s->trace->dat->path, s->page_off, s->cpu->cpu, NULL);
	s->last_page_raw = s->pg.ts;
}

/* Opens the next sub-buffer that can be read; false at the end of this CPU. */
static bool next_page(struct stream *s)
{
	enum ring_status st;
	const uint8_t *mem;
	size_t len;

	keep_current(s->it, s);
	while (s->page < s->cpu->nr_pages) {
		mem = dat_cursor_page(&s->data, s->page++, &len, &s->page_off);
		if (!mem) {
			add_lost(s, RING_LOST_UNKNOWN);
			continue;
		}
		st = ring_page_open(&s->pg, &s->buffer->layout, mem, len);
		s->page_open = st == RING_OK || st == RING_COMMIT_TOO_LARGE;
		check_page(s, st);
		add_lost(s, s->page_open ? s->pg.lost : RING_LOST_UNKNOWN);
		if (s->page_open)
			return true;
	}
	return false;
}

static void stream_end(struct stream *s)
{
	/* a loss with no record behind it is handed out once, alone */
	s->have = s->lost != 0;
	s->raw = (struct ring_record){0};
}

static void stream_next(struct stream *s)
{
	enum ring_status st;

	s->lost = 0;
	for (;;) {
		st = s->page_open ? ring_page_next(&s->pg, &s->raw) : RING_END;
		if (st == RING_OK)
			break;
		if (st != RING_END) {
			note_page(s, st, s->pg.layout->data_off + s->pg.at);
			add_lost(s, RING_LOST_UNKNOWN);
		}
		s->page_open = false;
		if (!next_page(s)) {
			stream_end(s);
			return;
		}
	}
	s->have = true;
	s->any = true;
	s->last_raw = s->raw.ts;
	s->ts = trace_time(s->trace, s->raw.ts);
}

static void note_short(const struct stream *s)
{
	damage_note(&s->trace->damages, "record too short for its common fields",
		    s->trace->dat->path, record_off(s), s->cpu->cpu, NULL);
}

static void read_common(struct trace_rec *r, const struct stream *s)
{
	const struct trace *t = s->trace;
	uint32_t len = s->raw.len;

	r->pid = -1;
	if (len < 8 || t->type_off > len - 2 || t->pid_off > len - 4) {
		note_short(s);
		return;
	}
	r->type = get_u16(s->raw.data + t->type_off, t->dat->big);
	r->pid = (int32_t)get_u32(s->raw.data + t->pid_off, t->dat->big);
	r->rec.fmt = trace_format(s->trace, r->type);
}

static void fill(struct trace_rec *r, const struct stream *s)
{
	r->trace = s->trace;
	r->file = s->file;
	r->buffer = s->buffer_nr;
	r->cpu = s->cpu->cpu;
	r->ts = s->ts;
	r->lost = s->lost;
	r->file_off = record_off(s);
	r->type = 0;
	r->pid = -1;
	r->rec = (struct ev_rec){
		.data = s->raw.data, .len = s->raw.len,
		.big = s->trace->dat->big, .long_size = s->trace->world.long_size,
	};
	if (!s->raw.data)
		return;
	read_common(r, s);
	if (s->ts < s->trace->first_ts)
		s->trace->first_ts = s->ts;
	if (s->ts > s->trace->last_ts)
		s->trace->last_ts = s->ts;
}

static bool before(const struct stream *a, const struct stream *b)
{
	return a->ts < b->ts || (a->ts == b->ts && a->order < b->order);
}

static void find_second(struct trace_iter *it)
{
	struct stream **h = it->heap;

	it->second = NULL;
	if (it->nr_heap > 1)
		it->second = it->nr_heap > 2 && before(h[2], h[1]) ? h[2] : h[1];
}

static void sift_down(struct trace_iter *it, size_t at)
{
	struct stream **h = it->heap, *s = h[at];
	size_t kid;

	for (; (kid = 2 * at + 1) < it->nr_heap; at = kid) {
		if (kid + 1 < it->nr_heap && before(h[kid + 1], h[kid]))
			kid++;
		if (!before(h[kid], s))
			break;
		h[at] = h[kid];
	}
	h[at] = s;
}

/* The top stream has moved on. Mostly it stays due: runs of one CPU cost a comparison a record. */
static void heap_settle(struct trace_iter *it)
{
	struct stream *top = it->heap[0];

	if (top->have && (!it->second || !before(it->second, top)))
		return;
	if (!top->have)
		it->heap[0] = it->heap[--it->nr_heap];
	if (it->nr_heap)
		sift_down(it, 0);
	find_second(it);
}

static bool wanted(const uint64_t *cpus, int cpu)
{
	if (!cpus)
		return true;
	return cpu >= 0 && cpu < TRACE_CPU_BITS && cpus[cpu / 64] >> cpu % 64 & 1;
}

static void add_buffer(struct trace_iter *it, struct trace *t, unsigned int file, size_t nr,
		       const uint64_t *cpus)
{
	struct dat_buffer *b = &t->dat->buffers[nr];
	size_t i;

	for (i = 0; i < b->nr_cpus; i++) {
		if (!wanted(cpus, b->cpus[i].cpu))
			continue;
		it->streams[it->nr_streams] = (struct stream){
			.it = it, .trace = t, .buffer = b, .cpu = &b->cpus[i],
			.data = { .dat = t->dat, .buffer = b, .cpu = &b->cpus[i],
				  .damages = &t->damages },
			.file = file, .buffer_nr = nr, .order = it->nr_streams,
			.packed = strcmp(t->dat->compression, "none") != 0,
		};
		it->nr_streams++;
	}
}

static size_t count_streams(struct trace *const *traces, size_t n)
{
	size_t i, k, sum = 0;

	for (i = 0; i < n; i++)
		for (k = 0; k < traces[i]->dat->nr_buffers; k++)
			sum += traces[i]->dat->buffers[k].nr_cpus;
	return sum;
}

struct trace_iter *trace_iter_new_range(struct trace *const *traces, size_t n,
					const uint64_t *cpus, uint64_t since, uint64_t until)
{
	(void)since;
	(void)until;
	return trace_iter_new(traces, n, cpus);
}

struct trace_iter *trace_iter_new(struct trace *const *traces, size_t n, const uint64_t *cpus)
{
	struct trace_iter *it = xcalloc(1, sizeof(*it));
	size_t i, k, max = count_streams(traces, n);

	it->streams = xcalloc(max + 1, sizeof(*it->streams));
	it->heap = xcalloc(max + 1, sizeof(struct stream *));
	for (i = 0; i < n; i++)
		for (k = 0; k < traces[i]->dat->nr_buffers; k++)
			add_buffer(it, traces[i], i, k, cpus);
	for (i = 0; i < it->nr_streams; i++) {
		stream_next(&it->streams[i]);
		if (it->streams[i].have)
			it->heap[it->nr_heap++] = &it->streams[i];
	}
	for (i = it->nr_heap / 2; i-- > 0;)
		sift_down(it, i);
	find_second(it);
	return it;
}

const struct trace_rec *trace_iter_next(struct trace_iter *it)
{
	struct stream *s = it->current;

	it->current = NULL;
	if (s) {
		if (!it->ahead)
			stream_next(s);
		it->ahead = false;
		buf_reset(&it->kept);
		heap_settle(it);
	}
	if (!it->nr_heap)
		return NULL;
	it->current = it->heap[0];
	fill(&it->rec, it->current);
	return &it->rec;
}

const struct trace_rec *trace_iter_peek(struct trace_iter *it)
{
	struct stream *s = it->current;

	if (!s)
		return NULL;
	if (!it->ahead && s->have)
		stream_next(s);
	it->ahead = true;
	if (!s->have || !s->raw.data)
		return NULL;
	fill(&it->peeked, s);
	return &it->peeked;
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
		dat_cursor_release(&it->streams[i].data);
	free(it->streams);
	free(it->heap);
	buf_release(&it->kept);
	free(it);
}
