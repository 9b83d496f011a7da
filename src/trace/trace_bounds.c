/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads sub-buffers without rendering: the times of the first and the last records, the number of
 * records; and the columns of time that have data, by the time stamps of sub-buffers alone.
 */
#include "trace/trace_merge.h"

/* Stores the times of the first and the last record of a sub-buffer. Returns false without one. */
static bool page_bounds(const struct dat_buffer *b, const uint8_t *mem, size_t len, uint64_t *first,
			uint64_t *last)
{
	struct ring_record rec;
	struct ring_page pg;
	bool any = false;
	enum ring_status st = ring_page_open(&pg, &b->layout, mem, len);

	if (st != RING_OK && st != RING_COMMIT_TOO_LARGE)
		return false;
	for (; ring_page_next(&pg, &rec) == RING_OK; any = true) {
		if (!any)
			*first = rec.ts;
		*last = rec.ts;
	}
	return any;
}

/* Stores the raw time of the first or the last record of a CPU. Returns false if it has none. */
static bool edge_time(struct dat_cursor *at, bool last, uint64_t *ts)
{
	uint64_t i, first_ts, last_ts, off, n = at->cpu->nr_pages;
	const uint8_t *mem;
	size_t len;

	for (i = 0; i < n; i++) {
		mem = dat_cursor_page(at, last ? n - 1 - i : i, &len, &off);
		if (mem && page_bounds(at->buffer, mem, len, &first_ts, &last_ts)) {
			*ts = last ? last_ts : first_ts;
			return true;
		}
	}
	return false;
}

bool trace_cpu_bounds(struct trace *t, struct dat_buffer *b, struct dat_cpu *c, uint64_t *first,
		      uint64_t *last)
{
	/* without ->damages: they are noted when all is read */
	struct dat_cursor at = { .dat = t->dat, .buffer = b, .cpu = c };
	bool any = edge_time(&at, false, first) && edge_time(&at, true, last);

	dat_cursor_release(&at);
	if (!any)
		return false;
	*first = trace_time(t, c->cpu, *first);
	*last = trace_time(t, c->cpu, *last);
	return true;
}

/* Returns true if sub-buffer @page starts before @until, or if its time is not known. */
static bool page_starts_before(struct cpu_stream *s, uint64_t page, uint64_t until)
{
	uint64_t raw;

	return !dat_cursor_ts(&s->ts_cursor, page, &raw) || stream_time(s, raw) < until;
}

void trace_cpu_pages(struct trace *t, struct dat_buffer *b, struct dat_cpu *c, uint64_t since,
		     uint64_t until, uint64_t *first, uint64_t *end)
{
	struct cpu_stream s;
	uint64_t at;

	*end = c->nr_pages;
	stream_init(&s, t, 0, b - t->dat->buffers, c - b->cpus, 0);
	if (!trace_bound_stream(&s, since, until, first)) {
		*first = 0;
	} else if (until != UINT64_MAX && stream_find_page(&s, until, &at)) {
		at = at < *first ? *first : at;
		/* one wrong stamp does not end the range */
		while (at < *end && (page_starts_before(&s, at, until) ||
				     (at + 1 < *end && page_starts_before(&s, at + 1, until))))
			at++;
		*end = at;
	}
	stream_release(&s);
}

uint64_t trace_raw_time(const struct trace *t, int cpu, uint64_t raw)
{
	return trace_time(t, cpu, raw);
}

bool trace_is_guest(const struct trace *t)
{
	return t->guest;
}

void trace_forget_guest(struct trace *t)
{
	guest_times_free(t->guest);
	t->guest = NULL;
}

uint64_t trace_host_raw(const struct trace *t, int cpu, uint64_t raw)
{
	return t->guest ? guest_times_to_host(t->guest, cpu, raw) : raw;
}

uint64_t trace_cpu_count(struct trace *t, struct dat_buffer *b, struct dat_cpu *c)
{
	struct dat_cursor at = { .dat = t->dat, .buffer = b, .cpu = c };
	uint64_t page, off, n = 0;
	struct ring_record rec;
	struct ring_page pg;
	enum ring_status st;
	const uint8_t *mem;
	size_t len;

	for (page = 0; page < c->nr_pages; page++) {
		mem = dat_cursor_page(&at, page, &len, &off);
		if (!mem)
			continue;
		st = ring_page_open(&pg, &b->layout, mem, len);
		if (st != RING_OK && st != RING_COMMIT_TOO_LARGE)
			continue;
		while (ring_page_next(&pg, &rec) == RING_OK)
			n++;
	}
	dat_cursor_release(&at);
	return n;
}

/* Lowers *found to the times of the first records of all CPUs, or raises it to the last ones. */
static void find_edge(struct trace *t, bool last, uint64_t *found)
{
	uint64_t ts;
	bool any;
	size_t i, k;

	for (i = 0; i < t->dat->nr_buffers; i++) {
		struct dat_buffer *b = &t->dat->buffers[i];

		for (k = 0; k < b->nr_cpus; k++) {
			struct dat_cursor at = { .dat = t->dat, .buffer = b, .cpu = &b->cpus[k] };

			any = edge_time(&at, last, &ts);
			dat_cursor_release(&at);
			ts = any ? trace_time(t, at.cpu->cpu, ts) : *found;
			if (last ? ts > *found : ts < *found)
				*found = ts;
		}
	}
}

/* The ends come first: a caller that keeps decompressed chunks reads the first rows next. */
void trace_bounds(struct trace *t, uint64_t *first, uint64_t *last)
{
	find_edge(t, true, last);
	find_edge(t, false, first);
}

/* --- columns of time */

struct time_columns {
	struct trace *trace;
	struct dat_cursor at;
	uint64_t from, to, step;	/* ->step: sub-buffers that are read together */
	uint32_t width;
	bool *begun;
};

/* Returns the time of the first sub-buffer of a group of ->step, @otherwise if it has none. */
static uint64_t group_ts(struct time_columns *s, uint64_t group, uint64_t otherwise)
{
	uint64_t ts;

	return dat_cursor_ts(&s->at, group * s->step, &ts) ?
	       trace_time(s->trace, s->at.cpu->cpu, ts) : otherwise;
}

static uint64_t column_of(const struct time_columns *s, uint64_t ts)
{
	unsigned __int128 d = ts - s->from;

	if (ts <= s->from)
		return 0;
	return ts >= s->to ? s->width - 1 : ((d + 1) * s->width - 1) / (s->to - s->from);
}

static void mark_column(struct time_columns *s, uint64_t ts)
{
	if (ts >= s->from && ts <= s->to)
		s->begun[column_of(s, ts)] = true;
}

/* Groups between two that start in one column start in it, too. */
static void spread_between(struct time_columns *s, uint64_t low, uint64_t low_ts, uint64_t high,
			   uint64_t high_ts)
{
	uint64_t middle = low + (high - low) / 2, ts;

	mark_column(s, low_ts);
	mark_column(s, high_ts);
	if (high - low < 2 || high_ts < s->from || low_ts > s->to)
		return;
	if (low_ts >= s->from && high_ts <= s->to && column_of(s, low_ts) == column_of(s, high_ts))
		return;
	ts = group_ts(s, middle, low_ts);
	spread_between(s, low, low_ts, middle, ts);
	spread_between(s, middle, ts, high, high_ts);
}

void trace_cpu_spread(struct trace *t, struct dat_buffer *b, struct dat_cpu *c, uint64_t from,
		      uint64_t to, bool *begun, uint32_t width)
{
	struct time_columns s = {
		.trace = t, .at = { .dat = t->dat, .buffer = b, .cpu = c }, .from = from, .to = to,
		.step = dat_chunk_pages(c), .width = width, .begun = begun,
	};
	uint64_t last = c->nr_pages ? (c->nr_pages - 1) / s.step : 0, low, high;

	if (c->nr_pages) {
		low = group_ts(&s, 0, from);
		high = group_ts(&s, last, low);
		spread_between(&s, 0, low, last, high);
	}
	dat_cursor_release(&s.at);
}
