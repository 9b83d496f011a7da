/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pid lists of events and functions, which select the tasks to trace. */
#include "tracefs/verbs/pid_lists.h"

#include <stdlib.h>

#include "tracefs/files/control.h"

static const struct {
	const char *file, *fork, *config;
} lists[N_PID_LISTS] = {
	[PIDS_EVENT] = { "set_event_pid", "event-fork", "CONFIG_EVENT_TRACING" },
	[PIDS_EVENT_NOTRACE] = { "set_event_notrace_pid", "event-fork", "CONFIG_EVENT_TRACING" },
	[PIDS_FUNCTION] = { "set_ftrace_pid", "function-fork", "CONFIG_FUNCTION_TRACER" },
	[PIDS_FUNCTION_NOTRACE] = { "set_ftrace_notrace_pid", "function-fork",
				    "CONFIG_FUNCTION_TRACER" },
};

bool pids_available(const struct tfs *t, const char *instance, enum pid_list list)
{
	return tfs_exists(t, instance, lists[list].file);
}

int pids_read(const struct tfs *t, const char *instance, enum pid_list list, struct strv *out,
	      struct ftr_error *err)
{
	const char *file = lists[list].file;
	struct buf text = {0};
	char *words;
	int ret = 0;

	if (!pids_available(t, instance, list))
		return 0;
	ret = tfs_read(t, instance, file, &text, err);
	if (!ret) {
		words = control_of(file)->canon(text.data);
		strv_split(out, words, "\n");
		free(words);
	}
	buf_release(&text);
	return ret;
}

bool pids_follow(const struct tfs *t, const char *instance, bool of_functions)
{
	char *file = xasprintf("options/%s", lists[of_functions ? PIDS_FUNCTION : PIDS_EVENT].fork);
	char *line = tfs_line(t, instance, file);
	bool on = *line == '1';

	free(line);
	free(file);
	return on;
}

static int pids_change_list(struct session *s, const struct pids_change *c, enum pid_list list,
			    struct ftr_error *err)
{
	struct strv now = {0}, left = {0};
	size_t i;
	int ret;

	if (!pids_available(session_tfs(s), c->instance, list)) {
		err_set(err, FTR_FAILED, "this kernel has no '%s'", lists[list].file);
		return err_hint(err, "it needs %s", lists[list].config);
	}
	if (c->how == PIDS_ADD)
		return session_append(s, c->instance, lists[list].file, &c->pids, err);
	if (c->how == PIDS_SET)
		return session_set_list(s, c->instance, lists[list].file, &c->pids, err);
	/* The kernel removes no pid from a list, so the rest of the list is written anew. */
	ret = pids_read(session_tfs(s), c->instance, list, &now, err);
	for (i = 0; !ret && i < now.n; i++)
		if (!strv_has(&c->pids, now.v[i]))
			strv_add(&left, now.v[i]);
	if (!ret && left.n < now.n)
		ret = session_set_list(s, c->instance, lists[list].file, &left, err);
	strv_release(&now);
	strv_release(&left);
	return ret;
}

int pids_change(struct session *s, const struct pids_change *c, struct ftr_error *err)
{
	int i, ret = tfs_check_instance(session_tfs(s), c->instance, err);

	/* The option goes first, so that no child is missed that is born in between. */
	for (i = 0; !ret && c->children && i < N_PID_LISTS; i++)
		if (c->lists[i])
			ret = session_option(s, c->instance, lists[i].fork, true, err);
	for (i = 0; !ret && i < N_PID_LISTS; i++)
		if (c->lists[i])
			ret = pids_change_list(s, c, i, err);
	return ret;
}
