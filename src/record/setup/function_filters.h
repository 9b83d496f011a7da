/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Function filters of a recording: -l, -n, --module, -g. */
#ifndef FTR_RECORD_SETUP_FUNCTION_FILTERS_H
#define FTR_RECORD_SETUP_FUNCTION_FILTERS_H

#include "base/err.h"
#include "record/setup/choose_buffers.h"
#include "record/setup/plan.h"
#include "record/setup/plan_apply.h"
#include "tracefs/session/session.h"

/*
 * set_ftrace_filter and set_ftrace_notrace of a place; the number of functions that each -l
 * matched goes to @done. A pattern that matches nothing and waits for no module is an error
 * with a did-you-mean hint, or a remark with p->ignore_missing.
 */
int functions_filter(struct session *s, const struct rec_plan *p, const struct rec_place *at,
		     struct rec_applied *done, struct ftr_error *err);
/* set_graph_function, once for the kernel; set_graph_notrace is emptied. The lock must be held. */
int functions_graph(struct session *s, const struct rec_plan *p, struct ftr_error *err);

#endif
