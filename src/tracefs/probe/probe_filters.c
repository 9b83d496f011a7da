/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The filters of event probes, which the kernel shows nowhere: out of the standing journal. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tracefs/probe/probe_priv.h"
#include "tracefs/session/journal.h"

/* Where the word "if" of a definition stands, NULL where there is no filter. */
static const char *eprobe_if(const char *definition)
{
	const char *at;

	for (at = definition; (at = strstr(at, "if")); at++)
		if (at > definition && isblank((unsigned char)at[-1]) &&
		    isblank((unsigned char)at[2]))
			return at;
	return NULL;
}

/*
 * Is it the kernel's line but for the filter? The kernel writes "sched.sched_switch", and gives
 * names to arguments that have none.
 */
static bool same_probe(const char *line, const char *definition)
{
	const char *filter = eprobe_if(definition);
	char *text = xstrndup(definition, filter ? (size_t)(filter - definition) : SIZE_MAX), *sep;
	struct strv now = {0}, then = {0};
	bool same;

	strv_split(&now, line, " \t");
	strv_split(&then, text, " \t");
	same = now.n == then.n && now.n > 1;
	sep = same ? strchr(then.v[1], '/') : NULL;
	if (sep)
		*sep = '.';
	same = same && !strcmp(now.v[1], then.v[1]);
	strv_release(&now);
	strv_release(&then);
	free(text);
	return same;
}

/* The rest of @text behind "-:GROUP/EVENT" or "e:GROUP/EVENT"; NULL if that is another event. */
static const char *behind_name(const char *text, const char *event)
{
	size_t n = strlen(event);

	if (!*text || text[1] != ':' || strncmp(text + 2, event, n))
		return NULL;
	return !text[2 + n] || text[2 + n] == ' ' ? text + 2 + n : NULL;
}

static void take_filter(struct probe_line *l, const char *definition)
{
	const char *filter = eprobe_if(definition);

	l->filter_known = same_probe(l->text, definition);
	if (!l->filter_known || !filter)
		return;
	filter += strlen("if");
	l->filter = xstrdup(filter + strspn(filter, " \t"));
	free(l->text);
	l->text = xasprintf("e:%s %s%s%s if %s", l->event, l->place, *l->args ? " " : "", l->args,
			    l->filter);
}

/* The last record of the event: how it was added, or that it was removed by us. */
static void find_filter(struct probe_line *l, const struct entries *e)
{
	const char *rest;
	size_t i;

	for (i = e->n; i-- > 0;) {
		if (e->v[i].type != ENTRY_LINE || e->v[i].kept)
			continue;
		rest = behind_name(e->v[i].value, l->event);
		if (!rest)
			continue;
		if (*e->v[i].value == '-' && !strncmp(rest, " # ", 3))
			take_filter(l, rest + 3);
		return;
	}
}

void eprobe_filters(struct probe_lines *l)
{
	struct journal_owner owner;
	struct entries e;
	bool any = false;
	size_t i;

	for (i = 0; i < l->n; i++)
		any |= l->v[i].kind == PROBE_EPROBE;
	if (!any || session_standing(&owner, &e, NULL) <= 0)
		return;
	for (i = 0; i < l->n; i++)
		if (l->v[i].kind == PROBE_EPROBE)
			find_filter(&l->v[i], &e);
	journal_owner_release(&owner);
	entries_release(&e);
}
