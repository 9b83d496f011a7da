/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sysctls of tracing and of the behaviour at an oops: no others of /proc/sys are written. */
#include "tracefs/session/sysctl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "tracefs/session/journal_note.h"

/* A journal names sysctls by these names, so it can't make the restorer write anywhere else. */
static const struct {
	const char *name, *path, *config;
} sysctls[] = {
	{ "kernel.stack_tracer_enabled", "/proc/sys/kernel/stack_tracer_enabled",
	  "CONFIG_STACK_TRACER" },
	{ "kernel.ftrace_enabled", "/proc/sys/kernel/ftrace_enabled", "CONFIG_FUNCTION_TRACER" },
	{ "kernel.ftrace_dump_on_oops", "/proc/sys/kernel/ftrace_dump_on_oops", "CONFIG_TRACING" },
	{ "kernel.traceoff_on_warning", "/proc/sys/kernel/traceoff_on_warning", "CONFIG_TRACING" },
	{ "kernel.panic", "/proc/sys/kernel/panic", "CONFIG_SYSCTL" },
	{ "kernel.panic_on_oops", "/proc/sys/kernel/panic_on_oops", "CONFIG_SYSCTL" },
	{ "kernel.softlockup_panic", "/proc/sys/kernel/softlockup_panic",
	  "CONFIG_SOFTLOCKUP_DETECTOR" },
	{ "kernel.hung_task_panic", "/proc/sys/kernel/hung_task_panic", "CONFIG_DETECT_HUNG_TASK" },
	{ "kernel.tracepoint_printk", "/proc/sys/kernel/tracepoint_printk", "CONFIG_TRACING" },
};

#define N_SYSCTLS (sizeof(sysctls) / sizeof(*sysctls))

/* Returns the index of @name, N_SYSCTLS if it is not in the list. */
static size_t sysctl_find(const char *name)
{
	size_t i;

	for (i = 0; i < N_SYSCTLS; i++)
		if (!strcmp(sysctls[i].name, name))
			break;
	return i;
}

bool sysctl_known(const char *name)
{
	return sysctl_find(name) < N_SYSCTLS;
}

char *sysctl_read(const char *name)
{
	size_t i = sysctl_find(name);

	errno = ENOENT;
	return i < N_SYSCTLS ? io_line_at(AT_FDCWD, sysctls[i].path) : NULL;
}

static int sysctl_write(size_t i, const char *value)
{
	int fd = open(sysctls[i].path, O_WRONLY | O_CLOEXEC), ret, sys;

	if (fd < 0)
		return -1;
	ret = io_write_all(fd, value, strlen(value));
	sys = errno;
	close(fd);
	errno = sys;
	return ret;
}

static int sysctl_explain(size_t i, const char *value, struct ftr_error *err)
{
	int sys = errno;

	if (sys == ENOENT) {
		err_set(err, FTR_FAILED, "this kernel has no sysctl '%s'", sysctls[i].name);
		err_hint(err, "it needs %s", sysctls[i].config);
	} else {
		err_sys(err, "cannot set sysctl '%s' to '%.100s'", sysctls[i].name, value);
	}
	if ((sys == EACCES || sys == EPERM) && geteuid())
		err_hint(err, "run it as root");
	errno = sys;
	return -1;
}

int session_sysctl(struct session *s, const char *name, const char *value, struct ftr_error *err)
{
	size_t i = sysctl_find(name);
	char *now;
	int ret = 0;

	if (i == N_SYSCTLS)
		return err_set(err, FTR_FAILED, "'%s' is not a sysctl that ftr sets", name);
	now = sysctl_read(name);
	if (!now)
		return sysctl_explain(i, value, err);
	if (strcmp(now, value)) {
		ret = session_record(s, ENTRY_SYSCTL, name, now, err);
		if (!ret && sysctl_write(i, value))
			ret = sysctl_explain(i, value, err);
	}
	free(now);
	return ret;
}

int sysctl_restore(const struct journal_entry *e, struct ftr_error *err)
{
	size_t i = sysctl_find(e->path);
	char *now;
	int ret = 0;

	if (i == N_SYSCTLS)
		return err_set(err, FTR_FAILED, "'%s' is not a sysctl that ftr sets", e->path);
	now = sysctl_read(e->path);
	/* A kernel without the sysctl has nothing to restore. */
	if (now && strcmp(now, e->value) && sysctl_write(i, e->value))
		ret = sysctl_explain(i, e->value, err);
	free(now);
	return ret;
}
