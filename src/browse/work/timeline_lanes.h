/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the lines of the timeline of a range of time in a thread beside the handling of keys. They
 * are those of ftr timeline, made from the pyramid. Until that exists they only show where there is
 * data.
 */
#ifndef FTR_BROWSE_WORK_TIMELINE_LANES_H
#define FTR_BROWSE_WORK_TIMELINE_LANES_H

#include "browse/work/background_job.h"
#include "model/index/lod_index.h"
#include "output/lanes/lanes_view.h"

struct pass {
	struct trace *const *traces;
	size_t nr_traces;
	uint64_t first, last;		/* times of all files */
	/* the result, valid when the job has ended; NULL if it was stopped */
	struct pyramid *pyramid;
};

/* For job_start(). */
void pass_run(struct job *j, void *ctx);
void pass_release(struct pass *p);

struct lanes_work {
	/* the request */
	struct trace *const *traces;
	size_t nr_traces;
	const struct pyramid *pyramid;	/* NULL: it does not exist yet */
	uint64_t from, to;		/* both included */
	unsigned int width;		/* columns of the screen */
	enum timeline_sort sort;
	bool ascii;
	/* the result, valid when the job has ended */
	bool whole;			/* it was not stopped */
	bool known;			/* there was a sched_switch, or it is not known yet */
	struct buf text;
	struct timeline_lines lines;
	uint32_t columns;
	uint64_t records;		/* records read for it */
};

/* For job_start(). */
void lanes_work_run(struct job *j, void *ctx);
void lanes_work_release(struct lanes_work *w);

#endif
