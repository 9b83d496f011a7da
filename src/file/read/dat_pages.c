/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the raw sub-buffers of each CPU, and decompresses chunks of them, which cursors share.
 *
 * Sub-buffers are read, not mapped: each page of the map that is touched first is a page fault,
 * which costs as much as copying 30 KiB on a virtual machine whose page tables the host keeps.
 * MAP_POPULATE does not help, as the host's page tables are still filled page by page, and
 * dropping pages that were read interrupts the other processors. Metadata is used where it is
 * mapped. A cursor reads by pread() into a window: 16 KiB after a jump, then twice as much each
 * time, up to 64 KiB. A cursor that goes on reads ranges that have to be hashed whole, and hashes
 * them there. Compressed bytes are read, too. Data that cannot be read is taken from the map,
 * which ends ftr with a message if the file was cut. Searches ask for the same time stamps again,
 * so one table without a lock, two words for each sub-buffer, keeps them for all threads
 * (dat_stamp_get()). With more than 512 files the descriptors are closed.
 *
 * The first time of a chunk takes decompressing it, at each step of a search by time and for each
 * CPU. So any cursor that decompresses a chunk stores its first and last time for all others, if
 * its sub-buffers are in order. That depends on the file alone, so the records that are read do
 * not depend on earlier readers.
 *
 * The panes and jobs of ftr browse have separate cursors that look at the same time. Decompressing
 * a chunk for each of them, into fresh memory, took twice as long. So cursors share decompressed
 * chunks, and dat_keep_unpacked() keeps the last used ones in slots of equal size in huge pages:
 * with memory of malloc() the page faults took longer than decompressing. If all slots are in use,
 * further chunks have separate memory. Readers that keep none, as ftr report, reuse the memory of
 * a chunk that is given back. A slice ends at a known time if the time of the next chunk would
 * take decompressing it. The bounds of a file are searched from its end, so that the chunks of the
 * first rows are kept.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/search.h"
#include "file/compress.h"
#include "file/read/dat_priv.h"

#define LOOSE_IDLE (2u << 20)	/* bytes of idle loose ones, which are memory for the next ones */
#define ROOM_SHARE 4		/* memory is not reused for a chunk smaller than this share of it */
#define SLOT_UNIT  4096u
#define SLOTS_LEAST 16u

/* --- decompressed chunks */

/* Cursors hold it while ->refs is not 0. Else it is idle, and in a list. */
struct dat_unpacked {
	struct dat_chunk *of;		/* NULL: an empty slot */
	uint8_t *mem;
	size_t cap, len;		/* ->len: bytes that could be decompressed */
	int    ret;			/* of decompress_all() */
	unsigned int refs;
	bool   loose;			/* ->mem is of malloc(), else a slot */
	struct dat_unpacked *older, *newer;
};

static const uint8_t *unpacked_bytes(const struct dat_unpacked *u, size_t *len)
{
	*len = u->len;
	return u->mem;
}

/* --- idle ones; the lock is held */

static struct dat_idle *idle_list(struct dat_chunk_cache *s, const struct dat_unpacked *u)
{
	return u->loose ? &s->loose : &s->slots;
}

static void idle_remove(struct dat_chunk_cache *s, struct dat_unpacked *u)
{
	struct dat_idle *l = idle_list(s, u);

	if (u->older)
		u->older->newer = u->newer;
	else
		l->oldest = u->newer;
	if (u->newer)
		u->newer->older = u->older;
	else
		l->newest = u->older;
	u->older = u->newer = NULL;
	l->bytes -= u->cap;
}

static void idle_add(struct dat_chunk_cache *s, struct dat_unpacked *u)
{
	struct dat_idle *l = idle_list(s, u);

	u->older = l->newest;
	if (l->newest)
		l->newest->newer = u;
	else
		l->oldest = u;
	l->newest = u;
	l->bytes += u->cap;
}

/* Takes the oldest one out of the list and of its chunk. Returns NULL if there is none. */
static struct dat_unpacked *detach_oldest(struct dat_chunk_cache *s, struct dat_idle *l)
{
	struct dat_unpacked *u = l->oldest;

	if (!u)
		return NULL;
	idle_remove(s, u);
	if (u->of)
		u->of->unpacked = NULL;
	return u;
}

static struct dat_unpacked *find_unpacked(struct dat_chunk_cache *s, const struct dat_chunk *k)
{
	struct dat_unpacked *u = k->unpacked;

	if (u && !u->refs++)
		idle_remove(s, u);
	return u;
}

/* --- memory */

static void free_loose(struct dat_unpacked *u)
{
	if (u)
		free(u->mem);
	free(u);
}

static struct dat_unpacked *new_loose(size_t bytes)
{
	struct dat_unpacked *u = xcalloc(1, sizeof(*u));

	u->mem = xmalloc(bytes);
	u->cap = bytes;
	u->loose = true;
	return u;
}

/* Returns memory for a chunk: a slot if one is free, else that of a loose one of similar size. */
static struct dat_unpacked *unpacked_alloc(struct dat_chunk_cache *s, size_t bytes)
{
	struct dat_unpacked *u = NULL;

	pthread_mutex_lock(&s->lock);
	if (bytes <= s->slot_size)
		u = detach_oldest(s, &s->slots);
	if (!u)
		u = detach_oldest(s, &s->loose);
	pthread_mutex_unlock(&s->lock);
	if (!u || !u->loose || (u->cap >= bytes && u->cap / ROOM_SHARE <= bytes))
		return u ? u : new_loose(bytes);
	free_loose(u);
	return new_loose(bytes);
}

/* --- decompressing */

/* A decompressor and its buffer, for one thread at a time. */
struct dat_unpacker {
	void    *ctx;			/* of decompress_all() */
	uint8_t *packed;		/* compressed bytes */
	size_t   cap;
};

static void free_unpacker(struct dat_unpacker *u)
{
	if (!u)
		return;
	decompress_release(u->ctx);
	free(u->packed);
	free(u);
}

static void unpacker_release(struct dat *d, struct dat_unpacker *u)
{
	struct dat_unpacker *none;
	size_t i;

	for (i = 0; i < DAT_UNPACKERS; i++) {
		none = NULL;
		if (__atomic_compare_exchange_n(&d->priv->cache.unpackers[i], &none, u, false,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return;
	}
	free_unpacker(u);
}

static int unpack_chunk(struct dat *d, const struct dat_chunk *k, uint8_t *mem, size_t *len)
{
	struct dat_unpacker *u = NULL;
	const uint8_t *packed;
	size_t i;
	int ret;

	/* a decompressor takes some 100 KiB: threads share a few of them */
	for (i = 0; i < DAT_UNPACKERS && !u; i++)
		u = __atomic_exchange_n(&d->priv->cache.unpackers[i], NULL, __ATOMIC_ACQ_REL);
	if (!u)
		u = xcalloc(1, sizeof(*u));
	if (u->cap < k->csize) {
		free(u->packed);
		u->packed = xmalloc(k->csize);
		u->cap = k->csize;
	}
	packed = dat_read_at(d, u->packed, k->csize, k->off) ? u->packed : d->priv->map + k->off;
	ret = decompress_all(&u->ctx, mem, k->usize, packed, k->csize, len);
	unpacker_release(d, u);
	/* the last sub-buffer may be incomplete; missing bytes read as zeroes, which are no data */
	if (*len < k->usize)
		memset(mem + *len, 0, k->usize - *len);
	return ret;
}

/* --- for cursors */

static struct dat_unpacked *unpacked_get(struct dat *d, struct dat_chunk *k)
{
	struct dat_chunk_cache *s = &d->priv->cache;
	struct dat_unpacked *u, *theirs;

	pthread_mutex_lock(&s->lock);
	u = find_unpacked(s, k);
	pthread_mutex_unlock(&s->lock);
	if (u)
		return u;
	u = unpacked_alloc(s, k->usize);
	u->ret = unpack_chunk(d, k, u->mem, &u->len);
	pthread_mutex_lock(&s->lock);
	theirs = find_unpacked(s, k);	/* another thread may have done the same meanwhile */
	if (theirs) {
		u->of = NULL;
		u->refs = 0;
		if (!u->loose)
			idle_add(s, u);
	} else {
		k->unpacked = u;
		u->of = k;
		u->refs = 1;
	}
	pthread_mutex_unlock(&s->lock);
	if (theirs && u->loose)
		free_loose(u);
	return theirs ? theirs : u;
}

static void unpacked_put(struct dat *d, struct dat_unpacked *u)
{
	struct dat_unpacked *gone = NULL;
	struct dat_chunk_cache *s;

	if (!u)
		return;
	s = &d->priv->cache;
	pthread_mutex_lock(&s->lock);
	if (!--u->refs) {
		idle_add(s, u);
		/* the newest idle one is kept, whatever its size */
		if (s->loose.bytes > LOOSE_IDLE && s->loose.oldest != s->loose.newest)
			gone = detach_oldest(s, &s->loose);
	}
	pthread_mutex_unlock(&s->lock);
	free_loose(gone);
}

static size_t slot_size(const struct dat *d)
{
	size_t most = 0, i, k;

	for (i = 0; i < d->nr_buffers; i++)
		for (k = 0; k < d->buffers[i].nr_cpus; k++)
			if (d->buffers[i].cpus[k].priv->chunk_bytes > most)
				most = d->buffers[i].cpus[k].priv->chunk_bytes;
	return (most + SLOT_UNIT - 1) / SLOT_UNIT * SLOT_UNIT;
}

void dat_keep_unpacked(struct dat *d, size_t bytes)
{
	struct dat_chunk_cache *s = &d->priv->cache;
	size_t size = slot_size(d), n = size ? bytes / size : 0, i;

	if (n < SLOTS_LEAST || s->arena)
		return;
	s->arena = pages_new(n * size);
	if (!s->arena)
		return;
	s->slot_size = size;
	s->nr_slots = n;
	s->all = xcalloc(n, sizeof(*s->all));
	for (i = 0; i < n; i++) {
		s->all[i] = (struct dat_unpacked){ .mem = s->arena + i * size, .cap = size };
		idle_add(s, &s->all[i]);
	}
}

void dat_chunk_cache_release(struct dat_chunk_cache *s)
{
	size_t i;

	for (i = 0; i < DAT_UNPACKERS; i++)
		free_unpacker(s->unpackers[i]);
	while (s->loose.oldest)
		free_loose(detach_oldest(s, &s->loose));
	if (s->arena)
		pages_free(s->arena, s->nr_slots * s->slot_size);
	free(s->all);
	pthread_mutex_destroy(&s->lock);
}

#define WINDOWS_ALL (8u << 20)	/* bytes of the windows of one cursor of each CPU, together */
#define WINDOW_FIRST (16u << 10) /* copying them takes about as long as the call itself */
#define WINDOW_MAX  (64u << 10)	/* with the output made of it, it fits the second-level cache */

/* --- reading with system calls */

bool dat_read_at(const struct dat *d, void *to, size_t n, uint64_t off)
{
	size_t done = 0;
	ssize_t got = 1;

	for (; d->priv->fd >= 0 && done < n && got > 0; done += got > 0 ? got : 0)
		got = pread(d->priv->fd, (uint8_t *)to + done, n - done, off + done);
	return done == n;
}

static void set_window(struct dat_cursor *c, uint64_t off, size_t n)
{
	if (c->cap < n) {
		free(c->mem);
		c->mem = xmalloc(n);
		c->cap = n;
	}
	c->off = off;
	c->len = 0;
}

static bool fill_window(struct dat_cursor *c, uint64_t off, size_t n)
{
	set_window(c, off, n);
	c->len = dat_read_at(c->dat, c->mem, n, off) ? n : 0;
	return c->len;
}

static size_t window_share(const struct dat *d, size_t most)
{
	uint64_t share = WINDOWS_ALL / (d->priv->nr_cpu_entries + 1);

	return share < most ? share : most;
}

static const uint8_t *cursor_window(struct dat_cursor *c, uint64_t off, size_t len)
{
	size_t most = window_share(c->dat, WINDOW_MAX), n = window_share(c->dat, WINDOW_FIRST);
	uint64_t left = c->dat->file_size - off;

	if (off >= c->off && off - c->off <= c->len && len <= c->len - (off - c->off))
		return c->mem + (off - c->off);
	/* a jump reads little; a reader that goes on reads twice as much each time */
	if (c->len && off == c->off + c->len)
		n = 2 * c->len < most ? 2 * c->len : most;
	n = n > len ? n : len;
	if (!fill_window(c, off, n < left ? n : left))
		return c->dat->priv->map + off;	/* reading the map shows that the file was cut */
	return c->mem + (off - c->off);
}

/*
 * Verifies the first range of the @len bytes at @off that was not, and reads to its end for that.
 * The headers of sections put the borders of ranges inside of sub-buffers: such a one is read with
 * the range that it ends in.
 */
static void read_range(struct dat_cursor *c, uint64_t off, size_t len)
{
	struct dat_sum *s = dat_sums_unknown(c->dat, off, len, &c->sum);
	uint64_t start, end = s ? s->off + s->len : 0;

	if (!s || off + len > end || s->len > window_share(c->dat, DAT_SUM_RANGE))
		return;
	start = off < s->off ? off : s->off;
	set_window(c, start, end - start);
	if (dat_read_at(c->dat, c->mem, s->off - start, start) &&
	    dat_sums_read(c->dat, s, c->mem + (s->off - start)))
		c->len = end - start;
}

static const uint8_t *cursor_window_checked(struct dat_cursor *c, uint64_t off, size_t len)
{
	/*
	 * A reader that goes on reads a whole range, as its checksum needs all of it anyway. After
	 * a jump, fresh memory of that size would take longer than reading the bytes twice.
	 */
	if (c->len >= window_share(c->dat, WINDOW_MAX) && off >= c->off &&
	    off - c->off <= c->len)
		read_range(c, off, len);
	dat_sums_touch(c->dat, off, len, c->damages, &c->sum);
	return cursor_window(c, off, len);
}

#define STAMPS_MAX (1u << 20)	/* 16 MiB, for 4 GiB of sub-buffers */

void dat_stamps_init(struct dat *d)
{
	struct dat_priv *p = d->priv;
	uint64_t n = 1, pages = d->file_size / d->page_size;

	while (n < pages && n < STAMPS_MAX)
		n *= 2;
	p->nr_stamps = n;
	p->stamps = xcalloc(n, sizeof(*p->stamps));	/* pages take memory when written */
}

static struct dat_stamp *stamp_slot(const struct dat *d, uint64_t off)
{
	return &d->priv->stamps[off / d->page_size & (d->priv->nr_stamps - 1)];
}

/* Two threads may write one stamp at once: halves of two different ones match no offset. */
static void stamp_store(const struct dat *d, uint64_t off, uint64_t ts)
{
	struct dat_stamp *s = stamp_slot(d, off);

	__atomic_store_n(&s->ts, ts, __ATOMIC_RELAXED);
	__atomic_store_n(&s->check, ts ^ off, __ATOMIC_RELAXED);
}

static bool stamp_load(const struct dat *d, uint64_t off, uint64_t *ts)
{
	struct dat_stamp *s = stamp_slot(d, off);
	uint64_t check = __atomic_load_n(&s->check, __ATOMIC_RELAXED);

	*ts = __atomic_load_n(&s->ts, __ATOMIC_RELAXED);
	return off && (check ^ *ts) == off;
}

#define RAW_HEAD 64		/* bytes; headers of sub-buffers have 16, or 12 */

static struct dat_chunk *chunk_of(const struct dat_cpu_priv *p, uint64_t page)
{
	size_t at = SEARCH_LAST(i, 0, p->nr_chunks, p->chunks[i].page <= page);

	return p->nr_chunks ? &p->chunks[at] : NULL;
}

/* Notes the first and the last time of a decompressed chunk, if its times are in order. */
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

static bool chunk_times(const struct dat_chunk *k, uint64_t *first, uint64_t *last)
{
	uint64_t ts = __atomic_load_n(&k->first, __ATOMIC_ACQUIRE);

	if (!ts)
		return false;
	*first = ts - 1;
	*last = __atomic_load_n(&k->last, __ATOMIC_RELAXED);
	return true;
}

static const uint8_t *packed_page(struct dat_cursor *c, uint64_t page, size_t *len, uint64_t *off)
{
	const struct dat_cpu_priv *p = c->cpu->priv;
	struct dat_chunk *k = chunk_of(p, page);
	uint32_t subbuf = c->buffer->layout.subbuf_size;
	const uint8_t *mem;
	struct dat *d = c->dat;
	uint64_t at;
	size_t all;

	if (!k)
		return NULL;
	at = (page - k->page) * subbuf;
	if (c->chunk != (size_t)(k - p->chunks) + 1) {
		dat_sums_touch(d, k->off - DAT_CHUNK_HEADER, k->csize + DAT_CHUNK_HEADER,
			       c->damages, &c->sum);
		unpacked_put(d, c->unpacked);
		c->unpacked = unpacked_get(d, k);
		mem = unpacked_bytes(c->unpacked, &all);
		if (!c->unpacked->ret && all == k->usize)
			note_times(c, k, mem, all);
		else if (c->damages)
			damage_note_once(c->damages, k->off, "compressed chunk damaged", d->path,
					 k->off - DAT_CHUNK_HEADER, c->cpu->cpu,
					 "%zu of %" PRIu32 " bytes can be read", all, k->usize);
	}
	c->chunk = k - p->chunks + 1;
	*off = k->off - DAT_CHUNK_HEADER;
	mem = unpacked_bytes(c->unpacked, &all);
	if (at >= all)
		return NULL;
	*len = all - at < subbuf ? all - at : subbuf;
	return mem + at;
}

/* Returns the offset of a sub-buffer in the file. *len 0: there is a hole of *hole bytes. */
static uint64_t raw_page_offset(const struct dat_cursor *c, uint64_t page, size_t *len,
				uint64_t *hole)
{
	uint32_t subbuf = c->buffer->layout.subbuf_size;
	const struct dat_cpu_priv *p = c->cpu->priv;
	size_t i = SEARCH_LAST(k, 0, p->nr_runs, p->runs[k].page <= page);
	const struct dat_run *r = p->nr_runs ? &p->runs[i] : NULL;
	uint64_t at = (page - (r ? r->page : 0)) * subbuf;
	uint64_t left = (r ? r->len : c->cpu->size) - at;

	*hole = r && r->hole ? r->len : 0;
	*len = *hole ? 0 : left < subbuf ? left : subbuf;
	return (r ? r->off : c->cpu->off) + at;
}

static const uint8_t *raw_page(struct dat_cursor *c, uint64_t page, size_t *len, uint64_t *off)
{
	const uint8_t *mem;
	uint64_t hole, ts;

	*off = raw_page_offset(c, page, len, &hole);
	if (!c->dat->unfinished) {
		mem = cursor_window_checked(c, *off, *len);
	} else {
		/* each sub-buffer that was recorded has at least a time stamp */
		mem = *len ? cursor_window(c, *off, *len) : NULL;
		if (mem && mem_is_zero(mem, *len))
			mem = NULL;
		if (!mem && c->damages)
			damage_note_once(c->damages, *off, "sub-buffers were never written",
					 c->dat->path, *off, c->cpu->cpu,
					 "%" PRIu64 " bytes of zeroes",
					 *len ? (uint64_t)*len : hole);
	}
	if (mem && ring_page_ts(&c->buffer->layout, mem, *len, &ts))
		stamp_store(c->dat, *off, ts);
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

/* Reads the header of the sub-buffer alone. */
static bool raw_ts(const struct dat_cursor *c, uint64_t page, uint64_t *ts)
{
	const struct ring_layout *l = &c->buffer->layout;
	uint8_t head[RAW_HEAD];
	uint64_t off, hole;
	const void *mem;
	size_t len;

	off = raw_page_offset(c, page, &len, &hole);
	if (stamp_load(c->dat, off, ts))
		return true;
	if (len < l->data_off)
		return false;
	mem = c->dat->priv->map + off;
	if (l->data_off <= RAW_HEAD && dat_read_at(c->dat, head, l->data_off, off))
		mem = head;
	if (!ring_page_ts(l, mem, len, ts))
		return false;
	stamp_store(c->dat, off, *ts);
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
	if (k && k->page == page && chunk_times(k, ts, &last))
		return true;
	mem = packed_page(c, page, &len, &off);
	return mem && ring_page_ts(&c->buffer->layout, mem, len, ts);
}

uint64_t dat_cursor_skip_hole(const struct dat_cursor *c, uint64_t page)
{
	const struct dat_cpu_priv *p = c->cpu->priv;
	uint64_t off, all = c->cpu->nr_pages, n;
	off_t data;

	if (page >= all || c->cpu->source || p->packed || p->nr_runs || !c->dat->priv->sparse)
		return page;
	off = c->cpu->off + page * c->buffer->layout.subbuf_size;
	errno = 0;
	data = lseek(c->dat->priv->fd, off, SEEK_DATA);
	if (data < 0)
		return errno == ENXIO ? all : page;
	n = ((uint64_t)data - off) / c->buffer->layout.subbuf_size;
	return n < all - page ? page + n : all;
}

bool dat_chunk_times(const struct dat_cpu *c, uint64_t page, uint64_t *first, uint64_t *last)
{
	const struct dat_chunk *k = !c->source && c->priv->packed ? chunk_of(c->priv, page) : NULL;

	return k && chunk_times(k, first, last);
}

void dat_cursor_release(struct dat_cursor *c)
{
	free(c->mem);
	unpacked_put(c->dat, c->unpacked);
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

const uint8_t *dat_page(struct dat *d, struct dat_buffer *b, struct dat_cpu *c, uint64_t page,
			size_t *len, uint64_t *off)
{
	struct dat_cpu_priv *p = c->priv;
	struct ring_page pg;
	enum ring_status st;
	const uint8_t *mem;

	p->cursor.dat = d;
	p->cursor.buffer = b;
	p->cursor.cpu = c;
	p->cursor.damages = &d->damages;
	mem = dat_cursor_page(&p->cursor, page, len, off);
	if (page != p->checked)
		return mem;
	p->checked++;
	if (!mem || ring_page_open(&pg, &b->layout, mem, *len) != RING_OK)
		return mem;
	/* signs of damage in a sub-buffer that can be walked nevertheless */
	st = ring_page_check(&pg);
	if (st != RING_OK)
		damage_note(&d->damages, ring_status_text(st), d->path, *off, c->cpu, NULL);
	if (!pg.commit)
		return mem;
	if (pg.ts < p->last_ts)
		damage_note(&d->damages, "sub-buffer time stamps go back", d->path, *off, c->cpu,
			    "from %" PRIu64 " to %" PRIu64, p->last_ts, pg.ts);
	p->last_ts = pg.ts;
	return mem;
}
