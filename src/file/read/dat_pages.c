/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The raw sub-buffers of each CPU, checked when first touched. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/search.h"
#include "file/read/dat_priv.h"

#define RAW_HEAD 64		/* bytes; headers of sub-buffers have 16, or 12 */

static struct dat_chunk *chunk_of(const struct dat_cpu_priv *p, uint64_t page)
{
	size_t at = SEARCH_LAST(i, 0, p->nr_chunks, p->chunks[i].page <= page);

	return p->nr_chunks ? &p->chunks[at] : NULL;
}

/* Of a chunk that was decompressed. */
static void note_times(const struct dat_cursor *c, struct dat_chunk *k, const uint8_t *mem,
		       size_t len)
{
	uint32_t subbuf = c->buffer->layout.subbuf_size;
	uint64_t first = 0, last = 0, ts;
	size_t at;

	if (!len || __atomic_load_n(&k->first, __ATOMIC_RELAXED))
		return;
	for (at = 0; at < len; at += subbuf) {
		if (!ring_page_ts(&c->buffer->layout, mem + at, len - at, &ts)) {
			if (!at)
				return;
			continue;
		}
		if (ts < last || ts == UINT64_MAX)
			return;
		first = at ? first : ts;
		last = ts;
	}
	__atomic_store_n(&k->last, last, __ATOMIC_RELAXED);
	__atomic_store_n(&k->first, first + 1, __ATOMIC_RELEASE);
}

static bool times_of(const struct dat_chunk *k, uint64_t *first, uint64_t *last)
{
	uint64_t ts = __atomic_load_n(&k->first, __ATOMIC_ACQUIRE);

	if (!ts)
		return false;
	*first = ts - 1;
	*last = __atomic_load_n(&k->last, __ATOMIC_RELAXED);
	return true;
}

static void take_chunk(struct dat_cursor *c, struct dat_chunk *k)
{
	struct dat *d = c->dat;
	const uint8_t *mem;
	size_t len;

	dat_sums_touch(d, k->off - DAT_CHUNK_HEADER, k->csize + DAT_CHUNK_HEADER, c->damages,
		       &c->sum);
	dat_unpacked_put(d, c->unpacked);
	c->unpacked = dat_unpacked_take(d, k);
	mem = dat_unpacked_bytes(c->unpacked, &len);
	if (dat_unpacked_whole(c->unpacked))
		note_times(c, k, mem, len);
	else if (c->damages)
		damage_note_once(c->damages, k->off, "compressed chunk damaged", d->path,
				 k->off - DAT_CHUNK_HEADER, c->cpu->cpu,
				 "%zu of %" PRIu32 " bytes can be read", len, k->usize);
}

static const uint8_t *packed_page(struct dat_cursor *c, uint64_t page, size_t *len, uint64_t *off)
{
	const struct dat_cpu_priv *p = c->cpu->priv;
	struct dat_chunk *k = chunk_of(p, page);
	uint32_t subbuf = c->buffer->layout.subbuf_size;
	const uint8_t *mem;
	uint64_t at;
	size_t all;

	if (!k)
		return NULL;
	at = (page - k->page) * subbuf;
	if (c->chunk != (size_t)(k - p->chunks) + 1)
		take_chunk(c, k);
	c->chunk = k - p->chunks + 1;
	*off = k->off - DAT_CHUNK_HEADER;
	mem = dat_unpacked_bytes(c->unpacked, &all);
	if (at >= all)
		return NULL;
	*len = all - at < subbuf ? all - at : subbuf;
	return mem + at;
}

static const struct dat_run *run_of(const struct dat_cpu_priv *p, uint64_t page)
{
	size_t at = SEARCH_LAST(i, 0, p->nr_runs, p->runs[i].page <= page);

	return p->nr_runs ? &p->runs[at] : NULL;
}

/* Where a sub-buffer lies in the file. One of no bytes is a hole of *hole bytes. */
static uint64_t raw_place(const struct dat_cursor *c, uint64_t page, size_t *len, uint64_t *hole)
{
	uint32_t subbuf = c->buffer->layout.subbuf_size;
	const struct dat_run *r = run_of(c->cpu->priv, page);
	uint64_t at = (page - (r ? r->page : 0)) * subbuf;
	uint64_t left = (r ? r->len : c->cpu->size) - at;

	*hole = r && r->hole ? r->len : 0;
	*len = *hole ? 0 : left < subbuf ? left : subbuf;
	return (r ? r->off : c->cpu->off) + at;
}

/* What was recorded has at least a time stamp. */
static const uint8_t *written_page(struct dat_cursor *c, size_t len, uint64_t off, uint64_t hole)
{
	const uint8_t *mem = len ? dat_window(c, off, len) : NULL;

	if (mem && !mem_is_zero(mem, len))
		return mem;
	if (c->damages)
		damage_note_once(c->damages, off, "sub-buffers were never written", c->dat->path,
				 off, c->cpu->cpu, "%" PRIu64 " bytes of zeroes",
				 len ? (uint64_t)len : hole);
	return NULL;
}

static const uint8_t *raw_page(struct dat_cursor *c, uint64_t page, size_t *len, uint64_t *off)
{
	const uint8_t *mem;
	uint64_t hole, ts;

	*off = raw_place(c, page, len, &hole);
	mem = c->dat->unfinished ? written_page(c, *len, *off, hole) :
	      dat_window_checked(c, *off, *len);
	if (mem && ring_page_ts(&c->buffer->layout, mem, *len, &ts))
		dat_stamp_put(c->dat, *off, ts);
	return mem;
}

const uint8_t *dat_cursor_page(struct dat_cursor *c, uint64_t page, size_t *len, uint64_t *off)
{
	if (page >= c->cpu->nr_pages)
		return NULL;
	if (c->cpu->source) {
		*off = page * c->buffer->layout.subbuf_size;
		return c->cpu->source->page(c->cpu->source->ctx, page, len);
	}
	return c->cpu->priv->packed ? packed_page(c, page, len, off) : raw_page(c, page, len, off);
}

/* Of @len bytes at @off of the file, of which the header is read alone. */
static bool read_ts(const struct dat_cursor *c, uint64_t off, size_t len, uint64_t *ts)
{
	const struct ring_layout *l = &c->buffer->layout;
	uint8_t head[RAW_HEAD];

	if (len < l->data_off)
		return false;
	if (l->data_off <= RAW_HEAD && dat_read_at(c->dat, head, l->data_off, off))
		return ring_page_ts(l, head, len, ts);
	return ring_page_ts(l, c->dat->priv->map + off, len, ts);
}

static bool raw_ts(const struct dat_cursor *c, uint64_t page, uint64_t *ts)
{
	uint64_t off, hole;
	size_t len;

	off = raw_place(c, page, &len, &hole);
	if (dat_stamp_get(c->dat, off, ts))
		return true;
	if (!read_ts(c, off, len, ts))
		return false;
	dat_stamp_put(c->dat, off, *ts);
	return true;
}

bool dat_cursor_ts(struct dat_cursor *c, uint64_t page, uint64_t *ts)
{
	const struct dat_chunk *k;
	const uint8_t *mem;
	uint64_t off, last;
	size_t len;

	if (page >= c->cpu->nr_pages || c->cpu->source)
		return false;
	if (!c->cpu->priv->packed)
		return raw_ts(c, page, ts);
	k = chunk_of(c->cpu->priv, page);
	if (k && k->page == page && times_of(k, ts, &last))
		return true;
	mem = packed_page(c, page, &len, &off);
	return mem && ring_page_ts(&c->buffer->layout, mem, len, ts);
}

bool dat_chunk_times(const struct dat_cpu *c, uint64_t page, uint64_t *first, uint64_t *last)
{
	const struct dat_chunk *k = !c->source && c->priv->packed ? chunk_of(c->priv, page) : NULL;

	return k && times_of(k, first, last);
}

void dat_cursor_release(struct dat_cursor *c)
{
	free(c->mem);
	dat_unpacked_put(c->dat, c->unpacked);
	c->mem = NULL;
	c->unpacked = NULL;
	c->len = c->cap = c->chunk = 0;
}

bool dat_is_packed(const struct dat_cpu *c)
{
	return c->priv->packed;
}

uint64_t dat_chunk_pages(const struct dat_cpu *c)
{
	const struct dat_cpu_priv *p = c->priv;

	return p->nr_chunks > 1 && p->chunks[1].page ? p->chunks[1].page : 1;
}

void dat_chunk_span(const struct dat_cpu *c, uint64_t page, uint64_t *first, uint64_t *end)
{
	const struct dat_cpu_priv *p = c->priv;
	const struct dat_chunk *k = !c->source && p->packed ? chunk_of(p, page) : NULL;

	*first = k ? k->page : page;
	*end = page + 1;
	if (k)
		*end = k + 1 < p->chunks + p->nr_chunks ? k[1].page : c->nr_pages;
}

/* Signs of damage in a sub-buffer that can be walked nevertheless. */
static void check_subbuf(struct dat *d, struct dat_buffer *b, struct dat_cpu *c, const uint8_t *mem,
			 size_t len, uint64_t off)
{
	struct ring_page pg;
	enum ring_status st;

	if (ring_page_open(&pg, &b->layout, mem, len) != RING_OK)
		return;
	st = ring_page_check(&pg);
	if (st != RING_OK)
		damage_note(&d->damages, ring_status_text(st), d->path, off, c->cpu, NULL);
	if (!pg.commit)
		return;
	if (pg.ts < c->priv->last_ts)
		damage_note(&d->damages, "sub-buffer time stamps go back", d->path, off, c->cpu,
			    "from %" PRIu64 " to %" PRIu64, c->priv->last_ts, pg.ts);
	c->priv->last_ts = pg.ts;
}

const uint8_t *dat_page(struct dat *d, struct dat_buffer *b, struct dat_cpu *c, uint64_t page,
			size_t *len, uint64_t *off)
{
	struct dat_cursor *cursor = &c->priv->cursor;
	const uint8_t *mem;

	cursor->dat = d;
	cursor->buffer = b;
	cursor->cpu = c;
	cursor->damages = &d->damages;
	mem = dat_cursor_page(cursor, page, len, off);
	if (mem && page == c->priv->checked)
		check_subbuf(d, b, c, mem, *len, *off);
	c->priv->checked += page == c->priv->checked;
	return mem;
}
