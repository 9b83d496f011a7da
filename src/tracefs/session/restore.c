/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Restores a journal's entries in reverse order. */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tracefs/files/control.h"
#include "tracefs/files/tfs.h"
#include "tracefs/session/definitions.h"
#include "tracefs/session/journal.h"
#include "tracefs/session/sysctl.h"

/* A reader that is about to close may keep an instance busy for this long. */
#define RMDIR_TRIES 20
#define RMDIR_WAIT_NS 50000000

static bool path_is_inside(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return !strncmp(path, dir, n) && path[n] == '/';
}

/*
 * True if the entry is in an instance that a run made, which is removed with all its files. But the
 * options of tracers (funcgraph-irqs) are one set of flags for all instances before 7.2.
 */
static bool entry_goes_with_instance(const struct journal_entries *e, size_t at)
{
	size_t i;

	if (strstr(e->v[at].path, "/options/"))
		return false;
	for (i = 0; i < at; i++)
		if (e->v[i].type == ENTRY_MKDIR && !e->v[i].kept &&
		    path_is_inside(e->v[at].path, e->v[i].path))
			return true;
	return false;
}

/*
 * Returns the initial value of a file of an event that is about to be removed, as a run made it:
 * the kernel removes the event only with that value, no matter who set another one since. NULL for
 * other files.
 */
static const char *entry_born_value(const struct journal_entries *e, size_t at)
{
	static const char *const born[][2] = {
		{ "/enable", "0" }, { "/filter", "none" }, { "/trigger", "" },
	};
	const char *leaf = strrchr(e->v[at].path, '/');
	size_t i, k;

	for (i = 0; leaf && i < at; i++) {
		if (e->v[i].type != ENTRY_LINE || e->v[i].kept ||
		    !definition_removes(e->v[i].value, e->v[at].path))
			continue;
		for (k = 0; k < sizeof(born) / sizeof(*born); k++)
			if (!strcmp(leaf, born[k][0]))
				return born[k][1];
	}
	return NULL;
}

static int restore_set(const struct tfs *t, const struct journal_entries *all, size_t at,
		       struct ftr_error *err)
{
	const struct journal_entry *e = &all->v[at];
	const char *born = entry_born_value(all, at);

	/* With a removed module or instance, nothing is left to restore. */
	if (!tfs_exists(t, NULL, e->path) && errno == ENOENT)
		return 0;
	return control_of(e->path)->restore(t, e->path, born ? born : e->value, err);
}

/*
 * A top level that read "7 (expanded: 1408)" waited for its first use to grow. On 6.1 the use of an
 * instance ends the wait without growing it: it reads "7", and would stay so for the next tracer.
 * If it has any other size, somebody set that in the meantime.
 */
static int restore_grow(const struct tfs *t, const struct journal_entry *e, struct ftr_error *err)
{
	char *now = tfs_line(t, NULL, e->path);
	size_t n = strspn(e->value, "0123456789");
	bool shrunk = strlen(now) == n && !strncmp(now, e->value, n) &&
		      strstr(e->value, "expanded: ");

	free(now);
	return shrunk ? control_of(e->path)->restore(t, e->path, e->value, err) : 0;
}

int instance_remove(const struct tfs *t, const char *path)
{
	const struct timespec wait = { .tv_nsec = RMDIR_WAIT_NS };
	int i;

	for (i = 0; i < RMDIR_TRIES; i++) {
		if (!unlinkat(t->dirfd, path, AT_REMOVEDIR) || errno == ENOENT)
			return 0;
		if (errno != EBUSY && errno != EINTR)
			return -1;
		nanosleep(&wait, NULL);
	}
	errno = EBUSY;
	return -1;
}

/* Removes the instance. If that fails, it restores its files. -1 with @err. */
static int restore_mkdir(const struct tfs *t, const struct journal_entries *e, size_t at,
			 struct ftr_error *err)
{
	const char *path = e->v[at].path;
	size_t i;
	int sys, fd;

	/* A histogram with variables holds its instance. */
	for (i = e->n; i-- > at;) {
		if (e->v[i].type != ENTRY_SET || !path_is_inside(e->v[i].path, path) ||
		    fnmatch("*/events/*/*/trigger", e->v[i].path, 0) ||
		    !restore_set(t, e, i, NULL))
			continue;
		/* 7.2 can't parse its "keys=common_cpucommon_cpu"; truncating removes all. */
		fd = openat(t->dirfd, e->v[i].path, O_WRONLY | O_TRUNC | O_CLOEXEC);
		if (fd >= 0)
			close(fd);
	}
	if (!instance_remove(t, path))
		return 0;
	sys = errno;
	for (i = e->n; i-- > at;)
		if (e->v[i].type == ENTRY_SET && path_is_inside(e->v[i].path, path))
			restore_set(t, e, i, NULL);
	errno = sys;
	err_sys(err, "cannot remove '%s/%s'", t->path, path);
	return errno == EBUSY ? err_hint(err, "somebody reads or maps it") : -1;
}

/*
 * Disables the event of @line in all instances. Appends the enable files that were on to @on (may
 * be NULL). Returns true if a trigger still holds the event ready in an instance, "0*".
 */
static bool disable_event(const struct tfs *t, const char *line, struct strv *on)
{
	char *event = definition_event(line), *file = xasprintf("events/%s/enable", event), *now;
	struct strv names = {0};
	struct buf path = {0};
	bool held = false;

	strv_add(&names, "");
	tfs_instances(t, &names, NULL);
	for (size_t i = 0; i < names.n; i++) {
		now = tfs_line(t, names.v[i], file);
		tfs_path(&path, names.v[i], file);
		held |= strchr(now, '*') != NULL;
		if (on && *now == '1')
			strv_add(on, path.data);
		control_write(t, path.data, O_TRUNC, "0");
		free(now);
	}
	strv_release(&names);
	buf_release(&path);
	free(file);
	free(event);
	return held;
}

/* Writes "-:EVENT PLACE", which removes one of the event's places. -1 with errno. */
static int restore_place(const struct tfs *t, const char *path, const char *line)
{
	struct strv on = {0};
	int ret = -1, sys = EBUSY;

	if (!definition_needs_off(line))
		return control_write(t, path, O_APPEND, line);
	if (!disable_event(t, line, &on)) {
		ret = control_write(t, path, O_APPEND, line);
		sys = errno;
	}
	for (size_t i = 0; i < on.n; i++)
		control_write(t, on.v[i], O_TRUNC, "1");
	strv_release(&on);
	errno = sys;
	return ret;
}

/*
 * Writes the line that undoes @e. If the added line is gone already, or the removed one is there
 * again, nothing is left to do.
 */
static int restore_line(const struct tfs *t, const struct journal_entry *e, struct ftr_error *err)
{
	bool removes = !strncmp(e->value, "-:", 2);
	const char *comment = strstr(e->value, " # "), *end = strchr(e->value, '\0');
	char *line = removes ? definition_removal(t, e->value)
			     : xstrndup(e->value, (comment ? comment : end) - e->value);
	bool part = removes && line && strchr(line, ' ');
	int ret = !line ? 0 : part ? restore_place(t, e->path, line)
				   : control_write(t, e->path, O_APPEND, line);

	if (ret && errno == EBUSY && removes && !part) {
		disable_event(t, line, NULL);
		ret = control_write(t, e->path, O_APPEND, line);
	}
	if (ret && (errno == ENOENT || errno == EEXIST))
		ret = 0;
	if (ret)
		err_sys(err, "cannot write '%s' to '%s/%s'", line, t->path, e->path);
	if (ret && errno == EBUSY)
		err_hint(err, "somebody uses the event");
	else if (ret && !removes && *line != '!')
		err_hint(err, "its place may be gone, with a module or a file: it can be put back "
			 "once that is there");
	free(line);
	return ret;
}

/*
 * Empties a buffer that was empty before the run. Emptying waits for all CPUs, so a buffer whose
 * records were all read is left alone.
 */
static int restore_empty(const struct tfs *t, const struct journal_entry *e, struct ftr_error *err)
{
	char *instance;
	int ret = 0;

	control_split(e->path, &instance);
	if (tfs_exists(t, NULL, e->path) && tfs_has_data(t, instance))
		ret = clear_buffer(t, instance, -1, err);
	free(instance);
	return ret;
}

static int restore_one(const struct tfs *t, const struct journal_entries *e, size_t at,
		       struct ftr_error *err)
{
	switch (e->v[at].type) {
	case ENTRY_MKDIR:
		return restore_mkdir(t, e, at, err);
	case ENTRY_COMMAND:
		if (!strcmp(control_split(e->v[at].path, NULL), "set_event"))
			return set_event_remove(t, e->v[at].path, e->v[at].value, err);
		return functions_remove(t, e->v[at].path, e->v[at].value, err);
	case ENTRY_LINE:
		return restore_line(t, &e->v[at], err);
	case ENTRY_SYSCTL:
		return sysctl_restore(&e->v[at], err);
	case ENTRY_EMPTY:
		return restore_empty(t, &e->v[at], err);
	case ENTRY_GROW:
		return restore_grow(t, &e->v[at], err);
	case ENTRY_FILE:
	case ENTRY_LEFT:
		return 0;
	default:
		return restore_set(t, e, at, err);
	}
}

void entries_stop_tracing(const struct tfs *t, const struct journal_entries *e)
{
	const struct journal_entry *at;

	for (at = e->v; at < e->v + e->n; at++)
		if (at->type == ENTRY_SET && !at->kept &&
		    !strcmp(control_split(at->path, NULL), "tracing_on"))
			control_write(t, at->path, 0, "0");
}

/*
 * A hist trigger is busy while another one uses its variables, and the first note of a file may be
 * older than the trigger that has to go first: failed entries are tried again as long as a pass
 * restores one of them.
 */
int entries_restore(const struct tfs *t, const struct journal_entries *e, struct ftr_error *err)
{
	bool *todo = xcalloc(e->n + 1, sizeof(*todo));
	struct ftr_error first = {0}, later = {0};
	size_t i, failed = e->n + 1, before;

	for (i = 0; i < e->n; i++)
		todo[i] = !e->v[i].kept && !entry_goes_with_instance(e, i);
	do {
		before = failed;
		failed = 0;
		first = (struct ftr_error){0};
		for (i = e->n; i-- > 0;) {
			if (!todo[i])
				continue;
			todo[i] = restore_one(t, e, i, failed ? &later : &first);
			failed += todo[i];
		}
	} while (failed && failed < before);
	if (failed && err)
		*err = first;
	free(todo);
	return failed ? -1 : 0;
}
