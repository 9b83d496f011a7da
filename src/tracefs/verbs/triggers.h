/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists, adds and removes triggers of events and commands of functions, and finds their authors. */
#ifndef FTR_TRACEFS_TRIGGERS_H
#define FTR_TRACEFS_TRIGGERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "tracefs/files/tfs.h"
#include "tracefs/session/session.h"

enum trigger_state {
	TRIGGER_ACTIVE,
	TRIGGER_PAUSED,		/* a hist trigger that does not count now */
	TRIGGER_SPENT,		/* its count is 0 */
};

/* A trigger, as a trigger file or set_ftrace_filter lists it. */
struct trigger {
	bool  function;
	char *where;		/* "sched:sched_switch"; or a function */
	char *line;		/* "traceoff:count=3 if prev_pid > 1", without the function */
	char *command;		/* "traceoff", "enable_event:sched:sched_switch", "hist:keys=..." */
	char *filter;		/* "prev_pid > 1", or NULL */
	long  count;		/* how many times it will still fire; -1 = no limit */
	enum trigger_state state;
};

struct triggers {
	struct trigger *v;
	size_t n, cap;
};

void triggers_release(struct triggers *l);
/* Sets the hint "@what: ftr trigger remove ..." with the words of @where and @command. */
void trigger_hint_remove(struct ftr_error *err, const char *what, bool function, const char *where,
			 const char *command);

/*
 * Appends the trigger of a line of a trigger file. With @function it is a line of set_ftrace_filter
 * without the function. Comments are ignored.
 */
void triggers_add_line(struct triggers *l, bool function, const char *where, const char *line);

/*
 * Appends the triggers of the events that match @pattern (as in tfs_match_trigger_events(); NULL =
 * all), or the commands of the functions that match @glob (NULL = all), in @instance (NULL = top).
 * Returns 0, or -1 with @err, also if no event matches.
 */
int triggers_of_events(const struct tfs *t, const char *instance, const char *pattern,
		       struct triggers *l, struct ftr_error *err);
int triggers_of_functions(const struct tfs *t, const char *instance, const char *glob,
			  struct triggers *l, struct ftr_error *err);

/*
 * True if @text means this trigger: as it was added ("traceoff:5 if x"), as it is listed
 * ("traceoff:count=3 if x"), or the command alone ("traceoff").
 */
bool trigger_is(const struct trigger *tr, const char *text);
/* True if a hist trigger reads the variable of @n bytes: "$ts0" or "sched.sched_waking.$ts0". */
bool trigger_reads(const char *text, const char *var, size_t n);

/*
 * True if adding @text sets the trace clock, as a hist trigger does if it uses the time. The kernel
 * then empties the buffer and the snapshot, even if the clock does not change
 * (hist_register_trigger() of trace_events_hist.c, tracing_set_clock() of trace.c).
 */
bool trigger_sets_clock(const char *text);
/* -1 with @err if adding @text would empty a buffer or snapshot of @instance that holds records. */
int trigger_check_held(const struct tfs *t, const char *instance, const char *text,
		       struct ftr_error *err);

/*
 * Adds @text to all events that match @pattern, or @command to all functions that match @glob. *n
 * gets their number. Returns 0, or -1 with @err, which explains the kernel's refusal: an unknown
 * command, a missing event, an event that has such a trigger already.
 */
int triggers_add_events(struct session *s, const char *instance, const char *pattern,
			const char *text, size_t *n, struct ftr_error *err);
int triggers_add_functions(struct session *s, const char *instance, const char *glob,
			   const char *command, size_t *n, struct ftr_error *err);

/*
 * Improves @err of a failed session_trigger() of @text to @event ("system/event"), as
 * triggers_add_events() does. May make an instance, which the session removes at its end.
 */
void triggers_explain(struct session *s, const char *instance, const char *event, const char *text,
		      struct ftr_error *err);
/*
 * Kernels before 6.2 explain a wrong filter of an event, but not of a trigger. This sets the filter
 * of @event in @instance, which loses its old one, and @err gets the explanation.
 */
void triggers_explain_filter(struct session *s, const char *instance, const char *event,
			     const char *text, struct ftr_error *err);

/*
 * Pauses the hist trigger @text of @event ("system/event"), so that a read after it shows one
 * moment. If the kernel refuses, the trigger continues to count.
 */
void triggers_pause_hist(struct session *s, const char *instance, const char *event,
			 const char *text);

/*
 * Removes all of @l from @instance. Triggers are removed one by one; if others depend on a trigger,
 * it is removed last. Commands of functions are removed by @glob (NULL = by the name of each
 * function) and command. Returns 0, or -1 with @err.
 */
int triggers_remove(struct session *s, const char *instance, const struct triggers *l,
		    const char *glob, struct ftr_error *err);

struct trigger_authors;

/*
 * Reads this user's journals: the standing one, and those of running and dead runs. The caller
 * frees the result by authors_free().
 */
struct trigger_authors *authors_new(void);
void authors_free(struct trigger_authors *a);
/*
 * Returns "ftr" for a trigger that stays until ftr reset, "ftr:77" for one of the run with that pid
 * (also a dead run whose journal still exists), NULL if the trigger is older or no run changed its
 * file. The caller frees.
 */
char *authors_of(const struct trigger_authors *a, const char *instance, const struct trigger *tr);
/*
 * True if @instance (NULL = top) has triggers of events or functions, and this user's ftr trigger
 * added all of them to stay.
 */
bool authors_have_all(const struct tfs *t, const char *instance);

#endif
