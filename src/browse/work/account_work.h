/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accounts for the time of a task in an interval, in a job. */
#ifndef FTR_BROWSE_WORK_ACCOUNT_WORK_H
#define FTR_BROWSE_WORK_ACCOUNT_WORK_H

#include "base/mem.h"
#include "browse/work/background_job.h"
#include "trace/trace.h"

/* A line of the account. */
struct account_line {
	size_t   at, len;		/* in ->text of the work */
	uint64_t ts;			/* the start of its longest stay, or UINT64_MAX */
};

struct account_work {
	/* the request */
	struct trace *const *traces;
	size_t   nr_traces;
	uint64_t first, last;		/* times of the files, for the percentage */
	uint32_t file;
	int32_t  pid;
	uint64_t from, to;
	/* the result, valid when the job has ended */
	bool     stopped;
	const char *none;		/* why there are no lines; static text */
	struct buf text;
	struct account_line *lines;
	size_t   nr_lines, cap_lines;
	size_t   first_row;		/* index of the first line of a row */
};

/* A job_fn for job_start(); @ctx is the struct account_work. */
void account_work_run(struct background_job *j, void *ctx);
void account_work_release(struct account_work *w);

#endif
