/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hash table from a pair of numbers to a row number of a table. */
#ifndef FTR_BASE_SLOTS_H
#define FTR_BASE_SLOTS_H

#include <stddef.h>
#include <stdint.h>

struct slot {
	uint64_t a, b;
	uint32_t row;			/* 0: nothing is here */
};

/* Valid after slots_init(). */
struct slots {
	struct slot *v;
	size_t nr, used;		/* nr is a power of two */
};

void slots_init(struct slots *s);
void slots_release(struct slots *s);
/* Sets the row of @a and @b. @row must not be 0, and they must not have one yet. */
void slots_add(struct slots *s, uint64_t a, uint64_t b, uint32_t row);

static inline size_t slots_place(const struct slots *s, uint64_t a, uint64_t b)
{
	return ((a ^ b * 0xd6e8feb86659fd93u) * 0x9e3779b97f4a7c15u >> 32) & (s->nr - 1);
}

/* The row of @a and @b, 0 if they have none. */
static inline uint32_t slots_find(const struct slots *s, uint64_t a, uint64_t b)
{
	size_t i = slots_place(s, a, b);

	while (s->v[i].row && (s->v[i].a != a || s->v[i].b != b))
		i = (i + 1) & (s->nr - 1);
	return s->v[i].row;
}

#endif
