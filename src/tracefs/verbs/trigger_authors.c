/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who set a trigger up, as far as our journals tell. */
#include "tracefs/verbs/trigger_authors.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "tracefs/files/control.h"
#include "tracefs/session/journal.h"

struct author {
	struct journal_owner owner;
	struct entries entries;
	bool stands;
};

struct authors {
	struct author *v;
	size_t n, cap;
};

static void add_journal(struct authors *a, const char *path)
{
	struct author one = { .stands = !fnmatch("*/standing", path, 0) };

	if (journal_read(path, &one.owner, &one.entries, NULL))
		return;
	if (!journal_of_this_boot(&one.owner)) {
		journal_owner_release(&one.owner);
		entries_release(&one.entries);
		return;
	}
	a->v = xgrow(a->v, &a->cap, a->n + 1, sizeof(*a->v));
	a->v[a->n++] = one;
}

struct authors *authors_new(void)
{
	struct authors *a = xcalloc(1, sizeof(*a));
	struct strv runs = {0};
	char *standing;
	size_t i;

	if (journal_list(&runs, &standing, NULL))
		return a;
	for (i = 0; i < runs.n; i++)
		add_journal(a, runs.v[i]);
	add_journal(a, standing);
	strv_release(&runs);
	free(standing);
	return a;
}

void authors_free(struct authors *a)
{
	size_t i;

	for (i = 0; a && i < a->n; i++) {
		journal_owner_release(&a->v[i].owner);
		entries_release(&a->v[i].entries);
	}
	if (a)
		free(a->v);
	free(a);
}

/* Is @tr among the lines that @old, an earlier text of its file, had? */
static bool was_there(const struct trigger *tr, const char *old)
{
	char *head = tr->function ? xasprintf("%s:%s", tr->where, tr->command)
				  : xstrdup(tr->command);
	struct strv lines = {0};
	size_t i, n = strlen(head);
	bool found = false;

	strv_split(&lines, old, "\n");
	for (i = 0; !found && i < lines.n; i++)
		found = !strncmp(lines.v[i], head, n) &&
			(!lines.v[i][n] || lines.v[i][n] == ':' || lines.v[i][n] == ' ');
	strv_release(&lines);
	free(head);
	return found;
}

/* "vfs_*:traceoff:5" was added: is it @tr? */
static bool is_command_of(const char *word, const struct trigger *tr)
{
	size_t n = strcspn(word, ":");
	char *glob = xstrndup(word, n);
	bool is = word[n] && !fnmatch(glob, tr->where, 0) && trigger_is(tr, word + n + 1);

	free(glob);
	return is;
}

/* The first note of the file tells what was there before. */
static bool wrote_trigger(const struct author *by, const char *path, const struct trigger *tr)
{
	const struct entry *e;
	size_t i;

	for (i = 0; i < by->entries.n; i++) {
		e = &by->entries.v[i];
		if (e->kept || strcmp(e->path, path))
			continue;
		if (e->type == ENTRY_COMMAND && is_command_of(e->value, tr))
			return true;
		if (e->type == ENTRY_SET && !tr->function)
			return !was_there(tr, e->value);
	}
	return false;
}

char *authors_of(const struct authors *a, const char *instance, const struct trigger *tr)
{
	struct buf path = {0};
	char *file, *by = NULL;
	size_t i;

	file = tr->function ? xstrdup("set_ftrace_filter")
			    : xasprintf("events/%s/trigger", tr->where);
	if (!tr->function)
		file[strcspn(file, ":")] = '/';
	tfs_path(&path, instance, file);
	for (i = 0; i < a->n && !by; i++) {
		if (!wrote_trigger(&a->v[i], path.data, tr))
			continue;
		by = a->v[i].stands ? xstrdup("ftr") : xasprintf("ftr:%d", (int)a->v[i].owner.pid);
	}
	buf_release(&path);
	free(file);
	return by;
}

bool authors_have_all(const struct tfs *t, const char *instance)
{
	struct authors *a = authors_new();
	struct triggers l = {0};
	bool ours = !triggers_of_events(t, instance, NULL, &l, NULL);
	size_t i;
	char *by;

	/* a kernel without function tracers has none of functions */
	triggers_of_functions(t, instance, NULL, &l, NULL);
	for (i = 0; i < l.n && ours; i++) {
		by = authors_of(a, instance, &l.v[i]);
		ours = by && !strcmp(by, "ftr");
		free(by);
	}
	ours = ours && l.n;
	triggers_release(&l);
	authors_free(a);
	return ours;
}
