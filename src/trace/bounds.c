/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times of the first and last records, from the sub-buffers at the ends alone. */
#include "trace/priv.h"

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

bool trace_cpu_bounds(struct trace *t, struct dat_buffer *b, struct dat_cpu *c, uint64_t *first,
		      uint64_t *last)
{
	uint64_t page, other, off;
	const uint8_t *mem;
	size_t len;

	for (page = 0; page < c->nr_pages; page++) {
		mem = dat_page(t->dat, b, c, page, &len, &off);
		if (mem && page_bounds(b, mem, len, first, &other))
			break;
	}
	if (page == c->nr_pages)
		return false;
	for (page = c->nr_pages; page--;) {
		mem = dat_page(t->dat, b, c, page, &len, &off);
		if (mem && page_bounds(b, mem, len, &other, last))
			break;
	}
	*first = trace_time(t, *first);
	*last = trace_time(t, *last);
	return true;
}

void trace_bounds(struct trace *t, uint64_t *first, uint64_t *last)
{
	uint64_t from, to;
	size_t i, k;

	for (i = 0; i < t->dat->nr_buffers; i++) {
		struct dat_buffer *b = &t->dat->buffers[i];

		for (k = 0; k < b->nr_cpus; k++) {
			if (!trace_cpu_bounds(t, b, &b->cpus[k], &from, &to))
				continue;
			*first = from < *first ? from : *first;
			*last = to > *last ? to : *last;
		}
	}
}
