/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hash table from two numbers to a third. */
#include "base/slots.h"

#include <stdlib.h>

#include "base/mem.h"

#define SLOTS_FIRST	1024u

void slots_init(struct slots *s)
{
	s->nr = SLOTS_FIRST;
	s->used = 0;
	s->v = xcalloc(s->nr, sizeof(*s->v));
}

void slots_release(struct slots *s)
{
	free(s->v);
	*s = (struct slots){0};
}

static void put_slot(struct slots *s, const struct slot *one)
{
	size_t i = slots_place(s, one->a, one->b);

	while (s->v[i].row)
		i = (i + 1) & (s->nr - 1);
	s->v[i] = *one;
}

void slots_add(struct slots *s, uint64_t a, uint64_t b, uint32_t row)
{
	struct slot *old = s->v;
	size_t n = s->nr;

	if (++s->used * 2 > n) {
		s->nr *= 2;
		s->v = xcalloc(s->nr, sizeof(*s->v));
		for (size_t i = 0; i < n; i++)
			if (old[i].row)
				put_slot(s, &old[i]);
		free(old);
	}
	put_slot(s, &(struct slot){ a, b, row });
}
