/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hash map from u64 to a pointer-sized value: comms by pid, formats by id, symbols by address. */
#ifndef FTR_BASE_MAP_H
#define FTR_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct map_slot {
	uint64_t key;
	void    *val;			/* NULL: nothing is here */
};

/*
 * Zeroed is empty. Values are borrowed; entries are not removed one by one. Where a key lies in
 * ->slots is another place in each process: who walks them sorts what is to be shown.
 */
struct map {
	struct map_slot *slots;
	size_t n, cap;			/* cap is 0 or a power of two */
};

void map_release(struct map *m);
void *map_get(const struct map *m, uint64_t key);	/* NULL when absent */
/* Sets; returns the value that was there, or NULL. @val must not be NULL. */
void *map_put(struct map *m, uint64_t key, void *val);
/* Adds 1 to what stands under @key as a number. For maps that only have numbers. */
void map_count(struct map *m, uint64_t key);

#endif
