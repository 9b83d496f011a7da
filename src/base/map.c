/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hash map from u64 to a pointer-sized value, open addressing. */
#include "base/map.h"

#include <stdlib.h>

#include "base/mem.h"

static struct map_slot *slot_of(const struct map *m, uint64_t key)
{
	/* Fibonacci hashing: the multiplier is 2^64 divided by the golden ratio. */
	size_t i = (key * 0x9e3779b97f4a7c15ULL) >> 20;

	for (;; i++) {
		struct map_slot *s = &m->slots[i & (m->cap - 1)];

		if (!s->used || s->key == key)
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
	return s->used ? s->val : NULL;
}

static void map_grow(struct map *m)
{
	struct map bigger = { .cap = m->cap ? m->cap * 2 : 64 };
	size_t i;

	bigger.slots = xcalloc(bigger.cap, sizeof(*bigger.slots));
	bigger.n = m->n;
	for (i = 0; i < m->cap; i++)
		if (m->slots[i].used)
			*slot_of(&bigger, m->slots[i].key) = m->slots[i];
	free(m->slots);
	*m = bigger;
}

void *map_put(struct map *m, uint64_t key, void *val)
{
	struct map_slot *s;
	void *old;

	if ((m->n + 1) * 2 > m->cap)
		map_grow(m);
	s = slot_of(m, key);
	old = s->used ? s->val : NULL;
	m->n += !s->used;
	*s = (struct map_slot){ .key = key, .val = val, .used = true };
	return old;
}
