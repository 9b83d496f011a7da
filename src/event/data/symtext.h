/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cache of the texts of addresses: a trace has the same few thousand addresses many times. */
#ifndef FTR_EVENT_SYMTEXT_H
#define FTR_EVENT_SYMTEXT_H

#include <stdbool.h>

#include "base/poke.h"

/* Appends the text of @addr, always the same for the same @kind. @ctx is that of symtext_add(). */
typedef void (*symtext_fn)(void *ctx, uint64_t addr, unsigned int kind, struct buf *out);

/*
 * Kinds: SYMTEXT_IP for the function tracer's addresses; SYMTEXT_FUNC and SYMTEXT_CONV (%ps) are
 * or-ed with flags of their text.
 */
enum { SYMTEXT_IP, SYMTEXT_IP_OFFSET, SYMTEXT_FUNC = 4, SYMTEXT_CONV = 8 };

#define SYMTEXT_BITS 14
#define SYMTEXT_WAYS 4	/* number of slots for an address: its own and its neighbours */
#define SYMTEXT_MAX  54	/* longest text in bytes; longer texts are made each time */

/* One cache line of the CPU. */
struct symtext_slot {
	uint64_t addr;
	uint8_t  used;		/* 1 + kind; 0 is an empty slot */
	uint8_t  len;
	char     text[SYMTEXT_MAX];
};

/* The cache of one thread. */
struct symtext {
	struct symtext_slot *slots;
	void *mem;		/* memory of ->slots, not aligned */
	size_t size;		/* bytes at ->mem */
	struct buf text;	/* the text made last */
};

void symtext_init(struct symtext *t);
void symtext_release(struct symtext *t);
void symtext_forget(struct symtext *t);	/* forgets all texts */
/* symtext_get() for a text that is not in the first slot of its address. */
const char *symtext_look(struct symtext *t, void *ctx, uint64_t addr, unsigned int kind,
			 symtext_fn make, size_t *len);

static inline struct symtext_slot *symtext_slot(const struct symtext *t, uint64_t addr,
						unsigned int kind)
{
	/* Fibonacci hashing */
	return &t->slots[(addr + kind) * 0x9e3779b97f4a7c15ULL >> (64 - SYMTEXT_BITS)];
}

/* Prefetches the slot for a later symtext_get(), as most slots are not in the L1 cache. */
static inline void symtext_expect(const struct symtext *t, uint64_t addr, unsigned int kind)
{
	__builtin_prefetch(symtext_slot(t, addr, kind));
}

static inline bool symtext_is(const struct symtext_slot *s, uint64_t addr, unsigned int kind)
{
	return s->addr == addr && s->used == 1 + kind;
}

/*
 * Returns the text of @addr. @make is called if it is not in the cache. The result may be passed to
 * poke_text(), and is valid until the next call.
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

/* Appends the text of @addr. */
static inline void symtext_add(struct symtext *t, void *ctx, uint64_t addr, unsigned int kind,
			       symtext_fn make, struct buf *out)
{
	size_t len;
	const char *s = symtext_get(t, ctx, addr, kind, make, &len);

	buf_poked(out, poke_text(buf_poke(out, POKE_TEXT_ROOM(len)), s, len));
}

#endif
