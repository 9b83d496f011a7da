/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hash maps, open addressing, by numbers that are drawn once for each process. */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define SLOTS_FIRST	64

/* --- hashes */

/* 2^64 divided by the golden ratio is what is left where the kernel has no random numbers yet. */
uint64_t hash_secret[2] = { 0, 0x9e3779b97f4a7c15ULL };

static __attribute__((constructor)) void draw_secret(void)
{
	uint64_t drawn[2];

	if (getrandom(drawn, sizeof(drawn), GRND_NONBLOCK) != sizeof(drawn))
		return;
	hash_secret[0] = drawn[0];
	hash_secret[1] = drawn[1] | 1;
}

static uint64_t add_bytes(uint64_t h, const uint8_t *p, size_t n)
{
	uint64_t word;

	h = hash_number(h ^ n);
	for (; n >= sizeof(word); p += sizeof(word), n -= sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		h = hash_number(h ^ word);
	}
	if (!n)
		return h;
	word = 0;
	memcpy(&word, p, n);
	return hash_number(h ^ word);
}

uint64_t hash_bytes(const void *p, size_t n)
{
	return add_bytes(0, p, n);
}

uint64_t hash_two(const void *a, size_t na, const void *b, size_t nb)
{
	return add_bytes(add_bytes(0, a, na), b, nb);
}

/* FNV-1a */
uint32_t hash_shown(const char *text)
{
	uint32_t h = 2166136261u;

	for (; *text; text++)
		h = (h ^ (uint8_t)*text) * 16777619u;
	return h ^ h >> 15;
}

/* --- by number */

static struct map_slot *slot_of(const struct map *m, uint64_t key)
{
	size_t i = hash_number(key);

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
	struct map bigger = { .cap = m->cap ? m->cap * 2 : SLOTS_FIRST };
	size_t i;

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

/* --- by text */

static struct textmap_slot *text_slot_of(const struct textmap *m, uint64_t hash, const char *p,
				    size_t len)
{
	for (size_t i = hash;; i++) {
		struct textmap_slot *s = &m->slots[i & (m->cap - 1)];

		if (!s->val || (s->hash == hash && s->len == len &&
				(!len || !memcmp(s->key, p, len))))
			return s;
	}
}

void textmap_release(struct textmap *m)
{
	free(m->slots);
	texts_release(&m->copies);
	*m = (struct textmap){0};
}

void *textmap_get(const struct textmap *m, const char *p, size_t len)
{
	return m->cap ? text_slot_of(m, hash_bytes(p, len), p, len)->val : NULL;
}

static void textmap_grow(struct textmap *m)
{
	struct textmap old = *m;

	m->cap = old.cap ? old.cap * 2 : SLOTS_FIRST;
	m->slots = xcalloc(m->cap, sizeof(*m->slots));
	for (size_t i = 0; i < old.cap; i++) {
		const struct textmap_slot *s = &old.slots[i];

		if (s->val)
			*text_slot_of(m, s->hash, s->key, s->len) = *s;
	}
	free(old.slots);
}

/* The place of the text. Whoever asks sets its value, and its key if it has no value. */
static struct textmap_slot *text_slot_for(struct textmap *m, const char *p, size_t len)
{
	uint64_t hash = hash_bytes(p, len);
	struct textmap_slot *s;

	if ((m->n + 1) * 2 > m->cap)
		textmap_grow(m);
	s = text_slot_of(m, hash, p, len);
	m->n += !s->val;
	s->hash = hash;
	s->len = len;
	return s;
}

static void *set_value(struct textmap_slot *s, void *val)
{
	void *old = s->val;

	s->val = val;
	return old;
}

void *textmap_put(struct textmap *m, const char *p, size_t len, void *val)
{
	struct textmap_slot *s = text_slot_for(m, p, len);

	if (!s->val)
		s->key = texts_add(&m->copies, p, len);
	return set_value(s, val);
}

void *textmap_put_borrowed(struct textmap *m, const char *p, size_t len, void *val)
{
	struct textmap_slot *s = text_slot_for(m, p, len);

	if (!s->val)
		s->key = p;
	return set_value(s, val);
}

const char *textmap_copy(struct textmap *m, const char *p, size_t len)
{
	struct textmap_slot *s = text_slot_for(m, p, len);

	if (!s->val)
		s->key = s->val = texts_add(&m->copies, p, len);
	return s->val;
}
