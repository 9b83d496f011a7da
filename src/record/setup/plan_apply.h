/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Applies a plan to control files, for ftr record, start and set. */
#ifndef FTR_RECORD_SETUP_PLAN_APPLY_H
#define FTR_RECORD_SETUP_PLAN_APPLY_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "record/setup/choose_buffers.h"
#include "record/setup/plan.h"
#include "tracefs/session/session.h"

/* An event that a buffer records. */
struct rec_chosen {
	char *path;			/* "system/event" */
	const struct rec_event *by;	/* the last -e that matched it */
	bool  on;			/* false if a -v disables it */
	bool  done;			/* it was already enabled with its whole system */
};

struct rec_selection {
	struct rec_chosen *v;		/* sorted by path */
	size_t n, cap;
	struct strv of_modules;		/* "SYSTEM:EVENT:mod:NAME" for set_event */
};

/* The number of functions that a -l matched, for the summary. */
struct rec_matched {
	const char *pattern;		/* the -l, borrowed from the plan */
	size_t functions;
	bool   pending;			/* it also waits for a module */
};

struct rec_applied {
	struct rec_matched *v;
	size_t n, cap;
	bool functions_read;		/* ->functions is available_filter_functions, or empty */
	struct buf functions;
};

struct rec_setup {
	const struct rec_plan *p;
	struct rec_selection *sel;	/* one for each buffer of the plan */
	struct rec_places places;
	struct rec_applied applied;
};

/*
 * Checks the plan's tracers and events against this kernel. Changes nothing. Returns 0, or -1 with
 * @err. setup_release() must follow in both cases.
 */
int setup_resolve(struct rec_setup *u, const struct rec_plan *p, const struct tfs *t,
		  struct ftr_error *err);
/*
 * Makes all settings in all places. Call it after where_choose(). @child: pid of the command for
 * -F. Returns 0, or -1 with @err.
 */
int setup_apply(struct rec_setup *u, struct session *s, pid_t child, struct ftr_error *err);
/* Appends "; -l 'vfs_*' matched 58 functions", or nothing. */
void setup_matched(const struct rec_setup *u, struct buf *out);
/* Appends "the top level: tracer function, 3 events; instance 'x': ..." */
void setup_describe(const struct rec_setup *u, struct buf *out);
void setup_release(struct rec_setup *u);

/* Writes tracing_on of all places with settings. Returns 0, or -1 with the first error. */
int apply_tracing_on(struct session *s, const struct rec_places *pl, bool on,
		     struct ftr_error *err);
/*
 * Returns the clock that a new buffer will have: @b's, or that of the top level. The caller frees
 * it.
 */
char *apply_clock(const struct tfs *t, const struct rec_buffer *b);

/*
 * event_select.c: resolves the -e of a buffer against the kernel's events. Changes nothing in
 * tracefs. Returns 0, or -1 with a did-you-mean hint if a pattern matches nothing, which is only a
 * remark if p->ignore_missing. "PATTERN:mod:NAME" is left to the kernel, which keeps it until the
 * module is loaded: no file lists the events of modules.
 */
int select_events(const struct tfs *t, const struct rec_plan *p, const struct rec_buffer *b,
		  struct rec_selection *out, struct ftr_error *err);
void select_release(struct rec_selection *sel);

/*
 * function_filters.c: writes -l, -n and --module to set_ftrace_filter and set_ftrace_notrace of a
 * place, and the number of functions that each -l matched to @done. Returns 0, or -1 with a
 * did-you-mean hint if a pattern matches nothing and waits for no module, which is only a remark if
 * p->ignore_missing.
 */
int functions_filter(struct session *s, const struct rec_plan *p, const struct rec_place *at,
		     struct rec_applied *done, struct ftr_error *err);
/*
 * function_filters.c: writes -g and --nograph-funcs to set_graph_function and set_graph_notrace,
 * which exist once for the kernel. The lock must be held. Returns 0, or -1 with @err.
 */
int functions_graph(struct session *s, const struct rec_plan *p, struct rec_applied *done,
		    struct ftr_error *err);

/*
 * stop_trigger.c: ends a recording from within the kernel, by the traceoff of an event or a
 * function. Returns true if the plan has such events or functions.
 */
bool stop_given(const struct rec_plan *p);
/*
 * Checks that the events exist and can stop tracing. Changes nothing. Returns 0, or -1 with @err
 * and a did-you-mean hint.
 */
int stop_resolve(const struct rec_plan *p, const struct tfs *t, struct ftr_error *err);
/*
 * Adds the triggers and commands to every buffer with settings, as buffers are independent in the
 * kernel. Call it when all other settings are made. They fire once, and not while tracing is off.
 * Returns 0, or -1 with @err.
 */
int stop_arm(struct session *s, const struct rec_plan *p, const struct rec_places *pl,
	     struct ftr_error *err);
/*
 * stop_is_off() returns true if tracing is off in one of the buffers; it is cheap. Other causes
 * turn it off, too. stop_fired() returns the stop trigger that fired ("event 'sched:sched_switch'";
 * the caller frees it), or NULL.
 */
bool stop_is_off(const struct tfs *t, const struct rec_places *pl);
char *stop_fired(const struct tfs *t, const struct rec_plan *p, const struct rec_places *pl);

#endif
