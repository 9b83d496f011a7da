/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hash maps to a pointer-sized value: from u64 (comms by pid, formats by id, symbols by address),
 * and from texts. Two texts may have one hash: it only finds the place, and the texts are compared.
 */
#ifndef FTR_BASE_MAP_H
#define FTR_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

/* --- hashes */

/*
 * Keys come from files: a file could be made whose keys all have the same place in the table. The
 * place therefore depends on random numbers of each process. The second one is odd.
 */
extern uint64_t hash_secret[2];

static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	unsigned __int128 wide = (unsigned __int128)a * b;

	return (uint64_t)wide ^ (uint64_t)(wide >> 64);
}

static inline uint64_t hash_number(uint64_t key)
{
	return hash_mix(key ^ hash_secret[0], hash_secret[1]);
}

/* Returns the hash of @n bytes; it differs from process to process. */
uint64_t hash_bytes(const void *p, size_t n);
/* Returns the hash of two texts in sequence. "ab", "c" and "a", "bc" have different hashes. */
uint64_t hash_two(const void *a, size_t na, const void *b, size_t nb);
/* Returns a hash that is the same in all processes, for visible results such as a colour. */
uint32_t hash_shown(const char *text);

/* --- by number */

struct map_slot {
	uint64_t key;
	void    *val;			/* NULL: the slot is empty */
};

/*
 * A zeroed map is empty. Values are borrowed. Single entries cannot be removed. The place of a key
 * in ->slots differs from process to process. Sort the results of a walk of ->slots.
 */
struct map {
	struct map_slot *slots;
	size_t n, cap;			/* cap is 0 or a power of two */
};

void map_release(struct map *m);
void *map_get(const struct map *m, uint64_t key);	/* NULL if absent */
/* Sets the value of @key. Returns the previous one, or NULL. @val must not be NULL. */
void *map_put(struct map *m, uint64_t key, void *val);
/* Adds 1 to the number stored under @key. For maps whose values are all numbers. */
void map_count(struct map *m, uint64_t key);

/* --- by text */

struct textmap_slot {
	uint64_t hash;
	const char *key;
	size_t len;
	void *val;			/* NULL: the slot is empty */
};

/* A zeroed map is empty. Values are borrowed. Single entries cannot be removed. */
struct textmap {
	struct textmap_slot *slots;
	size_t n, cap;			/* cap is 0 or a power of two */
	struct string_pool copies;
};

void textmap_release(struct textmap *m);
/* Returns the value of the @len bytes at @p, or NULL. */
void *textmap_get(const struct textmap *m, const char *p, size_t len);
/*
 * Sets the value of the text. Returns the previous one, or NULL. A new key is copied. @val must not
 * be NULL.
 */
void *textmap_put(struct textmap *m, const char *p, size_t len, void *val);
/* Like textmap_put(), but a new key is borrowed, and must live as long as the map. */
void *textmap_put_borrowed(struct textmap *m, const char *p, size_t len, void *val);
/*
 * Returns the one copy of the text, valid as long as the map. All values of such a map are copies.
 */
const char *textmap_copy(struct textmap *m, const char *p, size_t len);

/* --- a table from a pair of numbers to a row number of another table */

struct pair_slot {
	uint64_t a, b;
	uint32_t row;			/* 0: the slot is empty */
};

/* Valid after slots_init(). */
struct slots {
	struct pair_slot *v;
	size_t nr, used;		/* nr is a power of two */
};

void slots_init(struct slots *s);
void slots_release(struct slots *s);
/* Sets the row of @a and @b. @row must not be 0, and they must not have one yet. */
void slots_add(struct slots *s, uint64_t a, uint64_t b, uint32_t row);

static inline size_t slots_place(const struct slots *s, uint64_t a, uint64_t b)
{
	return hash_mix(a ^ hash_secret[0], b ^ hash_secret[1]) & (s->nr - 1);
}

/* Returns the row of @a and @b, 0 if they have none. */
static inline uint32_t slots_find(const struct slots *s, uint64_t a, uint64_t b)
{
	size_t i = slots_place(s, a, b);

	while (s->v[i].row && (s->v[i].a != a || s->v[i].b != b))
		i = (i + 1) & (s->nr - 1);
	return s->v[i].row;
}

#endif
