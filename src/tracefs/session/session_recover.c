/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Completes the journals of dead runs, and the standing journal, newest first. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracefs/session/journal.h"
#include "tracefs/session/session.h"

/* A journal that is to be completed. */
struct leftover_journal {
	char *path;
	struct timespec written;
	bool standing;
};

struct leftover_journals {
	struct leftover_journal *v;
	size_t n, cap;
};

static void leftovers_add(struct leftover_journals *l, const char *path, bool standing)
{
	struct stat st;

	if (stat(path, &st))
		return;
	l->v = xgrow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	l->v[l->n++] = (struct leftover_journal){ xstrdup(path), st.st_mtim, standing };
}

static int newest_first(const void *a, const void *b)
{
	const struct timespec *x = &((const struct leftover_journal *)a)->written;
	const struct timespec *y = &((const struct leftover_journal *)b)->written;

	if (x->tv_sec != y->tv_sec)
		return x->tv_sec < y->tv_sec ? 1 : -1;
	return (x->tv_nsec < y->tv_nsec) - (x->tv_nsec > y->tv_nsec);
}

/* Adds the journal of a dead run to @l. A run that is alive keeps its journal. */
static void journal_classify(const char *path, struct leftover_journals *l,
			     struct recovery_result *r)
{
	struct journal_owner owner;
	struct journal_entries entries;
	struct ftr_error err = {0};
	struct stat st;

	/* Its process was killed before the header was written, hence before the first change. */
	if (!stat(path, &st) && !st.st_size && kill(atoi(strrchr(path, '/') + 1), 0) &&
	    errno == ESRCH) {
		unlink(path);
		return;
	}
	if (journal_read(path, &owner, &entries, &err)) {
		strv_add(&r->unreadable, err.msg);
		return;
	}
	if (!journal_of_this_boot(&owner))
		strv_add(&r->other_boot, path);
	else if (!journal_alive(&owner))
		leftovers_add(l, path, false);
	journal_owner_release(&owner);
	entries_release(&entries);
}

/*
 * True if all entries of the journal @path are the last ones of the standing journal: the run was
 * killed after it moved them there, and before it noted this in its own journal.
 */
static bool journal_has_moved(const char *path, const struct journal_entries *standing)
{
	struct journal_owner owner;
	const struct journal_entry *there;
	struct journal_entries e;
	size_t i, at;
	bool all = true;

	if (journal_read(path, &owner, &e, NULL))
		return false;
	for (i = e.n, at = standing->n; i-- > 0 && all;) {
		if (e.v[i].kept)
			continue;
		there = at > 0 ? &standing->v[--at] : NULL;
		all = there && e.v[i].type == there->type && !strcmp(e.v[i].path, there->path) &&
		      !strcmp(e.v[i].value, there->value);
	}
	journal_owner_release(&owner);
	entries_release(&e);
	return all;
}

int session_recover(struct tfs *t, const char *journal_path, struct ftr_error *err)
{
	struct journal_owner owner;
	struct journal_entries entries;
	int ret = -1;

	if (journal_read(journal_path, &owner, &entries, err))
		return -1;
	if (!journal_of_this_boot(&owner)) {
		err_set(err, FTR_FAILED, "'%s' is from another boot: its changes are gone",
			journal_path);
		err_hint(err, "remove it");
	} else if (journal_alive(&owner)) {
		err_set(err, FTR_FAILED, "'%s' belongs to pid %d, which still runs: '%.200s'",
			journal_path, (int)owner.pid, owner.command ? owner.command : "?");
	} else {
		ret = entries_restore(t, &entries, err);
	}
	if (!ret && journal_remove(journal_path))
		ret = err_sys(err, "cannot remove the journal '%s'", journal_path);
	journal_owner_release(&owner);
	entries_release(&entries);
	return ret;
}

static int leftover_undo(struct tfs *t, const struct leftover_journal *l,
			 const struct journal_entries *standing, struct recovery_result *r,
			 struct ftr_error *err)
{
	if (l->standing)
		return session_reset(t, "*", &r->stood, &r->others, err);
	r->runs++;
	if (journal_has_moved(l->path, standing))
		return journal_remove(l->path) ? err_sys(err, "cannot remove '%s'", l->path) : 0;
	return session_recover(t, l->path, err);
}

int session_recover_all(struct tfs *t, struct recovery_result *r, struct ftr_error *err)
{
	struct journal_owner owner = {0};
	struct journal_entries standing = {0};
	struct leftover_journals l = {0};
	struct strv runs = {0};
	char *path = NULL;
	size_t i;
	int ret = journal_list(&runs, &path, err);

	for (i = 0; i < runs.n; i++)
		journal_classify(runs.v[i], &l, r);
	if (path)
		leftovers_add(&l, path, true);
	if (l.n)
		qsort(l.v, l.n, sizeof(*l.v), newest_first);
	session_standing(&owner, &standing, NULL);
	for (i = 0; i < l.n; i++)
		if (leftover_undo(t, &l.v[i], &standing, r, ret ? NULL : err))
			ret = -1;
	for (i = 0; i < r->other_boot.n; i++)
		journal_remove(r->other_boot.v[i]);
	for (i = 0; i < l.n; i++)
		free(l.v[i].path);
	free(l.v);
	journal_owner_release(&owner);
	entries_release(&standing);
	strv_release(&runs);
	free(path);
	return ret;
}

void recovery_release(struct recovery_result *r)
{
	strv_release(&r->other_boot);
	strv_release(&r->unreadable);
	strv_release(&r->others);
}

int session_dead_journals(struct strv *out, struct ftr_error *err)
{
	struct journal_owner owner;
	struct journal_entries entries;
	struct strv runs = {0};
	size_t i;
	int ret = journal_list(&runs, NULL, err);

	for (i = 0; i < runs.n; i++) {
		if (journal_read(runs.v[i], &owner, &entries, NULL))
			continue;
		if (journal_of_this_boot(&owner) && !journal_alive(&owner))
			strv_add(out, runs.v[i]);
		journal_owner_release(&owner);
		entries_release(&entries);
	}
	strv_release(&runs);
	return ret;
}
