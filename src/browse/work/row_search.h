/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Searches for the next row of some kind, forward or backward, and for the ends of spans, in jobs.
 */
#ifndef FTR_BROWSE_WORK_ROW_SEARCH_H
#define FTR_BROWSE_WORK_ROW_SEARCH_H

#include "browse/work/background_job.h"
#include "browse/work/block_index.h"
#include "output/rows/text_rows.h"

enum find_kind { FIND_TEXT, FIND_TASK, FIND_CPU, FIND_EVENT, FIND_LOSS, FIND_WAKER };

struct row_search {
	/* the search */
	enum find_kind kind;
	bool  backward;
	bool  wraps;			/* the search continues at the other end */
	char *text;			/* FIND_TEXT; owned */
	bool  exact;			/* case-sensitive */
	bool  here;			/* forward: includes the start row */
	struct text_row like;		/* the start row, with its task, CPU and event */
	uint64_t first, last;		/* first and last time of the files, for the percentage */
	/* not for FIND_TEXT: blocks without a match are skipped by ->index; NULL: no index */
	const struct block_index *index;	/* of files whose times are in order; borrowed */
	struct trace *const *traces;
	size_t nr_traces;
	const struct out_range *range;
	const struct out_match *which;	/* for the rows; for FIND_WAKER that of find_waking() */
	struct text_rows *rows;		/* owned; not those of the main thread */
	/* the result, valid when the job has ended */
	bool  found, wrapped, stopped;
	struct row_place at;
};

/*
 * The match for FIND_WAKER: the records of @under that may wake the task of @like. @w is borrowed
 * while rows are made.
 */
struct find_waking {
	struct index_want want;
	struct out_match under;
	void *before;			/* private: the ctx of ->under that was forked */
};
void find_waking(struct find_waking *w, const struct text_row *like, const struct out_match *under,
		 struct out_match *out);

/* A job_fn for job_start(); @ctx is the struct row_search. */
void find_run(struct background_job *j, void *ctx);
void find_release(struct row_search *f);
/* Returns the first @text in @len bytes, compared as for FIND_TEXT; NULL if there is none. */
const char *find_text(const char *p, size_t len, const char *text, bool exact);
/* Returns true if @text has a capital letter: the search is then case-sensitive. */
bool find_is_exact(const char *text);

/* --- the end of the span that a record starts, or the start of the one that it ends */

/* The spans of all files, read as far as needed. Only one thread may use it at a time. */
struct ends_source;
/* Returns NULL if there is no memory for another view of the files. */
struct ends_source *ends_source_new(struct trace *const *traces, size_t n,
				    const struct out_range *range);
void ends_source_free(struct ends_source *s);

struct ends_work {
	/* the request; ->source is borrowed, and nobody else may use it until the job has ended */
	struct ends_source *source;
	struct row_place from;		/* the record, by its place among the rows of all records */
	uint64_t first, last;		/* times of the files, for the percentage */
	/* the result, valid when the job has ended */
	bool stopped, found;
	const char *why;		/* why it was not found; static text */
	struct row_place at;
	uint64_t begin, end;		/* the times of the span */
	uint32_t file;			/* its task; the pid is -1 if it has none */
	int32_t  pid;
};

/* A job_fn for job_start(); @ctx is the struct ends_work. */
void ends_work_run(struct background_job *j, void *ctx);

#endif
