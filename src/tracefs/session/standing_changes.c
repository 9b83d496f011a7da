/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changes that outlive their run: the standing journal, and putting back what it names. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracefs/session/journal.h"
#include "tracefs/session/journal_note.h"
#include "tracefs/session/session.h"

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

/* What a file held before its first change is what counts; the instance may be another by now. */
static bool changed_before(const struct entries *e, size_t at)
{
	size_t i;

	for (i = at; i-- > 0 && e->v[i].type != ENTRY_MKDIR;)
		if (e->v[i].type == e->v[at].type && !e->v[i].kept &&
		    !strcmp(e->v[i].path, e->v[at].path))
			return true;
	return false;
}

static void keep_first_values(struct entries *e)
{
	size_t i;

	for (i = e->n; i-- > 0;)
		if ((e->v[i].type == ENTRY_SET || e->v[i].type == ENTRY_SYSCTL) &&
		    changed_before(e, i))
			e->v[i].kept = true;
}

/* Leaves those of @instance. */
static void keep_elsewhere(struct entries *e, const char *instance)
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

size_t entries_left(const struct entries *e)
{
	size_t i, n = 0;

	for (i = 0; i < e->n; i++)
		n += !e->v[i].kept && e->v[i].type != ENTRY_LEFT;
	return n;
}

/* From now on nothing of @instance stands. */
static int forget_standing(int fd, const char *path, const char *instance, struct ftr_error *err)
{
	const struct entry done = { .type = ENTRY_KEEP, .path = (char *)instance, .value = "" };

	if (strcmp(instance, "*"))
		return journal_append(fd, &done, path, err);
	return ftruncate(fd, 0) ? err_sys(err, "cannot empty the journal '%s'", path) : 0;
}

int session_reset(struct tfs *t, const char *instance, size_t *n, struct strv *others,
		  struct ftr_error *err)
{
	const char *name = instance ? instance : "";
	struct journal_owner owner = {0};
	struct entries entries = {0};
	struct strv said = {0};
	char *path;
	int fd = journal_standing(t, &path, err), ret;

	if (n)
		*n = 0;
	if (fd < 0)
		return -1;
	ret = journal_read(path, &owner, &entries, err);
	if (!ret) {
		keep_elsewhere(&entries, name);
		entries_leave_others(t, &entries, others ? others : &said);
		if (n)
			*n = entries_left(&entries);
		keep_first_values(&entries);
		ret = entries_restore(t, &entries, err);
	}
	if (!ret)
		ret = forget_standing(fd, path, name, err);
	journal_owner_release(&owner);
	entries_release(&entries);
	close(fd);
	free(path);
	strv_release(&said);
	return ret;
}

/* What files read since then is no change. */
static void drop_left(struct entries *e)
{
	size_t i, n = 0;

	for (i = 0; i < e->n; i++) {
		if (e->v[i].type == ENTRY_LEFT) {
			free(e->v[i].path);
			free(e->v[i].value);
		} else {
			e->v[n++] = e->v[i];
		}
	}
	e->n = n;
}

/* The header has the one that began the journal: refused since, or its instance reset. */
static void name_first(struct journal_owner *o, const struct entries *e)
{
	const struct entry *at = e->v;

	while (at < e->v + e->n && at->kept)
		at++;
	if (at == e->v + e->n || at->by >= e->commands.n)
		return;
	free(o->command);
	o->command = xstrdup(e->commands.v[at->by]);
}

int session_standing(struct journal_owner *o, struct entries *e, struct ftr_error *err)
{
	char *folder = journal_folder(err), *path;
	int ret = 0;

	*o = (struct journal_owner){0};
	*e = (struct entries){0};
	if (!folder)
		return -1;
	path = xasprintf("%s/standing", folder);
	if (!access(path, F_OK) && !journal_read(path, o, e, NULL)) {
		drop_left(e);
		ret = journal_of_this_boot(o) && entries_left(e);
		name_first(o, e);
		if (!ret) {
			journal_owner_release(o);
			entries_release(e);
		}
	}
	free(path);
	free(folder);
	return ret;
}
