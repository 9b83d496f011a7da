/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts that follow from one field: names of flags, states and numbers. A trace has few different
 * values of such a field, so each text is made once and then found by the value.
 */
#ifndef FTR_EVENT_MEMO_H
#define FTR_EVENT_MEMO_H

#include <stddef.h>
#include <stdint.h>

#define MEMO_BITS 10
#define MEMO_MAX  47	/* longer texts are made each time */

/* A cache line. */
struct memo_slot {
	const void *of;		/* what prints the value; NULL: an empty slot */
	uint64_t v;
	uint8_t  len;
	char     text[MEMO_MAX];
};

/* A direct-mapped cache, of one thread. */
struct memo {
	struct memo_slot *slots;
	void *mem;		/* of ->slots, not aligned */
};

void memo_init(struct memo *m);
void memo_release(struct memo *m);
/* Keeps @text of @len bytes, if it is short enough. */
void memo_keep(struct memo *m, const void *of, uint64_t v, const char *text, size_t len);

static inline struct memo_slot *memo_slot(const struct memo *m, const void *of, uint64_t v)
{
	/* Fibonacci hashing */
	return &m->slots[((uintptr_t)of + v) * 0x9e3779b97f4a7c15ULL >> (64 - MEMO_BITS)];
}

/* Its text may be read up to POKE_TEXT_ROOM(); NULL when it is not kept. */
static inline const struct memo_slot *memo_find(const struct memo *m, const void *of, uint64_t v)
{
	const struct memo_slot *s = memo_slot(m, of, v);

	return s->of == of && s->v == v ? s : NULL;
}

#endif
