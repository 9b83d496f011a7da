/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What sub-buffers tell without rendering: times of the first and last records, how many. */
#include "trace/trace_priv.h"

/* The times of the first and the last record of a sub-buffer; false if it has none. */
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

/* The raw time of the first record of a CPU; false: it has none. */
static bool first_time(struct dat_cursor *at, uint64_t *ts)
{
	uint64_t page, last, off;
	const uint8_t *mem;
	size_t len;

	for (page = 0; page < at->cpu->nr_pages; page++) {
		mem = dat_cursor_page(at, page, &len, &off);
		if (mem && page_bounds(at->buffer, mem, len, ts, &last))
			return true;
	}
	return false;
}

/* The same of the last one. */
static bool last_time(struct dat_cursor *at, uint64_t *ts)
{
	uint64_t page, first, off;
	const uint8_t *mem;
	size_t len;

	for (page = at->cpu->nr_pages; page--;) {
		mem = dat_cursor_page(at, page, &len, &off);
		if (mem && page_bounds(at->buffer, mem, len, &first, ts))
			return true;
	}
	return false;
}

bool trace_cpu_bounds(struct trace *t, struct dat_buffer *b, struct dat_cpu *c, uint64_t *first,
		      uint64_t *last)
{
	/* what is damaged is noted by who reads it all */
	struct dat_cursor at = { .dat = t->dat, .buffer = b, .cpu = c };
	bool any = first_time(&at, first) && last_time(&at, last);

	dat_cursor_release(&at);
	if (!any)
		return false;
	*first = trace_time(t, *first);
	*last = trace_time(t, *last);
	return true;
}

static uint64_t page_count(const struct dat_buffer *b, const uint8_t *mem, size_t len)
{
	enum ring_status st;
	struct ring_record rec;
	struct ring_page pg;
	uint64_t n = 0;

	st = ring_page_open(&pg, &b->layout, mem, len);
	if (st == RING_OK || st == RING_COMMIT_TOO_LARGE)
		while (ring_page_next(&pg, &rec) == RING_OK)
			n++;
	return n;
}

uint64_t trace_cpu_count(struct trace *t, struct dat_buffer *b, struct dat_cpu *c)
{
	struct dat_cursor at = { .dat = t->dat, .buffer = b, .cpu = c };
	uint64_t page, off, n = 0;
	const uint8_t *mem;
	size_t len;

	for (page = 0; page < c->nr_pages; page++) {
		mem = dat_cursor_page(&at, page, &len, &off);
		n += mem ? page_count(b, mem, len) : 0;
	}
	dat_cursor_release(&at);
	return n;
}

typedef bool edge_fn(struct dat_cursor *at, uint64_t *ts);

static void extend(uint64_t ts, bool least, uint64_t *found)
{
	if (least ? ts < *found : ts > *found)
		*found = ts;
}

/* The least or the greatest of what @edge finds for each CPU, if it is beyond *found. */
static void find_edge(struct trace *t, edge_fn *edge, bool least, uint64_t *found)
{
	uint64_t ts;
	size_t i, k;

	for (i = 0; i < t->dat->nr_buffers; i++) {
		struct dat_buffer *b = &t->dat->buffers[i];

		for (k = 0; k < b->nr_cpus; k++) {
			struct dat_cursor at = { .dat = t->dat, .buffer = b, .cpu = &b->cpus[k] };

			if (edge(&at, &ts))
				extend(trace_time(t, ts), least, found);
			dat_cursor_release(&at);
		}
	}
}

/* The ends come first: who keeps what is decompressed is asked for the first rows next. */
void trace_bounds(struct trace *t, uint64_t *first, uint64_t *last)
{
	find_edge(t, last_time, false, last);
	find_edge(t, first_time, true, first);
}
