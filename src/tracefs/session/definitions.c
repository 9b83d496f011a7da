/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of dynamic_events and synthetic_events: the event, its place and its owner. */
#include "tracefs/session/definitions.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tracefs/files/control.h"
#include "tracefs/session/session.h"

#define COMMENT " # "

static bool line_is_removal(const char *line)
{
	return !strncmp(line, "-:", 2) || *line == '!';
}

/* Returns the name after "p:", "r10:", "-:" or "!", or the whole line. */
static const char *definition_name(const char *line)
{
	size_t n;

	if (*line == '!')
		return line + 1;
	n = *line ? 1 + strspn(line + 1, "0123456789") : 0;
	return n && line[n] == ':' ? line + n + 1 : line;
}

char *definition_event(const char *line)
{
	const char *name = definition_name(line);

	return xstrndup(name, strcspn(name, " \t;"));
}

char *definition_place(const char *line)
{
	const char *comment = line_is_removal(line) ? strstr(line, COMMENT) : NULL;
	const char *at, *colon, *ref;
	char *word, *slash;
	struct buf place = {0};
	uint64_t offset;
	size_t n;

	if (comment)
		return definition_place(comment + strlen(COMMENT));
	at = definition_name(line);
	at += strcspn(at, " \t");
	at += strspn(at, " \t");
	word = xstrndup(at, strcspn(at, " \t"));
	slash = strchr(word, '/');
	if (*line == 'e') {
		/* The kernel shows "sched.sched_switch", and accepts both. */
		if (slash)
			*slash = '.';
		return word;
	}
	colon = slash ? strrchr(word, ':') : NULL;
	ref = colon ? strchr(colon, '(') : NULL;
	n = strcspn(word, "+%");
	if (colon && isdigit((unsigned char)colon[1])) {
		/* "PATH:0x1040%return(0x20)": the offset has all digits of a long. */
		buf_printf(&place, "%.*s:0x%0*" PRIx64, (int)(colon - word), word,
			   (int)sizeof(long) * 2, (uint64_t)strtoull(colon + 1, NULL, 0));
		if (ref)
			buf_printf(&place, "(0x%" PRIx64 ")", (uint64_t)strtoull(ref + 1, NULL, 0));
	} else if (!slash && n && !isdigit((unsigned char)*word)) {
		offset = word[n] == '+' ? strtoull(word + n + 1, NULL, 0) : 0;
		buf_printf(&place, "%.*s", (int)n, word);
		if (offset)
			buf_printf(&place, "+%" PRIu64, offset);
	}
	free(word);
	return place.len ? buf_take(&place) : NULL;
}

void definitions_read(const struct tfs *t, const char *event, struct strv *out)
{
	struct strv lines = {0};
	struct buf text = {0};
	char *name;

	if (!tfs_read(t, NULL, "dynamic_events", &text, NULL))
		strv_split(&lines, text.data, "\n");
	for (size_t i = 0; i < lines.n; i++) {
		name = definition_event(lines.v[i]);
		if (!strcmp(name, event))
			strv_add(out, lines.v[i]);
		free(name);
	}
	strv_release(&lines);
	buf_release(&text);
}

char *definition_removal(const struct tfs *t, const char *undo)
{
	char *event = definition_event(undo), *place = definition_place(undo), *line = NULL, *there;
	struct strv lines = {0};
	bool found = false;

	definitions_read(t, event, &lines);
	for (size_t i = 0; place && i < lines.n && !found; i++) {
		there = definition_place(lines.v[i]);
		found = there && !strcmp(there, place);
		free(there);
	}
	if (lines.n && (!place || (found && lines.n == 1)))
		line = xasprintf("-:%s", event);
	else if (found)
		line = xasprintf("-:%s %s", event, place);
	strv_release(&lines);
	free(place);
	free(event);
	return line;
}

bool definition_needs_off(const char *line)
{
	const char *place = strchr(line, ' ');

	return place && strchr(place, '/');
}

bool definition_removes(const char *undo, const char *path)
{
	char *event = definition_event(undo), *dir = NULL;
	const char *rest = definition_name(undo) + strlen(event);
	bool yes;

	if (*undo == '!')
		dir = xasprintf("events/synthetic/%s/", event);
	else if (line_is_removal(undo) && (!*rest || !strncmp(rest, COMMENT, strlen(COMMENT))))
		dir = xasprintf("events/%s/", event);
	path = control_split(path, NULL);
	yes = dir && !strncmp(path, dir, strlen(dir));
	free(dir);
	free(event);
	return yes;
}

void definitions_own(const char *event, struct strv *places)
{
	struct journal_owner owner;
	struct journal_entries e;
	char *name, *place;
	size_t i;

	if (session_standing(&owner, &e, NULL) <= 0)
		return;
	for (i = 0; i < e.n; i++) {
		if (e.v[i].type != ENTRY_LINE || e.v[i].kept || !line_is_removal(e.v[i].value))
			continue;
		name = definition_event(e.v[i].value);
		place = strcmp(name, event) ? NULL : definition_place(e.v[i].value);
		if (!strcmp(name, event))
			strv_add(places, place ? place : "");
		free(place);
		free(name);
	}
	journal_owner_release(&owner);
	entries_release(&e);
}

/* True if the change of @made defined the event or place that the change of @unmade removed. */
static bool entry_undoes(const struct journal_entry *made, const struct journal_entry *unmade)
{
	char *names[2] = { definition_event(made->value), definition_event(unmade->value) };
	char *places[2] = { NULL, NULL };
	bool same = !strcmp(names[0], names[1]);

	if (same && *made->value != '!') {
		places[0] = definition_place(made->value);
		places[1] = definition_place(unmade->value);
		same = !places[0] || !places[1] || !strcmp(places[0], places[1]);
	}
	for (int i = 0; i < 2; i++) {
		free(names[i]);
		free(places[i]);
	}
	return same;
}

/*
 * Returns the index of the change that made the event which the change at @at removed, or @at if
 * there is none.
 */
static size_t entries_find_made(const struct journal_entries *e, size_t at)
{
	for (size_t i = at; i-- > 0;)
		if (e->v[i].type == ENTRY_LINE && !e->v[i].kept && line_is_removal(e->v[i].value) &&
		    !strcmp(e->v[i].path, e->v[at].path) && entry_undoes(&e->v[i], &e->v[at]))
			return i;
	return at;
}

void entries_drop_undone(struct journal_entries *e)
{
	size_t i, k, made;

	for (i = 0; i < e->n; i++) {
		if (e->v[i].type != ENTRY_LINE || e->v[i].kept || line_is_removal(e->v[i].value))
			continue;
		made = entries_find_made(e, i);
		if (made == i)
			continue;
		/* With a comment, the event stayed with other places. */
		for (k = made + 1; k < i && !strstr(e->v[i].value, COMMENT); k++)
			if (e->v[k].type == ENTRY_SET &&
			    definition_removes(e->v[made].value, e->v[k].path))
				e->v[k].kept = true;
		e->v[made].kept = e->v[i].kept = true;
	}
}
