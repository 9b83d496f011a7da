/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the CPUs' data in a BUFFER section of a cut file, whose table of CPUs is lost. */
#include <inttypes.h>

#include "base/mem.h"
#include "file/read/dat_priv.h"

struct scan {
	struct dat *d;
	struct dat_buffer *b;
	struct dat_extent e;
	size_t cap;
};

static void found_cpu(struct scan *s, uint64_t off, uint64_t end)
{
	dat_add_cpu(s->d, s->b, &s->cap, s->b->nr_cpus, off, end - off);
}

/*
 * One CPU's data follows another's. The time stamps of a CPU never go back; where they do, the next
 * CPU starts. (When the next CPU happens to start later than this one ended they are taken for
 * one.)
 */
static void scan_raw(struct scan *s)
{
	uint64_t subbuf = s->b->layout.subbuf_size, at = s->e.start, start = at, last = 0, left;
	struct ring_page pg;
	enum ring_status st;

	for (; at < s->e.end; at += subbuf) {
		left = s->e.end - at;
		st = ring_page_open(&pg, &s->b->layout, s->d->priv->map + at,
				    left < subbuf ? left : subbuf);
		if (st == RING_SHORT_PAGE)
			break;
		if (st != RING_OK || !pg.commit)
			continue;
		if (pg.ts < last && s->b->nr_cpus + 1 < LIMIT_CPUS) {
			found_cpu(s, start, at);
			start = at;
		}
		last = pg.ts;
	}
	if (start < s->e.end)
		found_cpu(s, start, s->e.end);
}

static void scan_packed(struct scan *s)
{
	uint64_t page = s->d->page_size, at = s->e.start, end;

	while (at < s->e.end && s->b->nr_cpus < LIMIT_CPUS) {
		end = dat_chunks_end(s->d, s->b, at, s->e.end);
		if (end) {
			found_cpu(s, at, end);
			at = end;
		} else {
			at++;
		}
		at = (at + page - 1) / page * page;
	}
}

void dat_scan_buffer(struct dat *d, struct dat_buffer *b, const struct dat_section *sec)
{
	struct scan s = { .d = d, .b = b, .e = { .table = sec->off, .end = sec->end } };

	s.e.start = (sec->body + d->page_size - 1) / d->page_size * d->page_size;
	s.e.packed = sec->flags & DAT_FLAG_COMPRESSED;
	damage_note(&d->damages, "table of CPUs is lost", d->path, sec->off, -1,
		    "data is found by its shape, CPUs are numbered in the order found");
	if (s.e.packed)
		scan_packed(&s);
	else
		scan_raw(&s);
	dat_bound_buffer(d, b, &s.e);
}
