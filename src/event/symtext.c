/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The texts of addresses, made once, in a direct-mapped cache. */
#include "event/symtext.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct symtext_slot) == 64, "a slot is a cache line");

void symtext_init(struct symtext *t)
{
	size_t line = sizeof(struct symtext_slot);

	/* one slot for the alignment, one that poke_text() may read behind the last text */
	t->mem = xcalloc((1u << SYMTEXT_BITS) + 2, line);
	t->slots = (struct symtext_slot *)(((uintptr_t)t->mem + line - 1) / line * line);
}

void symtext_release(struct symtext *t)
{
	free(t->mem);
	*t = (struct symtext){0};
}

void symtext_miss(struct symtext_slot *s, void *ctx, uint64_t addr, unsigned int kind,
		  symtext_fn make, struct buf *out)
{
	size_t from = out->len, len;

	make(ctx, addr, kind, out);
	len = out->len - from;
	if (len > SYMTEXT_MAX)
		return;
	s->addr = addr;
	s->used = 1 + kind;
	s->len = len;
	memcpy(s->text, out->data + from, len);
}
