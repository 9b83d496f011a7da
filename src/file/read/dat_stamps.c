/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time stamps of sub-buffers that were read. Each search for a time, and each cut of a slice, asks
 * for some of the same ones again. Reading one takes a system call.
 */
#include "base/mem.h"
#include "file/read/dat_priv.h"

#define STAMPS_MAX (1u << 20)	/* 16 MiB, for 4 GiB of sub-buffers */

void dat_stamps_init(struct dat *d)
{
	struct dat_priv *p = d->priv;
	uint64_t n = 1, pages = d->file_size / d->page_size;

	while (n < pages && n < STAMPS_MAX)
		n *= 2;
	p->nr_stamps = n;
	p->stamps = xcalloc(n, sizeof(*p->stamps));	/* takes memory where it is written */
}

static struct dat_stamp *stamp_of(const struct dat *d, uint64_t off)
{
	return &d->priv->stamps[off / d->page_size & (d->priv->nr_stamps - 1)];
}

/* Two threads may write one at once: what is half of one and half of another fits no offset. */
void dat_stamp_put(const struct dat *d, uint64_t off, uint64_t ts)
{
	struct dat_stamp *s = stamp_of(d, off);

	__atomic_store_n(&s->ts, ts, __ATOMIC_RELAXED);
	__atomic_store_n(&s->check, ts ^ off, __ATOMIC_RELAXED);
}

bool dat_stamp_get(const struct dat *d, uint64_t off, uint64_t *ts)
{
	struct dat_stamp *s = stamp_of(d, off);
	uint64_t check = __atomic_load_n(&s->check, __ATOMIC_RELAXED);

	*ts = __atomic_load_n(&s->ts, __ATOMIC_RELAXED);
	return off && (check ^ *ts) == off;
}
