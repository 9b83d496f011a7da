/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps our own activity out of the trace: hides our threads, detects writes that are traced. */
#include "record/setup/own_activity.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/io.h"
#include "tracefs/files/control.h"

static const char *const notrace_files[] = { "set_event_notrace_pid", "set_ftrace_notrace_pid" };

/*
 * Returns the number of notrace_files that are needed. The list of the function tracers makes each
 * task switch slower, also while no function is traced.
 */
static size_t notrace_files_needed(const struct tfs *t, const char *instance)
{
	char *tracer = tfs_line(t, instance, "current_tracer");
	size_t n = strcmp(tracer, "nop") ? 2 : 1;

	free(tracer);
	return n;
}

static int list_own_threads(struct strv *out, struct ftr_error *err)
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

int own_threads_hide(struct session *s, const char *instance, pid_t also, struct ftr_error *err)
{
	struct strv threads = {0};
	size_t i, n = notrace_files_needed(session_tfs(s), instance);
	int ret = list_own_threads(&threads, err);

	strv_take(&threads, xasprintf("%d", (int)also));
	for (i = 0; !ret && i < n; i++)
		if (tfs_opens(session_tfs(s), instance, notrace_files[i]))
			ret = session_append(s, instance, notrace_files[i], &threads, err);
	strv_release(&threads);
	return ret;
}

void own_threads_hide_again(const struct tfs *t, const char *instance, pid_t also, bool only)
{
	struct strv threads = {0};
	struct buf path = {0};
	size_t i, bad, n = notrace_files_needed(t, instance);

	list_own_threads(&threads, NULL);
	strv_take(&threads, xasprintf("%d", (int)also));
	for (i = 0; i < n; i++)
		if (tfs_opens(t, instance, notrace_files[i]))
			control_write_words(t, tfs_path(&path, instance, notrace_files[i]),
					    only ? O_TRUNC : O_APPEND, &threads, &bad);
	buf_release(&path);
	strv_release(&threads);
}

/* ---- writes */

bool mountinfo_find(const char *mountinfo, unsigned int major, unsigned int minor, struct buf *type,
		    struct buf *device)
{
	struct strv lines = {0}, f = {0};
	char *dev = xasprintf("%u:%u", major, minor);
	bool found = false;
	size_t i, k;

	strv_split(&lines, mountinfo, "\n");
	for (i = 0; i < lines.n && !found; i++) {
		strv_split(&f, lines.v[i], " ");
		/* optional fields come before the "-" */
		for (k = 6; k < f.n && strcmp(f.v[k], "-"); k++)
			;
		found = k + 2 < f.n && !strcmp(f.v[2], dev);
		if (found) {
			buf_addstr(type, f.v[k + 1]);
			buf_addstr(device, f.v[k + 2]);
		}
		strv_release(&f);
	}
	strv_release(&lines);
	free(dev);
	return found;
}

static bool text_starts_with(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/*
 * Lists the event systems, and prefixes of function names, that writing to the file system and disk
 * involves.
 */
static void list_written_systems(const char *type, const char *device, struct strv *out)
{
	static const struct { const char *disk, *system; } drivers[] = {
		{ "/dev/nvme", "nvme" }, { "/dev/sd", "scsi" }, { "/dev/ata", "libata" },
	};
	size_t i;

	strv_add(out, type);
	if (!strcmp(type, "ext4"))
		strv_add(out, "jbd2");
	if (!text_starts_with(device, "/dev/"))
		return;
	strv_add(out, "block");
	strv_add(out, "writeback");
	for (i = 0; i < sizeof(drivers) / sizeof(*drivers); i++)
		if (text_starts_with(device, drivers[i].disk))
			strv_add(out, drivers[i].system);
}

/*
 * Returns the system that one of @names ("ext4/ext4_sync_file_enter", "ext4_*") belongs to, or
 * NULL. @end is the character after the system, '\0' for modules.
 */
static const char *find_traced_system(const struct strv *systems, const struct strv *names,
				      char end)
{
	size_t i, k, n;

	for (i = 0; i < systems->n; i++)
		for (k = 0; k < names->n; k++) {
			n = strlen(systems->v[i]);
			if (text_starts_with(names->v[k], systems->v[i]) && names->v[k][n] == end)
				return systems->v[i];
			/* the name of a module may be a glob */
			if (!end && !fnmatch(names->v[k], systems->v[i], 0))
				return systems->v[i];
		}
	return NULL;
}

bool own_writes_traced(const struct rec_plan *p, int fd, const struct strv *enabled,
		       struct buf *out)
{
	struct buf mounts = {0}, type = {0}, device = {0};
	const char *name = NULL, *what = "events";
	struct strv systems = {0};
	struct stat st;
	size_t i;

	if (!plan_hides_us(p) || fstat(fd, &st) ||
	    io_read_at(AT_FDCWD, "/proc/self/mountinfo", &mounts))
		return false;
	if (mountinfo_find(mounts.data, major(st.st_dev), minor(st.st_dev), &type, &device)) {
		list_written_systems(type.data, device.data, &systems);
		name = find_traced_system(&systems, enabled, '/');
		for (i = 0; i < p->nr_bufs && !name; i++) {
			what = "functions";
			name = find_traced_system(&systems, &p->bufs[i].funcs, '_');
			if (!name)
				name = find_traced_system(&systems, &p->bufs[i].modules, '\0');
		}
	}
	if (name)
		buf_printf(out, "%s of %s also come from writing the recording, which is on %s: -o "
			   "/dev/shm/FILE or another disk keeps them out", what, name,
			   type.data);
	strv_release(&systems);
	buf_release(&mounts);
	buf_release(&type);
	buf_release(&device);
	return name;
}
