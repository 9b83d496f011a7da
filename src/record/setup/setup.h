/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Applies a plan to control files, for ftr record, start and set. */
#ifndef FTR_RECORD_SETUP_H
#define FTR_RECORD_SETUP_H

#include <sys/types.h>

#include "base/err.h"
#include "record/setup/choose_buffers.h"
#include "record/setup/event_select.h"
#include "record/setup/plan.h"
#include "record/setup/plan_apply.h"

struct rec_setup {
	const struct rec_plan *p;
	struct rec_selection *sel;	/* one for each buffer of the plan */
	struct rec_places places;
	struct rec_applied applied;
};

/* Checks the plan's tracers and events against this kernel. Changes nothing. 0, or -1 with @err. */
int setup_resolve(struct rec_setup *u, const struct rec_plan *p, const struct tfs *t,
		  struct ftr_error *err);
/*
 * Makes all settings in all places. Call it after where_choose(). @child: pid of the command for
 * -F. 0, or -1 with @err.
 */
int setup_apply(struct rec_setup *u, struct session *s, pid_t child, struct ftr_error *err);
/* Appends "; -l 'vfs_*' matched 58 functions", or nothing. */
void setup_matched(const struct rec_setup *u, struct buf *out);
/* Appends "the top level: tracer function, 3 events; instance 'x': ..." */
void setup_describe(const struct rec_setup *u, struct buf *out);
void setup_release(struct rec_setup *u);

#endif
