/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes that outlive their run: the standing journal, restoring its entries, and the changes that
 * somebody else made since, which are left as they are.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracefs/files/control.h"
#include "tracefs/session/journal.h"
#include "tracefs/session/journal_note.h"
#include "tracefs/session/session.h"

/* Files that only a write changes: no trigger, no exit of a task and no module does. */
static const char *const steady[] = {
	"events/*/*/filter", "tracing_cpumask", "buffer_percent", "max_graph_depth",
};

static bool path_is_steady(const char *path)
{
	const char *file = control_split(path, NULL);
	size_t i;

	for (i = 0; i < sizeof(steady) / sizeof(*steady); i++)
		if (!fnmatch(steady[i], file, FNM_PATHNAME))
			return true;
	return false;
}

/* Adds an ENTRY_LEFT with the present content of each changed file that only writes can change. */
static void entries_note_left(const struct tfs *t, struct journal_entries *e)
{
	size_t i, n = e->n;

	for (i = 0; i < n; i++) {
		const char *path = e->v[i].path;
		struct buf text = {0};

		if (e->v[i].kept || e->v[i].type != ENTRY_SET || !path_is_steady(path))
			continue;
		if (!tfs_read(t, NULL, path, &text, NULL))
			entries_add(e, ENTRY_LEFT, path, text.data);
		buf_release(&text);
	}
}

/* True if @path no longer has the content of its last ENTRY_LEFT. */
static bool path_is_changed(const struct tfs *t, const struct journal_entries *e, const char *path)
{
	char *(*canon)(const char *) = control_of(path)->canon;
	const struct journal_entry *left = NULL;
	struct buf text = {0};
	bool changed = false;
	char *was, *now;
	size_t i;

	for (i = e->n; i-- > 0 && !left;)
		if (e->v[i].type == ENTRY_LEFT && !e->v[i].kept && !strcmp(e->v[i].path, path))
			left = &e->v[i];
	if (left && !tfs_read(t, NULL, path, &text, NULL)) {
		was = canon(left->value);
		now = canon(text.data);
		changed = strcmp(was, now);
		free(was);
		free(now);
	}
	buf_release(&text);
	return changed;
}

static bool entries_have(const struct journal_entries *e, enum entry_type type,
			 const char *instance, const char *file)
{
	char *path = xasprintf("%s/%s", instance, file);
	bool found = false;
	size_t i;

	for (i = 0; i < e->n && !found; i++)
		found = e->v[i].type == type && !e->v[i].kept && !strcmp(e->v[i].path, path);
	free(path);
	return found;
}

/*
 * True if @event ("sched:sched_switch") is enabled and no entry changed it, its system or all
 * events. The kernel's list of events also contains events that a trigger only holds ready.
 */
static bool event_is_foreign(const struct tfs *t, const struct journal_entries *e,
			     const char *instance, const char *event)
{
	size_t n = strcspn(event, ":");
	char *own = xasprintf("events/%.*s/%s/enable", (int)n, event, event + n + !!event[n]);
	char *all = xasprintf("events/%.*s/enable", (int)n, event);
	char *path = xasprintf("%s/%s", instance, own), *line = tfs_line(t, NULL, path);
	bool foreign = *line == '1' && !entries_have(e, ENTRY_SET, instance, own) &&
		       !entries_have(e, ENTRY_SET, instance, all) &&
		       !entries_have(e, ENTRY_SET, instance, "events/enable");

	free(line);
	free(path);
	free(all);
	free(own);
	return foreign;
}

/*
 * Returns the tracer or an event that somebody else set in the instance of an ENTRY_MKDIR, NULL if
 * there is none. The caller frees.
 */
static char *instance_foreign_word(const struct tfs *t, const struct journal_entries *e,
				   const char *instance)
{
	char *path = xasprintf("%s/current_tracer", instance), *found = tfs_line(t, NULL, path);
	struct strv events = {0};
	struct buf text = {0};
	size_t i;

	free(path);
	if (*found && strcmp(found, "nop") &&
	    !entries_have(e, ENTRY_SET, instance, "current_tracer"))
		return found;
	free(found);
	found = NULL;
	path = xasprintf("%s/set_event", instance);
	/* A word that waits for a module may have taken effect since. */
	if (!entries_have(e, ENTRY_COMMAND, instance, "set_event") &&
	    !tfs_read(t, NULL, path, &text, NULL))
		strv_split(&events, text.data, "\n");
	for (i = 0; i < events.n && !found; i++)
		if (event_is_foreign(t, e, instance, events.v[i]))
			found = xstrdup(events.v[i]);
	strv_release(&events);
	buf_release(&text);
	free(path);
	return found;
}

/*
 * Marks as kept the entries whose file somebody else changed since, and the instances that somebody
 * else uses: the changes in such an instance are restored, the instance stays. Adds a sentence
 * about each to @out.
 */
static void entries_leave_others(const struct tfs *t, struct journal_entries *e, struct strv *out)
{
	struct journal_entry *at;
	char *word;

	for (at = e->v; at < e->v + e->n; at++) {
		if (at->kept)
			continue;
		if (at->type == ENTRY_MKDIR) {
			word = instance_foreign_word(t, e, at->path);
			at->kept = word;
			if (word)
				strv_take(out, xasprintf("'%s' stays: somebody set '%s' in it",
							 at->path, word));
			free(word);
		}
		if (at->type != ENTRY_SET || !path_is_changed(t, e, at->path))
			continue;
		at->kept = true;
		strv_take(out, xasprintf("'%s' is left as it is: somebody changed it since",
					 at->path));
	}
}

int session_stand_alone(struct session *s, struct ftr_error *err)
{
	if (s->standing_fd < 0)
		s->standing_fd = journal_standing(s->t, &s->standing, err);
	return s->standing_fd < 0 ? -1 : 0;
}

int session_stand(struct session *s, struct ftr_error *err)
{
	int ret;

	if (s->journal_fd < 0)
		return 0;
	if (session_stand_alone(s, err))
		return -1;
	entries_note_left(s->t, &s->entries);
	ret = journal_append_all(s->standing_fd, &s->entries, s->standing, err);
	if (!ret)
		session_keep(s, "*");
	return ret;
}

/*
 * Marks as kept all entries of a file but the first, which has the value to restore. An instance
 * that was made in between separates two instances of that name.
 */
static void entries_keep_first_values(struct journal_entries *e)
{
	size_t i, k;

	for (i = e->n; i-- > 0;) {
		if (e->v[i].type != ENTRY_SET && e->v[i].type != ENTRY_SYSCTL)
			continue;
		for (k = i; k-- > 0 && e->v[k].type != ENTRY_MKDIR;)
			if (e->v[k].type == e->v[i].type && !e->v[k].kept &&
			    !strcmp(e->v[k].path, e->v[i].path))
				e->v[i].kept = true;
	}
}

/* Marks as kept the entries outside of @instance. */
static void entries_keep_elsewhere(struct journal_entries *e, const char *instance)
{
	bool *before = xcalloc(e->n + 1, sizeof(*before));
	size_t i;

	for (i = 0; i < e->n; i++)
		before[i] = e->v[i].kept;
	entries_keep(e, instance);
	for (i = 0; i < e->n; i++)
		e->v[i].kept = before[i] || !e->v[i].kept;
	free(before);
}

size_t entries_left(const struct journal_entries *e)
{
	size_t i, n = 0;

	for (i = 0; i < e->n; i++)
		n += !e->v[i].kept && e->v[i].type != ENTRY_LEFT;
	return n;
}

int session_reset(struct tfs *t, const char *instance, size_t *n, struct strv *others,
		  struct ftr_error *err)
{
	const char *name = instance ? instance : "";
	const struct journal_entry done = { .type = ENTRY_KEEP, .path = (char *)name, .value = "" };
	struct journal_owner owner = {0};
	struct journal_entries entries = {0};
	struct strv unused = {0};
	char *path;
	int fd = journal_standing(t, &path, err), ret;

	if (n)
		*n = 0;
	if (fd < 0)
		return -1;
	ret = journal_read(path, &owner, &entries, err);
	if (!ret) {
		entries_keep_elsewhere(&entries, name);
		entries_leave_others(t, &entries, others ? others : &unused);
		if (n)
			*n = entries_left(&entries);
		entries_keep_first_values(&entries);
		ret = entries_restore(t, &entries, err);
	}
	if (!ret && strcmp(name, "*"))
		ret = journal_append(fd, &done, path, err);
	else if (!ret && ftruncate(fd, 0))
		ret = err_sys(err, "cannot empty the journal '%s'", path);
	journal_owner_release(&owner);
	entries_release(&entries);
	close(fd);
	free(path);
	strv_release(&unused);
	return ret;
}

int session_standing(struct journal_owner *o, struct journal_entries *e, struct ftr_error *err)
{
	char *dir = journal_dir(err), *path;
	size_t i, n = 0;
	int ret = 0;

	*o = (struct journal_owner){0};
	*e = (struct journal_entries){0};
	if (!dir)
		return -1;
	path = xasprintf("%s/standing", dir);
	if (access(path, F_OK) || journal_read(path, o, e, NULL))
		goto out;
	/* An ENTRY_LEFT is no change. */
	for (i = 0; i < e->n; i++) {
		if (e->v[i].type != ENTRY_LEFT) {
			e->v[n++] = e->v[i];
			continue;
		}
		free(e->v[i].path);
		free(e->v[i].value);
	}
	e->n = n;
	ret = journal_of_this_boot(o) && entries_left(e);
	/* The header's command created the journal; its changes may have been refused or reset. */
	for (i = 0; i < e->n && e->v[i].kept;)
		i++;
	if (i < e->n && e->v[i].by < e->commands.n) {
		free(o->command);
		o->command = xstrdup(e->commands.v[e->v[i].by]);
	}
	if (!ret) {
		journal_owner_release(o);
		entries_release(e);
	}
out:
	free(path);
	free(dir);
	return ret;
}
