/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the end of the span that a record begins, or the begin of the span that it ends. */
#ifndef FTR_BROWSE_WORK_SPAN_END_H
#define FTR_BROWSE_WORK_SPAN_END_H

#include "browse/work/background_job.h"
#include "output/rows/text_rows.h"

/* The spans of all files, read as far as needed. For one thread at a time. */
struct ends_source;
/* NULL if there is no memory for another view of the files. */
struct ends_source *ends_source_new(struct trace *const *traces, size_t n,
				    const struct out_range *range);
void ends_source_free(struct ends_source *s);

struct ends_work {
	/* the request; ->source is borrowed, and nobody else may use it until the job has ended */
	struct ends_source *source;
	struct place from;		/* of the record, among the rows of all records */
	uint64_t first, last;		/* times of the files, for the percentage */
	/* the result, valid when the job has ended */
	bool stopped, found;
	const char *why;		/* why it was not found; static text */
	struct place at;
};

/* For job_start(). */
void ends_work_run(struct job *j, void *ctx);

#endif
