/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a synthetic event or a histogram for a while and collects its results. */
#ifndef FTR_RECORD_SYNTH_RUN_H
#define FTR_RECORD_SYNTH_RUN_H

#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "tracefs/session/session.h"
#include "tracefs/verbs/synth_event.h"

struct synth_run {
	const struct synth_plan *plan;
	uint64_t duration_ns;		/* 0 if until a signal or the command's end */
	char *const *argv;		/* the command, NULL if none */
	void (*begun)(void);		/* called when it is set up; may be NULL */

	/* The results: the kernel's texts without their heads. ->data is NULL if not requested. */
	struct buf events;		/* synthetic events that fired */
	struct buf hist;		/* the whole hist file of ->hist_event */
	const char *hist_event;	/* "system/event" of the trigger with save(), or of the only one */
	uint64_t ran_ns;
	struct buf snapshot;
	uint64_t lost;			/* events lost, as the buffer was full */
	int status;			/* exit status of the command */
};

/*
 * Runs @r in a private instance. The session removes first that, then the event. Returns 0, or -1
 * with @err if it failed; the command is then killed.
 */
int synth_run(struct session *s, struct synth_run *r, struct ftr_error *err);
void synth_run_release(struct synth_run *r);

#endif
