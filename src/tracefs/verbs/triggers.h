/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Triggers of events and commands of functions: listed, added, removed. */
#ifndef FTR_TRACEFS_TRIGGERS_H
#define FTR_TRACEFS_TRIGGERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "tracefs/files/tfs.h"
#include "tracefs/session/session.h"

enum trigger_state {
	TRIGGER_ACTIVE,
	TRIGGER_PAUSED,		/* a hist trigger that collects nothing now */
	TRIGGER_SPENT,		/* its count is 0 */
};

/* One, as a trigger file or set_ftrace_filter lists it. */
struct trigger {
	bool  function;
	char *where;		/* "sched:sched_switch"; or a function */
	char *line;		/* "traceoff:count=3 if prev_pid > 1", without the function */
	char *command;		/* "traceoff", "enable_event:sched:sched_switch", "hist:keys=..." */
	char *filter;		/* "prev_pid > 1", or NULL */
	long  count;		/* how often it will fire yet; -1 = always */
	enum trigger_state state;
};

struct triggers {
	struct trigger *v;
	size_t n, cap;
};

void triggers_release(struct triggers *l);

/*
 * Appends one by its line in a trigger file (@function: set_ftrace_filter, without the function).
 * Comments are passed over.
 */
void triggers_add_line(struct triggers *l, bool function, const char *where, const char *line);

/*
 * Those of the events that match @pattern (as tfs_match_trigger_events(); NULL = all), of the
 * functions that match the glob @glob (NULL = all), in @instance (NULL = top). -1 with @err, also
 * when no event matches.
 */
int triggers_of_events(const struct tfs *t, const char *instance, const char *pattern,
		       struct triggers *l, struct ftr_error *err);
int triggers_of_functions(const struct tfs *t, const char *instance, const char *glob,
			  struct triggers *l, struct ftr_error *err);

/*
 * Does @text, as it was once added ("traceoff:5 if x"), as it is listed ("traceoff:count=3 if x"),
 * or the command alone ("traceoff"), mean this one?
 */
bool trigger_is(const struct trigger *tr, const char *text);

/*
 * Does adding @text set the trace clock? A table that uses the time does, and the kernel empties
 * buffer and snapshot then, also where the clock stays what it was (hist_register_trigger() of
 * trace_events_hist.c, tracing_set_clock() of trace.c).
 */
bool trigger_sets_clock(const char *text);
/* -1 with @err where adding @text would empty what holds records in @instance. */
int trigger_check_held(const struct tfs *t, const char *instance, const char *text,
		       struct ftr_error *err);

/*
 * Adds @text to all events that match, or @command to all functions that match @glob. *n gets how
 * many that are. What the kernel refuses is explained: an unknown command, an event that is not
 * there, one that has such a trigger already. -1 with @err.
 */
int triggers_add_events(struct session *s, const char *instance, const char *pattern,
			const char *text, size_t *n, struct ftr_error *err);
int triggers_add_functions(struct session *s, const char *instance, const char *glob,
			   const char *command, size_t *n, struct ftr_error *err);

/*
 * Explains, as triggers_add_events() does, why session_trigger() of @text to @event
 * ("system/event") ended with @err. May make an instance, which goes with the session.
 */
void triggers_explain(struct session *s, const char *instance, const char *event, const char *text,
		      struct ftr_error *err);
/*
 * Kernels before 6.2 say nothing of a trigger's wrong filter, but of an event's: @err gets what
 * they say in @instance, whose filter of @event is lost.
 */
void triggers_explain_filter(struct session *s, const char *instance, const char *event,
			     const char *text, struct ftr_error *err);

/*
 * Pauses the hist trigger @text of @event ("system/event"), so that what is read after it is of
 * one moment. Where the kernel refuses it goes on counting.
 */
void triggers_pause_hist(struct session *s, const char *instance, const char *event,
			 const char *text);

/*
 * Removes all of @l from @instance: triggers one by one, those that others need last; commands of
 * functions by @glob (NULL = each function by its name) and command. -1 with @err.
 */
int triggers_remove(struct session *s, const char *instance, const struct triggers *l,
		    const char *glob, struct ftr_error *err);

#endif
