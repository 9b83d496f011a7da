/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ends a recording from within the kernel: the traceoff of an event or a function. */
#ifndef FTR_RECORD_SETUP_STOP_TRIGGER_H
#define FTR_RECORD_SETUP_STOP_TRIGGER_H

#include <stdbool.h>

#include "base/err.h"
#include "record/setup/choose_buffers.h"
#include "record/setup/plan.h"
#include "tracefs/session/session.h"

/* True if the plan has such events or functions. */
bool stop_given(const struct rec_plan *p);
/*
 * Checks that the events exist and can stop tracing. Changes nothing. -1 with @err and a
 * did-you-mean hint.
 */
int stop_resolve(const struct rec_plan *p, const struct tfs *t, struct ftr_error *err);
/*
 * Adds the triggers and commands to every buffer with settings, as buffers are independent in the
 * kernel. Call it when all else is set up. They fire once, and not while tracing is off. -1 with
 * @err.
 */
int stop_arm(struct session *s, const struct rec_plan *p, const struct rec_places *pl,
	     struct ftr_error *err);
/*
 * stop_is_off(): true if tracing is off in one of the buffers; it is cheap. Other causes turn it
 * off, too. stop_fired(): the one of ours that fired, in words ("event 'sched:sched_switch'"; the
 * caller frees), or NULL.
 */
bool stop_is_off(const struct tfs *t, const struct rec_places *pl);
char *stop_fired(const struct tfs *t, const struct rec_plan *p, const struct rec_places *pl);

#endif
