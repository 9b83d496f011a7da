/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The texts of addresses, made once: traces have the same few thousand addresses over and over. */
#ifndef FTR_EVENT_SYMTEXT_H
#define FTR_EVENT_SYMTEXT_H

#include <stdbool.h>

#include "base/poke.h"

/* Appends the text of @addr; the same for the same @kind always. @ctx is symtext_add()'s. */
typedef void (*symtext_fn)(void *ctx, uint64_t addr, unsigned int kind, struct buf *out);

/* Kinds: the function tracer's addresses; others and %ps, or-ed with what else they show. */
enum { SYMTEXT_IP, SYMTEXT_IP_OFFSET, SYMTEXT_FUNC = 4, SYMTEXT_CONV = 8 };

#define SYMTEXT_BITS 14
#define SYMTEXT_WAYS 4	/* slots that an address may be in: its own and those beside it */
#define SYMTEXT_MAX  54	/* longer texts are made each time */

/* A cache line. */
struct symtext_slot {
	uint64_t addr;
	uint8_t  used;		/* 1 + kind; 0 is an empty slot */
	uint8_t  len;
	char     text[SYMTEXT_MAX];
};

/* A cache, of one thread. */
struct symtext {
	struct symtext_slot *slots;
	void *mem;		/* of ->slots, not aligned */
	size_t size;		/* of ->mem, in bytes */
	struct buf text;	/* the one made last */
};

void symtext_init(struct symtext *t);
void symtext_release(struct symtext *t);
void symtext_forget(struct symtext *t);	/* all texts */
/* symtext_get() for what is not in its own slot. */
const char *symtext_look(struct symtext *t, void *ctx, uint64_t addr, unsigned int kind,
			 symtext_fn make, size_t *len);

static inline struct symtext_slot *symtext_slot(const struct symtext *t, uint64_t addr,
						unsigned int kind)
{
	/* Fibonacci hashing */
	return &t->slots[(addr + kind) * 0x9e3779b97f4a7c15ULL >> (64 - SYMTEXT_BITS)];
}

/* symtext_get() of that address is to follow soon: most slots are not in the nearest cache. */
static inline void symtext_expect(const struct symtext *t, uint64_t addr, unsigned int kind)
{
	__builtin_prefetch(symtext_slot(t, addr, kind));
}

static inline bool symtext_is(const struct symtext_slot *s, uint64_t addr, unsigned int kind)
{
	return s->addr == addr && s->used == 1 + kind;
}

/*
 * The text of @addr as @make has it, which is asked once and then when it was forgotten. It is good
 * for poke_text() until the next call.
 */
static inline const char *symtext_get(struct symtext *t, void *ctx, uint64_t addr,
				      unsigned int kind, symtext_fn make, size_t *len)
{
	const struct symtext_slot *s = symtext_slot(t, addr, kind);

	if (__builtin_expect(!symtext_is(s, addr, kind), 0))
		return symtext_look(t, ctx, addr, kind, make, len);
	*len = s->len;
	return s->text;
}

/* Appends it. */
static inline void symtext_add(struct symtext *t, void *ctx, uint64_t addr, unsigned int kind,
			       symtext_fn make, struct buf *out)
{
	size_t len;
	const char *s = symtext_get(t, ctx, addr, kind, make, &len);

	buf_poked(out, poke_text(buf_poke(out, POKE_TEXT_ROOM(len)), s, len));
}

#endif
