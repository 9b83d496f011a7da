/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks, the data of a flame graph: call paths of named frames (struct way), from the
 * outermost frame inwards, each with numbers.
 */
#ifndef FTR_MODEL_FLAME_FOLDED_STACKS_H
#define FTR_MODEL_FLAME_FOLDED_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

#define WAYS_COLUMNS	2

/* A frame with its parents. Number 0 is the start of all paths and has no name. */
struct way {
	uint32_t parent, name;
	uint64_t value[WAYS_COLUMNS];	/* sums of the path that ends here */
	/* set by ways_sort() */
	uint64_t all[WAYS_COLUMNS];	/* the same, with all longer paths from here */
	uint32_t first, n;		/* private: the children */
};

struct ways;

struct ways *ways_new(void);
void ways_free(struct ways *w);
/* Returns the number of a name, never 0. The name is sanitised, and ';' becomes ':'. */
uint32_t ways_name(struct ways *w, const char *text, size_t len);
/* Returns the number of the path @from plus a frame of this name. */
uint32_t ways_step(struct ways *w, uint32_t from, uint32_t name);
/* Adds @value to @way. Sums saturate at UINT64_MAX. */
void ways_add(struct ways *w, uint32_t way, unsigned int column, uint64_t value);
/* Returns true if a path has a value in @column. */
bool ways_any(const struct ways *w, unsigned int column);
/* Returns a copy with all paths reversed. */
struct ways *ways_reverse(const struct ways *w);

/* Computes ->all, sorts paths by the bytes of their names, and drops those whose sums are all 0. */
void ways_sort(struct ways *w);
/* Returns the start of all paths, with the total sums. */
const struct way *ways_start(const struct ways *w);
const char *ways_text(const struct ways *w, const struct way *way);
/*
 * Calls @fn for each path in order, from depth 0 on, a frame before its children. If @fn returns
 * false the children are skipped.
 */
typedef bool (*way_fn)(void *ctx, const struct way *way, size_t depth);
void ways_visit(const struct ways *w, way_fn fn, void *ctx);
/*
 * Appends "a;b;c 12\n" for each path in order, with its first @columns numbers, if one of them is
 * not 0.
 */
void ways_fold(const struct ways *w, unsigned int columns, struct buf *out);

#endif
