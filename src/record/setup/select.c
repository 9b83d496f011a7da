/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Resolves event patterns before anything is changed, so that a misspelt one changes nothing. */
#include "record/setup/select.h"

#include <stdlib.h>
#include <string.h>

#include "tracefs/files/modules.h"

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct rec_chosen *)a)->path, ((const struct rec_chosen *)b)->path);
}

/* The entries before @sorted are in order, those of the current pattern behind them. */
static void choose_event(struct rec_selection *sel, size_t sorted, const char *path,
			 const struct rec_event *by)
{
	struct rec_chosen key = { .path = (char *)path }, *at;

	at = sorted ? bsearch(&key, sel->v, sorted, sizeof(key), by_path) : NULL;
	if (!at) {
		sel->v = xgrow(sel->v, &sel->cap, sel->n + 1, sizeof(*sel->v));
		at = &sel->v[sel->n++];
		*at = (struct rec_chosen){ .path = xstrdup(path) };
	}
	at->by = by;
	at->on = !by->negated;
}

/* README says so in these words, which the kernel's selftests look for, too. */
static bool takes_modules(const struct tfs *t)
{
	struct buf text = {0};
	bool yes = !tfs_read(t, NULL, "README", &text, NULL) &&
		   strstr(text.data, "Can enable module events via: :mod:");

	buf_release(&text);
	return yes;
}

static int select_module(const struct tfs *t, const struct rec_event *e, struct rec_selection *sel,
			 struct ftr_error *err)
{
	const struct strv none = {0};
	const char *name = strstr(e->pattern, ":mod:") + strlen(":mod:");
	char *missing;

	if (!*name || strpbrk(name, ":*?[!"))
		return err_set(err, FTR_FAILED, "'%s' names no module", e->pattern);
	if (e->negated)
		return err_set(err, FTR_FAILED, "-v does not work with modules that are not "
			       "loaded: '%s'", e->pattern);
	if (e->filter || e->triggers.n) {
		err_set(err, FTR_FAILED, "'%s': events of modules take no filter and no trigger",
			e->pattern);
		return err_hint(err, "events of a loaded module do: give their own names");
	}
	if (!takes_modules(t)) {
		err_set(err, FTR_FAILED, "'%s': this kernel cannot select events of modules that "
			"are not loaded", e->pattern);
		return err_hint(err, "Linux 6.14 can; until then: load module '%s' first and name "
				"its events", name);
	}
	strv_take(&sel->of_modules, module_word(e->pattern, &none, &missing));
	free(missing);
	return 0;
}

static int select_pattern(const struct tfs *t, const struct rec_plan *p, const struct rec_event *e,
			  struct rec_selection *sel, struct ftr_error *err)
{
	struct strv paths = {0};
	size_t sorted = sel->n, i;
	int got;

	if (strstr(e->pattern, ":mod:"))
		return select_module(t, e, sel, err);
	got = tfs_match_events(t, e->pattern, &paths, err);
	strv_sort_unique(&paths);
	for (i = 0; got > 0 && i < paths.n; i++)
		choose_event(sel, sorted, paths.v[i], e);
	strv_release(&paths);
	if (sel->n)
		qsort(sel->v, sel->n, sizeof(*sel->v), by_path);
	if (!got && p->ignore_missing) {
		p->say("no event matches '%s', going on without", e->pattern);
		return 0;
	}
	return got > 0 ? 0 : -1;
}

int select_events(const struct tfs *t, const struct rec_plan *p, const struct rec_buffer *b,
		  struct rec_selection *out, struct ftr_error *err)
{
	size_t i;

	memset(out, 0, sizeof(*out));
	for (i = 0; i < b->nr_events; i++)
		if (select_pattern(t, p, &b->events[i], out, err))
			return -1;
	return 0;
}

void select_release(struct rec_selection *sel)
{
	size_t i;

	for (i = 0; i < sel->n; i++)
		free(sel->v[i].path);
	free(sel->v);
	strv_release(&sel->of_modules);
	memset(sel, 0, sizeof(*sel));
}
