/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What others changed since our changes came to stand: that is theirs, and left as it is. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "tracefs/files/control.h"
#include "tracefs/session/journal.h"

/* Only who writes them changes them: no trigger, no task that ends, no module. */
static const char *const steady[] = {
	"events/*/*/filter", "tracing_cpumask", "buffer_percent", "max_graph_depth",
};

static bool is_steady(const char *path)
{
	const char *file = control_split(path, NULL);
	size_t i;

	for (i = 0; i < sizeof(steady) / sizeof(*steady); i++)
		if (!fnmatch(steady[i], file, FNM_PATHNAME))
			return true;
	return false;
}

static void note_left(const struct tfs *t, struct entries *e, const char *path)
{
	struct buf text = {0};

	if (!tfs_read(t, NULL, path, &text, NULL))
		entries_add(e, ENTRY_LEFT, path, text.data);
	buf_release(&text);
}

void entries_note_left(const struct tfs *t, struct entries *e)
{
	size_t i, n = e->n;

	for (i = 0; i < n; i++)
		if (!e->v[i].kept && e->v[i].type == ENTRY_SET && is_steady(e->v[i].path))
			note_left(t, e, e->v[i].path);
}

/* The last word on @path that we had; NULL when we had none. */
static const struct entry *last_left(const struct entries *e, const char *path)
{
	size_t i;

	for (i = e->n; i-- > 0;)
		if (e->v[i].type == ENTRY_LEFT && !e->v[i].kept && !strcmp(e->v[i].path, path))
			return &e->v[i];
	return NULL;
}

static bool is_changed(const struct tfs *t, const struct entries *e, const char *path)
{
	const struct entry *left = last_left(e, path);
	char *(*canon)(const char *) = control_of(path)->canon;
	struct buf text = {0};
	bool changed = false;
	char *was, *now;

	if (left && !tfs_read(t, NULL, path, &text, NULL)) {
		was = canon(left->value);
		now = canon(text.data);
		changed = strcmp(was, now);
		free(was);
		free(now);
	}
	buf_release(&text);
	return changed;
}

static bool has_entry(const struct entries *e, enum entry_type type, const char *instance,
		      const char *file)
{
	char *path = xasprintf("%s/%s", instance, file);
	bool found = false;
	size_t i;

	for (i = 0; i < e->n && !found; i++)
		found = e->v[i].type == type && !e->v[i].kept && !strcmp(e->v[i].path, path);
	free(path);
	return found;
}

/*
 * Is @event ("sched:sched_switch") on there though none of our changes was about it, its system or
 * all events? Lists of events name also those that a trigger only holds ready.
 */
static bool is_strange(const struct tfs *t, const struct entries *e, const char *instance,
		       const char *event)
{
	size_t n = strcspn(event, ":");
	char *own = xasprintf("events/%.*s/%s/enable", (int)n, event, event + n + !!event[n]);
	char *all = xasprintf("events/%.*s/enable", (int)n, event);
	char *path = xasprintf("%s/%s", instance, own), *line = tfs_line(t, NULL, path);
	bool strange = *line == '1' && !has_entry(e, ENTRY_SET, instance, own) &&
		       !has_entry(e, ENTRY_SET, instance, all) &&
		       !has_entry(e, ENTRY_SET, instance, "events/enable");

	free(line);
	free(path);
	free(all);
	free(own);
	return strange;
}

/* What somebody else set in an instance that we made: a tracer or an event. The caller frees. */
static char *strange_word(const struct tfs *t, const struct entries *e, const char *instance)
{
	char *path = xasprintf("%s/current_tracer", instance), *found = tfs_line(t, NULL, path);
	struct strv events = {0};
	struct buf text = {0};
	size_t i;

	free(path);
	if (*found && strcmp(found, "nop") && !has_entry(e, ENTRY_SET, instance, "current_tracer"))
		return found;
	free(found);
	found = NULL;
	path = xasprintf("%s/set_event", instance);
	/* what waits for a module may have come since */
	if (!has_entry(e, ENTRY_COMMAND, instance, "set_event") &&
	    !tfs_read(t, NULL, path, &text, NULL))
		strv_split(&events, text.data, "\n");
	for (i = 0; i < events.n && !found; i++)
		if (is_strange(t, e, instance, events.v[i]))
			found = xstrdup(events.v[i]);
	strv_release(&events);
	buf_release(&text);
	free(path);
	return found;
}

/* True when somebody else works there: the instance stays, and what we set in it is put back. */
static bool is_taken(const struct tfs *t, const struct entries *e, const char *instance,
		     struct strv *out)
{
	char *word = strange_word(t, e, instance);
	bool taken = word;

	if (taken)
		strv_take(out, xasprintf("'%s' stays: somebody set '%s' in it", instance, word));
	free(word);
	return taken;
}

void entries_leave_others(const struct tfs *t, struct entries *e, struct strv *out)
{
	size_t i;

	for (i = 0; i < e->n; i++) {
		if (e->v[i].kept)
			continue;
		if (e->v[i].type == ENTRY_MKDIR)
			e->v[i].kept = is_taken(t, e, e->v[i].path, out);
		if (e->v[i].type != ENTRY_SET || !is_changed(t, e, e->v[i].path))
			continue;
		e->v[i].kept = true;
		strv_take(out, xasprintf("'%s' is left as it is: somebody changed it since",
					 e->v[i].path));
	}
}
