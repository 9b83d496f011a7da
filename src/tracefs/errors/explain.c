/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Error texts for control files that refuse a value. */
#include "tracefs/errors/errlog.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/text.h"
#include "event/data/format_lines.h"

#define VALUE_SHOWN 160		/* bytes of a value beside the kernel's own words on it */

/* A refused write. */
struct refusal {
	const struct tfs *t;
	const char *instance, *file, *value, *log;
	int sys;
	struct ftr_error *err;
};

static bool in_instance(const struct refusal *r)
{
	return r->instance && *r->instance;
}

static void hint_near_word(const struct refusal *r, const char *word, const struct strv *names)
{
	const char *near = names->n ? text_closest(word, names->v) : NULL;

	if (near)
		err_hint(r->err, "did you mean '%s'?", near);
}

/* The explainers return false when they know nothing better than errno. */

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

/* The word that the first caret of @log points at; the caller frees. */
static char *pointed_at(const char *log)
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

/* In a filter or a trigger of an event: which of its fields was meant. */
static void hint_event_field(const struct refusal *r)
{
	bool unknown = strstr(r->log, "Field not found") || strstr(r->log, "Couldn't find field");
	char *word = unknown && !fnmatch("events/*/*/*", r->file, 0) ? pointed_at(r->log) : NULL;
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

static bool explain_log(const struct refusal *r)
{
	if (!r->log)
		return false;
	err_set(r->err, FTR_FAILED, "cannot write '%.*s%s' to '%s'; the kernel says:\n%s",
		VALUE_SHOWN, r->value, strlen(r->value) > VALUE_SHOWN ? "..." : "", r->file,
		r->log);
	/* What it says of "A and B", and of any other word between two comparisons. */
	if (strstr(r->log, "Too many terms"))
		err_hint(r->err, "comparisons are joined by '&&' and '||'");
	if (strchr(r->file, '/'))
		hint_event_field(r);
	return true;
}

/* --- tracers */

/* Patterns of tracers of which one at a time runs, in whatever instances. */
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

/* Another buffer has a tracer that excludes the wanted one. */
static bool explain_rival(const struct refusal *r)
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

static bool explain_tracer(const struct refusal *r)
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

static bool explain_clock(const struct refusal *r)
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

static bool explain_option(const struct refusal *r)
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

static bool explain_cpumask(const struct refusal *r)
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

static bool explain_size(const struct refusal *r)
{
	if (r->sys != ENOMEM)
		return false;
	err_set(r->err, FTR_FAILED, "no memory for buffers of %s KiB a CPU", r->value);
	err_hint(r->err, "a smaller -b; 'free' shows what there is, for all CPUs");
	return true;
}

static void hint_trace_function(const struct refusal *r, const char *name)
{
	struct strv names = {0};
	struct buf text = {0};
	size_t i;

	if (!tfs_read(r->t, NULL, "available_filter_functions", &text, NULL))
		strv_split(&names, text.data, "\n");
	for (i = 0; i < names.n; i++)
		names.v[i][strcspn(names.v[i], " ")] = '\0';
	hint_near_word(r, name, &names);
	strv_release(&names);
	buf_release(&text);
}

static bool explain_function(const struct refusal *r)
{
	char *name = xstrndup(r->value, strcspn(r->value, ":"));
	bool ours = r->sys == EINVAL || r->sys == ENODEV || r->sys == ENOENT;

	if (ours && !strcmp(name, r->value)) {
		err_set(r->err, FTR_FAILED, "no function matches '%s'", name);
		err_hint(r->err, "available_filter_functions lists what can be traced; a module's "
			 "are there once it is loaded");
		if (!strpbrk(name, "*?["))
			hint_trace_function(r, name);
	} else {
		ours = explain_log(r);
	}
	free(name);
	return ours;
}

static bool explain_missing(const struct refusal *r)
{
	struct buf path = {0};
	bool no_instance;
	/* a file that is there may refuse with ENOENT, too: some filters of triggers do */
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
	bool (*explain)(const struct refusal *r);
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
	const struct refusal r = { t, instance, file, value, log, sys, err };
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
	/* The parser of filters has errnos of its own. */
	if (!log)
		tfs_hint_rights(t->path, sys, err);
	if (err)
		err->sys = sys;
	errno = sys;
	return -1;
}
