/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stops the buffers of instances: oops_enter() calls tracing_off(), as __warn() does with
 * traceoff_on_warning, and that is the top level's. A command of these functions is each
 * instance's own.
 */
#include "oops/arm/stop_at_oops.h"

#include <string.h>

#include "tracefs/verbs/triggers.h"

#define OOPS_FUNCTION	 "oops_enter"
#define WARNING_FUNCTION "__warn"
#define STOP		 "traceoff"

/* A kernel without it is none to refuse: status tells. */
static void add_stop(struct session *s, const char *instance, const char *function)
{
	struct ftr_error err = {0};
	size_t n;

	if (tfs_exists(session_tfs(s), instance, "set_ftrace_filter"))
		triggers_add_functions(s, instance, function, STOP, &n, &err);
}

void oops_stops_add(struct session *s, const struct rec_places *pl, bool on_warning)
{
	size_t i;

	for (i = 0; i < pl->n; i++) {
		if (!pl->v[i].instance)
			continue;
		add_stop(s, pl->v[i].instance, OOPS_FUNCTION);
		if (on_warning)
			add_stop(s, pl->v[i].instance, WARNING_FUNCTION);
	}
}

bool oops_stops(const struct tfs *t, const char *instance)
{
	struct triggers l = {0};
	bool stops = !*instance;
	size_t i;

	if (!stops)
		triggers_of_functions(t, instance, OOPS_FUNCTION, &l, NULL);
	for (i = 0; i < l.n && !stops; i++)
		stops = !strcmp(l.v[i].command, STOP) && l.v[i].state == TRIGGER_ACTIVE;
	triggers_release(&l);
	return stops;
}
