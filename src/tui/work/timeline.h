/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of the timeline of a range of time, made beside the keys: those of ftr timeline out of
 * the pyramid, or, until it is there, where there is data.
 */
#ifndef FTR_TUI_TIMELINE_H
#define FTR_TUI_TIMELINE_H

#include "model/pyramid/pyramid.h"
#include "out/lanes/lanes.h"
#include "tui/work/job.h"

struct lanes_work {
	/* what is wanted */
	struct trace *const *traces;
	size_t nr_traces;
	const struct pyramid *pyramid;	/* NULL: not there yet */
	uint64_t from, to;		/* both included */
	unsigned int width;		/* columns of the screen */
	enum timeline_sort sort;
	bool ascii;
	/* the result, when the job has ended */
	bool whole;			/* it was not stopped */
	bool known;			/* there was a sched_switch, or that is not known yet */
	struct buf text;
	struct timeline_lines lines;
	uint32_t columns;
	uint64_t records;		/* that were read for it */
};

/* For job_start(). */
void lanes_work_run(struct job *j, void *ctx);
void lanes_work_release(struct lanes_work *w);

#endif
