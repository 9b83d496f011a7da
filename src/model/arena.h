/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory whose contents can be saved and restored. Allocations never move, so pointers between them
 * are valid again after a copy is restored to the same place.
 */
#ifndef FTR_MODEL_ARENA_H
#define FTR_MODEL_ARENA_H

#include <stddef.h>
#include <stdint.h>

/* A zeroed arena is empty. */
struct arena {
	struct arena_block {
		uint8_t *mem;
		size_t   size, used;	/* bytes */
	} *blocks;
	size_t nr, cap;		/* number of blocks */
	size_t at;		/* the block that is being filled */
};

struct arena_copy {
	uint8_t *mem;
	size_t   len;		/* bytes of ->mem */
	size_t  *used;		/* bytes in use of each block */
	size_t   at;
};

/* Returns zeroed memory, aligned for any type, valid until arena_release(). Never returns NULL. */
void *arena_alloc(struct arena *a, size_t size);
void arena_release(struct arena *a);

/* Copies the contents of @a to @c. The caller frees them with arena_copy_release(). */
void arena_save(const struct arena *a, struct arena_copy *c);
/* Restores the contents that @a had at arena_save(). A copy can be restored any number of times. */
void arena_restore(struct arena *a, const struct arena_copy *c);
void arena_copy_release(struct arena_copy *c);

#endif
