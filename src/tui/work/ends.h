/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a span ends that begins with a record, or begins that ends with it. */
#ifndef FTR_TUI_ENDS_H
#define FTR_TUI_ENDS_H

#include "out/rows/rows.h"
#include "tui/work/job.h"

/* The spans of all files, read as far as it was needed; for one thread at a time. */
struct ends_source;
/* NULL: the files cannot be had once more (memory). */
struct ends_source *ends_source_new(struct trace *const *traces, size_t n,
				    const struct out_range *range);
void ends_source_free(struct ends_source *s);

struct ends_work {
	/* what is wanted; @source is borrowed, and nobody else's until the job has ended */
	struct ends_source *source;
	struct place from;		/* of a record, as of rows of all records */
	uint64_t first, last;		/* times of the files, for the percentage */
	/* the result, when the job has ended */
	bool stopped, found;
	const char *why;		/* it was not found: a text that stays */
	struct place at;
};

/* For job_start(). */
void ends_work_run(struct job *j, void *ctx);

#endif
