/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of text of the records around any time, made by a sink that prints lines. Rows are made on
 * demand, a slice of time at once, and the last slices are kept. For one thread; several threads
 * may have rows of the same files.
 *
 * A place is a time, and the number of a record among those of that time in merged order. It has
 * 16 bytes. It does not depend on the selection of records or on the slice in which the row was
 * made, so a selected row stays the same. Iterator positions in each CPU's data (struct
 * trace_places) would need as many words for each row as there are CPUs, and change with the
 * selection of CPUs. If times in a file are out of order, the time of a row is raised to that of
 * the rows before it in its slice.
 */
#ifndef FTR_OUTPUT_ROWS_TEXT_ROWS_H
#define FTR_OUTPUT_ROWS_TEXT_ROWS_H

#include "output/pipeline.h"

#define ROWS_KEPT	64		/* slices, at most */
#define ROWS_KEPT_BYTES (8u << 20)	/* bytes of these together, roughly */
#define ROWS_BORROWED	4		/* slices kept, whatever their size */
#define ROWS_SLICE_BYTES (64u << 10)	/* raw data of a slice, roughly */

struct row_place {
	uint64_t ts;
	uint32_t seq;		/* number of the record among those of that time */
	uint32_t line;		/* line in the text of the record: a stack has several */
};

struct text_row {
	struct row_place at;
	size_t   text, len;	/* in the slice's text, without the newline */
	int32_t  pid;
	int32_t  cpu;
	uint16_t file, type;
	bool     is_loss;
};

/* Rows of since <= ts < until. */
struct rows_slice {
	uint64_t since, until;
	struct text_row *v;
	size_t   n, cap;
	struct buf text;
	uint64_t used;		/* private: number of the last use */
};

struct rows_opts {
	struct out_opts opts;
	const struct out_ops *ops;
	struct out_range range;		/* CPUs and times; borrowed */
	const struct out_match *which;	/* NULL: all records; borrowed while rows are made */
};

struct text_rows;
/* Returns NULL if there is no memory for another view of the files. Free with rows_free(). */
struct text_rows *rows_new(struct trace *const *traces, size_t n, const struct rows_opts *o);
void rows_free(struct text_rows *r);

/*
 * Sets the time (CLOCK_MONOTONIC, ns) after which rows_slice_after() and rows_slice_before() make
 * no new slice, as the next shown record may be far away. Slices made so far are returned without a
 * delay, also later.
 */
void rows_set_deadline(struct text_rows *r, uint64_t ns);
/* Returns true if a slice was not made because of the deadline. */
bool rows_are_late(const struct text_rows *r);

/*
 * Return the slice that contains a time, the next and the previous slice; NULL if there is none or
 * if rows_are_late(). A slice is borrowed until ROWS_BORROWED - 2 others were requested. It may
 * have no rows; adjacent slices without rows become one.
 */
const struct rows_slice *rows_slice_at(struct text_rows *r, uint64_t ts);
const struct rows_slice *rows_slice_after(struct text_rows *r, const struct rows_slice *s);
const struct rows_slice *rows_slice_before(struct text_rows *r, const struct rows_slice *s);
/* Returns the index of the row at @p, or of the first row after it; ->n if there is none. */
size_t rows_find(const struct rows_slice *s, const struct row_place *p);
int place_compare(const struct row_place *a, const struct row_place *b);

/*
 * Calls @fn with the record at @p, borrowed. @fn may look at the next record of the CPU with
 * trace_iter_peek(). Returns false if there is no such record.
 */
bool rows_record(struct text_rows *r, const struct row_place *p,
		 void (*fn)(void *ctx, const struct trace_rec *rec, struct trace_iter *it),
		 void *ctx);

#endif
