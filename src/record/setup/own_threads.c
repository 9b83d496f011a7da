/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps our own threads out of the trace. */
#include "record/setup/own_threads.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "tracefs/files/control.h"

static const char *const files[] = { "set_event_notrace_pid", "set_ftrace_notrace_pid" };

/*
 * How many of them there is something to hide from. A list of functions makes each switch of a task
 * slower, also while no function is traced.
 */
static size_t files_needed(const struct tfs *t, const char *instance)
{
	char *tracer = tfs_line(t, instance, "current_tracer");
	size_t n = strcmp(tracer, "nop") ? 2 : 1;

	free(tracer);
	return n;
}

static int own_threads(struct strv *out, struct ftr_error *err)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *e;

	if (!dir)
		return err_sys(err, "cannot list '/proc/self/task'");
	while ((e = readdir(dir)))
		if (e->d_name[0] != '.')
			strv_add(out, e->d_name);
	closedir(dir);
	return 0;
}

int self_hide(struct session *s, const char *instance, pid_t also, struct ftr_error *err)
{
	struct strv threads = {0};
	size_t i, n = files_needed(session_tfs(s), instance);
	int ret = own_threads(&threads, err);

	strv_take(&threads, xasprintf("%d", (int)also));
	for (i = 0; !ret && i < n; i++)
		if (tfs_opens(session_tfs(s), instance, files[i]))
			ret = session_append(s, instance, files[i], &threads, err);
	strv_release(&threads);
	return ret;
}

void self_hide_again(const struct tfs *t, const char *instance, pid_t also, bool only)
{
	struct strv threads = {0};
	struct buf path = {0};
	size_t i, bad, n = files_needed(t, instance);

	own_threads(&threads, NULL);
	strv_take(&threads, xasprintf("%d", (int)also));
	for (i = 0; i < n; i++)
		if (tfs_opens(t, instance, files[i]))
			control_write_words(t, tfs_path(&path, instance, files[i]),
					    only ? O_TRUNC : O_APPEND, &threads, &bad);
	buf_release(&path);
	strv_release(&threads);
}
