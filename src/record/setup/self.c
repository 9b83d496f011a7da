/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps our own threads out of the trace. */
#include "record/setup/self.h"

#include <dirent.h>
#include <fcntl.h>

#include "tracefs/files/control.h"

static const char *const files[] = { "set_ftrace_notrace_pid", "set_event_notrace_pid" };

#define NR_FILES (sizeof(files) / sizeof(*files))

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
	int ret = own_threads(&threads, err);
	size_t i;

	strv_take(&threads, xasprintf("%d", (int)also));
	for (i = 0; !ret && i < NR_FILES; i++)
		if (tfs_opens(session_tfs(s), instance, files[i]))
			ret = session_append(s, instance, files[i], &threads, err);
	strv_release(&threads);
	return ret;
}

void self_hide_again(const struct tfs *t, const char *instance, pid_t also, bool only)
{
	struct strv threads = {0};
	struct buf path = {0};
	size_t i, bad;

	own_threads(&threads, NULL);
	strv_take(&threads, xasprintf("%d", (int)also));
	for (i = 0; i < NR_FILES; i++)
		if (tfs_opens(t, instance, files[i]))
			control_write_words(t, tfs_path(&path, instance, files[i]),
					    only ? O_TRUNC : O_APPEND, &threads, &bad);
	buf_release(&path);
	strv_release(&threads);
}
