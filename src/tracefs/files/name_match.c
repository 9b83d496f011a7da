/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names that tracefs offers: tracers, options, clocks, instances, events; and their patterns. */
#include "tracefs/files/name_match.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "tracefs/files/tfs.h"

int tfs_tracers(const struct tfs *t, const char *instance, struct strv *out, struct ftr_error *err)
{
	struct buf text = {0};
	int ret = tfs_read(t, instance, "available_tracers", &text, err);

	if (!ret)
		strv_split(out, text.data, " \n");
	buf_release(&text);
	return ret;
}

int tfs_options(const struct tfs *t, const char *instance, struct strv *out, struct ftr_error *err)
{
	struct strv all = {0};
	struct buf text = {0};
	size_t i;
	int ret = tfs_read(t, instance, "trace_options", &text, err);

	if (ret)
		goto out;
	strv_split(&all, text.data, "\n");
	/* No option's own name starts with "no". */
	for (i = 0; i < all.n; i++)
		strv_add(out, all.v[i] + (strncmp(all.v[i], "no", 2) ? 0 : 2));
out:
	strv_release(&all);
	buf_release(&text);
	return ret;
}

int tfs_clocks(const struct tfs *t, const char *instance, struct strv *out, char **current,
	       struct ftr_error *err)
{
	struct strv words = {0};
	struct buf text = {0};
	size_t i, n;
	int ret = tfs_read(t, instance, "trace_clock", &text, err);

	if (current)
		*current = NULL;
	if (ret)
		goto out;
	strv_split(&words, text.data, " \n");
	for (i = 0; i < words.n; i++) {
		n = strlen(words.v[i]);
		if (words.v[i][0] != '[') {
			strv_add(out, words.v[i]);
			continue;
		}
		strv_take(out, xstrndup(words.v[i] + 1, n > 2 ? n - 2 : 0));
		if (current && !*current)
			*current = xstrdup(out->v[out->n - 1]);
	}
	if (current && !*current)
		*current = xstrdup("");
out:
	strv_release(&words);
	buf_release(&text);
	return ret;
}

int tfs_instances(const struct tfs *t, struct strv *out, struct ftr_error *err)
{
	int fd = openat(t->dirfd, "instances", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (!dir) {
		/* This kernel has no instances. */
		if (errno == ENOENT)
			return 0;
		err_sys(err, "cannot list '%s/instances'", t->path);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	while ((e = readdir(dir)))
		if (e->d_name[0] != '.' && e->d_type == DT_DIR)
			strv_add(out, e->d_name);
	closedir(dir);
	strv_sort_unique(out);
	return 0;
}

int tfs_check_instance(const struct tfs *t, const char *instance, struct ftr_error *err)
{
	struct strv names = {0};
	const char *near;
	int ret = -1;

	if (!instance || !*instance)
		return 0;
	if (tfs_instances(t, &names, err))
		goto out;
	if (strv_has(&names, instance)) {
		ret = 0;
		goto out;
	}
	near = names.n ? text_closest(instance, names.v) : NULL;
	err_set(err, FTR_FAILED, "there is no instance '%s'", instance);
	if (near)
		err_hint(err, "did you mean '%s'?", near);
	else if (names.n)
		err_hint(err, "'ls %s/instances' lists them", t->path);
	else
		err_hint(err, "there are no instances");
out:
	strv_release(&names);
	return ret;
}

int tfs_events(const struct tfs *t, struct strv *out, struct ftr_error *err)
{
	struct buf text = {0};
	int ret = tfs_read(t, NULL, "available_events", &text, err);

	if (!ret)
		strv_split(out, text.data, "\n");
	buf_release(&text);
	return ret;
}

int tfs_trigger_events(const struct tfs *t, struct strv *out, struct ftr_error *err)
{
	int ret = tfs_events(t, out, err);

	if (!ret && tfs_exists(t, NULL, "events/ftrace/print/trigger"))
		strv_add(out, "ftrace:print");
	return ret;
}

/* A parsed event pattern. If a part is not given, it is "*". */
struct event_pattern {
	char *system, *event;
	bool either;		/* a single word: the name of a system or of an event */
};

static void pattern_init(struct event_pattern *p, const char *text)
{
	const char *colon = strpbrk(text, ":/");

	*p = (struct event_pattern){0};
	if (!strcmp(text, "all") || !*text) {
		p->system = xstrdup("*");
		p->event = xstrdup("*");
		return;
	}
	p->either = !colon;
	p->system = colon ? xstrndup(text, colon - text) : xstrdup(text);
	p->event = xstrdup(colon ? colon + 1 : text);
	if (colon && !*p->system)
		strcpy(p->system = xrealloc(p->system, 2), "*");
	if (colon && !*p->event)
		strcpy(p->event = xrealloc(p->event, 2), "*");
}

/* Sets @err. The hint has the closest name in the form of @pattern: "s:e", or a single word. */
static void events_explain_no_match(const struct strv *events, const char *pattern,
				    struct ftr_error *err)
{
	struct strv names = {0};
	char *word = xstrdup(pattern), *slash = strchr(word, '/');
	const char *near, *colon;
	bool single;

	if (slash)
		*slash = ':';
	single = !strchr(word, ':');
	for (size_t i = 0; i < events->n; i++) {
		colon = strchr(events->v[i], ':');
		if (!single || !colon) {
			strv_add(&names, events->v[i]);
			continue;
		}
		strv_add(&names, colon + 1);
		strv_take(&names, xstrndup(events->v[i], colon - events->v[i]));
	}
	strv_sort_unique(&names);
	err_set(err, FTR_FAILED, "no event matches '%s'", pattern);
	near = names.n ? text_closest(word, names.v) : NULL;
	if (near)
		err_hint(err, "did you mean '%s'?", near);
	else
		err_hint(err, "available_events lists them; a module's come with it");
	strv_release(&names);
	free(word);
}

typedef int lister(const struct tfs *t, struct strv *out, struct ftr_error *err);

static int match_events(const struct tfs *t, lister *list, const char *pattern, struct strv *out,
			struct ftr_error *err)
{
	struct strv events = {0};
	bool by_system, by_event;
	struct event_pattern p;
	size_t i, found = 0;
	char *colon;
	int ret;

	pattern_init(&p, pattern);
	ret = list(t, &events, err);
	for (i = 0; !ret && i < events.n; i++) {
		colon = strchr(events.v[i], ':');
		if (!colon)
			continue;
		*colon = '\0';
		by_system = !fnmatch(p.system, events.v[i], 0);
		by_event = !fnmatch(p.event, colon + 1, 0);
		if (p.either ? by_system || by_event : by_system && by_event) {
			strv_take(out, xasprintf("%s/%s", events.v[i], colon + 1));
			found++;
		}
		*colon = ':';
	}
	if (!ret && !found)
		events_explain_no_match(&events, pattern, err);
	free(p.system);
	free(p.event);
	strv_release(&events);
	return ret ? -1 : found > 0;
}

int tfs_match_events(const struct tfs *t, const char *pattern, struct strv *out,
		     struct ftr_error *err)
{
	return match_events(t, tfs_events, pattern, out, err);
}

int tfs_match_trigger_events(const struct tfs *t, const char *pattern, struct strv *out,
			     struct ftr_error *err)
{
	return match_events(t, tfs_trigger_events, pattern, out, err);
}

/* --- selections by globs and regular expressions */

struct pick_one {
	const char *given;	/* the user's pattern, borrowed */
	char   *text;		/* the expression or glob; for events the glob of the system */
	char   *second;		/* the glob after ':' or ":mod:", or NULL */
	bool    regex, plain;	/* ->plain: no wildcard in ->text */
	regex_t re;
	size_t  hits;
};

static int init_regex(struct pick_one *o, const char *text, size_t len, struct ftr_error *err)
{
	char why[128];
	int ret;

	o->text = xstrndup(text, len);
	ret = regcomp(&o->re, o->text, REG_EXTENDED | REG_NOSUB);
	if (!ret) {
		o->regex = true;
		return 0;
	}
	regerror(ret, &o->re, why, sizeof(why));
	err_set(err, FTR_USAGE, "'%.300s' is not a regular expression: %s", o->text, why);
	return err_hint(err, "a glob ('vfs_*') needs neither slashes nor --regex");
}

/* Splits @text into ->text and ->second, if it has two globs. */
static void init_glob(struct pick_one *o, const char *text)
{
	const char *mod = strstr(text, ":mod:"), *colon = strpbrk(text, ":/");

	if (mod) {
		o->text = xstrndup(text, mod - text);
		o->second = xstrdup(mod + strlen(":mod:"));
	} else if (colon) {
		o->text = xstrndup(text, colon - text);
		o->second = xstrdup(colon + 1);
	} else {
		o->text = xstrdup(text);
	}
	o->plain = !strpbrk(o->text, "*?[\\");
}

int pick_init(struct name_patterns *p, char *const *patterns, size_t n, bool regex,
	      struct ftr_error *err)
{
	size_t i, len;
	bool slashes;

	p->v = xcalloc(n + 1, sizeof(*p->v));
	for (p->n = i = 0; i < n; i++) {
		len = strlen(patterns[i]);
		slashes = len > 1 && patterns[i][0] == '/' && patterns[i][len - 1] == '/';
		p->v[i].given = patterns[i];
		p->n++;
		if (!regex && !slashes)
			init_glob(&p->v[i], patterns[i]);
		else if (init_regex(&p->v[i], patterns[i] + slashes, len - 2 * slashes, err))
			return -1;
	}
	return 0;
}

void pick_release(struct name_patterns *p)
{
	size_t i;

	for (i = 0; i < p->n; i++) {
		if (p->v[i].regex)
			regfree(&p->v[i].re);
		free(p->v[i].text);
		free(p->v[i].second);
	}
	free(p->v);
	*p = (struct name_patterns){0};
}

/* An empty glob was left out and matches all names. */
static bool glob_is(const char *glob, const char *name)
{
	return !*glob || !fnmatch(glob, name, 0);
}

static bool pick_one_matches(const struct pick_one *o, const char *name)
{
	if (o->regex)
		return !regexec(&o->re, name, 0, NULL, 0);
	if (!o->second && o->plain)
		return !strcmp(o->text, name);
	return !fnmatch(o->second ? o->given : o->text, name, 0);
}

bool pick_name(struct name_patterns *p, const char *name)
{
	bool wanted = !p->n;
	size_t i;

	for (i = 0; i < p->n; i++)
		if (pick_one_matches(&p->v[i], name)) {
			p->v[i].hits++;
			wanted = true;
		}
	return wanted;
}

bool pick_event(struct name_patterns *p, const char *event)
{
	char *system = xstrndup(event, strcspn(event, ":"));
	const char *colon = strchr(event, ':'), *name = colon ? colon + 1 : "";
	const struct pick_one *o;
	bool wanted = !p->n, hit;
	size_t i;

	for (i = 0; i < p->n; i++) {
		o = &p->v[i];
		if (o->regex)
			hit = !regexec(&o->re, event, 0, NULL, 0);
		else if (o->second)
			hit = glob_is(o->text, system) && glob_is(o->second, name);
		else
			hit = !strcmp(o->text, "all") || !fnmatch(o->text, system, 0) ||
			      !fnmatch(o->text, name, 0);
		p->v[i].hits += hit;
		wanted |= hit;
	}
	free(system);
	return wanted;
}

bool pick_function(struct name_patterns *p, const char *name, const char *module)
{
	const struct pick_one *o;
	bool wanted = !p->n, hit;
	size_t i;

	for (i = 0; i < p->n; i++) {
		o = &p->v[i];
		if (o->regex || !o->second)
			hit = pick_one_matches(o, name);
		else
			hit = module && glob_is(o->text, name) && glob_is(o->second, module);
		p->v[i].hits += hit;
		wanted |= hit;
	}
	return wanted;
}

const char *pick_missed(const struct name_patterns *p, size_t i)
{
	size_t at;

	for (at = 0; at < p->n; at++)
		if (!p->v[at].hits && !i--)
			return p->v[at].given;
	return NULL;
}
