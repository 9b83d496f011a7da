/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The level-of-detail index keeps the states of all tasks and CPUs of a file over time, from one
 * pass over its records. The lanes of any range can then be made without another pass. Each task
 * and CPU has a row with sums for buckets of time (lod_priv.h). If a column starts or ends inside
 * of a bucket, the records of that bucket are read.
 *
 * The lanes are the same as if the pass itself had filled them, with each interval cut to the
 * range. This is so if times of records are in order. If they are not, states next to the records
 * that are read may differ.
 */
#ifndef FTR_MODEL_INDEX_LOD_INDEX_H
#define FTR_MODEL_INDEX_LOD_INDEX_H

#include "model/state_lanes.h"

struct lod_index;

/*
 * Makes an index for times from @first to @last. A bucket is 2^@shift units of time, or more if the
 * range would have too many buckets.
 */
struct lod_index *lod_index_new(uint64_t first, uint64_t last, unsigned int shift);
/* Add states and gaps; call them from span_ops of the pass. */
void lod_index_stayed(struct lod_index *p, const struct task *t, uint64_t from, uint64_t to);
void lod_index_cpu_stayed(struct lod_index *p, const struct model_cpu *c, uint64_t from,
			  uint64_t to);
void lod_index_topped(struct lod_index *p, const struct model_cpu *c, uint64_t from, uint64_t to);
void lod_index_gap(struct lod_index *p, const struct model_cpu *c, const struct task *t,
		   uint64_t from, uint64_t to);
void lod_index_top_gap(struct lod_index *p, const struct model_cpu *c, uint64_t from, uint64_t to);
/*
 * Completes the index. Call it after model_end(). The index does not use @m afterwards, and is
 * constant from then on.
 */
void lod_index_end(struct lod_index *p, const struct model *m);
void lod_index_free(struct lod_index *p);
/* Returns the length of a bucket in units of time. */
uint64_t lod_index_bucket(const struct lod_index *p);
/* Returns true if the states of tasks and CPUs of any file are known. */
bool lod_index_has_states(const struct lod_index *p);

/* --- lanes of a range; an index may have any number of fills at a time */

struct lod_fill;

/* Borrows @p and @l. The range is that of @l, as given to lanes_new(). */
struct lod_fill *lod_fill_new(const struct lod_index *p, struct state_lanes *l,
			      uint64_t from, uint64_t to);
/* The span_ops for model_new() with the fill as ctx, and with the files and options of the pass. */
extern const struct span_ops lod_fill_ops;
/* Feeds all records of the files with @since <= ts < @until to @m. Returns false if stopped. */
typedef bool (*lod_read_fn)(void *ctx, struct model *m, uint64_t since, uint64_t until);
/*
 * Fills the lanes, and the new model @m with tasks and CPUs: names, and times within the range.
 * Returns false if @read was stopped. The caller must not feed or end @m.
 */
bool lod_fill_run(struct lod_fill *f, struct model *m, lod_read_fn read, void *ctx);
/* Returns true if the task existed during the range, and was not dead all the time. */
bool lod_fill_has(const struct lod_fill *f, const struct task *t);
void lod_fill_free(struct lod_fill *f);

#endif
