/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The texts of addresses, made once, in a direct-mapped cache. */
#include "event/symtext.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define SLOT_BITS 12
#define SLOTS	  (1u << SLOT_BITS)
#define TEXT_MAX  54
#define SLACK	  16	/* what a copy in units of 16 reads beyond the text */

/* A cache line. */
struct slot {
	uint64_t addr;
	uint8_t  used;		/* 1 + the parts; 0 is an empty slot */
	uint8_t  len;
	char     text[TEXT_MAX];
};
_Static_assert(sizeof(struct slot) == 64, "a slot is a cache line");

struct symtext {
	struct ev_syms *syms;
	struct slot *slots;
	void        *mem;	/* of ->slots, not aligned */
	struct buf   text;	/* the last one that was made */
};

struct symtext *symtext_new(struct ev_syms *syms)
{
	struct symtext *t = xcalloc(1, sizeof(*t));
	size_t line = sizeof(struct slot);

	t->syms = syms;
	/* a slot more for the alignment, one for the slack of the last slot's text */
	t->mem = xcalloc(SLOTS + 2, line);
	t->slots = (struct slot *)(((uintptr_t)t->mem + line - 1) / line * line);
	return t;
}

void symtext_free(struct symtext *t)
{
	if (!t)
		return;
	buf_release(&t->text);
	free(t->mem);
	free(t);
}

static void make_text(struct symtext *t, uint64_t addr, unsigned int parts)
{
	size_t n, mod_n;
	const char *mod, *name;
	uint64_t off;

	buf_reset(&t->text);
	name = ev_syms_find(t->syms, addr, &n, &mod, &mod_n, &off);
	if (!name) {
		buf_printf(&t->text, "0x%" PRIx64, addr);
		return;
	}
	text_sanitise(&t->text, name, n, false);
	if (parts & SYMTEXT_OFFSET)
		buf_printf(&t->text, "+0x%" PRIx64, off);
	if (!mod || !(parts & SYMTEXT_MODULE))
		return;
	buf_addstr(&t->text, " [");
	text_sanitise(&t->text, mod, mod_n, false);
	buf_addch(&t->text, ']');
}

static const char *miss(struct symtext *t, struct slot *s, uint64_t addr, unsigned int parts,
			size_t *len)
{
	make_text(t, addr, parts);
	*len = t->text.len;
	buf_reserve(&t->text, SLACK);
	if (t->text.len > TEXT_MAX)
		return t->text.data;
	s->addr = addr;
	s->used = 1 + parts;
	s->len = t->text.len;
	memcpy(s->text, t->text.data, t->text.len);
	return s->text;
}

const char *symtext_get(struct symtext *t, uint64_t addr, unsigned int parts, size_t *len)
{
	struct slot *s = &t->slots[(addr + parts) * 0x9e3779b97f4a7c15ULL >> (64 - SLOT_BITS)];

	if (s->addr != addr || s->used != 1 + parts)
		return miss(t, s, addr, parts, len);
	*len = s->len;
	return s->text;
}
