/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Feeds all records of files to a model, in a job. */
#ifndef FTR_BROWSE_WORK_MODEL_PASS_H
#define FTR_BROWSE_WORK_MODEL_PASS_H

#include "browse/work/background_job.h"
#include "model/model.h"

/*
 * @first and @last are the times of the files, for the percentage. Returns false if the job was
 * stopped. The caller calls model_end().
 */
bool model_pass(struct model *m, struct background_job *j, struct trace *const *views, size_t n,
		uint64_t first, uint64_t last);

#endif
