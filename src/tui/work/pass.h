/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One pass of the model over all records, in a thread beside the handling of keys. It makes the
 * data of the timeline.
 */
#ifndef FTR_TUI_PASS_H
#define FTR_TUI_PASS_H

#include "model/pyramid/pyramid.h"
#include "tui/work/job.h"

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

#endif
