/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that can be put back as it was. What is allocated stays where it is, so that pointers from
 * inside to inside hold in a copy that is restored to the same place.
 */
#ifndef FTR_MODEL_ARENA_H
#define FTR_MODEL_ARENA_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed is empty. */
struct arena {
	struct arena_block {
		uint8_t *mem;
		size_t   size, used;
	} *blocks;
	size_t nr, cap;		/* blocks that there are */
	size_t at;		/* the one that is being filled */
};

struct arena_copy {
	uint8_t *mem;
	size_t   len;		/* bytes of ->mem */
	size_t  *used;		/* of each block */
	size_t   at;
};

/* Zeroed, aligned for anything; never NULL. */
void *arena_alloc(struct arena *a, size_t size);
void arena_release(struct arena *a);

void arena_save(const struct arena *a, struct arena_copy *c);
/* To what @a was at arena_save(), as often as wanted. */
void arena_restore(struct arena *a, const struct arena_copy *c);
void arena_copy_release(struct arena_copy *c);

#endif
