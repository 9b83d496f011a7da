/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists triggers of events and commands of functions, and removes them. */
#include "tracefs/verbs/triggers.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/sig.h"
#include "base/text.h"
#include "tracefs/files/control.h"

void trigger_hint_remove(struct ftr_error *err, const char *what, bool function, const char *where,
			 const char *command)
{
	char *words[] = { text_word(where), text_word(command) };

	err_hint(err, "%s: ftr trigger remove%s %s %s", what, function ? " --func" : "", words[0],
		 words[1]);
	free(words[0]);
	free(words[1]);
}

void triggers_release(struct triggers *l)
{
	size_t i;

	for (i = 0; i < l->n; i++) {
		free(l->v[i].where);
		free(l->v[i].line);
		free(l->v[i].command);
		free(l->v[i].filter);
	}
	free(l->v);
	*l = (struct triggers){0};
}

static bool line_ends_in(const char *line, const char *end)
{
	size_t n = strlen(line), m = strlen(end);

	return n >= m && !strcmp(line + n - m, end);
}

static void split_filter(struct trigger *tr, char *base)
{
	char *filter = tr->function ? NULL : strstr(base, " if ");

	tr->filter = filter ? xstrdup(filter + 4) : NULL;
	if (filter)
		*filter = '\0';
	tr->command = base;
}

void triggers_add_line(struct triggers *l, bool function, const char *where, const char *line)
{
	struct trigger tr = { .function = function };

	if (*line == '#' || !*line)
		return;
	tr.where = xstrdup(where);
	tr.line = xstrdup(line);
	split_filter(&tr, lines_base(line, &tr.count));
	if (!tr.count)
		tr.state = TRIGGER_SPENT;
	else if (!function && line_ends_in(line, " [paused]"))
		tr.state = TRIGGER_PAUSED;
	l->v = xgrow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	l->v[l->n++] = tr;
}

static void add_trigger_lines(struct triggers *l, const char *where, const char *text)
{
	struct strv lines = {0};
	size_t i;

	strv_split(&lines, text, "\n");
	for (i = 0; i < lines.n; i++)
		triggers_add_line(l, false, where, lines.v[i]);
	strv_release(&lines);
}

/* Of "system/event". An event that has no triggers, or goes while we look, has none. */
static void read_event_triggers(const struct tfs *t, const char *instance, const char *event,
				struct triggers *l)
{
	char *file = xasprintf("events/%s/trigger", event), *where = xstrdup(event);
	struct buf text = {0};

	where[strcspn(where, "/")] = ':';
	if (!tfs_read(t, instance, file, &text, NULL))
		add_trigger_lines(l, where, text.data);
	buf_release(&text);
	free(where);
	free(file);
}

/*
 * "system:event", a tab or blanks, the trigger: the events that have one only. Older kernels lack
 * the file, and it leaves out ftrace:print.
 */
static bool with_triggers(const struct tfs *t, const char *instance, struct strv *events)
{
	struct strv lines = {0};
	struct buf text = {0};
	bool known = !tfs_read(t, instance, "show_event_triggers", &text, NULL);
	size_t i;

	if (known)
		strv_split(&lines, text.data, "\n");
	for (i = 0; i < lines.n; i++) {
		lines.v[i][strcspn(lines.v[i], "\t ")] = '\0';
		lines.v[i][strcspn(lines.v[i], ":")] = '/';
		strv_add(events, lines.v[i]);
	}
	strv_sort_unique(events);
	strv_release(&lines);
	buf_release(&text);
	return known;
}

int triggers_of_events(const struct tfs *t, const char *instance, const char *pattern,
		       struct triggers *l, struct ftr_error *err)
{
	struct strv events = {0}, some = {0};
	int ret = tfs_match_trigger_events(t, pattern ? pattern : "all", &events, err) > 0 ? 0 : -1;
	bool known = !ret && events.n > 1 && with_triggers(t, instance, &some);
	size_t i;

	for (i = 0; !ret && i < events.n; i++)
		if (!known || strv_has(&some, events.v[i]) || !strcmp(events.v[i], "ftrace/print"))
			read_event_triggers(t, instance, events.v[i], l);
	strv_release(&events);
	strv_release(&some);
	return ret;
}

int triggers_of_functions(const struct tfs *t, const char *instance, const char *glob,
			  struct triggers *l, struct ftr_error *err)
{
	struct strv lines = {0};
	struct buf text = {0};
	char *colon;
	size_t i;
	int ret = 0;

	/* A kernel without dynamic ftrace has neither the file nor commands. */
	if (tfs_exists(t, instance, "set_ftrace_filter"))
		ret = tfs_read(t, instance, "set_ftrace_filter", &text, err);
	if (!ret && text.data)
		strv_split(&lines, text.data, "\n");
	for (i = 0; i < lines.n; i++) {
		colon = strchr(lines.v[i], ':');
		if (*lines.v[i] == '#' || !colon || !functions_is_command(lines.v[i]))
			continue;
		*colon = '\0';
		if (!glob || !fnmatch(glob, lines.v[i], 0))
			triggers_add_line(l, true, lines.v[i], colon + 1);
	}
	strv_release(&lines);
	buf_release(&text);
	return ret;
}

/* "traceoff:5" was added as that, and is listed as "traceoff:count=5". */
static char *without_count(const char *text)
{
	size_t end = strcspn(text, " "), at = end;

	if (!strncmp(text, "hist:", 5))
		return xstrdup(text);
	while (at && text[at - 1] >= '0' && text[at - 1] <= '9')
		at--;
	if (at == end || !at || text[at - 1] != ':')
		return xstrdup(text);
	return xasprintf("%.*s%s", (int)(at - 1), text, text + end);
}

/* The name that the kernel lists for those that it takes (parse_hist_trigger_attrs()). */
static const char *hist_word(const char *word)
{
	static const char *const names[][2] = {
		{ "key=", "keys=" }, { "val=", "vals=" }, { "values=", "vals=" },
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(word, names[i][0], strlen(names[i][0])))
			return names[i][1];
	return NULL;
}

/* All that is in @given is in @listed: "vals=bytes_req" in "vals=hitcount,bytes_req". */
static bool has_values(const char *listed, const char *given)
{
	struct strv have = {0}, want = {0};
	bool all = true;
	size_t i;

	strv_split(&have, listed, ",");
	strv_split(&want, given, ",");
	for (i = 0; all && i < want.n; i++)
		all = strv_has(&have, want.v[i]);
	strv_release(&have);
	strv_release(&want);
	return all;
}

/* Tables have a power of two of entries (create_hist_data()). */
static bool same_size(const char *listed, const char *given)
{
	unsigned long size = strtoul(listed, NULL, 10), least = strtoul(given, NULL, 10);

	return least && size >= least && size / 2 < least;
}

static bool same_part(const char *listed, const char *given)
{
	const char *name = hist_word(given), *value = strchr(given, '=');
	char *as_listed = name ? xasprintf("%s%s", name, value + 1) : xstrdup(given);
	bool same;

	if (!strncmp(as_listed, "vals=", 5) && !strncmp(listed, "vals=", 5))
		same = has_values(listed + 5, as_listed + 5);
	else if (!strncmp(as_listed, "size=", 5) && !strncmp(listed, "size=", 5))
		same = same_size(listed + 5, as_listed + 5);
	else
		same = !strcmp(listed, as_listed);
	free(as_listed);
	return same;
}

/* Of a hist trigger the kernel adds what was left to it; all that was given must be there. */
static bool same_hist(const char *listed, const char *given)
{
	struct strv have = {0}, want = {0};
	bool all = true, found;
	size_t i, k;

	strv_split(&have, listed, ":");
	strv_split(&want, given, ":");
	for (i = 0; all && i < want.n; i++) {
		for (k = 0, found = false; k < have.n && !found; k++)
			found = same_part(have.v[k], want.v[i]);
		all = found;
	}
	strv_release(&have);
	strv_release(&want);
	return all;
}

bool trigger_is(const struct trigger *tr, const char *text)
{
	char *bare = without_count(text);
	struct triggers one = {0};
	struct trigger *want;
	bool same;

	triggers_add_line(&one, tr->function, tr->where, bare);
	want = one.v;
	same = want && (!strcmp(tr->command, want->command) ||
			(!strncmp(tr->command, "hist:", 5) &&
			 (!strcmp(want->command, "hist") ||
			  same_hist(tr->command, want->command))));
	if (same && want->filter)
		same = tr->filter && !strcmp(tr->filter, want->filter);
	triggers_release(&one);
	free(bare);
	return same;
}

/* A trigger goes by its command, a hist trigger by all its text. */
static char *removal_text(const struct trigger *tr)
{
	if (!strncmp(tr->command, "hist:", 5) && tr->filter)
		return xasprintf("!%s if %s", tr->command, tr->filter);
	return xasprintf("!%s", tr->command);
}

static int remove_one_trigger(struct session *s, const char *instance, const struct trigger *tr,
			      struct ftr_error *err)
{
	char *event = xstrdup(tr->where), *text = removal_text(tr);
	int ret;

	event[strcspn(event, ":")] = '/';
	ret = session_trigger(s, instance, event, text, err);
	free(text);
	free(event);
	return ret;
}

bool trigger_reads(const char *text, const char *var, size_t n)
{
	const char *at = text;

	while ((at = strchr(at, '$'))) {
		at++;
		if (!strncmp(at, var, n) && !isalnum((unsigned char)at[n]) && at[n] != '_')
			return true;
	}
	return false;
}

static bool same_trigger(const struct trigger *a, const struct trigger *b)
{
	return !strcmp(a->line, b->line) && !strcmp(a->where, b->where);
}

/*
 * The names of the variables that a hist trigger sets. The kernel lists those of one clause
 * together: "testpid=pid,ts0=common_timestamp.usecs".
 */
static void variables_of(const struct trigger *tr, struct strv *out)
{
	struct strv clauses = {0}, words = {0};
	size_t i, n;

	strv_split(&clauses, tr->command, ":");
	for (i = 1; i < clauses.n; i++)
		strv_split(&words, clauses.v[i], ",");
	for (i = 0; i < words.n; i++) {
		n = strcspn(words.v[i], "=");
		if (words.v[i][n])
			strv_take(out, xstrndup(words.v[i], n));
	}
	strv_release(&clauses);
	strv_release(&words);
}

/* The trigger of @all that reads a variable of @tr, with its name in *var, or NULL. */
static const struct trigger *user_of(const struct triggers *all, const struct trigger *tr,
				     char **var)
{
	const struct trigger *found = NULL;
	struct strv names = {0};
	size_t i, j;

	*var = NULL;
	variables_of(tr, &names);
	for (i = 0; i < names.n && !found; i++)
		for (j = 0; j < all->n && !found; j++)
			if (trigger_reads(all->v[j].line, names.v[i], strlen(names.v[i])) &&
			    !same_trigger(&all->v[j], tr)) {
				found = &all->v[j];
				*var = xstrdup(names.v[i]);
			}
	strv_release(&names);
	return found;
}

static void explain_busy_hist(struct session *s, const char *instance, const struct trigger *tr,
			      struct ftr_error *err)
{
	struct triggers all = {0};
	const struct trigger *user;
	char *var;

	triggers_of_events(session_tfs(s), instance, NULL, &all, NULL);
	user = user_of(&all, tr, &var);
	if (user) {
		err_set(err, FTR_FAILED, "'%s' reads the variable '%s' of the trigger of '%s'",
			user->where, var, tr->where);
		trigger_hint_remove(err, "remove that first", false, user->where, user->command);
	}
	free(var);
	triggers_release(&all);
}

/*
 * A hist trigger whose variables another one reads is busy until that one is gone: rounds, as long
 * as one of them takes something away.
 */
static int remove_all_triggers(struct session *s, const char *instance, const struct triggers *l,
			       struct ftr_error *err)
{
	bool *gone = xcalloc(l->n + 1, sizeof(*gone)), progress = true;
	size_t i, left = 0;
	int ret = 0;

	for (i = 0; i < l->n; i++)
		left += !(gone[i] = l->v[i].function);
	while (left && progress && !sig_held()) {
		progress = false;
		for (i = 0; i < l->n && !sig_held(); i++) {
			if (gone[i])
				continue;
			gone[i] = !remove_one_trigger(s, instance, &l->v[i], err);
			if (!gone[i] && err->sys != EBUSY && err->sys != EINVAL)
				goto out;
			progress |= gone[i];
			left -= gone[i];
		}
	}
out:
	for (i = 0; left && i < l->n && err && err->sys == EBUSY; i++)
		if (!gone[i]) {
			explain_busy_hist(s, instance, &l->v[i], err);
			break;
		}
	if (left && !sig_held())
		ret = -1;
	else
		*err = (struct ftr_error){0};
	free(gone);
	return ret;
}

/*
 * Counted and uncounted commands are two kinds to the kernel: any number takes the counted one
 * away. enable_event's and disable_event's, too.
 */
static int remove_commands(struct session *s, const char *instance, const struct triggers *l,
			   const char *glob, struct ftr_error *err)
{
	struct strv words = {0};
	char *word;
	size_t i;
	int ret = 0;

	for (i = 0; i < l->n; i++) {
		if (!l->v[i].function)
			continue;
		word = xasprintf("!%s:%s%s", glob ? glob : l->v[i].where, l->v[i].command,
				 l->v[i].count >= 0 ? ":0" : "");
		if (!strv_has(&words, word))
			strv_add(&words, word);
		free(word);
	}
	if (words.n)
		ret = session_append(s, instance, "set_ftrace_filter", &words, err);
	strv_release(&words);
	return ret;
}

int triggers_remove(struct session *s, const char *instance, const struct triggers *l,
		    const char *glob, struct ftr_error *err)
{
	if (remove_all_triggers(s, instance, l, err))
		return -1;
	return sig_held() ? 0 : remove_commands(s, instance, l, glob, err);
}
