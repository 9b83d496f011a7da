/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps our own threads out of the trace. */
#include "record/self.h"

#include <dirent.h>

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
	static const char *const files[] = { "set_ftrace_notrace_pid", "set_event_notrace_pid" };
	struct strv threads = {0};
	int ret = own_threads(&threads, err);
	size_t i;

	strv_take(&threads, xasprintf("%d", (int)also));
	for (i = 0; !ret && i < sizeof(files) / sizeof(*files); i++)
		if (tfs_exists(session_tfs(s), instance, files[i]))
			ret = session_append(s, instance, files[i], &threads, err);
	strv_release(&threads);
	return ret;
}
