/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ends a recording from within: the traceoff of an event or a function. */
#ifndef FTR_RECORD_STOP_H
#define FTR_RECORD_STOP_H

#include <stdbool.h>

#include "base/err.h"
#include "record/plan/plan.h"
#include "record/setup/where.h"
#include "tracefs/session/session.h"

/* Does the plan have any? */
bool stop_given(const struct rec_plan *p);
/* Are there such events, and can they stop? Changes nothing. -1 with a did-you-mean. */
int stop_resolve(const struct rec_plan *p, const struct tfs *t, struct ftr_error *err);
/*
 * In every buffer with settings, once all else is set up: each is on its own in the kernel. They
 * fire once, and not while tracing is off.
 */
int stop_arm(struct session *s, const struct rec_plan *p, const struct rec_places *pl,
	     struct ftr_error *err);
/*
 * Is tracing off in one of the buffers? Cheap; other things turn it off too, so stop_fired()
 * says whether it was one of ours, with words for it ("event 'sched:sched_switch'"; the caller
 * frees), else NULL.
 */
bool stop_is_off(const struct tfs *t, const struct rec_places *pl);
char *stop_fired(const struct tfs *t, const struct rec_plan *p, const struct rec_places *pl);

#endif
