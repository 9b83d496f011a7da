/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ringwalk FILE: prints the number of records and the CPU seconds that the walker of src/file/ring takes for them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "file/read/dat.h"

/*
 * Copies of the pages of all CPUs, read and checked before the clock starts: dat_page() lends memory until the
 * next call.
 */
struct pages {
	struct { const struct ring_layout *layout; uint8_t *mem; size_t len; } *v;
	size_t n, cap;
};

static void add_pages(struct pages *p, struct dat *d, struct dat_buffer *b, struct dat_cpu *c)
{
	const uint8_t *mem;
	uint64_t page, off;
	size_t len;

	for (page = 0; page < c->nr_pages; page++) {
		mem = dat_page(d, b, c, page, &len, &off);
		if (!mem)
			continue;
		p->v = xgrow(p->v, &p->cap, p->n + 1, sizeof(*p->v));
		p->v[p->n].layout = &b->layout;
		p->v[p->n].mem = memcpy(xmalloc(len), mem, len);
		p->v[p->n++].len = len;
	}
}

/* The sum keeps the compiler from leaving anything out. */
static uint64_t walk(const struct pages *p, uint64_t *sum)
{
	struct ring_record rec;
	struct ring_page pg;
	uint64_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		if (ring_page_open(&pg, p->v[i].layout, p->v[i].mem, p->v[i].len) != RING_OK)
			continue;
		while (ring_page_next(&pg, &rec) == RING_OK) {
			*sum += rec.ts + rec.len + *rec.data;
			n++;
		}
	}
	return n;
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	struct dat *d = argc == 2 ? dat_open(argv[1], NULL) : NULL;
	struct pages p = {0};
	uint64_t sum = 0, n;
	double start;

	if (!d)
		return 1;
	for (size_t i = 0; i < d->nr_buffers; i++)
		for (size_t k = 0; k < d->buffers[i].nr_cpus; k++)
			add_pages(&p, d, &d->buffers[i], &d->buffers[i].cpus[k]);
	start = seconds();
	n = walk(&p, &sum);
	printf("%" PRIu64 " %.6f %" PRIx64 "\n", n, seconds() - start, sum);
	for (size_t i = 0; i < p.n; i++)
		free(p.v[i].mem);
	free(p.v);
	dat_close(d);
	return 0;
}
