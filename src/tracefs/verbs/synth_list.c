/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which synthetic events there are, which triggers belong to them, and taking them away. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tracefs/files/control.h"
#include "tracefs/verbs/synth_event.h"
#include "tracefs/verbs/triggers.h"

void synth_triggers_release(struct synth_triggers *list)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		free(list->v[i].instance);
		free(list->v[i].event);
		free(list->v[i].text);
	}
	free(list->v);
	*list = (struct synth_triggers){0};
}

static void add_synth_trigger(struct synth_triggers *list, const char *instance, const char *event,
			      const char *text)
{
	list->v = xgrow(list->v, &list->cap, list->n + 1, sizeof(*list->v));
	list->v[list->n++] = (struct synth_trigger){ xstrdup(instance), xstrdup(event),
						     xstrdup(text) };
}

static void add_hist_line(struct synth_triggers *list, const char *instance, const char *event,
			  const char *line)
{
	char *text;
	long count;

	if (strncmp(line, "hist:", 5))
		return;
	text = lines_base(line, &count);
	add_synth_trigger(list, instance, event, text);
	free(text);
}

/* "sched:sched_switch hist:...", in columns: newer kernels have all triggers in one file. */
static int scan_shown(const struct tfs *t, const char *instance, struct synth_triggers *all,
		      struct ftr_error *err)
{
	struct strv lines = {0};
	struct buf text = {0};
	char *blank, *colon;
	size_t i;
	int ret = tfs_read(t, instance, "show_event_triggers", &text, err);

	if (!ret)
		strv_split(&lines, text.data, "\n");
	for (i = 0; i < lines.n; i++) {
		blank = strpbrk(lines.v[i], "\t ");
		colon = strchr(lines.v[i], ':');
		if (!blank || !colon || colon > blank)
			continue;
		*colon = '/';
		*blank = '\0';
		add_hist_line(all, instance, lines.v[i], blank + 1 + strspn(blank + 1, "\t "));
	}
	strv_release(&lines);
	buf_release(&text);
	return ret;
}

static void scan_event(const struct tfs *t, const char *instance, char *event,
		       struct synth_triggers *all)
{
	char *colon = strchr(event, ':'), *file;
	struct strv lines = {0};
	struct buf text = {0};
	size_t i;

	if (!colon)
		return;
	*colon = '/';
	file = xasprintf("events/%s/trigger", event);
	if (!tfs_read(t, instance, file, &text, NULL))
		strv_split(&lines, text.data, "\n");
	for (i = 0; i < lines.n; i++)
		add_hist_line(all, instance, event, lines.v[i]);
	free(file);
	strv_release(&lines);
	buf_release(&text);
	*colon = ':';
}

int synth_scan(const struct tfs *t, struct synth_triggers *all, struct ftr_error *err)
{
	bool shown = tfs_exists(t, NULL, "show_event_triggers");
	struct strv instances = {0}, events = {0};
	size_t i, k;
	int ret;

	strv_add(&instances, "");
	ret = tfs_instances(t, &instances, err);
	if (!ret && !shown)
		ret = tfs_events(t, &events, err);
	for (i = 0; !ret && i < instances.n; i++) {
		if (shown)
			ret = scan_shown(t, instances.v[i], all, err);
		for (k = 0; k < events.n; k++)
			scan_event(t, instances.v[i], events.v[k], all);
	}
	strv_release(&instances);
	strv_release(&events);
	return ret;
}

/* "trace(NAME," or ").NAME(" */
bool synth_fires(const struct synth_trigger *trigger, const char *name)
{
	const char *at = trigger->text;
	size_t n = strlen(name);

	while ((at = strstr(at, name))) {
		if (at > trigger->text + 6 && !strncmp(at - 6, "trace(", 6) &&
		    (at[n] == ',' || at[n] == ')'))
			return true;
		if (at > trigger->text + 2 && !strncmp(at - 2, ").", 2) && at[n] == '(')
			return true;
		at += n;
	}
	return false;
}

static bool is_var_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/*
 * Calls @each for the variables that @text defines, ":VAR=" or ",VAR=", until it says true. The
 * words of a hist trigger (keys=) look the same, and are used by nobody.
 */
static bool any_variable(const char *text, const struct synth_triggers *list, bool in,
			 const struct synth_trigger *self)
{
	const char *at, *end;
	size_t i;

	for (at = strchr(text, '='); at; at = strchr(at + 1, '=')) {
		for (end = at; at > text && is_var_char(at[-1]);)
			at--;
		for (i = 0; i < list->n && at > text && at < end; i++) {
			const struct synth_trigger *other = &list->v[i];

			if (other == self || strcmp(other->instance, self->instance))
				continue;
			if (trigger_reads(other->text, at, end - at) == in)
				return true;
		}
		at = end;
	}
	return false;
}

static bool has_hist_trigger(const struct synth_triggers *list, const struct synth_trigger *trigger)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (!strcmp(list->v[i].instance, trigger->instance) &&
		    !strcmp(list->v[i].event, trigger->event) &&
		    !strcmp(list->v[i].text, trigger->text))
			return true;
	return false;
}

/* Those that are not in @out and use a variable of @holder. */
static bool wanted_by_others(const struct synth_triggers *all, const struct synth_triggers *out,
			     const struct synth_trigger *holder)
{
	struct synth_triggers one = { .n = 1 };
	size_t i;

	for (i = 0; i < all->n; i++) {
		if (&all->v[i] == holder || has_hist_trigger(out, &all->v[i]))
			continue;
		one.v = &all->v[i];
		if (any_variable(holder->text, &one, true, holder))
			return true;
	}
	return false;
}

void synth_pick(const struct synth_triggers *all, const char *name, struct synth_triggers *out)
{
	char *event = xasprintf("synthetic/%s", name);
	const struct synth_trigger *it;
	size_t i;

	for (it = all->v; it < all->v + all->n; it++)
		if (!strcmp(it->event, event))
			add_synth_trigger(out, it->instance, it->event, it->text);
	for (it = all->v; it < all->v + all->n; it++)
		if (strcmp(it->event, event) && synth_fires(it, name))
			add_synth_trigger(out, it->instance, it->event, it->text);
	for (i = 0; i < all->n; i++) {
		it = &all->v[i];
		if (!has_hist_trigger(out, it) && any_variable(it->text, out, true, it) &&
		    !wanted_by_others(all, out, it))
			add_synth_trigger(out, it->instance, it->event, it->text);
	}
	free(event);
}

int synth_list(const struct tfs *t, struct strv *out, struct ftr_error *err)
{
	struct buf text = {0};
	int ret;

	if (!tfs_exists(t, NULL, "synthetic_events") && errno == ENOENT) {
		err_set(err, FTR_FAILED, "this kernel has no '%s/synthetic_events'", t->path);
		return err_hint(err, "it was built without CONFIG_SYNTH_EVENTS");
	}
	ret = tfs_read(t, NULL, "synthetic_events", &text, err);
	if (!ret)
		strv_split(out, text.data, "\n");
	buf_release(&text);
	return ret;
}

/* ---- taking away */

static char *definition_of(const struct tfs *t, const char *name, struct ftr_error *err)
{
	struct strv lines = {0}, names = {0};
	const char *near;
	char *found = NULL;
	size_t i, n;

	if (synth_list(t, &lines, err))
		return NULL;
	for (i = 0; i < lines.n && !found; i++) {
		n = strcspn(lines.v[i], "\t ");
		strv_take(&names, xstrndup(lines.v[i], n));
		if (!strcmp(names.v[i], name))
			found = xasprintf("%s %s", name, lines.v[i] + n + (lines.v[i][n] != '\0'));
	}
	if (!found) {
		err_set(err, FTR_FAILED, "no synthetic event '%s'", name);
		near = names.n ? text_closest(name, names.v) : NULL;
		if (near)
			err_hint(err, "did you mean '%s'?", near);
		else
			err_hint(err, "'ftr synth list' shows them");
	}
	strv_release(&names);
	strv_release(&lines);
	return found;
}

static int remove_synth_trigger(struct session *s, const struct synth_trigger *trigger,
				struct ftr_error *err)
{
	char *text = xasprintf("!%s", trigger->text);
	int ret = session_trigger(s, trigger->instance, trigger->event, text, err);

	free(text);
	return ret;
}

int synth_delete(struct session *s, const char *name, struct ftr_error *err)
{
	const struct tfs *t = session_tfs(s);
	char *definition = definition_of(t, name, err), *line = xasprintf("!%s", name);
	struct synth_triggers all = {0}, mine = {0};
	size_t i;
	int ret = definition ? synth_scan(t, &all, err) : -1;

	if (!ret)
		synth_pick(&all, name, &mine);
	for (i = 0; i < mine.n && !ret; i++)
		ret = remove_synth_trigger(s, &mine.v[i], err);
	if (!ret)
		ret = session_line(s, "synthetic_events", line, definition, err);
	if (ret && err && err->sys == EBUSY)
		err_hint(err, "'%s' is in use: it is enabled, or somebody reads it", name);
	synth_triggers_release(&mine);
	synth_triggers_release(&all);
	free(line);
	free(definition);
	return ret;
}
