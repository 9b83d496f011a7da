/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines that are put together column by column: report --fields, and the default line where more
 * than the default stands in it (--ts-diff, --boundary, -w); and tables of such columns as CSV.
 */
#ifndef FTR_OUT_COLUMNS_H
#define FTR_OUT_COLUMNS_H

#include "out/out.h"

#define COLUMNS_MAX 64

struct columns;

/*
 * "comm,pid,time,event,next_pid": names of columns, or of event fields. A name that is neither in
 * any event of any file is an error (FTR_USAGE). NULL on failure.
 */
struct columns *columns_parse(const char *list, struct trace *const *traces, size_t nr_traces,
			      struct ftr_error *err);
/* Names of columns that are no field of an event, NULL behind the last. */
const char *columns_known(size_t i);
void columns_free(struct columns *c);
/*
 * The sink for @c (NULL: the default line) and @opts: one that can't be used by several threads
 * where a line depends on the one before.
 */
const struct out_ops *columns_ops(const struct columns *c, const struct out_opts *opts);

/*
 * Append a time in another form; @with_date: the day before it. False: the file does not tell the
 * time of day, and nothing was added.
 */
bool times_add_day(struct buf *b, const struct trace *t, uint64_t ts, bool nanoseconds,
		   bool with_date);
/* "+0.000012": how far @ts is behind @zero, or before it. */
void times_add_since(struct buf *b, const struct trace *t, uint64_t zero, uint64_t ts,
		     bool nanoseconds);

#define CSV_COLUMNS "time,cpu,pid,comm,event,text"	/* where none are chosen */
/*
 * The same for a table by RFC 4180: ->opts.columns, which is @c, with a row of names first, and a
 * row a record. Losses have no row; ->losses counts them.
 */
const struct out_ops *csv_ops(const struct columns *c);

/* --- private: what csv.c is made of */

size_t columns_count(const struct columns *c);
const char *columns_name(const struct columns *c, size_t i);
/* Does a line depend on the one before? */
bool columns_ordered(const struct columns *c);
/* Whatever the values of one sink need. */
struct cells;
struct cells *cells_new(const struct out *o);
void cells_free(struct cells *x);
/*
 * Appends the bare value of column @i to o->buf, or nothing where there is none. A text is that of
 * the record alone: an entry of function_graph does not take its exit.
 */
void cells_add(struct cells *x, struct out *o, const struct trace_rec *r, const struct columns *c,
	       size_t i);

#endif
