/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Feeds all records of files to a model, in a job. */
#include "browse/work/model_pass.h"

bool model_pass(struct model *m, struct background_job *j, struct trace *const *views, size_t n,
		uint64_t first, uint64_t last)
{
	struct trace_iter *it = trace_iter_new(views, n, NULL);
	const struct trace_rec *r;
	uint32_t read = 0;
	bool whole = true;

	while (whole && (r = trace_iter_next(it))) {
		model_feed(m, r);
		if (++read % JOB_LOOK_EVERY == 0)
			whole = job_goes_on(j, first, last, r->ts);
	}
	trace_iter_free(it);
	return whole;
}
