/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SQL through libtracefs. It is never let write to tracefs: its texts are taken apart and written
 * through the session. Of its version 1.6.4 tracefs_synth_show_event() and the like have nothing
 * before it wrote them itself, hence tracefs_synth_echo_cmd(); and the actions onmax and onchange
 * (tracefs_synth_save() ...) know no field of a statement, hence they are ours (synth_event.c).
 */
#include "tracefs/verbs/synth_sql.h"

#include <ctype.h>
#include <event-parse.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <trace-seq.h>
#include <tracefs.h>

#include "base/text.h"

/* A word of the statement, at ->at: "start.pid". */
static bool is_sql_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '-';
}

/* ---- formats */

static void load_format(const struct tfs *t, struct tep_handle *tep, const char *event)
{
	const char *colon = strchr(event, ':');
	char *system = xstrndup(event, colon - event);
	char *file = xasprintf("events/%s/%s/format", system, colon + 1);
	struct buf text = {0};

	if (!tfs_read(t, NULL, file, &text, NULL))
		tep_parse_event(tep, text.data, text.len, system);
	buf_release(&text);
	free(file);
	free(system);
}

static bool names_event(const struct strv *words, const char *event)
{
	size_t i;

	for (i = 0; i < words->n; i++)
		if (!strcmp(words->v[i], event))
			return true;
	return false;
}

/* The formats of all events whose names are words of the statement. */
static int load_formats(const struct tfs *t, struct tep_handle *tep, const char *sql,
			struct ftr_error *err)
{
	struct strv words = {0}, events = {0};
	const char *colon;
	size_t i;
	int ret;

	tep_set_long_size(tep, sizeof(long));
	strv_split(&words, sql, " \t\n.,()=<>!&|~\"'");
	ret = tfs_events(t, &events, err);
	for (i = 0; !ret && i < events.n; i++) {
		colon = strchr(events.v[i], ':');
		if (colon && names_event(&words, colon + 1))
			load_format(t, tep, events.v[i]);
	}
	strv_release(&words);
	strv_release(&events);
	return ret;
}

/* ---- what libtracefs says of an error */

/* The line of the statement with its caret. */
static int fail_at_caret(const char *line, size_t at, const char *why, const char *word, size_t n,
			 struct ftr_error *err)
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
 * "LINE\n    ^\nERROR: 'word'\nreason\n". One reason has an address where the name of an event
 * should be.
 */
static int report_said(const char *said, struct ftr_error *err)
{
	const char *caret = strchr(said, '\n'), *word = caret ? strchr(caret + 1, '\n') : NULL;
	const char *reason = word ? strchr(word + 1, '\n') : NULL;
	char *why;
	int ret;

	if (!reason || strncmp(word, "\nERROR: '", 9))
		return err_set(err, FTR_USAGE, "wrong SQL: %s", said);
	word += 9;
	if (word == reason - 1)
		why = xstrdup("it ends too early");
	else if (strstr(reason, "can not be grouped"))
		why = xstrdup("what || and () join must be of one event");
	else
		why = xstrndup(reason + 1, strcspn(reason + 1, "\n"));
	ret = fail_at_caret(said, strspn(caret + 1, " "), why, word, reason - 1 - word, err);
	free(why);
	return ret;
}

static int report_at(const char *sql, const char *at, size_t n, const char *why,
		     struct ftr_error *err)
{
	const char *line = at;

	while (line > sql && line[-1] != '\n')
		line--;
	return fail_at_caret(line, at - line, why, at, n, err);
}

static bool is_keyword(const char *word, size_t n)
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

/* A word behind AS is a name given here. */
static bool is_alias(const char *sql, const char *word, size_t n)
{
	const char *at = sql;

	while ((at = strcasestr(at, " AS "))) {
		at += 4 + strspn(at + 4, " ");
		if (!strncmp(at, word, n) && !is_sql_word_char(at[n]))
			return true;
	}
	return false;
}

/* A field of any event that was named, or such an event. */
static bool is_named(struct tep_handle *tep, const char *word, size_t n)
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

/* libtracefs fails without a word, mostly for a field that does not exist: look for one. */
static int find_unknown(struct tep_handle *tep, const char *sql, struct ftr_error *err)
{
	const char *at, *dot;
	size_t n;

	for (at = sql; *at; at += n ? n : 1) {
		if (*at == '"' || *at == '\'') {
			n = strcspn(at + 1, *at == '"' ? "\"" : "'") + 1;
			n += at[n] != '\0';
			continue;
		}
		for (n = 0; is_sql_word_char(at[n]);)
			n++;
		if (!n || isdigit((unsigned char)*at) || is_keyword(at, n) || is_alias(sql, at, n))
			continue;
		dot = memrchr(at, '.', n);
		if (dot && is_keyword(dot + 1, at + n - dot - 1))
			continue;
		if (dot && is_named(tep, at, dot - at) && is_named(tep, dot + 1, at + n - dot - 1))
			continue;
		if (dot && is_alias(sql, at, dot - at) &&
		    is_named(tep, dot + 1, at + n - dot - 1))
			continue;
		if (!is_named(tep, at, n))
			return report_at(sql, at, n, "unknown name", err);
	}
	err_set(err, FTR_USAGE, "libtracefs refuses this SQL and does not say why\n  %s", sql);
	return err_hint(err, "each condition between && may use another event; || joins conditions "
			"of one event only");
}

static int refuse_sql(struct tep_handle *tep, const char *sql, const char *said,
		      struct ftr_error *err)
{
	int ret = said ? report_said(said, err) : find_unknown(tep, sql, err);

	if (strcasestr(sql, "STACKTRACE"))
		err_hint(err, "STACKTRACE needs libtracefs 1.7 or later");
	else if (strcasestr(sql, "TIMESTAMP_DELTA"))
		err_hint(err, "TIMESTAMP_DELTA needs libtracefs 1.8; write (end.TIMESTAMP_USECS - "
			 "start.TIMESTAMP_USECS) AS NAME");
	else if (said && strstr(said, "event not found"))
		err_hint(err, "available_events lists them; a module's come with it");
	return ret;
}

/* ---- its texts, taken apart */

/*
 * The text and the file of the next "echo 'TEXT' >> FILE"; moves *at behind it. NULL when there is
 * none. The caller frees both.
 */
static char *next_command(const char **at, char **file)
{
	const char *from = strstr(*at, "echo '"), *to = NULL, *path, *end, *next;
	char *text;

	if (!from)
		return NULL;
	from += 6;
	end = strstr(from, "\necho '");
	end = end ? end : from + strlen(from);
	/* a string of the filter may look like the end */
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

/* ".../events/sched/sched_switch/trigger" */
static char *trigger_event(const char *file)
{
	const char *at = NULL, *next = file;

	while ((next = strstr(next, "/events/")))
		at = next += 8;
	return at && strlen(at) > 8 ? xstrndup(at, strlen(at) - strlen("/trigger")) : NULL;
}

/*
 * "__lat_1506_4": libtracefs makes variables unique by a random number. The event's name does as
 * well, and says whose they are.
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

/* Cuts " if FILTER" off and returns the filter, or NULL. */
static char *cut_filter(char *text)
{
	char *filter = strstr(text, " if ");

	if (!filter)
		return NULL;
	*filter = '\0';
	return xstrdup(filter + 4);
}

/* "s:NAME pid_t pid; u64 lat;" */
static int take_fields(struct synth_plan *p, const char *text)
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
 * "hist:...:onmatch(sched.sched_waking).NAME($a,$b)", its filter cut off; ").trace(NAME,$a,$b)"
 * where the kernel's README has that.
 */
static int take_end_hist(struct synth_plan *p, char *text)
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

static int take_start(struct synth_plan *p, char *text)
{
	p->start_filter = cut_filter(text);
	if (p->name)
		rename_variables(&text, p->name);
	p->start_hist = text;
	return 0;
}

static int take_apart(struct synth_plan *p, const char *commands)
{
	char *file = NULL, *text = NULL;
	int ret = 0;

	if (p->name) {
		text = next_command(&commands, &file);
		ret = text ? take_fields(p, text) : -1;
		free(text);
		free(file);
	}
	if (!ret && (text = next_command(&commands, &file))) {
		p->start_event = trigger_event(file);
		ret = take_start(p, text);
		free(file);
	}
	if (!ret && p->name && (text = next_command(&commands, &file))) {
		p->end_event = trigger_event(file);
		ret = take_end_hist(p, text);
		free(file);
	}
	return ret || !p->start_event || (p->name && !p->end_event) ? -1 : 0;
}

static int take_plan_texts(struct tracefs_synth *synth, const char *name, struct synth_plan *p,
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
	if (ret < 0 || take_apart(p, seq.buffer))
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
	char *flat = xstrdup(sql), *said = NULL;
	size_t n = strlen(flat);
	int ret = -1, tab;

	*p = (struct synth_plan){0};
	/* Its carets count characters. */
	for (tab = 0; flat[tab]; tab++)
		if (flat[tab] == '\t' || flat[tab] == '\r')
			flat[tab] = ' ';
	while (n && isspace((unsigned char)flat[n - 1]))
		flat[--n] = '\0';
	if (!tep || load_formats(t, tep, flat, err))
		goto out;
	/* Else it would look for tracefs by itself, and mount it. */
	tracefs_set_tracing_dir(t->path);
	synth = tracefs_sql(tep, name, flat, &said);
	if (synth)
		ret = take_plan_texts(synth, name, p, err);
	else
		refuse_sql(tep, flat, said, err);
out:
	if (ret)
		synth_plan_release(p);
	tracefs_synth_free(synth);
	tep_free(tep);
	free(said);
	free(flat);
	return ret;
}
