/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory whose contents can be saved and restored in place. */
#include "model/arena.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define BLOCK_BYTES	(64u << 10)
#define ALIGN		16u

/* Returns the next block with room for @size bytes: one left from a later state, or a new one. */
static struct arena_block *arena_next_block(struct arena *a, size_t size)
{
	for (a->at += a->nr != 0; a->at < a->nr; a->at++) {
		a->blocks[a->at].used = 0;
		if (a->blocks[a->at].size >= size)
			return &a->blocks[a->at];
	}
	a->blocks = xgrow(a->blocks, &a->cap, a->nr + 1, sizeof(*a->blocks));
	a->blocks[a->nr] = (struct arena_block){
		.mem = xmalloc(size > BLOCK_BYTES ? size : BLOCK_BYTES),
		.size = size > BLOCK_BYTES ? size : BLOCK_BYTES,
	};
	return &a->blocks[a->nr++];
}

void *arena_alloc(struct arena *a, size_t size)
{
	struct arena_block *b = a->at < a->nr ? &a->blocks[a->at] : NULL;
	void *p;

	size = (size + ALIGN - 1) / ALIGN * ALIGN;
	if (!b || b->size - b->used < size)
		b = arena_next_block(a, size);
	p = b->mem + b->used;
	b->used += size;
	return memset(p, 0, size);
}

void arena_release(struct arena *a)
{
	for (size_t i = 0; i < a->nr; i++)
		free(a->blocks[i].mem);
	free(a->blocks);
	*a = (struct arena){0};
}

void arena_save(const struct arena *a, struct arena_copy *c)
{
	size_t n = 0;

	*c = (struct arena_copy){ .at = a->at };
	for (size_t i = 0; i < a->nr && i <= a->at; i++)
		c->len += a->blocks[i].used;
	c->mem = xmalloc(c->len + 1);
	c->used = xcalloc(a->at + 1, sizeof(*c->used));
	for (size_t i = 0; i < a->nr && i <= a->at; i++) {
		c->used[i] = a->blocks[i].used;
		memcpy(c->mem + n, a->blocks[i].mem, c->used[i]);
		n += c->used[i];
	}
}

void arena_restore(struct arena *a, const struct arena_copy *c)
{
	size_t n = 0;

	a->at = c->at;
	for (size_t i = 0; i < a->nr && i <= a->at; i++) {
		a->blocks[i].used = c->used[i];
		memcpy(a->blocks[i].mem, c->mem + n, c->used[i]);
		n += c->used[i];
	}
}

void arena_copy_release(struct arena_copy *c)
{
	free(c->mem);
	free(c->used);
	*c = (struct arena_copy){0};
}
