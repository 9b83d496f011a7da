/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lets a synthetic event or a histogram live for a while, and takes what it saw. */
#ifndef FTR_RECORD_SYNTH_RUN_H
#define FTR_RECORD_SYNTH_RUN_H

#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "tracefs/session/session.h"
#include "tracefs/verbs/synth.h"

struct synth_run {
	const struct synth_plan *plan;
	uint64_t duration_ns;		/* 0 = until a signal comes or the command ends */
	char *const *argv;		/* the command, NULL = none */
	void (*begun)(void);		/* called when it lives, may be NULL */

	/* What came of it: the kernel's texts without their heads; NULL ->data = was not asked. */
	struct buf events;		/* fired synthetic events */
	struct buf hist;		/* all of the hist file, of ->hist_event */
	const char *hist_event;		/* "system/event", whose trigger has save() or is all */
	uint64_t ran_ns;
	struct buf snapshot;
	uint64_t lost;			/* events that the buffer had no room for */
	int status;			/* of the command */
};

/*
 * In an instance of our own, which the session removes, and after it the event. -1 with @err; then
 * the command was ended.
 */
int synth_run(struct session *s, struct synth_run *r, struct ftr_error *err);
void synth_run_release(struct synth_run *r);

#endif
