/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes lines from columns: for report --fields, and for the default line with additions
 * (--ts-diff, --boundary, -w). Also writes such columns as CSV.
 */
#ifndef FTR_OUTPUT_LINE_COLUMNS_H
#define FTR_OUTPUT_LINE_COLUMNS_H

#include "output/pipeline.h"

#define COLUMNS_MAX 64

struct line_columns;

/*
 * Parses "comm,pid,time,event,next_pid": names of columns or of event fields. Returns NULL with
 * @err (FTR_USAGE) if a name is no column, and no event of any file has such a field.
 */
struct line_columns *columns_parse(const char *list, struct trace *const *traces, size_t nr_traces,
				   struct ftr_error *err);
/* Returns name @i of the columns that are not event fields; NULL after the last. */
const char *columns_known(size_t i);
void columns_free(struct line_columns *c);
/*
 * Returns the sink for @c (NULL: the default line) and @opts. It is for one thread only if a line
 * depends on the line before.
 */
const struct out_ops *columns_ops(const struct line_columns *c, const struct out_opts *opts);

/*
 * Appends @ts as time of day, with the date before it if @with_date. Returns false, with nothing
 * appended, if the file lacks the time of day.
 */
bool times_add_day(struct buf *b, const struct trace *t, uint64_t ts, bool nanoseconds,
		   bool with_date);
/* Appends the signed difference of @ts and @zero: "+0.000012". */
void times_add_since(struct buf *b, const struct trace *t, uint64_t zero, uint64_t ts,
		     bool nanoseconds);

#define CSV_COLUMNS "time,cpu,pid,comm,event,text"	/* the default columns */
/*
 * Returns the sink for a table as in RFC 4180, with the columns @c, which must also be
 * ->opts.columns: a row of names first, then a row for each record. Losses have no row; ->losses
 * counts them.
 */
const struct out_ops *csv_ops(const struct line_columns *c);

/* --- private: for csv.c */

size_t columns_count(const struct line_columns *c);
const char *columns_name(const struct line_columns *c, size_t i);
/* Returns true if a line depends on the line before. */
bool columns_ordered(const struct line_columns *c);
/* The state that the values of one sink need. */
struct column_state;
struct column_state *cells_new(const struct out_state *o);
void cells_free(struct column_state *x);
/*
 * Appends the value of column @i to o->buf, or nothing if the record lacks it. A text is that of
 * the record alone: a function_graph entry is not joined with its exit.
 */
void cells_add(struct column_state *x, struct out_state *o, const struct trace_rec *r,
	       const struct line_columns *c, size_t i);

#endif
