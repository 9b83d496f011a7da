/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one task or CPU did over all the time of a file, in little memory: how long it was in each
 * state within a leaf, which is 2^shift units of time, and in which one at the leaf's end. Where
 * nothing changes a leaf has no entry. Above the leaves are levels of entries of 8 nodes each of
 * the level below, as long as there are many. What something does is a number, the user's.
 */
#ifndef FTR_MODEL_INDEX_LOD_ROW_H
#define FTR_MODEL_INDEX_LOD_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The leaves of all strips; times are from @first to @last. */
struct strip_scale {
	uint64_t first, last;
	unsigned int shift;
};

struct strip_time {
	uint32_t what;
	uint64_t time;
};

/* Sums by what was done, in the order of the first appearance. */
struct strip_tally {
	struct strip_time *v;
	size_t n, cap;
	/* private: where each stands, to find it at once */
	struct strip_spot {
		uint32_t turn, at;
	} *spots;
	size_t nr_spots;
	uint32_t turn;
};

/* Zeroed is empty. */
struct strip {
	uint64_t begin, done;		/* all that is known is of the time between */
	bool     started;
	/* private */
	bool     has_entry;
	uint32_t what, end;		/* that came last; at the end of the last entry */
	uint64_t leaf;			/* that is being filled */
	struct strip_time *v;
	size_t   n, cap;
	struct strip_level *levels;
	size_t   nr_levels;
};

typedef void (*strip_fn)(void *ctx, uint32_t what, uint64_t from, uint64_t to);

/* The leaf of a time; the time at which one begins, UINT64_MAX behind the last one. */
uint64_t strip_leaf(const struct strip_scale *c, uint64_t ts);
uint64_t strip_leaf_begin(const struct strip_scale *c, uint64_t leaf);
/* How many leaves there are. */
uint64_t strip_leaves(const struct strip_scale *c);

/* It did @what; times that came already do not again. */
void strip_add(struct strip *s, const struct strip_scale *c, uint32_t what, uint64_t from,
	       uint64_t to);
/* For long, or for ever, nothing is added: takes no more memory than it needs. */
void strip_rest(struct strip *s);
/* All was added: makes the levels above. @t is for work, and any number of strips. */
void strip_end(struct strip *s, const struct strip_scale *c, struct strip_tally *t);
/*
 * What it did in leaves from @a on and before @b, in the order of time. Where something changes,
 * times within a node are made up, but not their sums, nor the order of first appearance.
 */
void strip_walk(const struct strip *s, const struct strip_scale *c, uint64_t a, uint64_t b,
		strip_fn fn, void *ctx);
/* What it does at the begin of a leaf, before what happens then; false: it is not there yet. */
bool strip_at(const struct strip *s, uint64_t leaf, uint32_t *what);
void strip_release(struct strip *s);

void strip_tally_add(struct strip_tally *t, uint32_t what, uint64_t time);
void strip_tally_release(struct strip_tally *t);

#endif
