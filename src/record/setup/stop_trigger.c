/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ends a recording from within the kernel: the traceoff trigger of an event or a function.
 *
 * With --stop-on later records must not push out those that led to the event, and a traceoff
 * trigger acts at once. The waiting loop checks every 0.05 s whether tracing is off. The trigger
 * has a count of 1: the count that is left shows which trigger fired, and that nobody else turned
 * tracing off. A trigger without a filter cannot be used in all cases, see ALWAYS; with -F and -P
 * it has to be, as the pid lists hold filtered triggers back.
 */
#include "record/setup/plan_apply.h"

#include <stdlib.h>
#include <string.h>

#include "tracefs/verbs/triggers.h"

/*
 * A trigger without a filter fires before the record is made, which then finds tracing off. A
 * trigger with a filter reads the record, so it fires after it. This filter is always true.
 */
#define ALWAYS "common_pid >= 0"

bool stop_given(const struct rec_plan *p)
{
	return p->stop_events.n || p->stop_funcs.n;
}

/*
 * Returns EVENT of "EVENT if FILTER" or "EVENT", as plan_stop_event() checked it. The caller frees
 * it.
 */
static char *stop_event_name(const char *stop)
{
	return xstrndup(stop, strcspn(stop, " \t"));
}

static int stop_check_event(const struct tfs *t, const char *stop, struct ftr_error *err)
{
	struct strv events = {0};
	char *event = stop_event_name(stop), *file;
	int ret = tfs_match_events(t, event, &events, err) > 0 ? 0 : -1;
	size_t i;

	for (i = 0; !ret && i < events.n; i++) {
		file = xasprintf("events/%s/trigger", events.v[i]);
		if (!tfs_exists(t, NULL, file))
			ret = err_set(err, FTR_FAILED, "this kernel has no triggers of event '%s' "
				      "(no %s), so --stop-on does not work", events.v[i], file);
		free(file);
	}
	strv_release(&events);
	free(event);
	return ret;
}

int stop_resolve(const struct rec_plan *p, const struct tfs *t, struct ftr_error *err)
{
	size_t i;

	for (i = 0; i < p->stop_events.n; i++)
		if (stop_check_event(t, p->stop_events.v[i], err))
			return -1;
	if (p->stop_funcs.n && !tfs_exists(t, NULL, "set_ftrace_filter")) {
		err_set(err, FTR_FAILED, "this kernel has no commands of functions (no "
			"set_ftrace_filter), so --stop-on-func does not work");
		return err_hint(err, "it needs CONFIG_DYNAMIC_FTRACE; --stop-on takes events");
	}
	return 0;
}

static int stop_arm_event(struct session *s, const struct rec_plan *p, const char *instance,
			  const char *stop, struct ftr_error *err)
{
	char *event = stop_event_name(stop), *trigger;
	const char *filter = stop + strlen(event);
	size_t n;
	int ret;

	filter += strspn(filter, " \t");
	filter = *filter ? filter + 2 + strspn(filter + 2, " \t") : NULL;
	/*
	 * A filter reads records that pid lists hold back, so with -P and -F a trigger without a
	 * filter gets none: it must fire for all tasks.
	 */
	if (!filter && !p->pids.n && !p->only_command)
		filter = ALWAYS;
	trigger = filter ? xasprintf("traceoff:1 if %s", filter) : xstrdup("traceoff:1");
	ret = triggers_add_events(s, instance, event, trigger, &n, err);
	free(event);
	free(trigger);
	return ret;
}

int stop_arm(struct session *s, const struct rec_plan *p, const struct rec_places *pl,
	     struct ftr_error *err)
{
	const struct rec_place *at;
	size_t i, n;

	for (at = pl->v; at < pl->v + pl->n; at++) {
		for (i = 0; at->buf && i < p->stop_events.n; i++)
			if (stop_arm_event(s, p, at->instance, p->stop_events.v[i], err))
				return -1;
		for (i = 0; at->buf && i < p->stop_funcs.n; i++)
			if (triggers_add_functions(s, at->instance, p->stop_funcs.v[i],
						   "traceoff:1", &n, err))
				return -1;
	}
	return 0;
}

static bool stop_instance_is_off(const struct tfs *t, const char *instance)
{
	char *line = tfs_line(t, instance, "tracing_on");
	bool off = !strcmp(line, "0");

	free(line);
	return off;
}

bool stop_is_off(const struct tfs *t, const struct rec_places *pl)
{
	size_t i;

	for (i = 0; i < pl->n; i++)
		if (pl->v[i].buf && stop_instance_is_off(t, pl->v[i].instance))
			return true;
	return false;
}

/* Returns the event or function whose traceoff trigger has fired, or NULL. */
static const char *stop_spent_traceoff(const struct triggers *l)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		if (l->v[i].state == TRIGGER_SPENT && !strcmp(l->v[i].command, "traceoff"))
			return l->v[i].where;
	return NULL;
}

static char *stop_fired_event(const struct tfs *t, const char *instance, const char *stop)
{
	struct triggers l = {0};
	char *event = stop_event_name(stop), *text = NULL;
	const char *where;

	triggers_of_events(t, instance, event, &l, NULL);
	where = stop_spent_traceoff(&l);
	if (where)
		text = xasprintf("event '%s%s'", where, stop + strlen(event));
	triggers_release(&l);
	free(event);
	return text;
}

static char *stop_fired_func(const struct tfs *t, const char *instance, const char *glob)
{
	struct triggers l = {0};
	const char *where;
	char *text;

	triggers_of_functions(t, instance, glob, &l, NULL);
	where = stop_spent_traceoff(&l);
	text = where ? xasprintf("function '%s'", where) : NULL;
	triggers_release(&l);
	return text;
}

char *stop_fired(const struct tfs *t, const struct rec_plan *p, const struct rec_places *pl)
{
	char *text = NULL;
	size_t i, k;

	for (i = 0; i < pl->n && !text; i++) {
		if (!pl->v[i].buf || !stop_instance_is_off(t, pl->v[i].instance))
			continue;
		for (k = 0; k < p->stop_events.n && !text; k++)
			text = stop_fired_event(t, pl->v[i].instance, p->stop_events.v[k]);
		for (k = 0; k < p->stop_funcs.n && !text; k++)
			text = stop_fired_func(t, pl->v[i].instance, p->stop_funcs.v[k]);
	}
	return text;
}
