/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records of one CPU in one buffer of one file, in the order of the file.
 *
 * A binary search over the time stamps of sub-buffers finds the start of a range. Damaged or
 * disordered time stamps must not hide records from --since and --until, so the search compares
 * the stamps that it meets, and those of four neighbours on each side of the borders. If any are
 * out of order, or the tables of the file are damaged, that CPU is read from its start and
 * filtered. A range that has no end, or starts at the first sub-buffer, has no border there. A
 * pass over the stamps of all sub-buffers would find all disorder, but costs reading the file.
 *
 * One wrong byte may spoil a sub-buffer, and in compressed data a chunk; the neighbours are then
 * those of the chunk. Reading starts one sub-buffer before it, as its stamps may be wrong and
 * still in order. A record after the range ends it only if no record of the range follows in the
 * chunk. A record whose own stamp is damaged into the range, far from its place, is not found.
 */
#include "trace/trace_merge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"

#define AHEAD 512	/* bytes that are prefetched before they are read */

static uint64_t record_off(const struct cpu_stream *s)
{
	return s->packed ? s->page_off : s->page_off + s->rec_off;
}

/* --- sub-buffers */

static void note_page_damage(struct cpu_stream *s, enum ring_status st, uint32_t off)
{
	const char *name = s->data.buffer->name;

	if (s->quiet)
		return;
	damage_note(&s->trace->damages, ring_status_text(st), s->trace->dat->path,
		    s->packed ? s->page_off : s->page_off + off, s->data.cpu->cpu,
		    "sub-buffer %" PRIu64 "%s%s%s", s->page - 1, *name ? " of instance '" : "",
		    name, *name ? "'" : "");
}

static void sum_lost(struct cpu_stream *s, uint64_t lost)
{
	if (s->lost == RING_LOST_UNKNOWN || lost == RING_LOST_UNKNOWN)
		s->lost = RING_LOST_UNKNOWN;
	else if (__builtin_add_overflow(s->lost, lost, &s->lost))
		s->lost = RING_LOST_UNKNOWN;
}

/* Checks the contents of a sub-buffer that was just opened, and its time stamp. */
static void check_open_page(struct cpu_stream *s, enum ring_status st)
{
	if (st == RING_OK && !s->quiet)
		st = ring_page_check(&s->pg);
	if (st != RING_OK)
		note_page_damage(s, st, 0);
	if (!s->page_open || !s->pg.commit)
		return;
	if (!s->quiet && s->pg.ts < s->last_page_raw)
		damage_note(&s->trace->damages, "sub-buffer time stamps go back",
			    s->trace->dat->path, s->page_off, s->data.cpu->cpu,
			    "from %" PRIu64 " to %" PRIu64, s->last_page_raw, s->pg.ts);
	else if (!s->quiet && s->any && s->pg.ts < s->last_raw)
		damage_note(&s->trace->damages, "time goes backwards between sub-buffers",
			    s->trace->dat->path, s->page_off, s->data.cpu->cpu, NULL);
	s->last_page_raw = s->pg.ts;
}

/*
 * The ring buffer never returns a sub-buffer without data, so a file has them only at the end of a
 * CPU. If others follow, data was lost from the file.
 */
static void note_blanks(struct cpu_stream *s)
{
	const char *name = s->data.buffer->name;

	if (s->data.cpu->source)
		return;
	if (!s->pg.commit) {
		if (!s->blanks++) {
			s->blank_page = s->page - 1;
			s->blank_off = s->page_off;
		}
	} else if (s->blanks) {
		if (!s->quiet)
			damage_note(&s->trace->damages, "sub-buffers without data before others",
				    s->trace->dat->path, s->blank_off, s->data.cpu->cpu,
				    "sub-buffer %" PRIu64 "%s%s%s, %" PRIu64 " of them",
				    s->blank_page, *name ? " of instance '" : "", name,
				    *name ? "'" : "", s->blanks);
		sum_lost(s, RING_LOST_UNKNOWN);
		s->blanks = 0;
	}
}

/* Opens the next sub-buffer that can be read. Returns false at the end of this CPU. */
static bool next_page(struct cpu_stream *s)
{
	struct trace_rec *r = s->held;
	enum ring_status st;
	const uint8_t *mem;
	size_t len;

	/* the record handed out last may live in the bytes that the next sub-buffer replaces */
	if (r && r->rec.data && !s->kept.len && !s->data.cpu->source) {
		buf_add(&s->kept, r->rec.data, r->rec.len);
		r->rec.data = (const uint8_t *)s->kept.data;
		r->rec.behind = 0;
	}
	while (s->page < s->data.cpu->nr_pages) {
		mem = dat_cursor_page(&s->data, s->page++, &len, &s->page_off);
		if (!mem) {
			sum_lost(s, RING_LOST_UNKNOWN);
			continue;
		}
		st = ring_page_open(&s->pg, &s->data.buffer->layout, mem, len);
		s->page_open = st == RING_OK || st == RING_COMMIT_TOO_LARGE;
		check_open_page(s, st);
		sum_lost(s, s->page_open ? s->pg.lost : RING_LOST_UNKNOWN);
		if (!s->page_open)
			continue;
		note_blanks(s);
		return true;
	}
	return false;
}

/* --- records */

static inline void read_common(struct trace_rec *r, const struct cpu_stream *s)
{
	struct trace *t = s->trace;
	const uint8_t *p = r->rec.data;
	uint32_t len = r->rec.len;
	bool big = r->rec.big;

	if (len < 8 || t->type_off > len - 2 || t->pid_off > len - 4) {
		r->type = 0;
		r->pid = -1;
		r->rec.fmt = NULL;
		if (!s->quiet)
			damage_note(&t->damages, "record too short for its common fields",
				    t->dat->path, record_off(s), s->data.cpu->cpu, NULL);
		return;
	}
	r->type = get_u16(p + t->type_off, big);
	r->pid = (int32_t)get_u32(p + t->pid_off, big);
	r->rec.fmt = trace_format(t, r->type);
}

/* Returns the slot for the next record: neither that of the held record nor that of the due one. */
static inline struct trace_rec *next_slot(struct cpu_stream *s)
{
	struct trace_rec *r = s->due, *end = s->recs + STREAM_RECS;

	do
		r = r + 1 == end ? s->recs : r + 1;
	while (r == s->held);
	s->due = r;
	return r;
}

static inline void fill_slot(struct cpu_stream *s, const struct ring_record *raw, bool page_start)
{
	struct trace_rec *r = next_slot(s);
	uint64_t ts = stream_time(s, raw->ts);

	/* the CPU's prefetcher loads this line too late */
	__builtin_prefetch(raw->data + AHEAD);
	s->have = true;
	s->any = true;
	s->last_raw = raw->ts;
	s->rec_off = raw->off;
	s->ts = ts;
	r->ts = ts;
	r->lost = s->lost;
	r->page_start = page_start;
	r->file_off = s->packed ? s->page_off : s->page_off + raw->off;
	r->rec.data = raw->data;
	r->rec.len = raw->len;
	r->rec.behind = s->pg.commit - s->pg.at;
	read_common(r, s);
}

/* A loss without a following record is handed out once, alone. */
static void fill_end(struct cpu_stream *s)
{
	struct trace_rec *r = next_slot(s);

	s->have = s->lost != 0;
	s->rec_off = 0;
	r->ts = s->ts;
	r->lost = s->lost;
	r->file_off = record_off(s);
	r->rec.data = NULL;
	r->rec.len = r->rec.behind = 0;
	r->rec.fmt = NULL;
	r->type = 0;
	r->pid = -1;
}

/* Kept out of next_raw_record(), which then does not have to save registers. */
static __attribute__((noinline)) void next_elsewhere(struct cpu_stream *s, enum ring_status st)
{
	struct ring_record raw;

	do {
		if (st != RING_END) {
			note_page_damage(s, st, s->pg.layout->data_off + s->pg.at);
			sum_lost(s, RING_LOST_UNKNOWN);
		}
		s->page_open = false;
		if (!next_page(s)) {
			fill_end(s);
			return;
		}
		st = ring_page_next(&s->pg, &raw);
	} while (st != RING_OK);
	fill_slot(s, &raw, true);
}

static inline void next_raw_record(struct cpu_stream *s)
{
	struct ring_record raw;
	enum ring_status st = s->page_open ? ring_page_next(&s->pg, &raw) : RING_END;

	s->lost = 0;
	if (__builtin_expect(st == RING_OK, 1))
		fill_slot(s, &raw, false);
	else
		next_elsewhere(s, st);
}

/* --- by time */

#define NEIGHBOURS 4	/* sub-buffers on each side whose order is checked */

/*
 * Finds the first sub-buffer from *page on, before @end, that has a time stamp, and stores its
 * number and its time. Returns false if there is none.
 */
static bool page_time(struct cpu_stream *s, uint64_t *page, uint64_t end, uint64_t *ts)
{
	for (; *page < end; *page = dat_cursor_skip_hole(&s->ts_cursor, *page + 1))
		if (dat_cursor_ts(&s->ts_cursor, *page, ts)) {
			*ts = stream_time(s, *ts);
			return true;
		}
	return false;
}

/*
 * Stores the range of sub-buffers around @page that one damaged chunk can put out of order: times
 * in it may be anything, so its neighbours on each side are included.
 */
static void span_around(const struct cpu_stream *s, uint64_t page, uint64_t *from, uint64_t *end)
{
	uint64_t all = s->data.cpu->nr_pages;

	dat_chunk_span(s->data.cpu, page, from, end);
	*from = *from > NEIGHBOURS ? *from - NEIGHBOURS : 0;
	*end = *end < all && all - *end > NEIGHBOURS ? *end + NEIGHBOURS : all;
}

/* Returns true if the times around @page are in order. */
static bool times_in_order(struct cpu_stream *s, uint64_t page)
{
	uint64_t at, end, chunk, first, last, next, before = 0;

	for (span_around(s, page, &at, &end); at < end; at = next, before = last) {
		if (dat_chunk_times(s->data.cpu, at, &first, &last)) {
			first = stream_time(s, first);
			last = stream_time(s, last);
			dat_chunk_span(s->data.cpu, at, &chunk, &next);
			if (last < first)
				return false;
		} else if (page_time(s, &at, end, &first)) {
			last = first;
			next = at + 1;
		} else {
			return true;
		}
		if (first < before)
			return false;
	}
	return true;
}

/*
 * Fills ->ahead: the last record before the end of the range in the sub-buffers of this chunk, and
 * whether later ones have time stamps before that end.
 */
static void stream_scan_ahead(struct cpu_stream *s)
{
	struct stream_ahead *a = &s->ahead;
	uint64_t first, page, end, ts, off;
	struct ring_record raw;
	struct ring_page pg;
	enum ring_status st;
	const uint8_t *mem;
	size_t len;

	*a = (struct stream_ahead){ .page = s->page, .off = s->rec_off };
	dat_chunk_span(s->data.cpu, s->page - 1, &first, &a->end);
	for (page = s->page - 1; page < a->end; page++) {
		mem = dat_cursor_page(&s->ts_cursor, page, &len, &off);
		if (!mem)
			continue;
		st = ring_page_open(&pg, &s->data.buffer->layout, mem, len);
		if (st != RING_OK && st != RING_COMMIT_TOO_LARGE)
			continue;
		while (ring_page_next(&pg, &raw) == RING_OK)
			if (stream_time(s, raw.ts) < s->until) {
				a->last_page = page + 1;
				a->last_off = raw.off;
			}
	}
	span_around(s, s->page - 1, &first, &end);
	for (; page < end && !a->beyond; page++)
		a->beyond = dat_cursor_ts(&s->ts_cursor, page, &ts) &&
			    stream_time(s, ts) < s->until;
}

/*
 * Returns true if the due record is not in the range, but a following one may be. One wrong byte
 * may put records of this chunk and the following time stamps out of order, so these are checked.
 * The result depends on the record's position alone: all readers see the same records.
 */
static bool is_left_out(struct cpu_stream *s)
{
	const struct stream_ahead *a = &s->ahead;

	if (s->ts < s->since)
		return true;
	if (s->ts < s->until)
		return false;
	if (s->linear)
		return true;
	if (!s->page_open || s->data.cpu->source)
		return false;
	if (s->page < a->page || s->page > a->end ||
	    (s->page == a->page && s->rec_off < a->off))
		stream_scan_ahead(s);
	return a->beyond || a->last_page > s->page ||
	       (a->last_page == s->page && a->last_off > s->rec_off);
}

void stream_next(struct cpu_stream *s)
{
	do
		next_raw_record(s);
	while (__builtin_expect(s->bounded, 0) && s->have && is_left_out(s));
}

uint32_t stream_pass(struct cpu_stream *s, const uint8_t *ignored, uint64_t before)
{
	const struct trace *t = s->trace;
	struct trace_rec *r = s->due;
	struct ring_record raw, last;
	struct ring_page pg = s->pg;
	uint64_t ts, last_ts = s->ts;
	uint16_t type = r->type;
	uint32_t n = 0;

	/* damage ends the loop, and is noted by who reads it as the next record */
	while (ignored[type] == TRACE_IGNORED && ring_page_next(&pg, &raw) == RING_OK) {
		ts = stream_time(s, raw.ts);
		if (raw.len < 8 || t->type_off > raw.len - 2 || t->pid_off > raw.len - 4 ||
		    (int32_t)get_u32(raw.data + t->pid_off, r->rec.big) != r->pid ||
		    ts < last_ts || ts >= before)
			break;
		type = get_u16(raw.data + t->type_off, r->rec.big);
		last_ts = ts;
		last = raw;
		s->pg = pg;
		n++;
	}
	if (n)
		fill_slot(s, &last, false);
	return n;
}

void stream_bound(struct cpu_stream *s, uint64_t since, uint64_t until, bool linear)
{
	s->bounded = since || until != UINT64_MAX;
	s->linear = linear;
	s->ahead = (struct stream_ahead){0};
	s->since = since;
	s->until = until;
}

/* --- life and places */

void stream_quiet(struct cpu_stream *s, bool quiet)
{
	s->quiet = quiet;
	s->data.damages = quiet ? NULL : &s->trace->damages;
}

void stream_init(struct cpu_stream *s, struct trace *t, unsigned int file, size_t buffer,
		 size_t cpu, size_t order)
{
	struct dat_buffer *b = &t->dat->buffers[buffer];
	size_t i;

	*s = (struct cpu_stream){
		.trace = t, .order = order,
		.data = { .dat = t->dat, .buffer = b, .cpu = &b->cpus[cpu],
			  .damages = &t->damages },
		.ts_cursor = { .dat = t->dat, .buffer = b, .cpu = &b->cpus[cpu] },
		.packed = strcmp(t->dat->compression, "none") != 0,
		.due = s->recs,
	};
	for (i = 0; i < STREAM_RECS; i++)
		s->recs[i] = (struct trace_rec){
			.trace = t, .file = file, .buffer = buffer, .cpu = b->cpus[cpu].cpu,
			.stream = order, .pid = -1,
			.rec = { .big = t->dat->big, .long_size = t->meta.long_size },
		};
}

void stream_reset(struct cpu_stream *s, uint64_t page)
{
	s->page = page;
	s->page_open = s->any = s->have = false;
	s->held = NULL;
	s->last_raw = s->last_page_raw = s->ts = s->lost = s->blanks = 0;
	s->rec_off = 0;
	buf_reset(&s->kept);
}

void stream_release(struct cpu_stream *s)
{
	dat_cursor_release(&s->data);
	dat_cursor_release(&s->ts_cursor);
	buf_release(&s->kept);
}

void stream_place(const struct cpu_stream *s, struct stream_place *p)
{
	*p = (struct stream_place){
		.page = s->page, .ts = s->ts, .lost = s->lost, .last_raw = s->last_raw,
		.last_page_raw = s->last_page_raw, .rec_off = s->rec_off, .have = s->have,
		.data = s->have && stream_due(s)->rec.data,
	};
}

bool stream_place_equal(const struct stream_place *a, const struct stream_place *b)
{
	/* the same end may have been reached from both sides */
	if (!a->have && !b->have)
		return true;
	return a->have == b->have && a->data == b->data && a->page == b->page &&
	       a->rec_off == b->rec_off && a->ts == b->ts && a->lost == b->lost &&
	       a->last_raw == b->last_raw && a->last_page_raw == b->last_page_raw;
}

void stream_set_place(struct cpu_stream *s, const struct stream_place *p)
{
	stream_quiet(s, true);
	stream_reset(s, p->data && p->page ? p->page - 1 : p->page);
	do
		next_raw_record(s);
	while (p->data && s->have && s->page == p->page && s->rec_off != p->rec_off);
	stream_quiet(s, false);
	s->page = p->page;
	s->any = true;
	s->have = p->have;
	s->ts = p->ts;
	s->lost = p->lost;
	s->last_raw = p->last_raw;
	s->last_page_raw = p->last_page_raw;
	s->due->lost = p->lost;
	s->due->ts = p->ts;
}

/*
 * Reads from sub-buffer @page up to the first record of the range that is not before @ts, and notes
 * the last one of the range before it. Returns false if there was no record at all before it.
 */
static bool stream_pass_until(struct cpu_stream *s, uint64_t ts, uint64_t page,
			      struct stream_passed *p)
{
	uint64_t last = 0;	/* sub-buffer of the previous record, counted from 1 */
	bool out;

	*p = (struct stream_passed){0};
	stream_reset(s, page);
	for (next_raw_record(s); s->have; next_raw_record(s)) {
		out = s->bounded && is_left_out(s);
		if (!out && s->ts >= ts)
			break;
		if (!out)
			*p = (struct stream_passed){
				.any = true, .page = s->page, .off = s->rec_off,
				.start = last ? last - 1 : page,
			};
		last = s->page;
	}
	return last;
}

void stream_seek(struct cpu_stream *s, uint64_t ts, uint64_t page, bool quiet,
		 struct stream_passed *p)
{
	uint64_t step = dat_chunk_pages(s->data.cpu);

	stream_quiet(s, quiet);
	for (; !stream_pass_until(s, ts, page, p) && page; step *= 2)
		page = page > step ? page - step : 0;
	stream_quiet(s, false);
}

void stream_before(struct cpu_stream *s, const struct stream_passed *p)
{
	stream_reset(s, p->start);
	do
		next_raw_record(s);
	while (s->have && (s->page != p->page || s->rec_off != p->off));
}

/*
 * Stores the sub-buffer at which to split the range from @lo to @hi: of a chunk its first one,
 * whose time may be known. Returns false if all between them is in one chunk.
 */
static bool find_middle(const struct cpu_stream *s, uint64_t lo, uint64_t hi, uint64_t *mid)
{
	uint64_t first, end;

	if (hi - lo < 2)
		return false;
	dat_chunk_span(s->data.cpu, lo + (hi - lo) / 2, &first, &end);
	*mid = first > lo ? first : end;
	return *mid < hi;
}

bool stream_find_page(struct cpu_stream *s, uint64_t ts, uint64_t *page)
{
	uint64_t lo = 0, hi = s->data.cpu->nr_pages, mid, at, time, lo_time = 0,
		 hi_time = UINT64_MAX, first, end;

	*page = 0;
	/* A range at one end of a compressed CPU needs its first and its last chunk alone. */
	if (s->packed && hi) {
		dat_chunk_span(s->data.cpu, hi - 1, &first, &end);
		if (dat_cursor_ts(&s->ts_cursor, 0, &time) && stream_time(s, time) >= ts)
			hi = 1;
		else if (dat_cursor_ts(&s->ts_cursor, first, &time) &&
			 stream_time(s, time) < ts)
			lo = first;
	}
	/* the page before ->hi starts before @ts, or is not known yet; none from it on does */
	while (find_middle(s, lo, hi, &mid)) {
		at = mid;
		if (!page_time(s, &at, hi, &time)) {
			hi = mid;
			continue;
		}
		if (time < lo_time || time > hi_time)
			return false;
		if (time < ts) {
			lo = at;
			lo_time = time;
		} else {
			hi = mid;
			hi_time = time;
		}
	}
	/* a damaged stamp may be in order: the chunk before it may belong to the range */
	dat_chunk_span(s->data.cpu, lo, &at, &hi);
	*page = at ? at - 1 : 0;
	/* reading from the start of the CPU loses nothing by the order */
	return !lo || times_in_order(s, lo);
}
