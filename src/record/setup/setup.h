/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A plan becomes control files: what ftr record, start and set have in common. */
#ifndef FTR_RECORD_SETUP_H
#define FTR_RECORD_SETUP_H

#include <sys/types.h>

#include "base/err.h"
#include "record/plan/plan.h"
#include "record/setup/apply.h"
#include "record/setup/select.h"
#include "record/setup/where.h"

struct rec_setup {
	const struct rec_plan *p;
	struct rec_selection *sel;	/* one a buffer of the plan */
	struct rec_places places;
	struct rec_applied applied;
};

/* Tracers and events of the plan against what this kernel has; nothing is changed. */
int setup_resolve(struct rec_setup *u, const struct rec_plan *p, const struct tfs *t,
		  struct ftr_error *err);
/* After where_choose(): all settings of all places. @child: pid of the command for -F. */
int setup_apply(struct rec_setup *u, struct session *s, pid_t child, struct ftr_error *err);
/* "; -l 'vfs_*' matched 58 functions", or nothing. */
void setup_matched(const struct rec_setup *u, struct buf *out);
/* "the top level: tracer function, 3 events; instance 'x': ..." */
void setup_describe(const struct rec_setup *u, struct buf *out);
void setup_release(struct rec_setup *u);

#endif
