/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the lines of the timeline in jobs. One pass of the model over all records makes the
 * level-of-detail index. The lines of a range of time are those of ftr timeline, made from the
 * index. Until it exists they only show the times with data.
 */
#ifndef FTR_BROWSE_WORK_TIMELINE_LANES_H
#define FTR_BROWSE_WORK_TIMELINE_LANES_H

#include "browse/work/background_job.h"
#include "model/index/lod_index.h"
#include "output/lanes/lanes_view.h"

struct lod_pass {
	struct trace *const *traces;
	size_t nr_traces;
	uint64_t first, last;		/* times of all files */
	/* the result, valid when the job has ended; NULL if it was stopped */
	struct lod_index *lod;
};

/* A job_fn for job_start(); @ctx is the struct lod_pass. */
void pass_run(struct background_job *j, void *ctx);
void pass_release(struct lod_pass *p);

struct lanes_work {
	/* the request */
	struct trace *const *traces;
	size_t nr_traces;
	const struct lod_index *lod;	/* the index; NULL: it does not exist yet */
	uint64_t from, to;		/* both included */
	unsigned int width;		/* columns of the screen */
	enum timeline_sort sort;
	bool ascii;
	/* the result, valid when the job has ended */
	bool whole;			/* the job was not stopped */
	bool known;			/* there was a sched_switch, or that is not known yet */
	struct buf text;
	struct timeline_lines lines;
	uint32_t columns;
	uint64_t records;		/* records read for it */
};

/* A job_fn for job_start(); @ctx is the struct lanes_work. */
void lanes_work_run(struct background_job *j, void *ctx);
void lanes_work_release(struct lanes_work *w);

#endif
