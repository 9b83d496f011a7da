/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording, from the plan of a command line to the finished file. */
#ifndef FTR_RECORD_RECORDING_H
#define FTR_RECORD_RECORDING_H

#include "base/err.h"
#include "base/mem.h"
#include "record/setup/plan.h"

/* The texts to print at the end. */
struct record_result {
	struct buf summary;		/* "trace.dat: 2 CPUs, ..."; empty if no file was written */
	struct buf advice;	/* advice if events were lost (a larger buffer); else empty */
	uint64_t ns;			/* duration of the recording */
};

/*
 * Runs a recording. Tracefs is always restored when this returns, unless p->keep. Returns the exit
 * status of the command (128+n if a signal ended it), 0 if there is none. If @err is set, it
 * returns err->code: 125 to 127 if the command did not run, FTR_DAMAGED if data could not be
 * written. record_result_release() frees @res.
 */
int record_run(const struct rec_plan *p, struct record_result *res, struct ftr_error *err);
void record_result_release(struct record_result *res);

#endif
