/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Synthetic events: an event of one's own that hist triggers on two others fire, with what they
 * found in both.
 */
#ifndef FTR_TRACEFS_SYNTH_H
#define FTR_TRACEFS_SYNTH_H

#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"
#include "tracefs/session/session.h"

/* When the second event acts: at each match, at a new maximum of a variable, when it changes. */
enum synth_handler { SYNTH_MATCH, SYNTH_MAX, SYNTH_CHANGE };

/* Two events joined; or one histogram of the first alone, when ->name is NULL. */
struct synth_plan {
	char *name;			/* of the synthetic event */
	struct strv fields;		/* its fields as the kernel declares them: "u64 lat" */
	struct strv values;		/* what each gets: "$lat" or a field of the second event */
	char *start_event, *start_hist, *start_filter;	/* "sched/sched_waking", "hist:...", NULL */
	char *end_event, *end_hist, *end_filter;
	enum synth_handler handler;
	char *watched;			/* the variable of a handler other than SYNTH_MATCH */
	bool trace, snapshot;		/* what that handler does */
	struct strv save;		/* fields of the second event that it saves */
};

void synth_plan_release(struct synth_plan *p);
/* The handler and what it does, as commands are told; borrowed from argv. */
struct synth_action {
	const char *max, *change;	/* the field watched, by at most one of them */
	const char *save;		/* "FIELD,FIELD" */
	bool snapshot, trace;
};
/*
 * Puts it into @p; without a field nothing is watched. A field that is watched is one of the
 * event's, whose value must be a variable. -1 with code FTR_USAGE. When no action is chosen, it
 * traces.
 */
int synth_act(struct synth_plan *p, const struct synth_action *a, struct ftr_error *err);

/* "NAME u64 lat; pid_t pid", a line for synthetic_events. The caller frees this and the next. */
char *synth_definition(const struct synth_plan *p);
char *synth_start_trigger(const struct synth_plan *p);
char *synth_end_trigger(const struct synth_plan *p);
/* The commands of a shell that would do the same as synth_create(). */
void synth_commands(const struct synth_plan *p, const char *tracefs, const char *instance,
		    struct buf *out);

/*
 * Defines the event, then the triggers on both events in @instance (NULL = top). Refuses a name
 * that is taken, and kernels without synthetic events or hist triggers.
 */
int synth_create(struct session *s, const char *instance, const struct synth_plan *p,
		 struct ftr_error *err);
/* -1 with @err where its triggers would empty what holds records in @instance. */
int synth_check_held(const struct tfs *t, const char *instance, const struct synth_plan *p,
		     struct ftr_error *err);
/*
 * The two halves of it. An instance that the session is to make comes between them: it is removed,
 * and what uses the event with it, before the event.
 */
int synth_define_plan(struct session *s, const struct synth_plan *p, struct ftr_error *err);
int synth_attach(struct session *s, const char *instance, const struct synth_plan *p,
		 struct ftr_error *err);
/* Defines an event by the kernel's own text, "NAME type field; ...". */
int synth_define(struct session *s, const char *text, struct ftr_error *err);
/* Takes the triggers that feed or watch it away, in all instances, then the event. */
int synth_delete(struct session *s, const char *name, struct ftr_error *err);

/* A hist trigger. */
struct synth_trigger {
	char *instance;			/* "" = top */
	char *event;			/* "sched/sched_switch" */
	char *text;			/* as the kernel shows it, without its state */
};

struct synth_triggers {
	struct synth_trigger *v;
	size_t n, cap;
};

void synth_triggers_release(struct synth_triggers *list);
/* All hist triggers, of the top level and all instances. */
int synth_scan(const struct tfs *t, struct synth_triggers *all, struct ftr_error *err);
/*
 * Of @all those that have to do with the event @name, in an order in which they may be removed:
 * what watches it, what fires it, what holds the variables that only those use.
 */
void synth_pick(const struct synth_triggers *all, const char *name, struct synth_triggers *out);
/* Does the trigger fire the event @name? */
bool synth_fires(const struct synth_trigger *trigger, const char *name);
/* Lines of synthetic_events: "NAME\ttype field; type field". */
int synth_list(const struct tfs *t, struct strv *out, struct ftr_error *err);

/* What --from, --to and the rest say. */
struct synth_join {
	const char *name, *from, *to;	/* events: "system:event", or a name of one system */
	struct strv keys;		/* "pid", or "pid=next_pid" */
	struct strv fields;		/* "prio", "from.prio", "NAME=from.prio" */
	const char *from_filter, *to_filter;
	bool latency, nsecs;		/* a field lat: microseconds, or what the clock counts */
};

/* The plan of a join, checked against the formats of both events. */
int synth_join(const struct tfs *t, const struct synth_join *j, struct synth_plan *p,
	       struct ftr_error *err);

#endif
