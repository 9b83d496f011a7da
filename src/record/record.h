/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One recording from the command line's plan to the finished file. */
#ifndef FTR_RECORD_RECORD_H
#define FTR_RECORD_RECORD_H

#include "base/err.h"
#include "base/mem.h"
#include "record/plan/plan.h"

/* What is left to say at the end. */
struct record_result {
	struct buf summary;		/* "trace.dat: 2 CPUs, ..."; empty: no file was written */
	struct buf advice;		/* after lost events: a larger buffer; else empty */
	uint64_t ns;			/* how long it recorded */
};

/*
 * Runs it; tracefs is as before when this returns, whatever happened (but for p->keep). Returns
 * the exit status: the command's (128+n for a signal), 0 without a command; when @err is set
 * its code, which is 125 to 127 when the command did not run, FTR_DAMAGED when data could not
 * be written.
 */
int record_run(const struct rec_plan *p, struct record_result *res, struct ftr_error *err);
void record_result_release(struct record_result *res);

#endif
