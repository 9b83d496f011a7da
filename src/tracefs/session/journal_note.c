/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes the values that a change overwrites: of the file itself, and of others that it changes. */
#include "tracefs/session/journal_note.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>


int session_record(struct session *s, enum entry_type type, const char *path, const char *value,
		   struct ftr_error *err)
{
	const struct journal_entry e = { .type = type, .path = (char *)path,
								.value = (char *)value };

	if (s->journal_fd < 0)
		s->journal_fd = journal_create(s->t, &s->journal, err);
	if (s->journal_fd < 0 || journal_append(s->journal_fd, &e, s->journal, err))
		return -1;
	if (type != ENTRY_KEEP)
		entries_add(&s->entries, type, path, value);
	return 0;
}

static bool is_path_noted(const struct session *s, const char *path)
{
	size_t i;

	for (i = 0; i < s->entries.n; i++)
		if (s->entries.v[i].type == ENTRY_SET && !strcmp(s->entries.v[i].path, path))
			return true;
	return false;
}

/* Notes the content of @path (in tracefs), unless it was noted before. -1 with errno. */
static int note_content(struct session *s, const char *path, struct ftr_error *err)
{
	struct buf text = {0};
	int ret, sys;

	if (is_path_noted(s, path))
		return 0;
	ret = tfs_read(s->t, NULL, path, &text, err);
	sys = errno;
	if (!ret) {
		ret = session_record(s, ENTRY_SET, path, text.data, err);
		sys = EIO;
	}
	buf_release(&text);
	errno = sys;
	return ret;
}

static int note_self(const struct journal_change *c)
{
	return note_content(c->s, c->path, c->err);
}

static int note_nothing(const struct journal_change *c)
{
	(void)c;
	return 0;
}

/* buffer_size_kb reads "X" if the sizes of the CPUs differ; then each CPU's own file is noted. */
static int note_size(const struct journal_change *c)
{
	char *text = tfs_line(c->s->t, c->instance, "buffer_size_kb");
	struct buf path = {0};
	size_t i, n = 0;
	int *cpus = NULL, ret = 0;
	char file[64];

	if (*text != 'X') {
		ret = note_content(c->s, tfs_path(&path, c->instance, "buffer_size_kb"), c->err);
		goto out;
	}
	ret = tfs_cpus(c->s->t, c->instance, &cpus, &n, c->err);
	for (i = 0; !ret && i < n; i++) {
		snprintf(file, sizeof(file), "per_cpu/cpu%d/buffer_size_kb", cpus[i]);
		ret = note_content(c->s, tfs_path(&path, c->instance, file), c->err);
	}
out:
	free(cpus);
	free(text);
	buf_release(&path);
	return ret;
}

/* The size is noted first, hence it is restored last. */
static int note_subbuf(const struct journal_change *c)
{
	return note_size(c) ? -1 : note_self(c);
}

/* Notes all files @leaf below a file that sets them together, if they will change. */
static int note_children(const struct journal_change *c, const char *system, const char *leaf)
{
	const struct control_file *child = control_of(!strcmp(leaf, "enable") ? "events/s/e/enable"
									 : "events/s/e/filter");
	char *pattern = xasprintf("%s:", system), *want = child->canon(c->value), *now, *line;
	struct strv events = {0};
	struct buf path = {0};
	char *file;
	int ret = tfs_match_events(c->s->t, pattern, &events, c->err) < 0 ? -1 : 0;
	size_t i;

	for (i = 0; !ret && i < events.n; i++) {
		file = xasprintf("events/%s/%s", events.v[i], leaf);
		tfs_path(&path, c->instance, file);
		line = tfs_line(c->s->t, c->instance, file);
		now = child->canon(line);
		if (strcmp(now, want) && tfs_exists(c->s->t, NULL, path.data))
			ret = note_content(c->s, path.data, c->err);
		free(now);
		free(line);
		free(file);
	}
	buf_release(&path);
	strv_release(&events);
	free(want);
	free(pattern);
	return ret;
}

/*
 * Notes events/enable, events/SYSTEM/enable and events/SYSTEM/filter. If everything below is off,
 * "0" restores that; else each event that will change is noted. The system's filter keeps a
 * separate text if it was refused; "0" clears it and all filters below, so it is noted last and
 * restored first.
 */
static int note_events(const struct journal_change *c)
{
	const char *leaf = strrchr(c->file, '/') + 1;
	char *line = tfs_line(c->s->t, c->instance, c->file);
	bool all_off = !strcmp(leaf, "enable") && !strcmp(line, "0");
	char *system = NULL;
	int ret = 0;

	free(line);
	if (all_off)
		return note_self(c);
	if (!strcmp(c->file, "events/enable"))
		system = xstrdup("*");
	else
		system = xstrndup(c->file + 7, leaf - 1 - (c->file + 7));
	ret = note_children(c, system, leaf);
	if (!ret && !strcmp(leaf, "filter"))
		ret = note_self(c);
	free(system);
	return ret;
}

/* One instance has trace_printk's output, and gets it back. The top level can't be set to 0. */
static int note_printk_dest(const struct journal_change *c)
{
	struct strv names = {0};
	struct buf path = {0};
	char *line;
	size_t i;
	int ret = tfs_instances(c->s->t, &names, c->err);

	for (i = 0; !ret && i < names.n; i++) {
		line = tfs_line(c->s->t, names.v[i], c->file);
		if (!strcmp(line, "1"))
			ret = note_content(c->s, tfs_path(&path, names.v[i], c->file), c->err);
		free(line);
	}
	if (!ret && c->instance && *c->instance)
		ret = note_self(c);
	buf_release(&path);
	strv_release(&names);
	return ret;
}

/* Notes events/@event/enable; @event is "system/event". */
static int note_enable(const struct journal_change *c, const char *event)
{
	char *file = xasprintf("events/%s/enable", event);
	struct buf path = {0};
	int ret = 0;

	if (tfs_exists(c->s->t, c->instance, file))
		ret = note_content(c->s, tfs_path(&path, c->instance, file), c->err);
	buf_release(&path);
	free(file);
	return ret;
}

static int note_matching(const struct journal_change *c, const char *pattern)
{
	struct strv events = {0};
	size_t i;
	int ret = tfs_match_events(c->s->t, pattern, &events, c->err) < 0 ? -1 : 0;

	for (i = 0; !ret && i < events.n; i++)
		ret = note_enable(c, events.v[i]);
	strv_release(&events);
	return ret;
}

/*
 * set_event also lists events that a trigger only holds ready ("0*"); writing that list back would
 * enable them. So this notes the events' own files, and "SYSTEM:EVENT:mod:MODULE", which 7.2
 * applies when the module is loaded, as a word.
 */
static int note_set_event(const struct journal_change *c)
{
	struct buf text = {0};
	struct strv on = {0};
	const char *word;
	size_t i;
	char *note;
	int ret = 0;

	if (c->truncates && !tfs_read(c->s->t, c->instance, c->file, &text, NULL))
		strv_split(&on, text.data, "\n");
	for (i = 0; !ret && i < on.n; i++)
		ret = note_matching(c, on.v[i]);
	for (i = 0; !ret && c->words && i < c->words->n; i++) {
		word = c->words->v[i];
		word += *word == '!';
		if (strstr(word, ":mod:")) {
			note = set_event_note(c->s->t, c->path, word);
			ret = session_record(c->s, ENTRY_COMMAND, c->path, note, c->err);
			free(note);
		} else {
			ret = note_matching(c, word);
		}
	}
	strv_release(&on);
	buf_release(&text);
	return ret;
}

/* Returns SYSTEM/EVENT of "enable_event:SYSTEM:EVENT[:N] [if ...]", else NULL. The caller frees. */
static char *action_event(const char *word)
{
	const char *at = strstr(word, "able_event:"), *sys, *ev;
	size_t n, m;

	if (!at)
		return NULL;
	sys = strchr(at, ':') + 1;
	n = strcspn(sys, ":");
	ev = sys[n] ? sys + n + 1 : sys + n;
	m = strcspn(ev, ": ");
	return xasprintf("%.*s/%.*s", (int)n, sys, (int)m, ev);
}

/* Notes if there is a snapshot buffer. The records in it are no state, and may be long. */
static int note_snapshot(const struct journal_change *c)
{
	struct buf path = {0};
	const char *was;
	int ret = 0;

	tfs_path(&path, c->instance, "snapshot");
	if (!is_path_noted(c->s, path.data) && tfs_exists(c->s->t, NULL, path.data)) {
		was = snapshot_allocated(c->s->t, c->instance) ? "allocated" : "freed";
		ret = session_record(c->s, ENTRY_SET, path.data, was, c->err);
	}
	buf_release(&path);
	return ret;
}

/*
 * Notes the files that a trigger or a function command changes when it is set or when it fires:
 * removing it does not restore them.
 */
static int note_action(const struct journal_change *c, const char *word)
{
	char *event = action_event(word);
	struct buf path = {0};
	int ret = 0;

	if (event)
		ret = note_enable(c, event);
	else if (strstr(word, "traceo"))	/* traceon, traceoff */
		ret = note_content(c->s, tfs_path(&path, c->instance, "tracing_on"), c->err);
	/* A histogram of times sets the clock to global, or to the one of ":clock=". */
	if (!ret && strstr(word, "common_timestamp"))
		ret = note_content(c->s, tfs_path(&path, c->instance, "trace_clock"), c->err);
	/* Removing such a trigger does not free the buffer that adding it allocated. */
	if (!ret && strstr(word, "snapshot"))
		ret = note_snapshot(c);
	buf_release(&path);
	free(event);
	return ret;
}

/*
 * Notes triggers and function commands. The file does not always list all of the latter
 * (restore_lists.c), hence each is noted separately.
 */
static int note_actions(const struct journal_change *c)
{
	bool functions = c->control->restore == functions_restore;
	size_t i;
	int ret = 0;

	for (i = 0; functions && !ret && i < c->words->n; i++) {
		if (functions_is_command(c->words->v[i]))
			ret = note_action(c, c->words->v[i]);
	}
	if (!functions)
		ret = note_action(c, c->value);
	if (!ret)
		ret = note_self(c);
	/* A command that is removed ("!f:traceoff") returns with the file. */
	for (i = 0; functions && !ret && i < c->words->n; i++) {
		if (functions_is_command(c->words->v[i]) && *c->words->v[i] != '!')
			ret = session_record(c->s, ENTRY_COMMAND, c->path, c->words->v[i], c->err);
	}
	return ret;
}

/*
 * While the option is on, the kernel adds children to the lists. They are noted before it, so they
 * are restored after it is off again.
 */
static int note_fork(const struct journal_change *c)
{
	const char *kind = strstr(c->file, "event") ? "event" : "ftrace";
	char *files[] = {
		xasprintf("set_%s_pid", kind), xasprintf("set_%s_notrace_pid", kind),
	};
	struct buf path = {0};
	size_t i;
	int ret = 0;

	for (i = 0; i < sizeof(files) / sizeof(*files); i++) {
		if (!ret && tfs_exists(c->s->t, c->instance, files[i]))
			ret = note_content(c->s, tfs_path(&path, c->instance, files[i]), c->err);
		free(files[i]);
	}
	buf_release(&path);
	return ret ? -1 : note_self(c);
}

static bool tracer_measures_latency(const char *tracer)
{
	static const char *const others[] = {
		"", "nop", "function", "function_graph", "blk", "mmiotrace", "branch",
	};
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strcmp(others[i], tracer))
			return false;
	return true;
}

/*
 * Latency tracers keep the longest latency in tracing_max_latency, and reset it to 0 when they are
 * set. It is noted before the tracer, so it is restored after ours is gone and the former tracer is
 * set.
 */
static int note_tracer(const struct journal_change *c)
{
	const char *file = "tracing_max_latency";
	char *before = tfs_line(c->s->t, c->instance, c->file);
	struct buf path = {0};
	int ret = 0;

	if ((tracer_measures_latency(c->value) || tracer_measures_latency(before)) &&
	    tfs_exists(c->s->t, c->instance, file))
		ret = note_content(c->s, tfs_path(&path, c->instance, file), c->err);
	buf_release(&path);
	free(before);
	return ret ? -1 : note_self(c);
}

/* Each returns true if the @word, written to a file of ->pattern, makes the kernel record. */
static bool word_is_one(const char *word)
{
	return *word == '1';
}

static bool word_is_tracer(const char *word)
{
	return *word && strcmp(word, "nop");
}

static bool word_is_event(const char *word)
{
	return *word && *word != '!';
}

/* A stack is an additional record; enable_event may enable an event that is off. */
static bool word_is_action(const char *word)
{
	return *word != '!' && (strstr(word, "stacktrace") || strstr(word, "enable_event:"));
}

static bool word_is_command_action(const char *word)
{
	return functions_is_command(word) && word_is_action(word);
}

bool change_fills_buffer(const struct journal_change *c)
{
	static const struct {
		const char *pattern;
		bool (*fills)(const char *word);
	} files[] = {
		{ "events/enable", word_is_one },
		{ "events/*/enable", word_is_one },
		{ "events/*/*/enable", word_is_one },
		{ "set_event", word_is_event },
		{ "current_tracer", word_is_tracer },
		{ "events/*/*/trigger", word_is_action },
		{ "set_ftrace_filter", word_is_command_action },
	};
	size_t i, k;

	for (i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (!fnmatch(files[i].pattern, c->file, FNM_PATHNAME))
			break;
	if (i == sizeof(files) / sizeof(*files))
		return false;
	if (!c->words)
		return files[i].fills(c->value);
	for (k = 0; k < c->words->n; k++)
		if (files[i].fills(c->words->v[k]))
			return true;
	return false;
}

static int (*const side_notes[])(const struct journal_change *c) = {
	[SIDE_NONE]        = note_self,
	[SIDE_SIZE]        = note_size,
	[SIDE_SUBBUF]      = note_subbuf,
	[SIDE_EVENTS]      = note_events,
	[SIDE_PRINTK_DEST] = note_printk_dest,
	[SIDE_SET_EVENT]   = note_set_event,
	[SIDE_ACTIONS]     = note_actions,
	[SIDE_OPTIONS]     = note_self,
	[SIDE_SNAPSHOT]    = note_snapshot,
	[SIDE_FORK]        = note_fork,
	[SIDE_TRACER]      = note_tracer,
	[SIDE_LINES]       = note_nothing,
};

int change_note(const struct journal_change *c)
{
	return side_notes[c->control->side](c);
}
