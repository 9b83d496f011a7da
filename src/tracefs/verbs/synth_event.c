/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Synthetic events and their hist triggers: their texts, defining, listing and deleting them. */
#include "tracefs/verbs/synth_event.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tracefs/files/control.h"
#include "tracefs/verbs/triggers.h"

void synth_plan_release(struct synth_plan *p)
{
	free(p->name);
	free(p->start_event);
	free(p->start_hist);
	free(p->start_filter);
	free(p->end_event);
	free(p->end_hist);
	free(p->end_filter);
	free(p->watched);
	strv_release(&p->fields);
	strv_release(&p->values);
	strv_release(&p->save);
	*p = (struct synth_plan){0};
}

static int synth_watch(struct synth_plan *p, enum synth_handler handler, const char *field,
		       struct ftr_error *err)
{
	struct buf names = {0};
	const char *blank;
	bool found = false;
	char *name;
	size_t i;

	if (!p->name)
		return err_set(err, FTR_USAGE, "'%s' cannot be watched without a second event",
			       field);
	for (i = 0; i < p->fields.n && !found; i++) {
		/* A field is declared like "unsigned long args[6]" or "char comm[]". */
		blank = strrchr(p->fields.v[i], ' ');
		name = xstrdup(blank ? blank + 1 : p->fields.v[i]);
		name[strcspn(name, "[")] = '\0';
		found = !strcmp(name, field);
		buf_printf(&names, "%s %s", i ? "," : "", name);
		free(name);
	}
	if (!found) {
		err_set(err, FTR_USAGE, "'%s' is not a field of '%s'", field, p->name);
		err_hint(err, "it has:%.400s", names.data ? names.data : " none");
	} else if (*p->values.v[i - 1] != '$') {
		err_set(err, FTR_USAGE, "'%s' is a field of the second event, not a variable",
			field);
		err_hint(err, "watch a difference, or a field of the first event");
		found = false;
	} else {
		p->handler = handler;
		free(p->watched);
		p->watched = xstrdup(p->values.v[i - 1]);
		if (!p->snapshot && !p->save.n)
			p->trace = true;
	}
	buf_release(&names);
	return found ? 0 : -1;
}

int synth_act(struct synth_plan *p, const struct synth_action *a, struct ftr_error *err)
{
	const char *field = a->max ? a->max : a->change;

	p->snapshot = a->snapshot;
	p->trace = a->trace;
	if (a->save)
		strv_split(&p->save, a->save, ", ");
	return field ? synth_watch(p, a->max ? SYNTH_MAX : SYNTH_CHANGE, field, err) : 0;
}

static void buf_add_words(struct buf *out, const struct strv *words, const char *between)
{
	size_t i;

	for (i = 0; i < words->n; i++)
		buf_printf(out, "%s%s", i ? between : "", words->v[i]);
}

char *synth_definition(const struct synth_plan *p)
{
	struct buf out = {0};

	buf_printf(&out, "%s ", p->name);
	buf_add_words(&out, &p->fields, "; ");
	return buf_take(&out);
}

static char *buf_take_filtered(struct buf *out, const char *filter)
{
	if (filter)
		buf_printf(out, " if %s", filter);
	return buf_take(out);
}

char *synth_start_trigger(const struct synth_plan *p)
{
	struct buf out = {0};

	buf_addstr(&out, p->start_hist);
	return buf_take_filtered(&out, p->start_filter);
}

static void add_trace(struct buf *out, const struct synth_plan *p)
{
	buf_printf(out, ".trace(%s", p->name);
	if (p->values.n)
		buf_addch(out, ',');
	buf_add_words(out, &p->values, ",");
	buf_addch(out, ')');
}

static void add_handler(struct buf *out, const struct synth_plan *p)
{
	buf_printf(out, ":%s(%s)", p->handler == SYNTH_MAX ? "onmax" : "onchange", p->watched);
}

char *synth_end_trigger(const struct synth_plan *p)
{
	struct buf out = {0};
	size_t n;

	buf_addstr(&out, p->end_hist);
	if (p->handler == SYNTH_MATCH) {
		/* ":onmatch(sched.sched_waking)" has a dot in the event's name. */
		n = strcspn(p->start_event, "/");
		buf_printf(&out, ":onmatch(%.*s.%s)", (int)n, p->start_event,
			   p->start_event + n + 1);
		add_trace(&out, p);
		return buf_take_filtered(&out, p->end_filter);
	}
	if (p->trace) {
		add_handler(&out, p);
		add_trace(&out, p);
	}
	if (p->save.n) {
		add_handler(&out, p);
		buf_addstr(&out, ".save(");
		buf_add_words(&out, &p->save, ",");
		buf_addch(&out, ')');
	}
	if (p->snapshot) {
		add_handler(&out, p);
		buf_addstr(&out, ".snapshot()");
	}
	return buf_take_filtered(&out, p->end_filter);
}

/* ---- as commands of a shell */

/* Appends "echo 'TEXT' >> FILE" and frees @text. */
static void add_command(struct buf *out, char *text, const char *tracefs, const char *instance,
			const char *event, const char *file)
{
	bool in = instance && *instance;

	buf_addstr(out, "echo '");
	for (const char *p = text; *p; p++) {
		if (*p == '\'')
			buf_addstr(out, "'\\''");
		else
			buf_addch(out, *p);
	}
	buf_printf(out, "' >> %s%s%s/", tracefs, in ? "/instances/" : "", in ? instance : "");
	if (event)
		buf_printf(out, "events/%s/", event);
	buf_printf(out, "%s\n", file);
	free(text);
}

void synth_commands(const struct synth_plan *p, const char *tracefs, const char *instance,
		    struct buf *out)
{
	if (p->name)
		add_command(out, synth_definition(p), tracefs, NULL, NULL, "synthetic_events");
	add_command(out, synth_start_trigger(p), tracefs, instance, p->start_event, "trigger");
	if (p->name)
		add_command(out, synth_end_trigger(p), tracefs, instance, p->end_event, "trigger");
}

/* ---- writing them */

static int synth_need_file(const struct tfs *t, const char *file, const char *config,
			   struct ftr_error *err)
{
	if (tfs_exists(t, NULL, file))
		return 0;
	if (errno != ENOENT)
		return err_sys(err, "cannot use '%s/%s'", t->path, file);
	err_set(err, FTR_FAILED, "this kernel has no '%s/%s'", t->path, file);
	return err_hint(err, "it was built without CONFIG_%s", config);
}

int synth_define(struct session *s, const char *text, struct ftr_error *err)
{
	const struct tfs *t = session_tfs(s);
	char *name, *dir, *undo;
	int ret;

	text += strspn(text, " \t");
	name = xstrndup(text, strcspn(text, " \t;"));
	dir = xasprintf("events/synthetic/%s", name);
	undo = xasprintf("!%s", name);
	ret = synth_need_file(t, "synthetic_events", "SYNTH_EVENTS", err);
	if (!ret && !*name)
		ret = err_set(err, FTR_USAGE, "a synthetic event needs a name");
	/* The line that undoes the definition would remove somebody else's event. */
	if (!ret && !strchr(name, '/') && tfs_exists(t, NULL, dir)) {
		err_set(err, FTR_FAILED, "there is a synthetic event '%s' already", name);
		ret = err_hint(err, "'ftr synth del %s' removes it", name);
	}
	if (!ret)
		ret = session_line(s, "synthetic_events", text, undo, err);
	free(undo);
	free(dir);
	free(name);
	return ret;
}

/* Adds the trigger if the event has histograms. Frees @text. Returns 0, or -1 with @err. */
static int synth_set_trigger(struct session *s, const char *instance, const char *event, char *text,
			     struct ftr_error *err)
{
	char *hist = xasprintf("events/%s/hist", event), *dir = xasprintf("events/%s", event);
	const struct tfs *t = session_tfs(s);
	int ret = 0;

	if (!tfs_exists(t, instance, dir))
		ret = err_set(err, FTR_FAILED, "no event '%s'", event);
	else if (!tfs_exists(t, instance, hist) && errno == ENOENT)
		ret = synth_need_file(t, hist, "HIST_TRIGGERS", err);
	if (!ret)
		ret = session_trigger(s, instance, event, text, err);
	free(dir);
	free(hist);
	free(text);
	return ret;
}

int synth_check_held(const struct tfs *t, const char *instance, const struct synth_plan *p,
		     struct ftr_error *err)
{
	char *start = synth_start_trigger(p), *end = p->name ? synth_end_trigger(p) : NULL;
	int ret = trigger_check_held(t, instance, start, err);

	if (!ret && end)
		ret = trigger_check_held(t, instance, end, err);
	free(start);
	free(end);
	return ret;
}

int synth_define_plan(struct session *s, const struct synth_plan *p, struct ftr_error *err)
{
	char *text;
	int ret;

	if (!p->name)
		return 0;
	text = synth_definition(p);
	ret = synth_define(s, text, err);
	free(text);
	return ret;
}

int synth_attach(struct session *s, const char *instance, const struct synth_plan *p,
		 struct ftr_error *err)
{
	int ret = synth_set_trigger(s, instance, p->start_event, synth_start_trigger(p), err);

	if (!ret && p->name)
		ret = synth_set_trigger(s, instance, p->end_event, synth_end_trigger(p), err);
	return ret;
}

int synth_create(struct session *s, const char *instance, const struct synth_plan *p,
		 struct ftr_error *err)
{
	return synth_define_plan(s, p, err) || synth_attach(s, instance, p, err) ? -1 : 0;
}

/* --- lists of events and their triggers */

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

static void synth_triggers_add(struct synth_triggers *list, const char *instance, const char *event,
			       const char *text)
{
	list->v = xgrow(list->v, &list->cap, list->n + 1, sizeof(*list->v));
	list->v[list->n++] = (struct synth_trigger){ xstrdup(instance), xstrdup(event),
						     xstrdup(text) };
}

static void synth_add_line(struct synth_triggers *list, const char *instance, const char *event,
			   const char *line)
{
	char *text;
	long count;

	if (strncmp(line, "hist:", 5))
		return;
	text = lines_base(line, &count);
	synth_triggers_add(list, instance, event, text);
	free(text);
}

/* Reads "sched:sched_switch hist:...", in columns: newer kernels have all triggers in one file. */
static int synth_scan_shown(const struct tfs *t, const char *instance, struct synth_triggers *all,
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
		synth_add_line(all, instance, lines.v[i], blank + 1 + strspn(blank + 1, "\t "));
	}
	strv_release(&lines);
	buf_release(&text);
	return ret;
}

static void synth_scan_event(const struct tfs *t, const char *instance, char *event,
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
		synth_add_line(all, instance, event, lines.v[i]);
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
			ret = synth_scan_shown(t, instances.v[i], all, err);
		for (k = 0; k < events.n; k++)
			synth_scan_event(t, instances.v[i], events.v[k], all);
	}
	strv_release(&instances);
	strv_release(&events);
	return ret;
}

/* A trigger fires an event by "trace(NAME," or ").NAME(". */
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

/*
 * True if another trigger of @list, in the same instance, reads a variable that @trigger defines by
 * ":VAR=" or ",VAR=". The words of a hist trigger (keys=) look the same, and no trigger reads them.
 */
static bool has_read_variable(const struct synth_trigger *trigger,
			      const struct synth_triggers *list)
{
	const char *text = trigger->text, *at, *end;
	size_t i;

	for (at = strchr(text, '='); at; at = strchr(at + 1, '=')) {
		for (end = at; at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_');)
			at--;
		for (i = 0; i < list->n && at > text && at < end; i++) {
			const struct synth_trigger *other = &list->v[i];

			if (other == trigger || strcmp(other->instance, trigger->instance))
				continue;
			if (trigger_reads(other->text, at, end - at))
				return true;
		}
		at = end;
	}
	return false;
}

static bool synth_triggers_have(const struct synth_triggers *list,
				const struct synth_trigger *trigger)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (!strcmp(list->v[i].instance, trigger->instance) &&
		    !strcmp(list->v[i].event, trigger->event) &&
		    !strcmp(list->v[i].text, trigger->text))
			return true;
	return false;
}

/* True if a trigger that is not in @out reads a variable of @holder. */
static bool is_needed_by_others(const struct synth_triggers *all, const struct synth_triggers *out,
				const struct synth_trigger *holder)
{
	struct synth_triggers one = { .n = 1 };
	size_t i;

	for (i = 0; i < all->n; i++) {
		if (&all->v[i] == holder || synth_triggers_have(out, &all->v[i]))
			continue;
		one.v = &all->v[i];
		if (has_read_variable(holder, &one))
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
			synth_triggers_add(out, it->instance, it->event, it->text);
	for (it = all->v; it < all->v + all->n; it++)
		if (strcmp(it->event, event) && synth_fires(it, name))
			synth_triggers_add(out, it->instance, it->event, it->text);
	for (i = 0; i < all->n; i++) {
		it = &all->v[i];
		if (!synth_triggers_have(out, it) && has_read_variable(it, out) &&
		    !is_needed_by_others(all, out, it))
			synth_triggers_add(out, it->instance, it->event, it->text);
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

static char *synth_find_definition(const struct tfs *t, const char *name, struct ftr_error *err)
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

int synth_delete(struct session *s, const char *name, struct ftr_error *err)
{
	const struct tfs *t = session_tfs(s);
	char *definition = synth_find_definition(t, name, err);
	char *line = xasprintf("!%s", name), *text;
	struct synth_triggers all = {0}, mine = {0};
	size_t i;
	int ret = definition ? synth_scan(t, &all, err) : -1;

	if (!ret)
		synth_pick(&all, name, &mine);
	for (i = 0; i < mine.n && !ret; i++) {
		text = xasprintf("!%s", mine.v[i].text);
		ret = session_trigger(s, mine.v[i].instance, mine.v[i].event, text, err);
		free(text);
	}
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
