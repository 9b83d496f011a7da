/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks if a buffer is free to use, and finds the reason if it is not. */
#include "tracefs/state/buffer_idle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tracefs/verbs/triggers.h"

static char *idle_pipe_reader(const struct tfs *t, const char *instance)
{
	struct strv one = {0};
	char *why;

	tfs_readers(t, instance, 1, &one);
	why = one.n ? xstrdup(one.v[0]) : NULL;
	strv_release(&one);
	return why;
}

static char *idle_tracer_set(const struct tfs *t, const char *instance)
{
	char *tracer = tfs_line(t, instance, "current_tracer");
	char *why = NULL;

	if (*tracer && strcmp(tracer, "nop"))
		why = xasprintf("tracer '%s' is set", tracer);
	free(tracer);
	return why;
}

/*
 * Returns the reason why the events are in use, NULL if they are not; the caller frees. set_event
 * lists events that are enabled or held ready, one "system:event" per line. Triggers rest while
 * tracing is off, and some turn it off, so they count as a use. *triggers_alone is true if nothing
 * but triggers use the events.
 */
static char *idle_events_reason(const struct tfs *t, const char *instance, bool *triggers_alone)
{
	struct strv listed = {0}, on = {0};
	struct triggers triggers = {0};
	struct buf text = {0}, file = {0};
	char *why = NULL, *line;
	bool has;
	size_t i;

	if (!tfs_read(t, instance, "set_event", &text, NULL))
		strv_split(&listed, text.data, "\n");
	/* "0*": only a trigger of the event, or a trigger that enables it, needs it. */
	for (i = 0; i < listed.n; i++) {
		line = tfs_line(t, instance, tfs_event_file(&file, listed.v[i], "enable"));
		if (strcmp(line, "0*"))
			strv_add(&on, listed.v[i]);
		free(line);
	}
	if (on.n == 1) {
		why = xasprintf("event '%s' is enabled", on.v[0]);
	} else if (on.n) {
		why = xasprintf("%zu events are enabled", on.n);
	} else if (listed.n == 1) {
		has = !triggers_of_events(t, instance, listed.v[0], &triggers, NULL) && triggers.n;
		why = xasprintf("event '%s' %s a trigger", listed.v[0],
				has ? "has" : "is ready for");
	} else if (listed.n) {
		why = xasprintf("%zu events are ready for triggers", listed.n);
	}
	*triggers_alone = listed.n && !on.n;
	triggers_release(&triggers);
	strv_release(&listed);
	strv_release(&on);
	buf_release(&file);
	buf_release(&text);
	return why;
}

static char *idle_events(const struct tfs *t, const char *instance)
{
	bool triggers_alone;

	return idle_events_reason(t, instance, &triggers_alone);
}

static char *idle_others_events(const struct tfs *t, const char *instance)
{
	bool triggers_alone;
	char *why = idle_events_reason(t, instance, &triggers_alone);

	if (!triggers_alone || !authors_have_all(t, instance))
		return why;
	free(why);
	return NULL;
}

static char *idle_data(const struct tfs *t, const char *instance)
{
	uint64_t n = tfs_buffered(t, instance);

	return n ? xasprintf("the buffer holds %" PRIu64 " event%s", n, n == 1 ? "" : "s") : NULL;
}

typedef char *(*idle_check)(const struct tfs *t, const char *instance);

/* Runs @checks, which end with NULL, up to the first reason. */
static bool buffer_is_idle(const idle_check *checks, const struct tfs *t, const char *instance,
			   char **why)
{
	char *reason = NULL;

	for (; !reason && *checks; checks++)
		reason = (*checks)(t, instance);
	if (why)
		*why = reason;
	else
		free(reason);
	return !reason;
}

bool tfs_idle(const struct tfs *t, const char *instance, char **why)
{
	static const idle_check checks[] = {
		idle_tracer_set, idle_events, idle_data, idle_pipe_reader, NULL,
	};

	return buffer_is_idle(checks, t, instance, why);
}

bool tfs_idle_but_ours(const struct tfs *t, const char *instance, char **why)
{
	static const idle_check checks[] = {
		idle_tracer_set, idle_others_events, idle_data, idle_pipe_reader, NULL,
	};

	return buffer_is_idle(checks, t, instance, why);
}
