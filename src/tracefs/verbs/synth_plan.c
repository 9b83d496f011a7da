/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes plans of synthetic events: from two events joined by a key, and from SQL. */
#include <ctype.h>
#include <event-parse.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trace-seq.h>
#include <tracefs.h>

#include "base/text.h"
#include "event/data/format_lines.h"
#include "tracefs/verbs/synth_event.h"

#define MAX_KEYS 3		/* the limit of a hist trigger */

struct join_side {
	char *event;		/* "sched/sched_waking" */
	struct buf format;
};

struct join_plan {
	const struct tfs *t;
	const struct synth_join *j;
	struct synth_plan *p;
	struct join_side from, to;
	struct strv from_vars, to_vars;	/* "NAME=FIELD" for the trigger on either event */
	struct ftr_error *err;
};

/* A field of a format: its type and name as declared, its size and sign. */
struct synth_field {
	char declared[128];	/* "char comm[16]" */
	int size, is_signed;
};

static int join_load_side(struct join_plan *g, const char *pattern, struct join_side *side)
{
	struct strv found = {0};
	char *file, *full = xstrdup(pattern);
	int ret = -1;

	if (!strpbrk(full, ":/")) {
		free(full);
		full = xasprintf(":%s", pattern);
	}
	if (tfs_match_events(g->t, full, &found, g->err) != 1)
		goto out;
	if (found.n != 1) {
		err_set(g->err, FTR_USAGE, "'%s' names %zu events", pattern, found.n);
		err_hint(g->err, "give one as SYSTEM:EVENT, as '%s'", found.v[0]);
		goto out;
	}
	side->event = xstrdup(found.v[0]);
	file = xasprintf("events/%s/format", found.v[0]);
	ret = tfs_read(g->t, NULL, file, &side->format, g->err);
	free(file);
out:
	strv_release(&found);
	free(full);
	return ret;
}

/* Reads the field @name of the event of @side. Returns 0, or -1 with the error. */
static int side_need_field(struct join_plan *g, const struct join_side *side, const char *name,
			   struct synth_field *f)
{
	bool special = !strcmp(name, "common_cpu") || !strcmp(name, "common_timestamp");
	const char *format = side->format.data, *near;
	struct format_field line;
	struct strv names = {0};
	struct buf all = {0};

	*f = (struct synth_field){ .size = special && name[7] == 't' ? 8 : 4 };
	snprintf(f->declared, sizeof(f->declared), "%s %s", "u64", name);
	if (special)
		return 0;
	if (format && format_field_find(&line, format, name)) {
		snprintf(f->declared, sizeof(f->declared), "%.*s", (int)line.decl_len, line.decl);
		f->size = line.size;
		f->is_signed = line.is_signed;
		return 0;
	}
	format_field_names(format ? format : "", true, &names);
	near = names.n ? text_closest(name, names.v) : NULL;
	err_set(g->err, FTR_USAGE, "event '%s' has no field '%s'", side->event, name);
	for (size_t i = 0; i < names.n; i++)
		buf_printf(&all, " %s", names.v[i]);
	if (near)
		err_hint(g->err, "did you mean '%s'?", near);
	else
		err_hint(g->err, "it has:%.400s", all.len ? all.data : " none");
	buf_release(&all);
	strv_release(&names);
	return -1;
}

/*
 * Returns the declaration of a field for the value @f: the kernel compares size and sign of the
 * two. The caller frees.
 */
static char *declare_field(const struct synth_field *f, const char *name)
{
	const char *bracket = strchr(f->declared, '[');
	bool text = bracket && strstr(f->declared, "char");

	if (text && strstr(f->declared, "__data_loc"))
		return xasprintf("char %s[]", name);
	if (text)
		return xasprintf("char %s[%d]", name, f->size);
	return xasprintf("%c%d %s", f->is_signed ? 's' : 'u', f->size * 8, name);
}

static bool is_scalar_field(const struct synth_field *f)
{
	return !strchr(f->declared, '[') &&
	       (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8);
}

/* Adds a key, "pid=next_pid", or one name for both events. Returns 0, or -1 with the error. */
static int join_add_key(struct join_plan *g, const char *on, struct buf *from, struct buf *to)
{
	const char *eq = strchr(on, '=');
	char *a = eq ? xstrndup(on, eq - on) : xstrdup(on);
	const char *b = eq ? eq + 1 : on;
	struct synth_field fa, fb;
	int ret = side_need_field(g, &g->from, a, &fa) ||
		  side_need_field(g, &g->to, b, &fb) ? -1 : 0;

	if (!ret && is_scalar_field(&fa) != is_scalar_field(&fb)) {
		err_set(g->err, FTR_USAGE, "'%s' and '%s' cannot be compared: '%s' and '%s'", a, b,
			fa.declared, fb.declared);
		ret = -1;
	}
	if (!ret) {
		buf_printf(from, "%s%s", from->len ? "," : "hist:keys=", a);
		buf_printf(to, "%s%s", to->len ? "," : "hist:keys=", b);
	}
	free(a);
	return ret;
}

/* Passes a field of the first event to the second event in a variable. */
static int join_add_from(struct join_plan *g, const char *field, const char *name,
			 const struct synth_field *f)
{
	const char *event = g->j->name;

	strv_take(&g->from_vars, xasprintf("%s_%s=%s", event, name, field));
	strv_take(&g->to_vars, xasprintf("%s_%s_=$%s_%s", event, name, event, name));
	strv_take(&g->p->values, xasprintf("$%s_%s_", event, name));
	strv_take(&g->p->fields, declare_field(f, name));
	return 0;
}

/* Adds a field of the second event, in a variable: onmax and onchange watch only variables. */
static int join_add_to(struct join_plan *g, const char *field, const char *name,
		       const struct synth_field *f)
{
	const char *event = g->j->name;

	strv_take(&g->p->fields, declare_field(f, name));
	if (!is_scalar_field(f)) {
		strv_add(&g->p->values, field);
		return 0;
	}
	strv_take(&g->to_vars, xasprintf("%s_%s_=%s", event, name, field));
	strv_take(&g->p->values, xasprintf("$%s_%s_", event, name));
	return 0;
}

/*
 * Adds "FIELD", "from.FIELD" or "to.FIELD", each with or without "NAME=" before it. If it names no
 * side, it is the second event's. Returns 0, or -1 with the error.
 */
static int add_join_field(struct join_plan *g, const char *text)
{
	const char *eq = strchr(text, '='), *field = eq ? eq + 1 : text;
	bool from = !strncmp(field, "from.", 5);
	char *name;
	struct synth_field f;
	int ret;

	if (from || !strncmp(field, "to.", 3))
		field = strchr(field, '.') + 1;
	name = eq ? xstrndup(text, eq - text) : xstrdup(field);
	ret = side_need_field(g, from ? &g->from : &g->to, field, &f);
	if (!ret && !is_scalar_field(&f) && !strstr(f.declared, "char")) {
		err_set(g->err, FTR_USAGE, "'%s' is neither a number nor a string: '%s'", field,
			f.declared);
		ret = -1;
	}
	if (!ret)
		ret = (from ? join_add_from : join_add_to)(g, field, name, &f);
	free(name);
	return ret;
}

static char *keys_with_vars(struct buf *keys, const struct strv *vars)
{
	size_t i;

	for (i = 0; i < vars->n; i++)
		buf_printf(keys, "%s%s", i ? "," : ":", vars->v[i]);
	return buf_take(keys);
}

static int join_build(struct join_plan *g)
{
	const struct synth_join *j = g->j;
	const char *event = j->name, *unit = j->nsecs ? "" : ".usecs";
	struct buf from = {0}, to = {0};
	size_t i;
	int ret = join_load_side(g, j->from, &g->from) || join_load_side(g, j->to, &g->to) ? -1 : 0;

	for (i = 0; i < j->keys.n && !ret; i++)
		ret = join_add_key(g, j->keys.v[i], &from, &to);
	for (i = 0; i < j->fields.n && !ret; i++)
		ret = add_join_field(g, j->fields.v[i]);
	if (!ret && j->latency) {
		strv_take(&g->from_vars, xasprintf("%s_ts=common_timestamp%s", event, unit));
		strv_take(&g->to_vars, xasprintf("%s_lat_=common_timestamp%s-$%s_ts", event, unit,
						 event));
		strv_take(&g->p->values, xasprintf("$%s_lat_", event));
		strv_add(&g->p->fields, "u64 lat");
	}
	if (!ret) {
		g->p->name = xstrdup(event);
		g->p->start_event = xstrdup(g->from.event);
		g->p->end_event = xstrdup(g->to.event);
		g->p->start_hist = keys_with_vars(&from, &g->from_vars);
		g->p->end_hist = keys_with_vars(&to, &g->to_vars);
		g->p->start_filter = j->from_filter ? xstrdup(j->from_filter) : NULL;
		g->p->end_filter = j->to_filter ? xstrdup(j->to_filter) : NULL;
	}
	buf_release(&from);
	buf_release(&to);
	return ret;
}

int synth_join(const struct tfs *t, const struct synth_join *j, struct synth_plan *p,
	       struct ftr_error *err)
{
	struct join_plan g = { .t = t, .j = j, .p = p, .err = err };
	int ret;

	*p = (struct synth_plan){0};
	if (!j->keys.n || j->keys.n > MAX_KEYS)
		return err_set(err, FTR_USAGE, "a join takes one to %d --on KEY, not %zu",
			       MAX_KEYS, j->keys.n);
	if (!j->fields.n && !j->latency) {
		err_set(err, FTR_USAGE, "'%s' would have no field", j->name);
		return err_hint(err, "add --latency, --field FIELD or --field from.FIELD");
	}
	ret = join_build(&g);
	if (ret)
		synth_plan_release(p);
	free(g.from.event);
	free(g.to.event);
	buf_release(&g.from.format);
	buf_release(&g.to.format);
	strv_release(&g.from_vars);
	strv_release(&g.to_vars);
	return ret;
}

/*
 * SQL through libtracefs. It must not write to tracefs: its texts are parsed and written through
 * the session. In version 1.6.4 tracefs_synth_show_event() and its like return nothing before
 * libtracefs wrote the texts itself, so tracefs_synth_echo_cmd() is used. Its actions onmax and
 * onchange (tracefs_synth_save() ...) know no field of a statement, so synth_event.c makes them.
 */

/* A word of the statement is like "start.pid". */
static bool is_sql_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '-';
}

/* ---- formats */

/* Loads the formats of all events whose names are words of the statement. */
static int sql_load_formats(const struct tfs *t, struct tep_handle *tep, const char *sql,
			    struct ftr_error *err)
{
	struct strv words = {0}, events = {0};
	char *colon, *file;
	struct buf text = {0};
	size_t i;
	int ret;

	tep_set_long_size(tep, sizeof(long));
	strv_split(&words, sql, " \t\n.,()=<>!&|~\"'");
	ret = tfs_events(t, &events, err);
	for (i = 0; !ret && i < events.n; i++) {
		colon = strchr(events.v[i], ':');
		if (!colon || !strv_has(&words, colon + 1))
			continue;
		*colon = '\0';
		file = xasprintf("events/%s/%s/format", events.v[i], colon + 1);
		if (!tfs_read(t, NULL, file, &text, NULL))
			tep_parse_event(tep, text.data, text.len, events.v[i]);
		free(file);
	}
	buf_release(&text);
	strv_release(&words);
	strv_release(&events);
	return ret;
}

/* ---- errors of libtracefs */

/* Sets @err: the reason, and the line of the statement with its caret. Returns -1. */
static int sql_fail_at_caret(const char *line, size_t at, const char *why, const char *word,
			     size_t n, struct ftr_error *err)
{
	struct buf place = {0};

	text_caret(&place, line, strcspn(line, "\n"), at, 2);
	if (n)
		err_set(err, FTR_USAGE, "wrong SQL: %s: '%.*s'\n%s", why, (int)n, word,
			place.data);
	else
		err_set(err, FTR_USAGE, "wrong SQL: %s\n%s", why, place.data);
	buf_release(&place);
	return -1;
}

/*
 * Sets @err from the message of libtracefs, "LINE\n ^\nERROR: 'word'\nreason\n". One of its reasons
 * contains an address instead of the name of an event. Returns -1.
 */
static int sql_explain_message(const char *message, struct ftr_error *err)
{
	const char *caret = strchr(message, '\n'), *word = caret ? strchr(caret + 1, '\n') : NULL;
	const char *reason = word ? strchr(word + 1, '\n') : NULL;
	char *why;
	int ret;

	if (!reason || strncmp(word, "\nERROR: '", 9))
		return err_set(err, FTR_USAGE, "wrong SQL: %s", message);
	word += 9;
	if (word == reason - 1)
		why = xstrdup("it ends too early");
	else if (strstr(reason, "can not be grouped"))
		why = xstrdup("what || and () join must be of one event");
	else
		why = xstrndup(reason + 1, strcspn(reason + 1, "\n"));
	ret = sql_fail_at_caret(message, strspn(caret + 1, " "), why, word, reason - 1 - word, err);
	free(why);
	return ret;
}

static bool sql_is_keyword(const char *word, size_t n)
{
	static const char *const keywords[] = {
		"SELECT", "FROM", "JOIN", "ON", "WHERE", "AS", "CAST", "AND", "OR", "HEX", "SYM",
		"SYM-OFFSET", "SYSCALL", "EXECNAME", "COMM", "LOG", "LOG2", "_COUNTER_",
		"TIMESTAMP", "TIMESTAMP_USECS",
	};
	size_t i;

	for (i = 0; i < sizeof(keywords) / sizeof(*keywords); i++)
		if (strlen(keywords[i]) == n && !strncasecmp(keywords[i], word, n))
			return true;
	return false;
}

/* True if the word follows AS: the statement defines that name. */
static bool sql_is_alias(const char *sql, const char *word, size_t n)
{
	const char *at = sql;

	while ((at = strcasestr(at, " AS "))) {
		at += 4 + strspn(at + 4, " ");
		if (!strncmp(at, word, n) && !is_sql_word_char(at[n]))
			return true;
	}
	return false;
}

/* True if the word is an event or a system of the statement, or a field of one of its events. */
static bool sql_is_named(struct tep_handle *tep, const char *word, size_t n)
{
	char *name = xstrndup(word, n);
	int i, nr = tep_get_events_count(tep);
	bool known = false;

	for (i = 0; i < nr && !known; i++) {
		struct tep_event *event = tep_get_event(tep, i);

		known = event && (!strcmp(event->name, name) || !strcmp(event->system, name) ||
				  tep_find_any_field(event, name));
	}
	free(name);
	return known;
}

/*
 * Searches for an unknown name: libtracefs fails without a message, mostly if a field does not
 * exist. Returns -1 with @err.
 */
static int sql_find_unknown(struct tep_handle *tep, const char *sql, struct ftr_error *err)
{
	const char *at, *dot, *line;
	size_t n;

	for (at = sql; *at; at += n ? n : 1) {
		if (*at == '"' || *at == '\'') {
			n = strcspn(at + 1, *at == '"' ? "\"" : "'") + 1;
			n += at[n] != '\0';
			continue;
		}
		for (n = 0; is_sql_word_char(at[n]);)
			n++;
		if (!n || isdigit((unsigned char)*at) || sql_is_keyword(at, n) ||
		    sql_is_alias(sql, at, n))
			continue;
		dot = memrchr(at, '.', n);
		if (dot && sql_is_keyword(dot + 1, at + n - dot - 1))
			continue;
		if (dot && sql_is_named(tep, at, dot - at) &&
		    sql_is_named(tep, dot + 1, at + n - dot - 1))
			continue;
		if (dot && sql_is_alias(sql, at, dot - at) &&
		    sql_is_named(tep, dot + 1, at + n - dot - 1))
			continue;
		if (!sql_is_named(tep, at, n)) {
			for (line = at; line > sql && line[-1] != '\n';)
				line--;
			return sql_fail_at_caret(line, at - line, "unknown name", at, n, err);
		}
	}
	err_set(err, FTR_USAGE, "libtracefs refuses this SQL and gives no reason\n  %s", sql);
	return err_hint(err, "each condition between && may use another event; || joins conditions "
			"of one event only");
}

static int sql_explain_refusal(struct tep_handle *tep, const char *sql, const char *message,
			       struct ftr_error *err)
{
	int ret = message ? sql_explain_message(message, err) : sql_find_unknown(tep, sql, err);

	if (strcasestr(sql, "STACKTRACE"))
		err_hint(err, "STACKTRACE needs libtracefs 1.7 or later");
	else if (strcasestr(sql, "TIMESTAMP_DELTA"))
		err_hint(err, "TIMESTAMP_DELTA needs libtracefs 1.8; write (end.TIMESTAMP_USECS - "
			 "start.TIMESTAMP_USECS) AS NAME");
	else if (message && strstr(message, "event not found"))
		err_hint(err, "available_events lists them; a module's come with it");
	return ret;
}

/* ---- parsing the texts of libtracefs */

/*
 * Returns the text of the next "echo 'TEXT' >> FILE" and its file, and moves *at after it. NULL if
 * there is none. The caller frees both.
 */
static char *echo_next_command(const char **at, char **file)
{
	const char *from = strstr(*at, "echo '"), *to = NULL, *path, *end, *next;
	char *text;

	if (!from)
		return NULL;
	from += 6;
	end = strstr(from, "\necho '");
	end = end ? end : from + strlen(from);
	/* A string of the filter may look like the end. */
	for (next = from; (next = strstr(next, "' >")) && next < end; next++)
		to = next;
	path = to ? strchr(to, '/') : NULL;
	if (!path)
		return NULL;
	text = xstrndup(from, to - from);
	*file = xstrndup(path, strcspn(path, "\n"));
	*at = path + strlen(*file);
	return text;
}

/* Returns the event of ".../events/sched/sched_switch/trigger", or NULL. The caller frees. */
static char *trigger_event(const char *file)
{
	const char *at = NULL, *next = file;

	while ((next = strstr(next, "/events/")))
		at = next += 8;
	return at && strlen(at) > 8 ? xstrndup(at, strlen(at) - strlen("/trigger")) : NULL;
}

/*
 * Replaces the random number by which libtracefs makes variables unique, "__lat_1506_4". The
 * event's name is unique, too, and shows the owner.
 */
static void rename_variables(char **text, const char *name)
{
	struct buf out = {0};
	regmatch_t m[2];
	const char *at = *text;
	regex_t re;

	if (regcomp(&re, "__[A-Za-z0-9_]*_([0-9]+)_[0-9]+", REG_EXTENDED))
		return;
	while (!regexec(&re, at, 2, m, 0)) {
		buf_add(&out, at, m[1].rm_so);
		buf_addstr(&out, name);
		buf_add(&out, at + m[1].rm_eo, m[0].rm_eo - m[1].rm_eo);
		at += m[0].rm_eo;
	}
	buf_addstr(&out, at);
	regfree(&re);
	free(*text);
	*text = buf_take(&out);
}

/* Removes " if FILTER" from @text. Returns the filter, which the caller frees, or NULL. */
static char *cut_filter(char *text)
{
	char *filter = strstr(text, " if ");

	if (!filter)
		return NULL;
	*filter = '\0';
	return xstrdup(filter + 4);
}

/* Parses "s:NAME pid_t pid; u64 lat;". Returns -1 if @text has another form. */
static int parse_synth_fields(struct synth_plan *p, const char *text)
{
	const char *fields = strchr(text, ' ');
	struct strv parts = {0};
	size_t i;

	if (strncmp(text, "s:", 2) || !fields)
		return -1;
	strv_split(&parts, fields, ";");
	for (i = 0; i < parts.n; i++)
		strv_add(&p->fields, parts.v[i] + strspn(parts.v[i], " "));
	strv_release(&parts);
	return 0;
}

/*
 * Parses "hist:...:onmatch(sched.sched_waking).NAME($a,$b)" and cuts its filter off;
 * ").trace(NAME,$a,$b)" if the kernel's README has that. @p owns @text. Returns -1 if it has
 * another form.
 */
static int parse_end_hist(struct synth_plan *p, char *text)
{
	char *match, *args, *end;
	bool named;

	p->end_filter = cut_filter(text);
	rename_variables(&text, p->name);
	p->end_hist = text;
	match = strstr(text, ":onmatch(");
	args = match ? strchr(match + 9, '(') : NULL;
	end = args ? strrchr(args, ')') : NULL;
	if (!end)
		return -1;
	*end = '\0';
	named = args - match > 7 && !strncmp(args - 6, ".trace", 6);
	args += 1 + (named ? strcspn(args + 1, ",") : 0);
	strv_split(&p->values, args, ",");
	*match = '\0';
	return p->values.n == p->fields.n ? 0 : -1;
}

static int echo_parse_commands(struct synth_plan *p, const char *commands)
{
	char *file = NULL, *text = NULL;
	int ret = 0;

	if (p->name) {
		text = echo_next_command(&commands, &file);
		ret = text ? parse_synth_fields(p, text) : -1;
		free(text);
		free(file);
	}
	if (!ret && (text = echo_next_command(&commands, &file))) {
		p->start_event = trigger_event(file);
		p->start_filter = cut_filter(text);
		if (p->name)
			rename_variables(&text, p->name);
		p->start_hist = text;
		free(file);
	}
	if (!ret && p->name && (text = echo_next_command(&commands, &file))) {
		p->end_event = trigger_event(file);
		ret = parse_end_hist(p, text);
		free(file);
	}
	return ret || !p->start_event || (p->name && !p->end_event) ? -1 : 0;
}

static int plan_from_sql(struct tracefs_synth *synth, const char *name, struct synth_plan *p,
			 struct ftr_error *err)
{
	struct trace_seq seq;
	int ret;

	trace_seq_init(&seq);
	if (tracefs_synth_complete(synth)) {
		p->name = xstrdup(name);
		ret = tracefs_synth_echo_cmd(&seq, synth);
	} else {
		ret = tracefs_hist_echo_cmd(&seq, NULL, tracefs_synth_get_start_hist(synth), 0);
	}
	trace_seq_terminate(&seq);
	if (ret < 0 || echo_parse_commands(p, seq.buffer))
		ret = err_set(err, FTR_FAILED, "libtracefs cannot turn this SQL into commands: "
			      "'%.300s'", seq.buffer);
	trace_seq_destroy(&seq);
	return ret < 0 ? -1 : 0;
}

int sql_plan(const struct tfs *t, const char *name, const char *sql, struct synth_plan *p,
	     struct ftr_error *err)
{
	struct tep_handle *tep = tep_alloc();
	struct tracefs_synth *synth = NULL;
	char *flat = xstrdup(sql), *message = NULL;
	size_t n = strlen(flat);
	int ret = -1, tab;

	*p = (struct synth_plan){0};
	/* The carets of libtracefs count characters. */
	for (tab = 0; flat[tab]; tab++)
		if (flat[tab] == '\t' || flat[tab] == '\r')
			flat[tab] = ' ';
	while (n && isspace((unsigned char)flat[n - 1]))
		flat[--n] = '\0';
	if (!tep || sql_load_formats(t, tep, flat, err))
		goto out;
	/* By default libtracefs searches for tracefs, and mounts it. */
	tracefs_set_tracing_dir(t->path);
	synth = tracefs_sql(tep, name, flat, &message);
	if (synth)
		ret = plan_from_sql(synth, name, p, err);
	else
		sql_explain_refusal(tep, flat, message, err);
out:
	if (ret)
		synth_plan_release(p);
	tracefs_synth_free(synth);
	tep_free(tep);
	free(message);
	free(flat);
	return ret;
}
