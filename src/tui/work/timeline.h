/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of ftr timeline of a range of time, made beside the keys. */
#ifndef FTR_TUI_TIMELINE_H
#define FTR_TUI_TIMELINE_H

#include "out/lanes/lanes.h"
#include "tui/job.h"

struct lanes_work {
	/* what is wanted */
	struct trace *const *traces;
	size_t nr_traces;
	uint64_t from, to;		/* both included */
	unsigned int width;		/* columns of the screen */
	enum timeline_sort sort;
	bool ascii;
	/* the result, when the job has ended */
	bool whole;			/* it was not stopped */
	bool known;			/* there was a sched_switch */
	struct buf text;
	size_t column;			/* in which the lanes begin */
	uint32_t columns;
};

/* For job_start(). */
void lanes_work_run(struct job *j, void *ctx);
void lanes_work_release(struct lanes_work *w);

#endif
