/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ways through named frames, from the outermost in, each with numbers: what a flame graph shows. */
#ifndef FTR_MODEL_WAYS_H
#define FTR_MODEL_WAYS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

#define WAYS_COLUMNS	2

/* A frame, and by its parents the way to it. Number 0 is where all ways begin: it has no name. */
struct way {
	uint32_t parent, name;
	uint64_t value[WAYS_COLUMNS];	/* of what ends here */
	/* after ways_sort() */
	uint64_t all[WAYS_COLUMNS];	/* the same with all that goes on from here */
	uint32_t first, n;		/* those that go on from here: private */
};

struct ways;

struct ways *ways_new(void);
void ways_free(struct ways *w);
/* The number of a name, never 0. It is sanitised, and has ':' for ';'. */
uint32_t ways_name(struct ways *w, const char *text, size_t len);
/* The number of the way that goes on from @from to a frame of this name. */
uint32_t ways_step(struct ways *w, uint32_t from, uint32_t name);
/* Adds to what ends at @way; sums stop at UINT64_MAX. */
void ways_add(struct ways *w, uint32_t way, unsigned int column, uint64_t value);
/* The same ways from their ends to their begins. */
struct ways *ways_reverse(const struct ways *w);

/* Sums up, and puts ways in the order of their names' bytes. Those that lead to 0 alone go. */
void ways_sort(struct ways *w);
/* The sum of all: ways begin there. */
const struct way *ways_start(const struct ways *w);
const char *ways_text(const struct ways *w, const struct way *way);
/*
 * Calls @fn for each way in order, from depth 0 on, a frame before those that go on from it; these
 * are left out where it returns false.
 */
typedef bool (*way_fn)(void *ctx, const struct way *way, size_t depth);
void ways_visit(const struct ways *w, way_fn fn, void *ctx);
/*
 * Appends "a;b;c 12\n" for each way of which one of the first @columns numbers is not 0, in order;
 * those numbers behind it.
 */
void ways_fold(const struct ways *w, unsigned int columns, struct buf *out);

#endif
