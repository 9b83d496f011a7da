/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decompressed chunks, which cursors share. A viewer reads the same chunks again and again: to
 * search, to cut slices, to draw. Decompressing one takes as long as printing half of it, and
 * fresh memory for it the same again if page faults are expensive.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "file/compress.h"
#include "file/read/dat_priv.h"

#define LOOSE_IDLE (2u << 20)	/* bytes of idle loose ones, which are memory for the next ones */
#define ROOM_SHARE 4		/* memory is not reused for a chunk smaller than this share of it */
#define SLOT_UNIT  4096u
#define SLOTS_LEAST 16u

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

const uint8_t *dat_unpacked_bytes(const struct dat_unpacked *u, size_t *len)
{
	*len = u->len;
	return u->mem;
}

bool dat_unpacked_whole(const struct dat_unpacked *u)
{
	return !u->ret && u->len == u->of->usize;
}

/* --- idle ones; the lock is held */

static struct dat_idle *idle_list(struct dat_shelf *s, const struct dat_unpacked *u)
{
	return u->loose ? &s->loose : &s->slots;
}

static void leave_idle(struct dat_shelf *s, struct dat_unpacked *u)
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

static void become_idle(struct dat_shelf *s, struct dat_unpacked *u)
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
static struct dat_unpacked *take_oldest(struct dat_shelf *s, struct dat_idle *l)
{
	struct dat_unpacked *u = l->oldest;

	if (!u)
		return NULL;
	leave_idle(s, u);
	if (u->of)
		u->of->unpacked = NULL;
	return u;
}

static struct dat_unpacked *find_unpacked(struct dat_shelf *s, const struct dat_chunk *k)
{
	struct dat_unpacked *u = k->unpacked;

	if (u && !u->refs++)
		leave_idle(s, u);
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
static struct dat_unpacked *take_memory(struct dat_shelf *s, size_t bytes)
{
	struct dat_unpacked *u = NULL;

	pthread_mutex_lock(&s->lock);
	if (bytes <= s->slot_size)
		u = take_oldest(s, &s->slots);
	if (!u)
		u = take_oldest(s, &s->loose);
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

static void put_unpacker(struct dat *d, struct dat_unpacker *u)
{
	struct dat_unpacker *none;
	size_t i;

	for (i = 0; i < DAT_UNPACKERS; i++) {
		none = NULL;
		if (__atomic_compare_exchange_n(&d->priv->shelf.unpackers[i], &none, u, false,
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
		u = __atomic_exchange_n(&d->priv->shelf.unpackers[i], NULL, __ATOMIC_ACQ_REL);
	if (!u)
		u = xcalloc(1, sizeof(*u));
	if (u->cap < k->csize) {
		free(u->packed);
		u->packed = xmalloc(k->csize);
		u->cap = k->csize;
	}
	packed = dat_read_at(d, u->packed, k->csize, k->off) ? u->packed : d->priv->map + k->off;
	ret = decompress_all(&u->ctx, mem, k->usize, packed, k->csize, len);
	put_unpacker(d, u);
	/* the last sub-buffer may be incomplete; missing bytes read as zeroes, which are no data */
	if (*len < k->usize)
		memset(mem + *len, 0, k->usize - *len);
	return ret;
}

/* --- for cursors */

struct dat_unpacked *dat_unpacked_take(struct dat *d, struct dat_chunk *k)
{
	struct dat_shelf *s = &d->priv->shelf;
	struct dat_unpacked *u, *theirs;

	pthread_mutex_lock(&s->lock);
	u = find_unpacked(s, k);
	pthread_mutex_unlock(&s->lock);
	if (u)
		return u;
	u = take_memory(s, k->usize);
	u->ret = unpack_chunk(d, k, u->mem, &u->len);
	pthread_mutex_lock(&s->lock);
	theirs = find_unpacked(s, k);	/* another thread may have done the same meanwhile */
	if (theirs) {
		u->of = NULL;
		u->refs = 0;
		if (!u->loose)
			become_idle(s, u);
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

void dat_unpacked_put(struct dat *d, struct dat_unpacked *u)
{
	struct dat_unpacked *gone = NULL;
	struct dat_shelf *s;

	if (!u)
		return;
	s = &d->priv->shelf;
	pthread_mutex_lock(&s->lock);
	if (!--u->refs) {
		become_idle(s, u);
		/* the newest idle one is kept, whatever its size */
		if (s->loose.bytes > LOOSE_IDLE && s->loose.oldest != s->loose.newest)
			gone = take_oldest(s, &s->loose);
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
	struct dat_shelf *s = &d->priv->shelf;
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
		become_idle(s, &s->all[i]);
	}
}

void dat_shelf_release(struct dat_shelf *s)
{
	size_t i;

	for (i = 0; i < DAT_UNPACKERS; i++)
		free_unpacker(s->unpackers[i]);
	while (s->loose.oldest)
		free_loose(take_oldest(s, &s->loose));
	if (s->arena)
		pages_free(s->arena, s->nr_slots * s->slot_size);
	free(s->all);
	pthread_mutex_destroy(&s->lock);
}
