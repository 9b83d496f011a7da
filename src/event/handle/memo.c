/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts that follow from one field, in a direct-mapped cache. */
#include "event/handle/memo.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

_Static_assert(sizeof(struct memo_slot) == 64, "a slot is a cache line");

void memo_init(struct memo *m)
{
	size_t line = sizeof(struct memo_slot);

	/* one slot for the alignment, one that may be read behind the last text */
	m->mem = xcalloc((1u << MEMO_BITS) + 2, line);
	m->slots = (struct memo_slot *)(((uintptr_t)m->mem + line - 1) / line * line);
}

void memo_release(struct memo *m)
{
	free(m->mem);
	*m = (struct memo){ 0 };
}

void memo_keep(struct memo *m, const void *of, uint64_t v, const char *text, size_t len)
{
	struct memo_slot *s = memo_slot(m, of, v);

	if (len > MEMO_MAX)
		return;
	s->of = of;
	s->v = v;
	s->len = len;
	memcpy(s->text, text, len);
}
