/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reason why the kernel refused a write: the new entries of error_log, and hints. */
#include "tracefs/errors/errlog.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/text.h"
#include "event/data/format_lines.h"

#define PREFIX	    "  Command: "	/* printed by the kernel before the command */
#define MAX_ENTRIES 2			/* entries shown for one refusal */

#define FILTER	    "event filter parse error"

/* An entry of error_log. Its texts are not NUL-terminated. */
struct error_log_entry {
	const char *where, *what;	/* "hist:sched:sched_switch", "Couldn't find field" */
	size_t where_len, what_len;
	const char *cmd;
	size_t cmd_len, at;		/* ->at: index of the caret's byte in ->cmd */
};

static bool is_word_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static bool starts_with(const char *text, size_t n, const char *start)
{
	return n >= strlen(start) && !strncmp(text, start, strlen(start));
}

static size_t caret_word_len(const struct error_log_entry *c, size_t at)
{
	size_t n = 0;

	while (at + n < c->cmd_len && is_word_byte(c->cmd[at + n]))
		n++;
	return n;
}

/* Moves the caret to the start of the name that was read last. */
static void caret_to_name(struct error_log_entry *c)
{
	size_t at = c->at ? c->at - 1 : 0;

	if (at >= c->cmd_len)
		at = c->cmd_len ? c->cmd_len - 1 : 0;
	while (at > 0 && !is_word_byte(c->cmd[at]))
		at--;
	while (at > 0 && is_word_byte(c->cmd[at - 1]))
		at--;
	c->at = at;
}

static void caret_back(struct error_log_entry *c)
{
	if (c->at)
		c->at--;
}

/* Moves the caret to the operator before the operand. */
static void caret_to_operator(struct error_log_entry *c)
{
	caret_back(c);
	while (c->at > 1 && c->at <= c->cmd_len && c->cmd[c->at - 1] == ' ')
		c->at--;
	while (c->at > 1 && c->at <= c->cmd_len && strchr("!=<>~&", c->cmd[c->at - 1]))
		c->at--;
}

static void caret_keep(struct error_log_entry *c)
{
	(void)c;
}

/* Returns the last offset of @text at or after @from, ->cmd_len if it is not there. */
static size_t caret_find_last(const struct error_log_entry *c, const char *text, size_t n,
			      size_t from)
{
	size_t i, found = c->cmd_len;

	for (i = from; n && i + n <= c->cmd_len; i++)
		if (!memcmp(c->cmd + i, text, n))
			found = i;
	return found;
}

/* Moves the caret to the last assignment of the name: "a=prio,a=pid". */
static void caret_to_last_assignment(struct error_log_entry *c)
{
	size_t n = caret_word_len(c, c->at), i;

	for (i = c->at + 1; n && i + n < c->cmd_len; i++)
		if (!memcmp(c->cmd + i, c->cmd + c->at, n) && c->cmd[i + n] == '=' &&
		    strchr(":,", c->cmd[i - 1]))
			c->at = i;
}

/* Moves the caret after the "(" that ends @call. */
static void caret_to_inside(struct error_log_entry *c, const char *call)
{
	size_t at = caret_find_last(c, call, strlen(call), 0);

	if (at < c->cmd_len)
		c->at = at + strlen(call);
}

static void caret_to_watched(struct error_log_entry *c)
{
	caret_to_inside(c, "onmax(");
	caret_to_inside(c, "onchange(");
}

static void caret_to_match(struct error_log_entry *c)
{
	size_t open = caret_find_last(c, "onmatch(", 8, 0);

	if (open < c->cmd_len && c->at < open + 8)
		caret_to_inside(c, "onmatch(");
}

/* Moves the caret to the parameter after the last "(" that is the same word. */
static void caret_to_parameter(struct error_log_entry *c)
{
	size_t n = caret_word_len(c, c->at), open = caret_find_last(c, "(", 1, 0), i;

	for (i = open + 1; n && c->at < open && i + n <= c->cmd_len; i++)
		if (!memcmp(c->cmd + i, c->cmd + c->at, n) && strchr("(,$", c->cmd[i - 1])) {
			c->at = i;
			return;
		}
}

static const struct {
	const char *where, *what;
	void (*mend)(struct error_log_entry *c);
} mends[] = {
	{ FILTER,  "Field not found",                 caret_to_name },
	{ FILTER,  "Illegal operation for field",     caret_to_operator },
	{ FILTER,  "Too many '('",                    caret_keep },
	{ FILTER,  "Too few '('",                     caret_keep },
	{ FILTER,  "Missing matching quote",          caret_keep },
	{ FILTER,  "Meaningless filter expression",   caret_keep },
	{ FILTER,  "",                                caret_back },
	{ "hist:", "Variable already defined",        caret_to_last_assignment },
	{ "hist:", "For onmax(x) or onchange(x)",     caret_to_watched },
	{ "hist:", "Invalid subsystem or event name", caret_to_match },
	{ "hist:", "Param type doesn't match",        caret_to_parameter },
};

/*
 * Moves the caret to the place that the kernel means (6.1 to 7.2).
 *
 * For event filters the kernel adds 1 to every place but 0. This is correct only for parentheses
 * and quotes: it reports a missing field after it parsed the name, and an unsuitable operator after
 * it parsed the operand. For hist triggers it searches the text in the whole command and points at
 * its first place, even within another word.
 */
static void caret_mend(struct error_log_entry *c)
{
	size_t i;

	for (i = 0; i < sizeof(mends) / sizeof(*mends); i++) {
		if (!starts_with(c->where, c->where_len, mends[i].where) ||
		    !starts_with(c->what, c->what_len, mends[i].what))
			continue;
		mends[i].mend(c);
		return;
	}
}

/* "[  107.292266] " starts an entry; a command may contain newlines. */
static bool is_entry_start(const char *s)
{
	size_t n = *s == '[' ? 1 + strspn(s + 1, " 0123456789.") : 0;

	return n > 1 && s[n] == ']';
}

void tfs_errlog_mark(const struct tfs *t, const char *instance, struct tfs_errlog *log)
{
	struct buf text = {0};

	*log = (struct tfs_errlog){0};
	if (!tfs_read(t, instance, "error_log", &text, NULL))
		log->before = buf_take(&text);
	buf_release(&text);
}

/* Parses "where: error: what\n  Command: cmd\n     ^". Returns false if @text has another form. */
static bool caret_parse(struct error_log_entry *c, const char *text, size_t n)
{
	const char *head = memmem(text, n, ": error: ", 9);
	const char *cmd = memmem(text, n, "\n" PREFIX, strlen("\n" PREFIX));
	const char *last = n ? memrchr(text, '\n', n) : NULL;
	size_t blanks;

	if (!head || !cmd || last <= cmd || head > cmd)
		return false;
	blanks = strspn(last + 1, " ");
	if (last[1 + blanks] != '^' || blanks < strlen(PREFIX))
		return false;
	c->where = text;
	c->where_len = head - text;
	c->what = head + 9;
	c->what_len = cmd - c->what;
	c->cmd = cmd + strlen("\n" PREFIX);
	c->cmd_len = last - c->cmd;
	c->at = blanks - strlen(PREFIX);
	return true;
}

/* Appends an entry without its time: "where: error: what\n  Command: cmd\n   ^". */
static void add_log_entry(struct buf *out, const char *entry, size_t n, const char *written)
{
	const char *text = memchr(entry, ']', n);
	struct error_log_entry c;
	size_t from;

	text = text ? text + 1 : entry;
	while (text < entry + n && isspace((unsigned char)*text))
		text++;
	n -= text - entry;
	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	if (out->len)
		buf_addch(out, '\n');
	if (!caret_parse(&c, text, n)) {
		buf_add(out, text, n);
		return;
	}
	buf_printf(out, "%.*s: error: %.*s", (int)c.where_len, c.where, (int)c.what_len, c.what);
	/*
	 * The kernel keeps up to 255 bytes of a histogram's command and searches the text in them:
	 * place 0 if it is not there.
	 */
	if (!c.at && c.cmd_len > 200 && strlen(written) > c.cmd_len &&
	    !strncmp(c.where, "hist:", 5)) {
		buf_addstr(out, " (beyond the part of the command that the kernel keeps)");
		return;
	}
	buf_addch(out, '\n');
	caret_mend(&c);
	from = out->len;
	/* The kernel prints the command unchanged: a tab in it moves its caret. */
	text_caret(out, c.cmd, c.cmd_len, c.at, strlen(PREFIX));
	memcpy(out->data + from, PREFIX, strlen(PREFIX));
}

static void split_entries(const char *log, struct strv *out)
{
	const char *entry, *next;

	for (entry = log && is_entry_start(log) ? log : NULL; entry; entry = next) {
		next = entry;
		while ((next = strchr(next, '\n')) && !is_entry_start(next + 1))
			next++;
		next = next ? next + 1 : NULL;
		strv_take(out, next ? xstrndup(entry, next - entry) : xstrdup(entry));
	}
}

/*
 * Returns the number of old entries in @now. @now starts with the end of @before, whose first
 * entries may be gone. Times can't show that: the clock of a CPU may stand while it waits for its
 * tick.
 */
static size_t count_old_entries(const struct strv *before, const struct strv *now)
{
	size_t gone, i;

	for (gone = 0; gone < before->n; gone++) {
		for (i = 0; gone + i < before->n && i < now->n; i++)
			if (strcmp(before->v[gone + i], now->v[i]))
				break;
		if (gone + i == before->n)
			return i;
	}
	return 0;
}

char *tfs_errlog_new(const struct tfs *t, const char *instance, const char *written,
		     struct tfs_errlog *log)
{
	struct strv before = {0}, now = {0};
	struct buf text = {0}, out = {0};
	size_t i, old;

	if (!log->before || tfs_read(t, instance, "error_log", &text, NULL))
		goto out;
	split_entries(log->before, &before);
	split_entries(text.data, &now);
	old = count_old_entries(&before, &now);
	for (i = old; i < now.n && i < old + MAX_ENTRIES; i++)
		add_log_entry(&out, now.v[i], strlen(now.v[i]), written);
out:
	free(log->before);
	log->before = NULL;
	strv_release(&before);
	strv_release(&now);
	buf_release(&text);
	return out.len ? buf_take(&out) : NULL;
}

/* --- explanations of refused writes */

#define VALUE_SHOWN 160		/* bytes of a value that are shown with the kernel's message */

/* A refused write. */
struct refused_write {
	const struct tfs *t;
	const char *instance, *file, *value, *log;
	int sys;
	struct ftr_error *err;
};

static bool in_instance(const struct refused_write *r)
{
	return r->instance && *r->instance;
}

static void hint_near_word(const struct refused_write *r, const char *word,
			   const struct strv *names)
{
	const char *near = names->n ? text_closest(word, names->v) : NULL;

	if (near)
		err_hint(r->err, "did you mean '%s'?", near);
}

/* An explainer returns false if it knows no more than errno. */

static void list_names(const struct strv *names, struct ftr_error *err)
{
	struct buf all = {0};
	size_t i;

	for (i = 0; i < names->n && all.len < 400; i++)
		buf_printf(&all, "%s%s", i ? ", " : "", names->v[i]);
	if (all.len)
		err_hint(err, "there are: %s%s", all.data, i < names->n ? ", ..." : "");
	buf_release(&all);
}

/* Returns the word at the first caret of @log, NULL if there is none. The caller frees. */
static char *log_word_at_caret(const char *log)
{
	const char *cmd = strstr(log, "\n  Command: "), *line = cmd ? strchr(cmd + 1, '\n') : NULL;
	size_t at = line ? strspn(line + 1, " ") : 0, n = 0;

	if (!line || line[1 + at] != '^' || cmd + 1 + at >= line)
		return NULL;
	cmd += 1 + at;
	while (isalnum((unsigned char)cmd[n]) || cmd[n] == '_')
		n++;
	return xstrndup(cmd, n);
}

/* Suggests a field, or lists all of them, if a filter or a trigger has an unknown one. */
static void hint_event_field(const struct refused_write *r)
{
	bool unknown = strstr(r->log, "Field not found") || strstr(r->log, "Couldn't find field");
	bool has_format = !fnmatch("events/*/*/*", r->file, 0);
	char *word = unknown && has_format ? log_word_at_caret(r->log) : NULL;
	char *file = xasprintf("%.*s/format", (int)(strrchr(r->file, '/') - r->file), r->file);
	struct strv names = {0};
	struct buf text = {0};

	if (word && *word && !tfs_read(r->t, NULL, file, &text, NULL)) {
		format_field_names(text.data, true, &names);
		hint_near_word(r, word, &names);
		strv_release(&names);
		format_field_names(text.data, false, &names);
		if (r->err && !*r->err->hint)
			list_names(&names, r->err);
	}
	strv_release(&names);
	buf_release(&text);
	free(file);
	free(word);
}

static bool explain_log(const struct refused_write *r)
{
	if (!r->log)
		return false;
	err_set(r->err, FTR_FAILED, "cannot write '%.*s%s' to '%s'; the kernel reports:\n%s",
		VALUE_SHOWN, r->value, strlen(r->value) > VALUE_SHOWN ? "..." : "", r->file,
		r->log);
	/* The kernel's message for "A and B", or any other word between two comparisons. */
	if (strstr(r->log, "Too many terms"))
		err_hint(r->err, "comparisons are joined by '&&' and '||'");
	if (strchr(r->file, '/'))
		hint_event_field(r);
	return true;
}

/* Patterns of tracers that exclude each other, in all instances. */
static const struct {
	const char *tracer, *other;
} exclusive[] = {
	{ "osnoise",  "timerlat" },
	{ "timerlat", "osnoise" },
	{ "hwlat",    "hwlat" },
	{ "wakeup*",  "wakeup*" },
	{ "*off",     "*off" },		/* irqsoff, preemptoff, preemptirqsoff */
};

static bool tracer_excludes(const char *tracer, const char *other)
{
	size_t i;

	for (i = 0; i < sizeof(exclusive) / sizeof(*exclusive); i++)
		if (!fnmatch(exclusive[i].tracer, tracer, 0) &&
		    !fnmatch(exclusive[i].other, other, 0))
			return true;
	return false;
}

/* Sets the error if a tracer of another buffer excludes the wanted one. */
static bool explain_rival(const struct refused_write *r)
{
	const char *own = in_instance(r) ? r->instance : "";
	struct strv names = {0};
	bool found = false;
	char *tracer, *word;
	size_t i;

	strv_add(&names, "");
	tfs_instances(r->t, &names, NULL);
	for (i = 0; i < names.n && !found; i++) {
		tracer = tfs_line(r->t, names.v[i], "current_tracer");
		found = strcmp(names.v[i], own) && tracer_excludes(r->value, tracer);
		if (found && *names.v[i]) {
			err_set(r->err, FTR_FAILED, "cannot set tracer '%s': tracer '%s' of "
				"instance '%s' excludes it", r->value, tracer, names.v[i]);
			word = text_word(names.v[i]);
			err_hint(r->err, "'ftr set -B %s -p nop' ends that one", word);
			free(word);
		} else if (found) {
			err_set(r->err, FTR_FAILED, "cannot set tracer '%s': tracer '%s' of the "
				"top level excludes it", r->value, tracer);
			err_hint(r->err, "'ftr set -p nop' ends that one");
		}
		free(tracer);
	}
	strv_release(&names);
	return found;
}

static bool explain_tracer(const struct refused_write *r)
{
	struct strv names = {0}, readers = {0};
	bool known;

	tfs_tracers(r->t, r->instance, &names, NULL);
	known = strv_has(&names, r->value);
	/* The kernel checks for readers first. */
	if (known && r->sys == EBUSY)
		tfs_readers(r->t, r->instance, 1, &readers);
	if (!known) {
		err_set(r->err, FTR_FAILED, "no tracer '%s'", r->value);
		hint_near_word(r, r->value, &names);
		if (r->err && !*r->err->hint)
			err_hint(r->err, "available_tracers lists this kernel's");
	} else if (r->sys == EINVAL && in_instance(r)) {
		err_set(r->err, FTR_FAILED,
			"tracer '%s' does not work in an instance on this kernel", r->value);
		err_hint(r->err, "record at the top level");
	} else if (readers.n) {
		err_set(r->err, FTR_FAILED, "cannot set tracer '%s': %s", r->value, readers.v[0]);
		err_hint(r->err, "a tracer is changed while nobody reads its buffer");
	} else if (r->sys == EBUSY && !explain_rival(r)) {
		err_set(r->err, FTR_FAILED, "cannot set tracer '%s': the buffer is in use",
			r->value);
		err_hint(r->err, "a reader of trace_pipe or a mapped buffer holds the current one");
	}
	strv_release(&readers);
	strv_release(&names);
	return !known || (r->sys == EINVAL && in_instance(r)) || r->sys == EBUSY;
}

static bool explain_clock(const struct refused_write *r)
{
	struct strv names = {0};
	bool known;

	tfs_clocks(r->t, r->instance, &names, NULL, NULL);
	known = strv_has(&names, r->value);
	if (!known) {
		err_set(r->err, FTR_FAILED, "no clock '%s'", r->value);
		hint_near_word(r, r->value, &names);
		if (r->err && !*r->err->hint)
			list_names(&names, r->err);
	}
	strv_release(&names);
	return !known;
}

static bool explain_option(const struct refused_write *r)
{
	const char *name = strrchr(r->file, '/') + 1;
	struct strv names = {0};
	bool top_only = r->sys == ENOENT && in_instance(r) && tfs_exists(r->t, NULL, r->file);

	if (top_only) {
		err_set(r->err, FTR_FAILED, "option '%s' exists at the top level only", name);
		return true;
	}
	if (r->sys != ENOENT)
		return false;
	tfs_options(r->t, r->instance, &names, NULL);
	err_set(r->err, FTR_FAILED, "no option '%s'", name);
	hint_near_word(r, name, &names);
	if (r->err && !*r->err->hint)
		err_hint(r->err, "trace_options lists them; those of a tracer are there with it");
	strv_release(&names);
	return true;
}

static bool explain_cpumask(const struct refused_write *r)
{
	char *cpus = io_line_at(AT_FDCWD, "/sys/devices/system/cpu/possible");
	bool ours = r->sys == EOVERFLOW || r->sys == EINVAL;

	if (ours) {
		err_set(r->err, FTR_FAILED, "the mask '%s' has CPUs that this machine cannot have",
			r->value);
		if (cpus)
			err_hint(r->err, "it can have %s", cpus);
	}
	free(cpus);
	return ours;
}

static bool explain_size(const struct refused_write *r)
{
	if (r->sys != ENOMEM)
		return false;
	err_set(r->err, FTR_FAILED, "no memory for buffers of %s KiB a CPU", r->value);
	err_hint(r->err, "a smaller -b; 'free' shows what there is, for all CPUs");
	return true;
}

static bool explain_function(const struct refused_write *r)
{
	char *name = xstrndup(r->value, strcspn(r->value, ":"));
	bool ours = r->sys == EINVAL || r->sys == ENODEV || r->sys == ENOENT;
	bool unknown = ours && !strcmp(name, r->value);
	struct strv names = {0};
	struct buf text = {0};

	if (unknown) {
		err_set(r->err, FTR_FAILED, "no function matches '%s'", name);
		err_hint(r->err, "available_filter_functions lists the traceable functions; a "
			 "module's are there once it is loaded");
	} else {
		ours = explain_log(r);
	}
	if (unknown && !strpbrk(name, "*?[") &&
	    !tfs_read(r->t, NULL, "available_filter_functions", &text, NULL))
		strv_split(&names, text.data, "\n");
	for (size_t i = 0; i < names.n; i++)
		names.v[i][strcspn(names.v[i], " ")] = '\0';
	hint_near_word(r, name, &names);
	strv_release(&names);
	buf_release(&text);
	free(name);
	return ours;
}

static bool explain_missing(const struct refused_write *r)
{
	struct buf path = {0};
	bool no_instance;
	/* A file that exists may refuse with ENOENT, too: some filters of triggers do. */
	if (r->sys != ENOENT || tfs_exists(r->t, r->instance, r->file))
		return false;
	no_instance = in_instance(r) && !tfs_exists(r->t, NULL, tfs_path(&path, r->instance, ""));
	if (no_instance)
		err_set(r->err, FTR_FAILED, "no instance '%s'", r->instance);
	else if (in_instance(r) && tfs_exists(r->t, NULL, r->file))
		err_set(r->err, FTR_FAILED, "'%s' exists at the top level only", r->file);
	else
		err_set(r->err, FTR_FAILED, "this kernel has no '%s/%s'", r->t->path, r->file);
	buf_release(&path);
	return true;
}

static const struct {
	const char *pattern;
	bool (*explain)(const struct refused_write *r);
} explainers[] = {
	{ "current_tracer",      explain_tracer },
	{ "trace_clock",         explain_clock },
	{ "options/*",           explain_option },
	{ "tracing_cpumask",     explain_cpumask },
	{ "buffer_size_kb",      explain_size },
	{ "set_ftrace_filter",   explain_function },
	{ "set_ftrace_notrace",  explain_function },
	{ "stack_trace_filter",  explain_function },
	{ "set_graph_function",  explain_function },
	{ "set_graph_notrace",   explain_function },
	{ "*",                   explain_log },
};

int explain_refusal(const struct tfs *t, const char *instance, const char *file, const char *value,
		    int sys, const char *log, struct ftr_error *err)
{
	const struct refused_write r = { t, instance, file, value, log, sys, err };
	size_t i;

	for (i = 0; i < sizeof(explainers) / sizeof(*explainers); i++)
		if (!fnmatch(explainers[i].pattern, file, 0) && explainers[i].explain(&r))
			break;
	if (i == sizeof(explainers) / sizeof(*explainers) && !explain_missing(&r)) {
		errno = sys;
		err_sys(err, "cannot write '%.300s' to '%s/%s%s%s%s'", value, t->path,
			in_instance(&r) ? "instances/" : "", in_instance(&r) ? instance : "",
			in_instance(&r) ? "/" : "", file);
	}
	/* The parser of filters uses errnos with other meanings. */
	if (!log)
		tfs_hint_rights(t->path, sys, err);
	if (err)
		err->sys = sys;
	errno = sys;
	return -1;
}
