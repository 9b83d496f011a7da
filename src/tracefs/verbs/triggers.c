/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists triggers of events and commands of functions with their authors, and removes them. */
#include "tracefs/verbs/triggers.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/sig.h"
#include "base/text.h"
#include "tracefs/files/control.h"
#include "tracefs/session/journal.h"

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

static bool str_ends_with(const char *line, const char *end)
{
	size_t n = strlen(line), m = strlen(end);

	return n >= m && !strcmp(line + n - m, end);
}

void triggers_add_line(struct triggers *l, bool function, const char *where, const char *line)
{
	struct trigger tr = { .function = function };
	char *filter;

	if (*line == '#' || !*line)
		return;
	tr.where = xstrdup(where);
	tr.line = xstrdup(line);
	tr.command = lines_base(line, &tr.count);
	filter = function ? NULL : strstr(tr.command, " if ");
	if (filter) {
		*filter = '\0';
		tr.filter = xstrdup(filter + 4);
	}
	if (!tr.count)
		tr.state = TRIGGER_SPENT;
	else if (!function && str_ends_with(line, " [paused]"))
		tr.state = TRIGGER_PAUSED;
	l->v = xgrow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	l->v[l->n++] = tr;
}

/*
 * Appends the triggers of @event, "system/event": none if the event has no trigger file, or if it
 * was removed in the meantime.
 */
static void read_event_triggers(const struct tfs *t, const char *instance, const char *event,
				struct triggers *l)
{
	char *file = xasprintf("events/%s/trigger", event), *where = xstrdup(event);
	struct strv lines = {0};
	struct buf text = {0};
	size_t i;

	where[strcspn(where, "/")] = ':';
	if (!tfs_read(t, instance, file, &text, NULL))
		strv_split(&lines, text.data, "\n");
	for (i = 0; i < lines.n; i++)
		triggers_add_line(l, false, where, lines.v[i]);
	strv_release(&lines);
	buf_release(&text);
	free(where);
	free(file);
}

/*
 * Appends the events that have triggers, from lines "system:event", a tab or blanks, and the
 * trigger. Returns false if the kernel lacks the file. The file omits ftrace:print.
 */
static bool events_with_triggers(const struct tfs *t, const char *instance, struct strv *events)
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
	bool known = !ret && events.n > 1 && events_with_triggers(t, instance, &some);
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

/* Returns "traceoff" for "traceoff:5", which is listed as "traceoff:count=5". The caller frees. */
static char *text_without_count(const char *text)
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

/* True if all values of @given are in @listed: "bytes_req" in "hitcount,bytes_req". */
static bool values_include(const char *listed, const char *given)
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

/* True if @listed, a part of the kernel's hist trigger, is @given, as a user wrote it. */
static bool hist_part_is(const char *listed, const char *given)
{
	/* Names that the kernel accepts, and lists (parse_hist_trigger_attrs()). */
	static const char *const names[][2] = {
		{ "key=", "keys=" }, { "val=", "vals=" }, { "values=", "vals=" },
	};
	char *as_listed = xstrdup(given);
	unsigned long size, least;
	bool same;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strncmp(given, names[i][0], strlen(names[i][0])))
			continue;
		free(as_listed);
		as_listed = xasprintf("%s%s", names[i][1], given + strlen(names[i][0]));
	}
	if (!strncmp(as_listed, "vals=", 5) && !strncmp(listed, "vals=", 5)) {
		same = values_include(listed + 5, as_listed + 5);
	} else if (!strncmp(as_listed, "size=", 5) && !strncmp(listed, "size=", 5)) {
		/* The number of entries is a power of two (create_hist_data()). */
		size = strtoul(listed + 5, NULL, 10);
		least = strtoul(as_listed + 5, NULL, 10);
		same = least && size >= least && size / 2 < least;
	} else {
		same = !strcmp(listed, as_listed);
	}
	free(as_listed);
	return same;
}

/* True if @listed has all parts of @given: the kernel adds the defaults of other parts. */
static bool hist_is(const char *listed, const char *given)
{
	struct strv have = {0}, want = {0};
	bool all = true, found;
	size_t i, k;

	strv_split(&have, listed, ":");
	strv_split(&want, given, ":");
	for (i = 0; all && i < want.n; i++) {
		for (k = 0, found = false; k < have.n && !found; k++)
			found = hist_part_is(have.v[k], want.v[i]);
		all = found;
	}
	strv_release(&have);
	strv_release(&want);
	return all;
}

bool trigger_is(const struct trigger *tr, const char *text)
{
	char *bare = text_without_count(text);
	struct triggers one = {0};
	struct trigger *want;
	bool same;

	triggers_add_line(&one, tr->function, tr->where, bare);
	want = one.v;
	same = want && (!strcmp(tr->command, want->command) ||
			(!strncmp(tr->command, "hist:", 5) &&
			 (!strcmp(want->command, "hist") ||
			  hist_is(tr->command, want->command))));
	if (same && want->filter)
		same = tr->filter && !strcmp(tr->filter, want->filter);
	triggers_release(&one);
	free(bare);
	return same;
}

/* The kernel finds a trigger by its command, a hist trigger by all its text. */
static int remove_one_trigger(struct session *s, const char *instance, const struct trigger *tr,
			      struct ftr_error *err)
{
	bool whole = !strncmp(tr->command, "hist:", 5) && tr->filter;
	char *text = xasprintf("!%s%s%s", tr->command, whole ? " if " : "",
			       whole ? tr->filter : "");
	char *event = xstrdup(tr->where);
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

/*
 * Appends the names of the variables that a hist trigger sets. The kernel lists the variables of a
 * clause together: "testpid=pid,ts0=common_timestamp.usecs".
 */
static void trigger_variables(const struct trigger *tr, struct strv *out)
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

/* Sets @err if another trigger reads a variable of @tr. */
static void explain_busy_hist(struct session *s, const char *instance, const struct trigger *tr,
			      struct ftr_error *err)
{
	const struct trigger *user = NULL, *at;
	struct triggers all = {0};
	struct strv names = {0};
	const char *var = NULL;

	triggers_of_events(session_tfs(s), instance, NULL, &all, NULL);
	trigger_variables(tr, &names);
	for (size_t i = 0; i < names.n && !user; i++) {
		var = names.v[i];
		for (at = all.v; at < all.v + all.n && !user; at++)
			if (trigger_reads(at->line, var, strlen(var)) &&
			    (strcmp(at->line, tr->line) || strcmp(at->where, tr->where)))
				user = at;
	}
	if (user) {
		err_set(err, FTR_FAILED, "'%s' reads the variable '%s' of the trigger of '%s'",
			user->where, var, tr->where);
		trigger_hint_remove(err, "remove that first", false, user->where, user->command);
	}
	strv_release(&names);
	triggers_release(&all);
}

/*
 * Removes the triggers of events. A hist trigger is busy while another one reads its variables, so
 * passes are repeated as long as one of them removes a trigger.
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

int triggers_remove(struct session *s, const char *instance, const struct triggers *l,
		    const char *glob, struct ftr_error *err)
{
	struct strv words = {0};
	char *word;
	size_t i;
	int ret = 0;

	if (remove_all_triggers(s, instance, l, err))
		return -1;
	if (sig_held())
		return 0;
	/*
	 * Counted and uncounted commands are two kinds to the kernel, also of enable_event and
	 * disable_event: any number removes the counted one.
	 */
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

/* --- authors */

struct trigger_author {
	struct journal_owner owner;
	struct journal_entries entries;
	bool stands;
};

struct trigger_authors {
	struct trigger_author *v;
	size_t n, cap;
};

static void authors_add_journal(struct trigger_authors *a, const char *path)
{
	struct trigger_author one = { .stands = !fnmatch("*/standing", path, 0) };

	if (journal_read(path, &one.owner, &one.entries, NULL))
		return;
	if (!journal_of_this_boot(&one.owner)) {
		journal_owner_release(&one.owner);
		entries_release(&one.entries);
		return;
	}
	a->v = xgrow(a->v, &a->cap, a->n + 1, sizeof(*a->v));
	a->v[a->n++] = one;
}

struct trigger_authors *authors_new(void)
{
	struct trigger_authors *a = xcalloc(1, sizeof(*a));
	struct strv runs = {0};
	char *standing;
	size_t i;

	if (journal_list(&runs, &standing, NULL))
		return a;
	for (i = 0; i < runs.n; i++)
		authors_add_journal(a, runs.v[i]);
	authors_add_journal(a, standing);
	strv_release(&runs);
	free(standing);
	return a;
}

void authors_free(struct trigger_authors *a)
{
	size_t i;

	for (i = 0; a && i < a->n; i++) {
		journal_owner_release(&a->v[i].owner);
		entries_release(&a->v[i].entries);
	}
	if (a)
		free(a->v);
	free(a);
}

/* True if @old, an earlier content of its file, has @tr. */
static bool author_found_trigger(const struct trigger *tr, const char *old)
{
	char *head = tr->function ? xasprintf("%s:%s", tr->where, tr->command)
				  : xstrdup(tr->command);
	struct strv lines = {0};
	size_t i, n = strlen(head);
	bool found = false;

	strv_split(&lines, old, "\n");
	for (i = 0; !found && i < lines.n; i++)
		found = !strncmp(lines.v[i], head, n) &&
			(!lines.v[i][n] || lines.v[i][n] == ':' || lines.v[i][n] == ' ');
	strv_release(&lines);
	free(head);
	return found;
}

/* True if adding @word, "vfs_*:traceoff:5", added @tr. */
static bool command_added_trigger(const char *word, const struct trigger *tr)
{
	size_t n = strcspn(word, ":");
	char *glob = xstrndup(word, n);
	bool is = word[n] && !fnmatch(glob, tr->where, 0) && trigger_is(tr, word + n + 1);

	free(glob);
	return is;
}

/* True if the run added @tr. The first note of the file has the triggers before the run. */
static bool author_added_trigger(const struct trigger_author *by, const char *path,
				 const struct trigger *tr)
{
	const struct journal_entry *e;
	size_t i;

	for (i = 0; i < by->entries.n; i++) {
		e = &by->entries.v[i];
		if (e->kept || strcmp(e->path, path))
			continue;
		if (e->type == ENTRY_COMMAND && command_added_trigger(e->value, tr))
			return true;
		if (e->type == ENTRY_SET && !tr->function)
			return !author_found_trigger(tr, e->value);
	}
	return false;
}

char *authors_of(const struct trigger_authors *a, const char *instance, const struct trigger *tr)
{
	struct buf path = {0};
	char *file, *by = NULL;
	size_t i;

	file = tr->function ? xstrdup("set_ftrace_filter")
			    : xasprintf("events/%s/trigger", tr->where);
	if (!tr->function)
		file[strcspn(file, ":")] = '/';
	tfs_path(&path, instance, file);
	for (i = 0; i < a->n && !by; i++) {
		if (!author_added_trigger(&a->v[i], path.data, tr))
			continue;
		by = a->v[i].stands ? xstrdup("ftr") : xasprintf("ftr:%d", (int)a->v[i].owner.pid);
	}
	buf_release(&path);
	free(file);
	return by;
}

bool authors_have_all(const struct tfs *t, const char *instance)
{
	struct trigger_authors *a = authors_new();
	struct triggers l = {0};
	bool ours = !triggers_of_events(t, instance, NULL, &l, NULL);
	size_t i;
	char *by;

	/* A kernel without function tracers has no commands of functions. */
	triggers_of_functions(t, instance, NULL, &l, NULL);
	for (i = 0; i < l.n && ours; i++) {
		by = authors_of(a, instance, &l.v[i]);
		ours = by && !strcmp(by, "ftr");
		free(by);
	}
	ours = ours && l.n;
	triggers_release(&l);
	authors_free(a);
	return ours;
}
