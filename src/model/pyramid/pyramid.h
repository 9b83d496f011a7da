/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all tasks and CPUs of a file did over time, kept in one pass over its records, so that the
 * lanes of any range are made without reading all of them again. A strip (strip.h) of each has the
 * sums of leaves of time; where a column of lanes begins or ends inside of a leaf, the records of
 * that leaf are read.
 *
 * The lanes are those that the pass itself would have filled, with each interval cut to the range.
 * This holds where times of records are in order; a file where they are not may show other states
 * next to where records are read.
 */
#ifndef FTR_MODEL_PYRAMID_H
#define FTR_MODEL_PYRAMID_H

#include "model/lanes.h"

struct pyramid;

/*
 * For times from @first to @last. A leaf is 2^@shift units of time, or more where the range would
 * have too many.
 */
struct pyramid *pyramid_new(uint64_t first, uint64_t last, unsigned int shift);
/* For span_ops of the pass. */
void pyramid_stayed(struct pyramid *p, const struct task *t, uint64_t from, uint64_t to);
void pyramid_cpu_stayed(struct pyramid *p, const struct model_cpu *c, uint64_t from, uint64_t to);
void pyramid_topped(struct pyramid *p, const struct model_cpu *c, uint64_t from, uint64_t to);
void pyramid_gap(struct pyramid *p, const struct model_cpu *c, const struct task *t, uint64_t from,
		 uint64_t to);
void pyramid_top_gap(struct pyramid *p, const struct model_cpu *c, uint64_t from, uint64_t to);
/* Behind model_end(): it is whole, and needs @m no more. Nobody changes it from now on. */
void pyramid_end(struct pyramid *p, const struct model *m);
void pyramid_free(struct pyramid *p);
/* How long a leaf is. */
uint64_t pyramid_leaf(const struct pyramid *p);
/* Is it known of any file what tasks and CPUs did? */
bool pyramid_has_states(const struct pyramid *p);

/* --- lanes of a range; any number at a time of one pyramid */

struct pyramid_fill;

/* Borrows both. The range is that of @l, as given to lanes_new(). */
struct pyramid_fill *pyramid_fill_new(const struct pyramid *p, struct lanes *l, uint64_t from,
				      uint64_t to);
/* For model_new(), with the fill as ctx: the files of the pass, the same options. */
extern const struct span_ops pyramid_fill_ops;
/* Feeds all records @since <= ts < @until of the files to @m; false: stopped. */
typedef bool (*pyramid_read_fn)(void *ctx, struct model *m, uint64_t since, uint64_t until);
/*
 * Fills the lanes, and @m, which is new, with tasks and CPUs: names, times within the range. False:
 * @read was stopped. @m is not to be fed or ended by anybody else.
 */
bool pyramid_fill_run(struct pyramid_fill *f, struct model *m, pyramid_read_fn read, void *ctx);
/* Was this task there at some time of the range, and not dead? */
bool pyramid_fill_has(const struct pyramid_fill *f, const struct task *t);
void pyramid_fill_free(struct pyramid_fill *f);

#endif
