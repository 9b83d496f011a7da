/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds triggers of events and commands of functions, and explains refusals of the kernel. */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sig.h"
#include "base/text.h"
#include "tracefs/files/control.h"
#include "tracefs/verbs/snapshot_buffer.h"
#include "tracefs/verbs/triggers.h"

/* The trigger or command to add, and its event or functions. */
struct trigger_request {
	struct session *s;
	const char *instance;
	const char *where;	/* "sched:sched_switch", or a glob of functions */
	const char *text;
	struct ftr_error *err;
};

/* Returns the first word of @text: up to a colon, a blank or the end. The caller frees. */
static char *first_word(const char *text)
{
	return xstrndup(text, strcspn(text, ": "));
}

/*
 * Appends the commands of triggers that this kernel has: a trigger file without triggers lists them
 * in lines that start with '#'. One of the first events will have no triggers.
 */
static void trigger_commands(const struct tfs *t, struct strv *out)
{
	struct strv events = {0}, lines = {0};
	struct buf text = {0};
	char *file;
	size_t i;

	tfs_match_events(t, "all", &events, NULL);
	for (i = 0; i < events.n && i < 50 && !lines.n; i++) {
		file = xasprintf("events/%s/trigger", events.v[i]);
		if (!tfs_read(t, NULL, file, &text, NULL) && text.len && *text.data == '#')
			strv_split(&lines, text.data, "\n");
		free(file);
	}
	for (i = 1; i < lines.n; i++)
		strv_split(out, lines.v[i], "# ");
	strv_release(&lines);
	strv_release(&events);
	buf_release(&text);
}

/* An explainer returns false, without an error, if it does not know the reason. */

static bool explain_unknown_command(const struct trigger_request *a, bool function)
{
	char *word = first_word(a->text);
	struct strv names = {0};
	struct buf list = {0};
	const char *near;
	bool unknown;

	/* Nothing lists the commands of functions; README names most. */
	if (function)
		strv_split(&names, "traceon traceoff snapshot stacktrace dump cpudump enable_event "
				   "disable_event", " ");
	else
		trigger_commands(session_tfs(a->s), &names);
	unknown = names.n && !strv_has(&names, word);
	if (unknown) {
		err_set(a->err, FTR_FAILED, "this kernel has no %s '%s'",
			function ? "command of functions" : "trigger", word);
		near = text_closest(word, names.v);
		for (size_t i = 0; i < names.n; i++)
			buf_printf(&list, "%s%s", i ? ", " : "", names.v[i]);
		if (near)
			err_hint(a->err, "did you mean '%s'?", near);
		else
			err_hint(a->err, "there are %s", list.data);
	}
	buf_release(&list);
	strv_release(&names);
	free(word);
	return unknown;
}

static bool str_ends_with(const char *word, const char *end)
{
	size_t n = strlen(word), m = strlen(end);

	return n >= m && !strcmp(word + n - m, end);
}

/* Refuses "enable_event:SYSTEM:EVENT" and "disable_hist:SYSTEM:EVENT" if there is no such event. */
static bool explain_unknown_event(const struct trigger_request *a)
{
	struct strv parts = {0}, events = {0};
	char *name = NULL, *command = first_word(a->text);
	size_t n = strlen(command);
	bool unknown = false;

	if (!str_ends_with(command, "able_event") && !str_ends_with(command, "able_hist"))
		goto out;
	strv_split(&parts, a->text + n, ": ");
	if (parts.n < 2 || a->text[n] != ':' || !strcmp(parts.v[1], "if")) {
		unknown = true;
		err_set(a->err, FTR_FAILED, "'%s' of '%s' needs an event", command, a->text);
		err_hint(a->err, "%s:SYSTEM:EVENT", command);
		goto out;
	}
	name = xasprintf("%s:%s", parts.v[0], parts.v[1]);
	unknown = tfs_match_events(session_tfs(a->s), name, &events, a->err) != 1 || events.n != 1;
	if (unknown && events.n)
		err_set(a->err, FTR_FAILED, "'%s' names more than one event", name);
out:
	strv_release(&parts);
	strv_release(&events);
	free(command);
	free(name);
	return unknown;
}

/* To the kernel traceon and traceoff are one kind, also enable_event and disable_event. */
static bool same_kind(const char *a, const char *b)
{
	static const char *const pairs[][2] = {
		{ "traceon", "traceoff" }, { "enable_event:", "disable_event:" },
		{ "enable_hist:", "disable_hist:" },
	};
	size_t i, n, m;

	for (i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		n = strlen(pairs[i][0]);
		m = strlen(pairs[i][1]);
		if (!strncmp(a, pairs[i][0], n) && !strncmp(b, pairs[i][1], m))
			return !strcmp(a + n, b + m);
		if (!strncmp(a, pairs[i][1], m) && !strncmp(b, pairs[i][0], n))
			return !strcmp(a + m, b + n);
	}
	return !strcmp(a, b);
}

/* Counted and uncounted commands of functions are two kinds. dump always shows a count of 1. */
static bool same_command(const struct trigger *a, const struct trigger *b)
{
	return !strcmp(a->command, b->command) &&
	       (!strcmp(a->command, "dump") || (a->count >= 0) == (b->count >= 0));
}

/* Parses "traceoff:5" in the form in which the kernel would list it. */
static void parse_added(const struct trigger_request *a, bool function, struct triggers *out)
{
	size_t end = strcspn(a->text, " "), at = end;
	char *line;

	while (at && strchr("0123456789", a->text[at - 1]))
		at--;
	if (at < end && at && a->text[at - 1] == ':' && strncmp(a->text, "hist:", 5))
		line = xasprintf("%.*scount=%s", (int)at, a->text, a->text + at);
	else
		line = xstrdup(a->text);
	triggers_add_line(out, function, a->where, line);
	free(line);
}

static bool explain_existing(const struct trigger_request *a, bool function)
{
	struct triggers have = {0}, want = {0};
	const struct trigger *found = NULL, *at;

	if (function)
		triggers_of_functions(session_tfs(a->s), a->instance, a->where, &have, NULL);
	else
		triggers_of_events(session_tfs(a->s), a->instance, a->where, &have, NULL);
	parse_added(a, function, &want);
	for (at = have.v; want.n && at < have.v + have.n && !found; at++)
		if (function ? same_command(at, want.v) : same_kind(at->command, want.v->command))
			found = at;
	if (found) {
		err_set(a->err, FTR_FAILED, "'%s' has the %s '%s' already", found->where,
			function ? "command" : "trigger", found->line);
		trigger_hint_remove(a->err, "remove it first", function, a->where, found->command);
	}
	triggers_release(&have);
	triggers_release(&want);
	return found;
}

/* Splits "hist:keys=pid:size=64 if x" into "hist", "keys=pid", "size=64". */
static void split_parts(const char *text, struct strv *parts)
{
	char *command = xstrndup(text, strcspn(text, " "));

	strv_split(parts, command, ":");
	free(command);
}

static bool explain_wrong_count(const struct trigger_request *a, bool function)
{
	const char *last;
	struct strv parts = {0};
	size_t counted;
	bool wrong;

	split_parts(a->text, &parts);
	counted = strstr(a->text, "able_event:") || strstr(a->text, "able_hist:") ? 4 : 2;
	last = parts.n == counted ? parts.v[counted - 1] : "0";
	wrong = parts.n > counted || !*last || last[strspn(last, "0123456789")];
	if (wrong && strncmp(a->text, "hist", 4)) {
		err_set(a->err, FTR_FAILED, "'%s' has no number after the last colon", a->text);
		err_hint(a->err, "%s:5 fires five times", function ? "traceoff" : "stacktrace");
	} else {
		wrong = false;
	}
	strv_release(&parts);
	return wrong;
}

/* The words between colons; a '=' or '(' at the end is part of the word. */
static char *const hist_parts[] = {
	"keys=", "key=", "vals=", "val=", "values=", "sort=", "size=", "name=", "clock=",
	"pause", "continue", "cont", "clear", "nohitcount", "NOHC",
	"onmatch(", "onmax(", "onchange(", NULL
};

static bool is_known_part(const char *part)
{
	size_t i, n;

	for (i = 0; hist_parts[i]; i++) {
		n = strlen(hist_parts[i]);
		if (strchr("=(", hist_parts[i][n - 1]) ? !strncmp(part, hist_parts[i], n)
						      : !strcmp(part, hist_parts[i]))
			return true;
	}
	/* A word with '=' may be a variable. */
	return strchr(part, '=');
}

static bool explain_unknown_part(const struct trigger_request *a, const char *part)
{
	size_t i, n = strlen(part);
	bool has_value = false;
	const char *near;

	if (is_known_part(part))
		return false;
	for (i = 0; hist_parts[i] && !has_value; i++)
		has_value = !strncmp(hist_parts[i], part, n) && !strcmp(hist_parts[i] + n, "=");
	err_set(a->err, FTR_FAILED, "histograms have no '%s' ('%.300s')", part, a->text);
	near = text_closest(part, hist_parts);
	if (has_value)
		err_hint(a->err, "it takes a value: '%s=...'", part);
	else if (near)
		err_hint(a->err, "did you mean '%s'?", near);
	else
		err_hint(a->err, "hist:keys=FIELD[,FIELD][:vals=FIELD][:sort=FIELD][:size=N]...");
	return true;
}

/* Explains a histogram that the kernel refuses to parse without a message. */
static bool explain_wrong_hist(const struct trigger_request *a)
{
	struct strv parts = {0};
	bool found = false, keys = false;
	const char *size;
	int64_t n;
	size_t i;

	split_parts(a->text, &parts);
	if (!parts.n || strcmp(parts.v[0], "hist"))
		goto out;
	for (i = 1; i < parts.n && !found; i++) {
		keys |= !strncmp(parts.v[i], "keys=", 5) || !strncmp(parts.v[i], "key=", 4);
		found = explain_unknown_part(a, parts.v[i]);
	}
	if (!found && !keys) {
		found = true;
		err_set(a->err, FTR_FAILED, "a histogram needs keys: '%.300s'", a->text);
		err_hint(a->err, "hist:keys=FIELD; 'ftr hist EVENT FIELD' shows one at once");
	}
	/* A table has 2^7 (TRACING_MAP_BITS_MIN) to 2^17 entries, rounded up to a power of two. */
	for (i = 1; i < parts.n && !found; i++) {
		size = parts.v[i] + strlen("size=");
		if (strncmp(parts.v[i], "size=", 5) || !text_number(size, 65, 1 << 17, &n))
			continue;
		found = true;
		err_set(a->err, FTR_FAILED, "'%s' is not a size of a histogram ('%.300s')", size,
			a->text);
		err_hint(a->err, "from 65 to 131072 entries");
	}
out:
	strv_release(&parts);
	return found;
}

void triggers_explain_filter(struct session *s, const char *instance, const char *event,
			     const char *text, struct ftr_error *err)
{
	const char *filter = strstr(text, " if ");
	char *file = xasprintf("events/%s/filter", event);
	struct ftr_error better = {0};

	if (filter && !strstr(err->msg, "the kernel reports") &&
	    session_set(s, instance, file, filter + 4, &better))
		*err = better;
	free(file);
}

/* Sets the filter in a private instance for the kernel's explanation: the event's may be in use. */
static void explain_wrong_filter(const struct trigger_request *a)
{
	char *event, *name;
	bool made;

	if (!strstr(a->text, " if "))
		return;
	event = xstrdup(a->where);
	event[strcspn(event, ":")] = '/';
	name = xasprintf("ftr-filter-%d", (int)getpid());
	if (!session_instance(a->s, name, &made, NULL))
		triggers_explain_filter(a->s, name, event, a->text, a->err);
	free(name);
	free(event);
}

void triggers_explain(struct session *s, const char *instance, const char *event, const char *text,
		      struct ftr_error *err)
{
	char *where = xstrdup(event);
	const struct trigger_request a = { .s = s, .instance = instance, .where = where,
					   .text = text, .err = err };
	int sys = err->sys;

	where[strcspn(where, "/")] = ':';
	if (sys == EEXIST && explain_existing(&a, false))
		goto out;
	/* The error contains the kernel's explanation already, if there is one. */
	if ((sys != EINVAL && sys != ENOENT) || strstr(err->msg, "the kernel reports"))
		goto out;
	if (!explain_unknown_command(&a, false) && !explain_unknown_event(&a) &&
	    !explain_wrong_count(&a, false) && !explain_wrong_hist(&a))
		explain_wrong_filter(&a);
out:
	free(where);
}

static bool explain_no_function(const struct trigger_request *a)
{
	struct strv names = {0};
	struct buf text = {0};
	bool found = false;
	size_t i;

	if (tfs_read(session_tfs(a->s), NULL, "available_filter_functions", &text, NULL)) {
		buf_release(&text);
		return false;
	}
	strv_split(&names, text.data, "\n");
	for (i = 0; i < names.n && !found; i++) {
		names.v[i][strcspn(names.v[i], " ")] = '\0';
		found = !fnmatch(a->where, names.v[i], 0);
	}
	if (!found) {
		bool glob = strpbrk(a->where, "*?[");
		const char *near = glob ? NULL : text_closest(a->where, names.v);

		err_set(a->err, FTR_FAILED, "no function matches '%s'", a->where);
		if (near)
			err_hint(a->err, "did you mean '%s'?", near);
		else
			err_hint(a->err, "available_filter_functions lists the traceable "
				 "functions; a module's are there once it is loaded");
	}
	strv_release(&names);
	buf_release(&text);
	return !found;
}

bool trigger_sets_clock(const char *text)
{
	return !strncmp(text, "hist:", 5) && strstr(text, "common_timestamp");
}

int trigger_check_held(const struct tfs *t, const char *instance, const char *text,
		       struct ftr_error *err)
{
	const char *held = trigger_sets_clock(text) ? snapshot_what_is_held(t, instance) : NULL;

	return held ? snapshot_refuse_emptying("a histogram with common_timestamp", held, instance,
					       err) : 0;
}

int triggers_add_events(struct session *s, const char *instance, const char *pattern,
			const char *text, size_t *n, struct ftr_error *err)
{
	struct strv events = {0};
	int ret = tfs_match_trigger_events(session_tfs(s), pattern, &events, err) > 0 ? 0 : -1;
	size_t i;

	*n = 0;
	for (i = 0; !ret && i < events.n && !sig_held(); i++) {
		ret = session_trigger(s, instance, events.v[i], text, err);
		if (ret)
			triggers_explain(s, instance, events.v[i], text, err);
		*n += !ret;
	}
	strv_release(&events);
	return ret;
}

/* Returns the number of functions of the glob with the command, counted or uncounted as given. */
static size_t functions_count_command(const struct trigger_request *a)
{
	struct triggers have = {0}, want = {0};
	size_t i, n = 0;

	parse_added(a, true, &want);
	triggers_of_functions(session_tfs(a->s), a->instance, a->where, &have, NULL);
	for (i = 0; want.n && i < have.n; i++)
		n += same_command(&have.v[i], want.v);
	triggers_release(&have);
	triggers_release(&want);
	return n;
}

int triggers_add_functions(struct session *s, const char *instance, const char *glob,
			   const char *command, size_t *n, struct ftr_error *err)
{
	const struct trigger_request a = { .s = s, .instance = instance, .where = glob,
					   .text = command, .err = err };
	struct strv word = {0};
	size_t before;
	int ret, sys;

	*n = 0;
	/* The kernel would parse each word by itself. */
	if (strpbrk(command, " \t\n")) {
		err_set(err, FTR_FAILED, "'%s' has a blank: commands of functions take no filter",
			command);
		return err_hint(err, "triggers of events do: ftr trigger add EVENT TRIGGER if ...");
	}
	/* The kernel ignores their count. */
	if (!strncmp(command, "dump:", 5) || !strncmp(command, "cpudump:", 8))
		return err_set(err, FTR_FAILED, "'%.*s' takes no count: it dumps once",
			       (int)strcspn(command, ":"), command);
	before = functions_count_command(&a);
	strv_take(&word, xasprintf("%s:%s", glob, command));
	ret = session_append(s, instance, "set_ftrace_filter", &word, err);
	sys = ret ? err->sys : 0;
	if (!ret)
		*n = functions_count_command(&a) - before;
	else if ((sys == EINVAL || sys == ENOENT || sys == ENODEV || sys == EEXIST) &&
		 !explain_unknown_command(&a, true) && !explain_no_function(&a) &&
		 !explain_unknown_event(&a) && !explain_wrong_count(&a, true))
		explain_existing(&a, true);
	strv_release(&word);
	return ret;
}

void triggers_pause_hist(struct session *s, const char *instance, const char *event,
			 const char *text)
{
	const char *filter = strstr(text, " if ");
	size_t n = filter ? (size_t)(filter - text) : strlen(text);
	char *line = xasprintf("%.*s:pause%s", (int)n, text, text + n);

	session_trigger(s, instance, event, line, NULL);
	free(line);
}
