/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks, the data of a flame graph: call paths of named frames (struct folded_frame), from the
 * outermost frame inwards, each with numbers.
 */
#ifndef FTR_MODEL_FLAME_FOLDED_STACKS_H
#define FTR_MODEL_FLAME_FOLDED_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

#define WAYS_COLUMNS	2

/* A frame with its parents. Number 0 is the start of all paths and has no name. */
struct folded_frame {
	uint32_t parent, name;
	uint64_t value[WAYS_COLUMNS];	/* sums of the path that ends here */
	/* set by ways_sort() */
	uint64_t all[WAYS_COLUMNS];	/* the same, with all longer paths from here */
	uint32_t first, n;		/* private: the children */
};

struct folded_stacks;

struct folded_stacks *ways_new(void);
void ways_free(struct folded_stacks *w);
/* Returns the number of a name, never 0. The name is sanitised, and ';' becomes ':'. */
uint32_t ways_name(struct folded_stacks *w, const char *text, size_t len);
/* Returns the number of the path @from plus a frame of this name. */
uint32_t ways_step(struct folded_stacks *w, uint32_t from, uint32_t name);
/* Adds @value to @way. Sums saturate at UINT64_MAX. */
void ways_add(struct folded_stacks *w, uint32_t way, unsigned int column, uint64_t value);
/* Returns true if a path has a value in @column. */
bool ways_any(const struct folded_stacks *w, unsigned int column);
/* Returns a copy with all paths reversed. */
struct folded_stacks *ways_reverse(const struct folded_stacks *w);

/* Computes ->all, sorts paths by the bytes of their names, and drops those whose sums are all 0. */
void ways_sort(struct folded_stacks *w);
/* Returns the start of all paths, with the total sums. */
const struct folded_frame *ways_start(const struct folded_stacks *w);
const char *ways_text(const struct folded_stacks *w, const struct folded_frame *way);
/*
 * Calls @fn for each path in order, from depth 0 on, a frame before its children. If @fn returns
 * false the children are skipped.
 */
typedef bool (*way_fn)(void *ctx, const struct folded_frame *way, size_t depth);
void ways_visit(const struct folded_stacks *w, way_fn fn, void *ctx);
/*
 * Appends "a;b;c 12\n" for each path in order, with its first @columns numbers, if one of them is
 * not 0.
 */
void ways_fold(const struct folded_stacks *w, unsigned int columns, struct buf *out);

#endif
