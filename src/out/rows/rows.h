/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of text of the records around any time, by a sink that prints lines. They are made a slice
 * of time at once, when they are asked for; the last slices are kept. For one thread, but several
 * may have rows of the same files.
 *
 * A place is a time and which of the records of that time, as they are merged; it is the same
 * whatever else is shown. Where times in a file are out of order, that of a row is not below those
 * before it in its slice.
 */
#ifndef FTR_OUT_ROWS_H
#define FTR_OUT_ROWS_H

#include "out/out.h"

#define ROWS_KEPT	64		/* slices, at most */
#define ROWS_KEPT_BYTES (8u << 20)	/* of these together, about */
#define ROWS_BORROWED	4		/* so many are kept, whatever they take */
#define ROWS_SLICE_BYTES (64u << 10)	/* of raw data in a slice, about */

struct place {
	uint64_t ts;
	uint32_t seq;		/* which record of that time */
	uint32_t line;		/* of its text: a stack has several */
};

struct row {
	struct place at;
	size_t   text, len;	/* in the slice's text, without the newline */
	int32_t  pid;
	int32_t  cpu;
	uint16_t file, type;
	bool     is_loss;
};

/* Rows of since <= ts < until. */
struct rows_slice {
	uint64_t since, until;
	struct row *v;
	size_t   n, cap;
	struct buf text;
	uint64_t used;		/* private */
};

struct rows_opts {
	struct out_opts opts;
	const struct out_ops *ops;
	struct out_range range;		/* CPUs and times; borrowed */
	const struct out_match *which;	/* NULL: all records; borrowed while rows are made */
};

struct rows;
/* NULL: the files cannot be had once more (memory). */
struct rows *rows_new(struct trace *const *traces, size_t n, const struct rows_opts *o);
void rows_free(struct rows *r);

/*
 * From now on no slice is made beside another after this time (CLOCK_MONOTONIC, ns): where few
 * records are shown they may be far away. What is made already is had at once, also next time.
 */
void rows_set_deadline(struct rows *r, uint64_t ns);
/* Was a slice not made since then? */
bool rows_are_late(const struct rows *r);

/*
 * The slice that has a time, and those beside one: NULL where there are none, or rows_are_late().
 * A slice is borrowed while ROWS_BORROWED - 2 others are asked for. It may have no rows; those
 * without that lie side by side are one.
 */
const struct rows_slice *rows_slice_at(struct rows *r, uint64_t ts);
const struct rows_slice *rows_slice_after(struct rows *r, const struct rows_slice *s);
const struct rows_slice *rows_slice_before(struct rows *r, const struct rows_slice *s);
/* The row of the slice at @p, or the first one behind it; ->n if there is none. */
size_t rows_find(const struct rows_slice *s, const struct place *p);
int place_compare(const struct place *a, const struct place *b);

/*
 * Hands out the record at a place, of which @fn borrows all, and which may look at the next one of
 * the CPU by trace_iter_peek(); false if there is none.
 */
bool rows_record(struct rows *r, const struct place *p,
		 void (*fn)(void *ctx, const struct trace_rec *rec, struct trace_iter *it),
		 void *ctx);

#endif
