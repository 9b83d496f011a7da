/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Resolves event patterns before any setting is changed, so that a misspelt one changes nothing. */
#include "record/setup/plan_apply.h"

#include <stdlib.h>
#include <string.h>

#include "tracefs/files/modules.h"

static int compare_by_path(const void *a, const void *b)
{
	return strcmp(((const struct rec_chosen *)a)->path, ((const struct rec_chosen *)b)->path);
}

static int select_module(const struct tfs *t, const struct rec_event *e, struct rec_selection *sel,
			 struct ftr_error *err)
{
	const struct strv none = {0};
	const char *name = strstr(e->pattern, ":mod:") + strlen(":mod:");
	struct buf readme = {0};
	bool supported;
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
	/* the kernel's selftests look for these words of README, too */
	supported = !tfs_read(t, NULL, "README", &readme, NULL) &&
		    strstr(readme.data, "Can enable module events via: :mod:");
	buf_release(&readme);
	if (!supported) {
		err_set(err, FTR_FAILED, "'%s': this kernel cannot select events of modules that "
			"are not loaded", e->pattern);
		return err_hint(err, "Linux 6.14 can; until then: load module '%s' first and name "
				"its events", name);
	}
	strv_take(&sel->of_modules, module_word(e->pattern, &none, &missing));
	free(missing);
	return 0;
}

/* Adds the events of @paths, all matched by @e. An event that an earlier -e matched is changed. */
static void select_paths(struct rec_selection *sel, struct strv *paths, const struct rec_event *e)
{
	size_t sorted = sel->n, i;
	struct rec_chosen key, *at;

	strv_sort_unique(paths);
	for (i = 0; i < paths->n; i++) {
		key = (struct rec_chosen){ .path = paths->v[i] };
		at = sorted ? bsearch(&key, sel->v, sorted, sizeof(key), compare_by_path) : NULL;
		if (!at) {
			sel->v = xgrow(sel->v, &sel->cap, sel->n + 1, sizeof(*sel->v));
			at = &sel->v[sel->n++];
			*at = (struct rec_chosen){ .path = xstrdup(paths->v[i]) };
		}
		at->by = e;
		at->on = !e->negated;
	}
	if (sel->n)
		qsort(sel->v, sel->n, sizeof(*sel->v), compare_by_path);
}

/* Selects events of loaded modules. *missing gets those of @modules that are not loaded. */
static int select_loaded(const struct tfs *t, const struct rec_event *e,
			 const struct strv *modules, struct rec_selection *sel,
			 struct strv *missing, struct ftr_error *err)
{
	struct strv loaded = {0}, all = {0}, names = {0}, paths = {0};
	size_t i, j;
	int ret = tfs_match_events(t, "all", &all, err) < 0 ? -1 : 0;
	bool found;

	modules_loaded(&loaded);
	for (i = 0; i < modules->n; i++) {
		for (j = 0, found = false; j < loaded.n; j++)
			if (module_is_named(modules->v[i], loaded.v[j])) {
				module_events(loaded.v[j], &names);
				found = true;
			}
		if (!found)
			strv_add(missing, modules->v[i]);
	}
	for (i = 0; i < all.n; i++)
		if (strv_has(&names, strchr(all.v[i], '/') + 1))
			strv_add(&paths, all.v[i]);
	if (!ret && !paths.n && !missing->n)
		ret = err_set(err, FTR_FAILED, "no event belongs to module '%s'", modules->v[0]);
	select_paths(sel, &paths, e);
	strv_release(&loaded);
	strv_release(&all);
	strv_release(&names);
	strv_release(&paths);
	return ret;
}

/* Selects all events of @modules, loaded now or later: -e all with --module. */
static int select_of_modules(const struct tfs *t, const struct rec_event *e,
			     const struct strv *modules, struct rec_selection *sel,
			     struct ftr_error *err)
{
	struct strv missing = {0};
	int ret = select_loaded(t, e, modules, sel, &missing, err);

	for (size_t i = 0; i < missing.n && !ret; i++) {
		struct rec_event one = *e;

		one.pattern = xasprintf(":mod:%s", missing.v[i]);
		ret = select_module(t, &one, sel, err);
		free(one.pattern);
	}
	strv_release(&missing);
	return ret;
}

static int select_pattern(const struct tfs *t, const struct rec_plan *p,
			  const struct rec_buffer *b, const struct rec_event *e,
			  struct rec_selection *sel, struct ftr_error *err)
{
	struct strv paths = {0};
	int got;

	if (strstr(e->pattern, ":mod:"))
		return select_module(t, e, sel, err);
	if (b->modules.n && !strcmp(e->pattern, "all"))
		return select_of_modules(t, e, &b->modules, sel, err);
	got = tfs_match_events(t, e->pattern, &paths, err);
	select_paths(sel, &paths, e);
	strv_release(&paths);
	if (!got && e->is_optional)
		return 0;
	if (!got && p->ignore_missing) {
		p->notice("no event matches '%s', going on without", e->pattern);
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
		if (select_pattern(t, p, b, &b->events[i], out, err))
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
