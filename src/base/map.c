/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hash map from u64 to a pointer-sized value, open addressing. */
#include "base/map.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/mem.h"

/*
 * Keys come from files: whoever knows where they go could have all of them meet in one place. So
 * that depends on numbers that nobody can know; 2^64 divided by the golden ratio is what is left
 * where the kernel has none yet.
 */
static uint64_t secret[2] = { 0, 0x9e3779b97f4a7c15ULL };

static void secret_draw(void)
{
	uint64_t drawn[2];

	if (getrandom(drawn, sizeof(drawn), GRND_NONBLOCK) != sizeof(drawn))
		return;
	secret[0] = drawn[0];
	secret[1] = drawn[1] | 1;
}

static size_t hash_of_key(uint64_t key)
{
	unsigned __int128 wide = (unsigned __int128)(key ^ secret[0]) * secret[1];

	return (uint64_t)wide ^ (uint64_t)(wide >> 64);
}

static struct map_slot *slot_of(const struct map *m, uint64_t key)
{
	size_t i = hash_of_key(key);

	for (;; i++) {
		struct map_slot *s = &m->slots[i & (m->cap - 1)];

		if (!s->val || s->key == key)
			return s;
	}
}

void map_release(struct map *m)
{
	free(m->slots);
	*m = (struct map){0};
}

void *map_get(const struct map *m, uint64_t key)
{
	struct map_slot *s;

	if (!m->cap)
		return NULL;
	s = slot_of(m, key);
	return s->val;
}

static void map_grow(struct map *m)
{
	static pthread_once_t drawn = PTHREAD_ONCE_INIT;
	struct map bigger = { .cap = m->cap ? m->cap * 2 : 64 };
	size_t i;

	/* before there is a first key */
	pthread_once(&drawn, secret_draw);
	bigger.slots = xcalloc(bigger.cap, sizeof(*bigger.slots));
	bigger.n = m->n;
	for (i = 0; i < m->cap; i++)
		if (m->slots[i].val)
			*slot_of(&bigger, m->slots[i].key) = m->slots[i];
	free(m->slots);
	*m = bigger;
}

/* Where @key is, or is to be: whoever asks sets it. */
static struct map_slot *slot_for(struct map *m, uint64_t key)
{
	struct map_slot *s;

	if ((m->n + 1) * 2 > m->cap)
		map_grow(m);
	s = slot_of(m, key);
	m->n += !s->val;
	s->key = key;
	return s;
}

void *map_put(struct map *m, uint64_t key, void *val)
{
	struct map_slot *s = slot_for(m, key);
	void *old = s->val;

	s->val = val;
	return old;
}

void map_count(struct map *m, uint64_t key)
{
	struct map_slot *s = slot_for(m, key);

	s->val = (void *)((uintptr_t)s->val + 1);
}
