/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists the probes of dynamic_events with their counts, adds and removes probes. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/text.h"
#include "tracefs/errors/errlog.h"
#include "tracefs/probe/probe_priv.h"
#include "tracefs/session/definitions.h"
#include "tracefs/session/journal.h"

#define DEFINITIONS	"dynamic_events"

/* --- reading */

/* Parses "p:GROUP/EVENT PLACE ARGS", "r10:...", "e:...". False if it is no probe (s:, u:). */
static bool line_parse(const char *text, struct probe_line *l)
{
	size_t n = 1 + strspn(text + 1, "0123456789"), name, place;
	const char *at;

	if (!strchr("preft", *text) || text[n] != ':')
		return false;
	name = strcspn(text + n + 1, " ");
	at = text + n + 1 + name;
	at += *at == ' ';
	place = strcspn(at, " ");
	*l = (struct probe_line){
		.event = xstrndup(text + n + 1, name), .place = xstrndup(at, place),
		.args = xstrdup(at + place + (at[place] == ' ')), .text = xstrdup(text),
	};
	l->is_return = *text == 'r' || strstr(l->place, "%return");
	l->kind = probe_kind_of(*text, l->place);
	return true;
}

static const char *probe_line_event(const struct probe_line *l)
{
	const char *slash = strchr(l->event, '/');

	return slash ? slash + 1 : l->event;
}

/*
 * The profiles name events without their group, in the order of dynamic_events: kprobe_profile
 * "EVENT HITS MISSES", uprobe_profile "FILE EVENT HITS".
 */
static void read_profile(const struct tfs *t, enum probe_kind kind, struct probe_lines *l)
{
	const char *file = kind == PROBE_KPROBE ? "kprobe_profile" : "uprobe_profile";
	struct strv rows = {0}, f = {0};
	struct buf text = {0};
	size_t i, at = 0, name = kind == PROBE_KPROBE ? 0 : 1;

	if (!tfs_read(t, NULL, file, &text, NULL))
		strv_split(&rows, text.data, "\n");
	for (i = 0; i < l->n; i++) {
		if (l->v[i].kind != kind || at == rows.n)
			continue;
		strv_split(&f, rows.v[at++], " ");
		if (f.n > name + 1 && !strcmp(f.v[name], probe_line_event(&l->v[i]))) {
			l->v[i].counted = true;
			l->v[i].hits = strtoull(f.v[name + 1], NULL, 10);
			l->v[i].misses = f.n > name + 2 ? strtoull(f.v[name + 2], NULL, 10) : 0;
		}
		strv_release(&f);
		f = (struct strv){0};
	}
	strv_release(&rows);
	buf_release(&text);
}

static bool event_is_on(const struct tfs *t, const char *instance, const char *event)
{
	char *file = xasprintf("events/%s/enable", event);
	char *line = tfs_line(t, instance, file);
	bool on = *line == '1';

	free(line);
	free(file);
	return on;
}

/* Returns the word "if" of a definition, NULL if it has no filter. */
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
 * True if @line of the kernel is @definition without its filter. The kernel writes
 * "sched.sched_switch", and gives names to arguments that have none.
 */
static bool eprobe_is_same(const char *line, const char *definition)
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

/* Returns @text after "-:GROUP/EVENT" or "e:GROUP/EVENT", NULL if that is another event. */
static const char *text_after_event(const char *text, const char *event)
{
	size_t n = strlen(event);

	if (!*text || text[1] != ':' || strncmp(text + 2, event, n))
		return NULL;
	return !text[2 + n] || text[2 + n] == ' ' ? text + 2 + n : NULL;
}

/*
 * Sets the filter of @l by the last entry of its event, which notes how ftr added the event or that
 * ftr removed it.
 */
static void eprobe_find_filter(struct probe_line *l, const struct journal_entries *e)
{
	const char *rest = NULL, *filter;
	const struct journal_entry *at = NULL;

	for (size_t i = e->n; !rest && i > 0; i--) {
		at = &e->v[i - 1];
		if (at->type == ENTRY_LINE && !at->kept)
			rest = text_after_event(at->value, l->event);
	}
	if (!rest || *at->value != '-' || strncmp(rest, " # ", 3))
		return;
	filter = eprobe_if(rest + 3);
	l->filter_known = eprobe_is_same(l->text, rest + 3);
	if (!l->filter_known || !filter)
		return;
	filter += strlen("if");
	l->filter = xstrdup(filter + strspn(filter, " \t"));
	free(l->text);
	l->text = xasprintf("e:%s %s%s%s if %s", l->event, l->place, *l->args ? " " : "", l->args,
			    l->filter);
}

/* Sets the filters of event probes that ftr added: the kernel does not show them. */
static void eprobe_filters(struct probe_lines *l)
{
	struct journal_owner owner;
	struct journal_entries e;
	bool any = false;
	size_t i;

	for (i = 0; i < l->n; i++)
		any |= l->v[i].kind == PROBE_EPROBE;
	if (!any || session_standing(&owner, &e, NULL) <= 0)
		return;
	for (i = 0; i < l->n; i++)
		if (l->v[i].kind == PROBE_EPROBE)
			eprobe_find_filter(&l->v[i], &e);
	journal_owner_release(&owner);
	entries_release(&e);
}

int probe_lines_read(const struct tfs *t, struct probe_lines *l, struct ftr_error *err)
{
	struct strv rows = {0}, instances = {0};
	struct buf text = {0};
	size_t i, j;

	*l = (struct probe_lines){0};
	if (!tfs_exists(t, NULL, DEFINITIONS))
		return err_set(err, FTR_FAILED,
			       "this kernel has no probes (CONFIG_DYNAMIC_EVENTS)");
	if (tfs_read(t, NULL, DEFINITIONS, &text, err)) {
		buf_release(&text);
		return -1;
	}
	strv_split(&rows, text.data, "\n");
	tfs_instances(t, &instances, NULL);
	for (i = 0; i < rows.n; i++) {
		l->v = xgrow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
		if (!line_parse(rows.v[i], &l->v[l->n]))
			continue;
		l->v[l->n].enabled = event_is_on(t, NULL, l->v[l->n].event);
		for (j = 0; j < instances.n && !l->v[l->n].enabled; j++)
			l->v[l->n].enabled = event_is_on(t, instances.v[j], l->v[l->n].event);
		l->n++;
	}
	read_profile(t, PROBE_KPROBE, l);
	read_profile(t, PROBE_UPROBE, l);
	eprobe_filters(l);
	strv_release(&rows);
	strv_release(&instances);
	buf_release(&text);
	return 0;
}

static void line_release(struct probe_line *l)
{
	free(l->event);
	free(l->place);
	free(l->args);
	free(l->text);
	free(l->filter);
}

void probe_lines_release(struct probe_lines *l)
{
	for (size_t i = 0; i < l->n; i++)
		line_release(&l->v[i]);
	free(l->v);
	*l = (struct probe_lines){0};
}

bool probe_line_matches(const struct probe_line *l, const char *pattern)
{
	char *full = xstrdup(pattern);
	bool yes;

	if (strchr(full, ':') && !strchr(full, '/'))
		*strchr(full, ':') = '/';
	yes = !fnmatch(full, strchr(full, '/') ? l->event : probe_line_event(l), 0);
	free(full);
	return yes;
}

/* --- removing */

/*
 * Disables the event and clears its filter everywhere: the kernel does not remove an enabled event,
 * and the session restores both.
 */
static int event_quiet(struct session *s, const char *event, struct ftr_error *err)
{
	char *enable = xasprintf("events/%s/enable", event);
	char *filter = xasprintf("events/%s/filter", event), *now;
	const struct tfs *t = session_tfs(s);
	struct strv names = {0};
	int ret = 0;

	strv_add(&names, "");
	tfs_instances(t, &names, NULL);
	for (size_t i = 0; !ret && i < names.n; i++) {
		now = tfs_line(t, names.v[i], filter);
		if (*now && strcmp(now, "none"))
			ret = session_set(s, names.v[i], filter, "0", err);
		if (!ret && event_is_on(t, names.v[i], event))
			ret = session_set(s, names.v[i], enable, "0", err);
		free(now);
	}
	strv_release(&names);
	free(filter);
	free(enable);
	return ret;
}

/*
 * Disables the event in all instances. Appends the instances where it was on. Returns 0, or -1 with
 * @err, also if a trigger still holds it.
 */
static int event_disable(struct session *s, const char *event, struct strv *on,
			 struct ftr_error *err)
{
	struct tfs *t = session_tfs(s);
	char *enable = xasprintf("events/%s/enable", event), *now;
	struct strv names = {0};
	int ret = 0;

	strv_add(&names, "");
	tfs_instances(t, &names, NULL);
	for (size_t i = 0; !ret && i < names.n; i++) {
		if (event_is_on(t, names.v[i], event)) {
			strv_add(on, names.v[i]);
			ret = session_set(s, names.v[i], enable, "0", err);
		}
		now = tfs_line(t, names.v[i], enable);
		if (!ret && strchr(now, '*')) {
			ret = err_set(err, FTR_FAILED, "probe '%s' is in use", event);
			err_hint(err, "by a trigger that holds it ready");
		}
		free(now);
	}
	strv_release(&names);
	free(enable);
	return ret;
}

/* Writes "-:EVENT PLACE". The event stays, and is enabled where it was. */
static int probe_remove_place(struct session *s, const struct probe_line *l, const char *line,
			      const char *undo, struct ftr_error *err)
{
	char *enable = xasprintf("events/%s/enable", l->event);
	struct strv on = {0};
	int ret = definition_needs_off(line) ? event_disable(s, l->event, &on, err) : 0;

	if (!ret)
		ret = session_line(s, DEFINITIONS, line, undo, err);
	for (size_t i = 0; !ret && i < on.n; i++)
		ret = session_set(s, on.v[i], enable, "1", err);
	strv_release(&on);
	free(enable);
	return ret;
}

int probe_del(struct session *s, const struct probe_line *l, bool others, struct ftr_error *err)
{
	char *place = others ? definition_place(l->text) : NULL;
	char *line = place ? xasprintf("-:%s %s", l->event, place) : xasprintf("-:%s", l->event);
	char *undo = xasprintf("%s%s", l->text, others ? " # the event has other places" : "");
	int ret;

	if (others && !place) {
		ret = err_set(err, FTR_FAILED, "cannot remove one place of '%s': '%s'", l->event,
			      l->place);
		err_hint(err, "the kernel removes an address only with the whole event");
		goto out;
	}
	ret = others ? probe_remove_place(s, l, line, undo, err)
		     : event_quiet(s, l->event, err);
	if (!ret && !others)
		ret = session_line(s, DEFINITIONS, line, undo, err);
	if (ret && err && err->sys == EBUSY) {
		err_set(err, FTR_FAILED, "probe '%s' is in use", l->event);
		err_hint(err, "by a trigger, a histogram, an event probe on it, or perf");
	}
out:
	free(undo);
	free(line);
	free(place);
	return ret;
}

/* --- adding */

/* Returns the user's column for column @at of the kernel's text, -1 if there is none. */
static long def_user_column(const struct probe_def *def, size_t at)
{
	const struct probe_chunk *p;

	for (p = def->chunks; p < def->chunks + def->nr_chunks; p++) {
		if (at < p->kernel || at >= p->kernel + p->kernel_len || !p->user_len)
			continue;
		return p->user + (p->same ? at - p->kernel : 0);
	}
	/* A place after the end is the end of the user's text. */
	return at >= strlen(def->text) && def->nr_chunks ? (long)strlen(def->user) : -1;
}

/* Suggests a function of a similar name if the kernel does not know the place. */
static void hint_probe_function(const struct tfs *t, const struct probe_def *def,
				struct ftr_error *err)
{
	char *func = xstrndup(def->user, strcspn(def->user, " +%"));
	struct strv names = {0};
	struct buf text = {0};
	const char *near;

	if (!tfs_read(t, NULL, "available_filter_functions", &text, NULL))
		strv_split(&names, text.data, "\n");
	for (size_t i = 0; i < names.n; i++)
		names.v[i][strcspn(names.v[i], " ")] = '\0';
	near = names.n && !strchr(func, ':') ? text_closest(func, names.v) : NULL;
	if (near && strcmp(near, func))
		err_hint(err, "did you mean '%s'?", near);
	strv_release(&names);
	buf_release(&text);
	free(func);
}

/*
 * Returns the column of the definition's text for @column of @shown, in which blanks stand for
 * tabs, or -1. The kernel shows only a part of a long command, between "...", and only the filter
 * for an error of the filter. If the part occurs several times, the last one counts.
 */
static long def_kernel_column(const struct probe_def *def, const char *shown, size_t n,
			      size_t column)
{
	size_t cut = n > 3 && !strncmp(shown, "...", 3) ? 3 : 0, len = strlen(def->text), i, k;
	const char *text = def->text;

	if (n - cut > 3 && !strncmp(shown + n - 3, "...", 3))
		n -= 3;
	if (column < cut)
		return -1;
	shown += cut;
	n -= cut;
	for (i = len + 1; n && n <= len && i-- > 0;) {
		for (k = 0; k < n && i + n <= len; k++)
			if (text[i + k] != shown[k] &&
			    (shown[k] != ' ' || !isspace((unsigned char)text[i + k])))
				break;
		if (k == n)
			return i + (column - cut);
	}
	return -1;
}

/* Sets @err to the kernel's message, @log, with the user's text in place of the kernel's. */
static void probe_translate_refusal(const struct probe_def *def, const char *log,
				    struct ftr_error *err)
{
	static const char command[] = "\n  Command: ", error[] = ": error: ";
	const size_t indent = strlen(command) - 1;
	const char *cmd = strstr(log, command), *msg = strstr(log, error), *line, *caret;
	struct buf text = {0};
	long at;

	line = cmd ? strchr(cmd + 1, '\n') : NULL;
	caret = line ? strchr(line, '^') : NULL;
	if (!msg || !caret || msg > cmd)
		return;
	cmd += strlen(command);
	at = (size_t)(caret - line - 1) < indent ? -1 :
	     def_kernel_column(def, cmd, line - cmd, caret - line - 1 - indent);
	at = at < 0 ? -1 : def_user_column(def, at);
	msg += strlen(error);
	if (at < 0)
		buf_printf(&text, "  %.700s", def->user);
	else
		text_caret(&text, def->user, strlen(def->user), at, 2);
	err_set(err, FTR_FAILED, "the kernel refuses it: %.*s\n%s",
		(int)(cmd - strlen(command) - msg), msg, text.data);
	if (strcmp(def->text, def->user))
		err_hint(err, "the definition was: %.440s", def->text);
	buf_release(&text);
}

/* The kernel reports the failure, but not that the function is on the blacklist (in debugfs). */
static void hint_blacklist(const char *place, struct ftr_error *err)
{
	char *func = xstrndup(place, strcspn(place, "+%")), *line = xasprintf("\t%s\n", func);
	struct buf list = {0};
	bool listed = !io_read_at(AT_FDCWD, "/sys/kernel/debug/kprobes/blacklist", &list) &&
		      list.len && strstr(list.data, line);

	if (listed)
		err_hint(err, "'%s' is on the blacklist of kprobes: the kernel never probes it",
			 func);
	else if (!list.len)
		err_hint(err, "the blacklist of kprobes may have it: see "
			 "/sys/kernel/debug/kprobes/blacklist (debugfs)");
	buf_release(&list);
	free(line);
	free(func);
}

/*
 * Returns "-:EVENT # DEFINITION": the definition has the place, as others may add places to the
 * event, and the filter of an event probe, which the kernel does not show. Returns "-:EVENT PLACE #
 * DEFINITION" for a place that is added to an event. The caller frees.
 */
static char *probe_undo_line(const struct tfs *t, const struct probe_def *def)
{
	struct strv lines = {0};
	char *place = NULL, *undo;

	definitions_read(t, def->event, &lines);
	if (lines.n)
		place = definition_place(def->text);
	undo = xasprintf("-:%s%s%s # %s", def->event, place ? " " : "", place ? place : "",
			 def->text);
	strv_release(&lines);
	free(place);
	return undo;
}

int probe_add(struct session *s, const struct probe_def *def, struct ftr_error *err)
{
	const struct tfs *t = session_tfs(s);
	struct tfs_errlog log;
	struct probe_line l;
	char *text, *undo;
	int ret = 0, sys;

	if (line_parse(def->text, &l)) {
		ret = probe_check_there(&l, err);
		line_release(&l);
	}
	if (ret)
		return -1;
	undo = probe_undo_line(t, def);
	tfs_errlog_mark(t, NULL, &log);
	ret = session_line(s, DEFINITIONS, def->text, undo, err);
	free(undo);
	sys = ret && err ? err->sys : 0;
	text = tfs_errlog_new(t, NULL, def->text, &log);
	if (ret && err && text && def->nr_chunks) {
		probe_translate_refusal(def, text, err);
		if (strstr(text, "Invalid probed address"))
			hint_probe_function(t, def, err);
		err->sys = sys;
	}
	if (ret && err && text && strstr(text, "Failed to register"))
		hint_blacklist(def->text + strcspn(def->text, " ") + 1, err);
	free(text);
	return ret;
}
