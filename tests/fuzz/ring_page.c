/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz target: the sub-buffer walker on any bytes, in any layout. */
#include <stdlib.h>

#include "file/ring/page.h"
#include "fuzz.h"

/* The first four bytes choose the layout, the rest is the sub-buffer. */
#define HEAD 4

static struct ring_layout layout_of(const uint8_t *head)
{
	struct ring_layout l = {
		.big = head[0] & 1,
		.commit_size = head[0] & 2 ? 4 : 8,
		.commit_off = 8,
		.subbuf_size = 4096u << (head[1] & 7),
	};

	l.data_off = head[0] & 4 ? 8 + l.commit_size : 16;
	return l;
}

static uint64_t touch(const struct ring_page *pg, const struct ring_record *rec)
{
	uint64_t sum = rec->ts;

	FUZZ_ASSERT(rec->data >= pg->mem && rec->data + rec->len <= pg->mem + pg->len);
	for (uint32_t i = 0; i < rec->len; i++)
		sum += rec->data[i];
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ring_layout layout;
	struct ring_record rec;
	struct ring_page pg;
	enum ring_status st;
	uint32_t last = 0, n = 0;

	if (size < HEAD || size - HEAD > RING_SUBBUF_MAX)
		return 0;
	layout = layout_of(data);
	st = ring_page_open(&pg, &layout, data + HEAD, size - HEAD);
	if (st != RING_OK && st != RING_COMMIT_TOO_LARGE)
		return 0;
	ring_page_check(&pg);
	while (ring_page_next(&pg, &rec) == RING_OK) {
		fuzz_sink += touch(&pg, &rec);
		FUZZ_ASSERT(!n++ || rec.off > last);
		last = rec.off;
	}
	return 0;
}
