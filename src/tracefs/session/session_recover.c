/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Completes what dead runs left, and what stands, newest first. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracefs/session/journal.h"
#include "tracefs/session/session.h"

/* A journal that is to be completed. */
struct leftover {
	char *path;
	struct timespec written;
	bool standing;
};

struct leftovers {
	struct leftover *v;
	size_t n, cap;
};

static void add_leftover(struct leftovers *l, const char *path, bool standing)
{
	struct stat st;

	if (stat(path, &st))
		return;
	l->v = xgrow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	l->v[l->n++] = (struct leftover){ xstrdup(path), st.st_mtim, standing };
}

static void release_leftovers(struct leftovers *l)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		free(l->v[i].path);
	free(l->v);
}

static int newest_first(const void *a, const void *b)
{
	const struct timespec *x = &((const struct leftover *)a)->written;
	const struct timespec *y = &((const struct leftover *)b)->written;

	if (x->tv_sec != y->tv_sec)
		return x->tv_sec < y->tv_sec ? 1 : -1;
	return (x->tv_nsec < y->tv_nsec) - (x->tv_nsec > y->tv_nsec);
}

/* Killed before its journal had a header: nothing was changed yet. */
static bool never_begun(const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	struct stat st;

	return !stat(path, &st) && !st.st_size && kill(atoi(name), 0) && errno == ESRCH;
}

/* Looks at one journal: runs that live keep theirs. */
static void sort_out(const char *path, struct leftovers *l, struct recovery *r)
{
	struct journal_owner owner;
	struct entries entries;
	struct ftr_error err = {0};

	if (never_begun(path)) {
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
		add_leftover(l, path, false);
	journal_owner_release(&owner);
	entries_release(&entries);
}

static int find_leftovers(struct leftovers *l, struct recovery *r, struct ftr_error *err)
{
	struct strv runs = {0};
	char *standing;
	size_t i;

	if (journal_list(&runs, &standing, err))
		return -1;
	for (i = 0; i < runs.n; i++)
		sort_out(runs.v[i], l, r);
	add_leftover(l, standing, true);
	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), newest_first);
	strv_release(&runs);
	free(standing);
	return 0;
}

static bool same_entry(const struct entry *a, const struct entry *b)
{
	return a->type == b->type && !strcmp(a->path, b->path) && !strcmp(a->value, b->value);
}

/*
 * A run that was killed when its entries had moved to the standing journal, but before it could say
 * so in its own: they are the last there.
 */
static bool moved_to_standing(const char *path, const struct entries *standing)
{
	struct journal_owner owner;
	struct entries e;
	size_t i, at;
	bool all = true;

	if (journal_read(path, &owner, &e, NULL))
		return false;
	for (i = e.n, at = standing->n; i-- > 0 && all;) {
		if (e.v[i].kept)
			continue;
		all = at > 0 && same_entry(&e.v[i], &standing->v[at - 1]);
		at--;
	}
	journal_owner_release(&owner);
	entries_release(&e);
	return all;
}

static int undo_leftover(struct tfs *t, const struct leftover *l, const struct entries *standing,
			 struct recovery *r, struct ftr_error *err)
{
	if (l->standing)
		return session_reset(t, "*", &r->stood, &r->others, err);
	r->runs++;
	if (moved_to_standing(l->path, standing))
		return journal_remove(l->path) ? err_sys(err, "cannot remove '%s'", l->path) : 0;
	return session_recover(t, l->path, err);
}

static void drop_other_boots(const struct recovery *r)
{
	size_t i;

	for (i = 0; i < r->other_boot.n; i++)
		journal_remove(r->other_boot.v[i]);
}

int session_recover_all(struct tfs *t, struct recovery *r, struct ftr_error *err)
{
	struct journal_owner owner = {0};
	struct entries standing = {0};
	struct leftovers l = {0};
	size_t i;
	int ret = find_leftovers(&l, r, err);

	session_standing(&owner, &standing, NULL);
	for (i = 0; i < l.n; i++)
		if (undo_leftover(t, &l.v[i], &standing, r, ret ? NULL : err))
			ret = -1;
	drop_other_boots(r);
	journal_owner_release(&owner);
	entries_release(&standing);
	release_leftovers(&l);
	return ret;
}

void recovery_release(struct recovery *r)
{
	strv_release(&r->other_boot);
	strv_release(&r->unreadable);
	strv_release(&r->others);
}
