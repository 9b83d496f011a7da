/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Carries a plan out: settings of each buffer, through the session, in an order that works. */
#ifndef FTR_RECORD_SETUP_PLAN_APPLY_H
#define FTR_RECORD_SETUP_PLAN_APPLY_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "record/setup/choose_buffers.h"
#include "record/setup/event_select.h"
#include "record/setup/plan.h"
#include "tracefs/session/session.h"

/* How many functions a -l matched, for the summary. */
struct rec_matched {
	const char *pattern;		/* borrowed from the plan */
	size_t functions;
	bool   pending;			/* waits for a module too */
};

struct rec_applied {
	struct rec_matched *v;
	size_t n, cap;
};

/*
 * What exists once: -g, --max-graph-depth, --cmdlines-size, and enough room for comms where
 * that disturbs nobody.
 */
int apply_global(struct session *s, const struct rec_plan *p, const struct rec_places *pl,
		 struct ftr_error *err);
/*
 * The settings of one place; its tracing_on is 0 afterwards. @child: pid of the command for -F.
 * A place without settings is the top level, which is to be full size.
 */
int apply_place(struct session *s, const struct rec_plan *p, const struct rec_place *at,
		struct rec_selection *sel, pid_t child, struct rec_applied *done,
		struct ftr_error *err);
/* tracing_on of all places with settings. */
int apply_tracing_on(struct session *s, const struct rec_places *pl, bool on,
		     struct ftr_error *err);
/*
 * The clock that a buffer which we make will have: its own, else the top level's. The caller
 * frees.
 */
char *apply_clock(const struct tfs *t, const struct rec_buffer *b);
/* Is there such a tracer? -1 with their list and a did-you-mean hint. Changes nothing. */
int apply_check_tracer(const struct tfs *t, const char *tracer, struct ftr_error *err);
void apply_release(struct rec_applied *done);

#endif
