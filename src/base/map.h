/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hash map from u64 to a pointer-sized value: comms by pid, formats by id, symbols by address. */
#ifndef FTR_BASE_MAP_H
#define FTR_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot {
	uint64_t key;
	void    *val;
	bool     used;
};

/* Zeroed is empty. Values are borrowed; entries are not removed one by one. */
struct map {
	struct map_slot *slots;
	size_t n, cap;			/* cap is 0 or a power of two */
};

void map_release(struct map *m);
void *map_get(const struct map *m, uint64_t key);	/* NULL when absent */
/* Sets; returns the value that was there, or NULL. @val must not be NULL. */
void *map_put(struct map *m, uint64_t key, void *val);

#endif
