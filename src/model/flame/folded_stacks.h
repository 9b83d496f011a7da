/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks, the data of a flame graph: call paths of named frames (struct folded_frame), from
 * the outermost frame inwards, each with numbers.
 */
#ifndef FTR_MODEL_FLAME_FOLDED_STACKS_H
#define FTR_MODEL_FLAME_FOLDED_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

#define FOLDED_COLUMNS	2

/* A frame with its parents. Number 0 is the start of all paths and has no name. */
struct folded_frame {
	uint32_t parent, name;
	uint64_t value[FOLDED_COLUMNS];	/* sums of the path that ends here */
	/* set by folded_sort() */
	uint64_t all[FOLDED_COLUMNS];	/* the same, with all longer paths from here */
	uint32_t first, n;		/* private: the children */
};

struct folded_stacks;

struct folded_stacks *folded_new(void);
void folded_free(struct folded_stacks *w);
/* Returns the number of a name, never 0. The name is sanitised, and ';' becomes ':'. */
uint32_t folded_add_name(struct folded_stacks *w, const char *text, size_t len);
/* Returns the number of the path @from plus a frame of this name. */
uint32_t folded_add_frame(struct folded_stacks *w, uint32_t from, uint32_t name);
/* Adds @value to @frame. Sums saturate at UINT64_MAX. */
void folded_add(struct folded_stacks *w, uint32_t frame, unsigned int column, uint64_t value);
/* Returns true if a path has a value in @column. */
bool folded_has_value(const struct folded_stacks *w, unsigned int column);
/* Returns a copy with all paths reversed. */
struct folded_stacks *folded_reverse(const struct folded_stacks *w);

/* Computes ->all, sorts paths by the bytes of their names, and drops those whose sums are all 0. */
void folded_sort(struct folded_stacks *w);
/* Returns the start of all paths, with the total sums. */
const struct folded_frame *folded_root(const struct folded_stacks *w);
const char *folded_frame_name(const struct folded_stacks *w, const struct folded_frame *frame);
/*
 * Calls @fn for each path in order, from depth 0 on, a frame before its children. If @fn returns
 * false the children are skipped.
 */
typedef bool (*folded_fn)(void *ctx, const struct folded_frame *frame, size_t depth);
void folded_visit(const struct folded_stacks *w, folded_fn fn, void *ctx);
/*
 * Appends "a;b;c 12\n" for each path in order, with its first @columns numbers, if one of them is
 * not 0.
 */
void folded_print(const struct folded_stacks *w, unsigned int columns, struct buf *out);

#endif
