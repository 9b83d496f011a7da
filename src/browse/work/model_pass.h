/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One pass of the model over all records, in a thread beside the handling of keys. It makes the
 * data of the timeline.
 */
#ifndef FTR_BROWSE_WORK_MODEL_PASS_H
#define FTR_BROWSE_WORK_MODEL_PASS_H

#include "browse/work/background_job.h"
#include "model/index/lod_index.h"

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
