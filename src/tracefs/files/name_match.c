/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names held against globs and regular expressions. */
#include "tracefs/files/name_match.h"

#include <fnmatch.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct pick_one {
	const char *given;	/* as the user wrote it, borrowed */
	char   *text;		/* the expression or glob; of events the system */
	char   *second;		/* the glob behind ':' or ":mod:", or NULL */
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

/* The second glob, if there is one, stays in ->second and ->text ends before it. */
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

int pick_init(struct pick *p, char *const *patterns, size_t n, bool regex, struct ftr_error *err)
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

void pick_release(struct pick *p)
{
	size_t i;

	for (i = 0; i < p->n; i++) {
		if (p->v[i].regex)
			regfree(&p->v[i].re);
		free(p->v[i].text);
		free(p->v[i].second);
	}
	free(p->v);
	*p = (struct pick){0};
}

/* An empty glob is one that was left out. */
static bool glob_is(const char *glob, const char *name)
{
	return !*glob || !fnmatch(glob, name, 0);
}

static bool one_name(const struct pick_one *o, const char *name)
{
	if (o->regex)
		return !regexec(&o->re, name, 0, NULL, 0);
	if (!o->second && o->plain)
		return !strcmp(o->text, name);
	return !fnmatch(o->second ? o->given : o->text, name, 0);
}

bool pick_name(struct pick *p, const char *name)
{
	bool wanted = !p->n;
	size_t i;

	for (i = 0; i < p->n; i++)
		if (one_name(&p->v[i], name)) {
			p->v[i].hits++;
			wanted = true;
		}
	return wanted;
}

static bool one_event(const struct pick_one *o, const char *whole, const char *system,
		      const char *event)
{
	if (o->regex)
		return !regexec(&o->re, whole, 0, NULL, 0);
	if (o->second)
		return glob_is(o->text, system) && glob_is(o->second, event);
	return !strcmp(o->text, "all") || !fnmatch(o->text, system, 0) ||
	       !fnmatch(o->text, event, 0);
}

bool pick_event(struct pick *p, const char *event)
{
	char *system = xstrndup(event, strcspn(event, ":"));
	const char *name = strchr(event, ':');
	bool wanted = !p->n;
	size_t i;

	for (i = 0; i < p->n; i++)
		if (one_event(&p->v[i], event, system, name ? name + 1 : "")) {
			p->v[i].hits++;
			wanted = true;
		}
	free(system);
	return wanted;
}

bool pick_function(struct pick *p, const char *name, const char *module)
{
	const struct pick_one *o;
	bool wanted = !p->n, hit;
	size_t i;

	for (i = 0; i < p->n; i++) {
		o = &p->v[i];
		if (o->regex || !o->second)
			hit = one_name(o, name);
		else
			hit = module && glob_is(o->text, name) && glob_is(o->second, module);
		p->v[i].hits += hit;
		wanted |= hit;
	}
	return wanted;
}

const char *pick_missed(const struct pick *p, size_t i)
{
	size_t at;

	for (at = 0; at < p->n; at++)
		if (!p->v[at].hits && !i--)
			return p->v[at].given;
	return NULL;
}
