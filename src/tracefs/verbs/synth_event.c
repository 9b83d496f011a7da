/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The texts of a synthetic event and its triggers, and writing them. */
#include "tracefs/verbs/synth_event.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* The name in "unsigned long args[6]" or "char comm[]". */
static char *field_name(const char *declared)
{
	const char *last = strrchr(declared, ' ');

	last = last ? last + 1 : declared;
	return xstrndup(last, strcspn(last, "["));
}

static int synth_watch(struct synth_plan *p, enum synth_handler handler, const char *field,
		       struct ftr_error *err)
{
	struct buf names = {0};
	bool found = false;
	char *name;
	size_t i;

	if (!p->name)
		return err_set(err, FTR_USAGE, "'%s' cannot be watched without a second event",
			       field);
	for (i = 0; i < p->fields.n && !found; i++) {
		name = field_name(p->fields.v[i]);
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

static void add_words(struct buf *out, const struct strv *words, const char *between)
{
	size_t i;

	for (i = 0; i < words->n; i++)
		buf_printf(out, "%s%s", i ? between : "", words->v[i]);
}

char *synth_definition(const struct synth_plan *p)
{
	struct buf out = {0};

	buf_printf(&out, "%s ", p->name);
	add_words(&out, &p->fields, "; ");
	return buf_take(&out);
}

static char *with_filter(struct buf *out, const char *filter)
{
	if (filter)
		buf_printf(out, " if %s", filter);
	return buf_take(out);
}

char *synth_start_trigger(const struct synth_plan *p)
{
	struct buf out = {0};

	buf_addstr(&out, p->start_hist);
	return with_filter(&out, p->start_filter);
}

static void add_trace(struct buf *out, const struct synth_plan *p)
{
	buf_printf(out, ".trace(%s", p->name);
	if (p->values.n)
		buf_addch(out, ',');
	add_words(out, &p->values, ",");
	buf_addch(out, ')');
}

static void add_handler(struct buf *out, const struct synth_plan *p)
{
	buf_printf(out, ":%s(%s)", p->handler == SYNTH_MAX ? "onmax" : "onchange", p->watched);
}

/* ":onmatch(sched.sched_waking)": the events' names with a dot. */
static void add_match(struct buf *out, const struct synth_plan *p)
{
	size_t n = strcspn(p->start_event, "/");

	buf_printf(out, ":onmatch(%.*s.%s)", (int)n, p->start_event, p->start_event + n + 1);
}

char *synth_end_trigger(const struct synth_plan *p)
{
	struct buf out = {0};

	buf_addstr(&out, p->end_hist);
	if (p->handler == SYNTH_MATCH) {
		add_match(&out, p);
		add_trace(&out, p);
		return with_filter(&out, p->end_filter);
	}
	if (p->trace) {
		add_handler(&out, p);
		add_trace(&out, p);
	}
	if (p->save.n) {
		add_handler(&out, p);
		buf_addstr(&out, ".save(");
		add_words(&out, &p->save, ",");
		buf_addch(&out, ')');
	}
	if (p->snapshot) {
		add_handler(&out, p);
		buf_addstr(&out, ".snapshot()");
	}
	return with_filter(&out, p->end_filter);
}

/* ---- as commands of a shell */

static void add_shell_quoted(struct buf *out, const char *text)
{
	buf_addch(out, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			buf_addstr(out, "'\\''");
		else
			buf_addch(out, *text);
	}
	buf_addch(out, '\'');
}

static void add_command(struct buf *out, char *text, const char *tracefs, const char *instance,
			const char *event, const char *file)
{
	bool in = instance && *instance;

	buf_addstr(out, "echo ");
	add_shell_quoted(out, text);
	buf_printf(out, " >> %s%s%s/", tracefs, in ? "/instances/" : "", in ? instance : "");
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

static int needs_file(const struct tfs *t, const char *file, const char *config,
		      struct ftr_error *err)
{
	if (tfs_exists(t, NULL, file))
		return 0;
	if (errno != ENOENT)
		return err_sys(err, "cannot use '%s/%s'", t->path, file);
	err_set(err, FTR_FAILED, "this kernel has no '%s/%s'", t->path, file);
	return err_hint(err, "it was built without CONFIG_%s", config);
}

static int needs_hist(const struct tfs *t, const char *instance, const char *event,
		      struct ftr_error *err)
{
	char *file = xasprintf("events/%s/hist", event), *format = xasprintf("events/%s", event);
	int ret = 0;

	if (!tfs_exists(t, instance, format))
		ret = err_set(err, FTR_FAILED, "no event '%s'", event);
	else if (!tfs_exists(t, instance, file) && errno == ENOENT)
		ret = needs_file(t, file, "HIST_TRIGGERS", err);
	free(format);
	free(file);
	return ret;
}

int synth_define(struct session *s, const char *text, struct ftr_error *err)
{
	const struct tfs *t = session_tfs(s);
	char *name, *folder, *undo;
	int ret;

	text += strspn(text, " \t");
	name = xstrndup(text, strcspn(text, " \t;"));
	folder = xasprintf("events/synthetic/%s", name);
	undo = xasprintf("!%s", name);
	ret = needs_file(t, "synthetic_events", "SYNTH_EVENTS", err);
	if (!ret && !*name)
		ret = err_set(err, FTR_USAGE, "a synthetic event needs a name");
	/* What undoes the definition would take another's event away. */
	if (!ret && !strchr(name, '/') && tfs_exists(t, NULL, folder)) {
		err_set(err, FTR_FAILED, "there is a synthetic event '%s' already", name);
		ret = err_hint(err, "'ftr synth del %s' removes it", name);
	}
	if (!ret)
		ret = session_line(s, "synthetic_events", text, undo, err);
	free(undo);
	free(folder);
	free(name);
	return ret;
}

static int set_synth_trigger(struct session *s, const char *instance, const char *event, char *text,
			     struct ftr_error *err)
{
	int ret = needs_hist(session_tfs(s), instance, event, err);

	if (!ret)
		ret = session_trigger(s, instance, event, text, err);
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
	int ret = set_synth_trigger(s, instance, p->start_event, synth_start_trigger(p), err);

	if (!ret && p->name)
		ret = set_synth_trigger(s, instance, p->end_event, synth_end_trigger(p), err);
	return ret;
}

int synth_create(struct session *s, const char *instance, const struct synth_plan *p,
		 struct ftr_error *err)
{
	return synth_define_plan(s, p, err) || synth_attach(s, instance, p, err) ? -1 : 0;
}
