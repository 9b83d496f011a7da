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
 * A zeroed map is empty. Values are borrowed. Single entries cannot be removed. The place of a key
 * in ->slots differs from process to process. Sort what you show after a walk of ->slots.
 */
struct map {
	struct map_slot *slots;
	size_t n, cap;			/* cap is 0 or a power of two */
};

void map_release(struct map *m);
void *map_get(const struct map *m, uint64_t key);	/* NULL when absent */
/* Sets; returns the value that was there, or NULL. @val must not be NULL. */
void *map_put(struct map *m, uint64_t key, void *val);
/* Adds 1 to the number stored under @key. For maps whose values are all numbers. */
void map_count(struct map *m, uint64_t key);

#endif
