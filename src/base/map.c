/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hash tables with open addressing: maps, whose hashes depend on secrets of each process, and rows
 * by pairs of numbers.
 */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/mem.h"

#define SLOTS_FIRST	64
#define ROW_SLOTS_FIRST	1024u

/* --- hashes */

/* 2^64 divided by the golden ratio is used while the kernel has no random numbers yet. */
uint64_t hash_secret[2] = { 0, 0x9e3779b97f4a7c15ULL };

static __attribute__((constructor)) void init_hash_secret(void)
{
	uint64_t drawn[2];

	if (getrandom(drawn, sizeof(drawn), GRND_NONBLOCK) != sizeof(drawn))
		return;
	hash_secret[0] = drawn[0];
	hash_secret[1] = drawn[1] | 1;
}

static inline uint64_t load_word(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint64_t load_half(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Adds up to 16 bytes, with one multiplication. The two loads overlap. */
static inline uint64_t add_short(uint64_t h, const uint8_t *p, size_t n)
{
	uint64_t a = 0, b = 0;

	if (n >= 8) {
		a = load_word(p);
		b = load_word(p + n - 8);
	} else if (n >= 4) {
		a = load_half(p);
		b = load_half(p + n - 4);
	} else if (n) {
		a = p[0] | p[n / 2] << 8 | p[n - 1] << 16;
	}
	return hash_mix(a ^ h ^ hash_secret[0], b ^ n ^ hash_secret[1]);
}

static inline uint64_t add_bytes(uint64_t h, const uint8_t *p, size_t n)
{
	size_t at;

	if (n <= 16)
		return add_short(h, p, n);
	h ^= n ^ hash_secret[0];
	for (at = 0; at + 16 < n; at += 16)
		h = hash_mix(load_word(p + at) ^ h, load_word(p + at + 8) ^ hash_secret[1]);
	return hash_mix(load_word(p + n - 16) ^ h, load_word(p + n - 8) ^ hash_secret[1]);
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

/* Returns the slot of @key, which gets one if it has none. The caller sets the value. */
static struct map_slot *slot_for(struct map *m, uint64_t key)
{
	struct map old = *m;
	struct map_slot *s;

	if ((m->n + 1) * 2 > m->cap) {
		m->cap = old.cap ? old.cap * 2 : SLOTS_FIRST;
		m->slots = xcalloc(m->cap, sizeof(*m->slots));
		for (size_t i = 0; i < old.cap; i++)
			if (old.slots[i].val)
				*slot_of(m, old.slots[i].key) = old.slots[i];
		free(old.slots);
	}
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

/*
 * Returns the slot of the text, which gets one if it has none. The caller sets its value, and its
 * key if it has no value.
 */
static struct textmap_slot *text_slot_for(struct textmap *m, const char *p, size_t len)
{
	uint64_t hash = hash_bytes(p, len);
	struct textmap old = *m;
	struct textmap_slot *s;

	if ((m->n + 1) * 2 > m->cap) {
		m->cap = old.cap ? old.cap * 2 : SLOTS_FIRST;
		m->slots = xcalloc(m->cap, sizeof(*m->slots));
		for (s = old.slots; s < old.slots + old.cap; s++)
			if (s->val)
				*text_slot_of(m, s->hash, s->key, s->len) = *s;
		free(old.slots);
	}
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

/* --- rows by pairs of numbers */

void slots_init(struct slots *s)
{
	s->nr = ROW_SLOTS_FIRST;
	s->used = 0;
	s->v = xcalloc(s->nr, sizeof(*s->v));
}

void slots_release(struct slots *s)
{
	free(s->v);
	*s = (struct slots){0};
}

static void slots_insert(struct slots *s, const struct pair_slot *one)
{
	size_t i = slots_place(s, one->a, one->b);

	while (s->v[i].row)
		i = (i + 1) & (s->nr - 1);
	s->v[i] = *one;
}

void slots_add(struct slots *s, uint64_t a, uint64_t b, uint32_t row)
{
	struct pair_slot *old = s->v;
	size_t n = s->nr;

	if (++s->used * 3 > n * 2) {
		s->nr *= 2;
		s->v = xcalloc(s->nr, sizeof(*s->v));
		for (size_t i = 0; i < n; i++)
			if (old[i].row)
				slots_insert(s, &old[i]);
		free(old);
	}
	slots_insert(s, &(struct pair_slot){ a, b, row });
}
