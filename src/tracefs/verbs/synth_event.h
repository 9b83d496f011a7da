/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Synthetic events: hist triggers on two other events fire them, with values from both. */
#ifndef FTR_TRACEFS_VERBS_SYNTH_EVENT_H
#define FTR_TRACEFS_VERBS_SYNTH_EVENT_H

#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"
#include "tracefs/session/session.h"

/* The second event acts at each match, at a new maximum or at a change of a variable. */
enum synth_handler { SYNTH_MATCH, SYNTH_MAX, SYNTH_CHANGE };

/* A join of two events; or, if ->name is NULL, a histogram of the first event. */
struct synth_plan {
	char *name;			/* name of the synthetic event; NULL: a histogram */
	struct strv fields;		/* its fields as the kernel declares them: "u64 lat" */
	struct strv values;		/* value of each: "$lat" or a field of the second event */
	/* "sched/sched_waking", "hist:...", a filter or NULL */
	char *start_event, *start_hist, *start_filter;
	char *end_event, *end_hist, *end_filter;
	enum synth_handler handler;
	char *watched;			/* variable of a handler other than SYNTH_MATCH */
	bool trace, snapshot;		/* actions of the handler */
	struct strv save;		/* fields of the second event to save */
};

void synth_plan_release(struct synth_plan *p);
/* The handler and its actions from a command line; borrowed from argv. */
struct synth_action {
	const char *max, *change;	/* watched field; at most one of them is set */
	const char *save;		/* "FIELD,FIELD" */
	bool snapshot, trace;
};
/*
 * Sets handler and actions of @p from @a. If @a has no field, the handler is SYNTH_MATCH. The
 * watched field must be a field of the synthetic event whose value is a variable. If there is no
 * action, the handler traces. Returns 0, or -1 with @err (FTR_USAGE).
 */
int synth_act(struct synth_plan *p, const struct synth_action *a, struct ftr_error *err);

/*
 * Returns "NAME u64 lat; pid_t pid", a line for synthetic_events. The next two return the lines for
 * the trigger files. The caller frees.
 */
char *synth_definition(const struct synth_plan *p);
char *synth_start_trigger(const struct synth_plan *p);
char *synth_end_trigger(const struct synth_plan *p);
/* Appends shell commands that do the same as synth_create(). */
void synth_commands(const struct synth_plan *p, const char *tracefs, const char *instance,
		    struct buf *out);

/*
 * Defines the event, then the triggers on both events in @instance (NULL = top). Returns 0, or -1
 * with @err, also if the name is in use, or if the kernel lacks synthetic events or hist triggers.
 */
int synth_create(struct session *s, const char *instance, const struct synth_plan *p,
		 struct ftr_error *err);
/* -1 with @err if its triggers would empty a buffer or snapshot of @instance that holds records. */
int synth_check_held(const struct tfs *t, const char *instance, const struct synth_plan *p,
		     struct ftr_error *err);
/*
 * The two halves of synth_create(). If the session makes the instance, make it between the two. The
 * end of the session then removes it, with the triggers that use the event, before the event.
 */
int synth_define_plan(struct session *s, const struct synth_plan *p, struct ftr_error *err);
int synth_attach(struct session *s, const char *instance, const struct synth_plan *p,
		 struct ftr_error *err);
/* Defines an event by the kernel's text, "NAME type field; ...". Returns 0, or -1 with @err. */
int synth_define(struct session *s, const char *text, struct ftr_error *err);
/* Removes the event, and first all triggers that fire or use it. Returns 0, or -1 with @err. */
int synth_delete(struct session *s, const char *name, struct ftr_error *err);

/* A hist trigger. */
struct synth_trigger {
	char *instance;			/* "" = top */
	char *event;			/* "sched/sched_switch" */
	char *text;			/* the trigger as the kernel lists it, without its state */
};

struct synth_triggers {
	struct synth_trigger *v;
	size_t n, cap;
};

void synth_triggers_release(struct synth_triggers *list);
/* Appends all hist triggers of the top level and all instances. Returns 0, or -1 with @err. */
int synth_scan(const struct tfs *t, struct synth_triggers *all, struct ftr_error *err);
/*
 * Appends the triggers of @all that are related to the event @name, in an order in which they can
 * be removed: triggers on the event, triggers that fire it, and triggers whose variables only these
 * use.
 */
void synth_pick(const struct synth_triggers *all, const char *name, struct synth_triggers *out);
/* True if the trigger fires the event @name. */
bool synth_fires(const struct synth_trigger *trigger, const char *name);
/* Appends the lines of synthetic_events, "NAME\ttype field; type field". 0, or -1 with @err. */
int synth_list(const struct tfs *t, struct strv *out, struct ftr_error *err);

/* The values of --from, --to and the other options. */
struct synth_join {
	const char *name, *from, *to;	/* ->from, ->to: "system:event", or the name of an event */
	struct strv keys;		/* "pid", or "pid=next_pid" */
	struct strv fields;		/* "prio", "from.prio", "NAME=from.prio" */
	const char *from_filter, *to_filter;
	/* ->latency adds a field lat: in microseconds, or with ->nsecs in units of the clock */
	bool latency, nsecs;
};

/* Makes the plan of a join and checks it against the events' formats. 0, or -1 with @err. */
int synth_join(const struct tfs *t, const struct synth_join *j, struct synth_plan *p,
	       struct ftr_error *err);

/*
 * Makes a plan of SELECT ... FROM ... [JOIN ... ON ...] [WHERE ...]. @name is the name of the
 * synthetic event, unused for a histogram. Reads the formats of the events in the statement, and
 * changes nothing. Returns 0, or -1 with @err: the reason, the line of the statement, and a caret
 * below.
 */
int sql_plan(const struct tfs *t, const char *name, const char *sql, struct synth_plan *p,
	     struct ftr_error *err);

#endif
