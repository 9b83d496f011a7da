/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers a query in SQL, in a job: its rows as the lines of a table. */
#ifndef FTR_BROWSE_WORK_QUERY_WORK_H
#define FTR_BROWSE_WORK_QUERY_WORK_H

#include <jansson.h>

#include "base/err.h"
#include "base/mem.h"
#include "browse/work/background_job.h"
#include "trace/trace.h"

#define QUERY_ROWS_MAX 10000

struct query_source;

/* A line of the table; a row has several if a value has. */
struct query_line {
	size_t   at, len;		/* in ->text of the work */
	uint64_t ts;			/* the value of the column ts, or UINT64_MAX */
};

struct query_work {
	/* the files as tables: made by the first query, kept for the next */
	struct query_source *source;
	/* the request */
	struct trace *const *traces;
	size_t   nr_traces;
	uint64_t first, last;		/* times of the files; a row of another time has none */
	bool     ascii;			/* the widths of values are those of such a screen */
	json_t *(*info)(struct trace *t);	/* see struct sql_options */
	char    *query;			/* owned */
	/* the result, valid when the job has ended */
	bool     failed, stopped;	/* failed: with ->err */
	struct ftr_error err;
	struct buf text;
	struct query_line *lines;	/* the first one has the names of the columns */
	size_t   nr_lines, cap_lines;
	size_t   nr_rows;
	bool     more;			/* the query has more rows than the lines */
};

/* A job_fn for job_start(); @ctx is the struct query_work. */
void query_work_run(struct background_job *j, void *ctx);
/* Releases the query and the result, before the next request. */
void query_work_clear(struct query_work *w);
/* Releases all, the source too. */
void query_work_release(struct query_work *w);

#endif
