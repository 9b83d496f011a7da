/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts of addresses in a set-associative cache. */
#include "event/data/symtext.h"

#include <stdlib.h>

#define PAGE 4096	/* bytes; the smallest page size */

_Static_assert(sizeof(struct symtext_slot) == 64, "a slot is a cache line");

void symtext_init(struct symtext *t)
{
	size_t line = sizeof(struct symtext_slot);

	/* one slot for the alignment, one that poke_text() may read after the last text */
	t->size = ((1u << SYMTEXT_BITS) + 2) * line;
	t->mem = xcalloc(1, t->size);
	t->slots = (struct symtext_slot *)(((uintptr_t)t->mem + line - 1) / line * line);
}

void symtext_release(struct symtext *t)
{
	free(t->mem);
	buf_release(&t->text);
	*t = (struct symtext){0};
}

void symtext_forget(struct symtext *t)
{
	if (t->text.data)
		memset(t->mem, 0, t->size);
}

const char *symtext_look(struct symtext *t, void *ctx, uint64_t addr, unsigned int kind,
			 symtext_fn make, size_t *len)
{
	struct symtext_slot *own = symtext_slot(t, addr, kind), *s = own, *other;
	volatile char *page = t->mem;

	/*
	 * A page that is read before it is written is the system's page of zeros first, and
	 * replacing that interrupts every processor that runs one of our threads: slower than the
	 * page is worth. Writing a byte of each page is enough: all of them are zero, and the first
	 * line of a report waits for this.
	 */
	for (size_t i = 0; !t->text.data && i < t->size; i += PAGE)
		page[i] = 0;
	/* another slot with the text, else a free slot, else the first one */
	for (size_t i = 1; i < SYMTEXT_WAYS; i++) {
		other = &t->slots[(own - t->slots) ^ i];
		if (symtext_is(other, addr, kind)) {
			*len = other->len;
			return other->text;
		}
		if (!other->used && s->used)
			s = other;
	}
	buf_reset(&t->text);
	buf_reserve(&t->text, POKE_TEXT_ROOM(0));
	make(ctx, addr, kind, &t->text);
	buf_reserve(&t->text, POKE_TEXT_ROOM(0));
	if (t->text.len <= SYMTEXT_MAX) {
		s->addr = addr;
		s->used = 1 + kind;
		s->len = t->text.len;
		memcpy(s->text, t->text.data, t->text.len);
	}
	*len = t->text.len;
	return t->text.data;
}
