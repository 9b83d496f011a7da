/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr report: the records of trace files as event lines. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/term.h"
#include "base/text.h"
#include "cmd/report/report.h"
#include "event/plugin/plugin.h"
#include "out/columns.h"

#define DEFAULT_FILE "trace.dat"

static int set_engine(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct report *r = ctx;

	(void)o;
	r->engine = arg;
	if (ev_engine_known(arg))
		return 0;
	err_set(err, FTR_USAGE, "unknown engine '%s'", arg);
	return err_hint(err, "there are: ftr, traceevent");
}

static int set_format(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	static const struct out_ops *const formats[] = { &out_text, &out_kernel };
	struct report *r = ctx;
	size_t i;

	(void)o;
	for (i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		if (!strcmp(arg, formats[i]->name)) {
			r->format = formats[i];
			return 0;
		}
	}
	err_set(err, FTR_USAGE, "unknown format '%s'", arg);
	return err_hint(err, "there are: text, kernel");
}

static int set_threads(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct report *r = ctx;
	int64_t n;

	(void)o;
	if (text_number(arg, 1, OUT_THREADS_MAX, &n))
		return err_set(err, FTR_USAGE, "-j takes a number from 1 to %d, not '%s'",
			       OUT_THREADS_MAX, arg);
	r->range.threads = n;
	return 0;
}

#define AT(member) offsetof(struct report, member)
static const struct opt options[] = {
	OPT_GROUP("Input"),
	{ 'i', "input", "FILE", "read FILE (repeatable; default trace.dat; -: standard input)",
	  opt_strv, AT(files) },
	{ 0, "ts-offset", "NS", "add NS nanoseconds to all time stamps, "
	  "or behind -i to that file's", report_ts_offset, 0 },
	{ 0, "date", NULL, "time stamps are shown as time of day", opt_flag, AT(date) },
	{ 0, "nodate", NULL, "time stamps without the date of record --date", opt_flag,
	  AT(nodate) },
	{ 0, "align-ts", NULL, "time stamps from the first event on", opt_flag, AT(align_ts) },
	{ 0, "raw-ts", NULL, "time stamps as they were recorded", opt_flag, AT(raw_ts) },
	OPT_GROUP("Selection"),
	{ 'F', "filter", "FILTER", "only what matches 'EVENT: EXPRESSION' (repeatable: any)",
	  report_filter, 0 },
	{ 'v', NULL, NULL, "the -F after it leave out what matches", opt_flag, AT(negate) },
	{ 0, "event", "GLOB", "only events of this name, system, or system:name (repeatable)",
	  opt_strv, AT(select.events) },
	{ 0, "cpu", "LIST", "only these CPUs, as 0,2-5", report_cpus, 0 },
	{ 0, "pid", "PID[,PID]", "only these tasks", report_pids, 0 },
	{ 0, "comm", "GLOB", "only tasks of this name (repeatable)", opt_strv, AT(select.comms) },
	{ 0, "since", "TIME", "only from TIME on: 1234.5 as shown, +2ms from the first event, "
	  "-1s before the last", report_since, 0 },
	{ 0, "until", "TIME", "only up to TIME", report_until, 0 },
	{ 'I', "no-hardirq", NULL, "nothing recorded in hard interrupts", opt_flag,
	  AT(select.no_hardirq) },
	{ 'S', "no-softirq", NULL, "nothing recorded in soft interrupts", opt_flag,
	  AT(select.no_softirq) },
	{ 0, "stacks", NULL, "with what is shown, the stacks behind it", opt_flag, AT(stacks) },
	OPT_GROUP("Output"),
	{ 0, "format", "FORMAT", "text, or kernel: as the kernel's trace file", set_format, 0 },
	{ 'R', "raw", NULL, "all fields of each record, one line a record", opt_flag, AT(out.raw) },
	{ 'l', "latency", NULL, "latency format: short names, CPU and flags together", opt_flag,
	  AT(out.latency) },
	{ 't', "nanoseconds", NULL, "time stamps with nine digits", opt_flag, AT(out.nanoseconds) },
	{ 0, "fields", "LIST", "columns: comm pid task tgid cpu flags time delta system event "
	  "text, and fields of events; by comma", opt_str, AT(fields) },
	{ 0, "ts-diff", NULL, "the time since the line before, in parentheses", opt_flag,
	  AT(out.ts_diff) },
	{ 0, "boundary", NULL, "say where sub-buffers start", opt_flag, AT(out.boundary) },
	{ 'w', "wakeup", NULL, "latencies from sched_wakeup to sched_switch", opt_flag,
	  AT(out.wakeup) },
	{ 'q', "quiet", NULL, "no remarks on stderr", opt_flag, AT(quiet) },
	OPT_GROUP("Instead of records"),
	{ 0, "cpus", NULL, "the CPUs that have data", report_list, LIST_CPUS },
	{ 0, "first-event", NULL, "the time of the first event of each CPU", report_list,
	  LIST_FIRST },
	{ 0, "last-event", NULL, "the time of the last event of each CPU", report_list, LIST_LAST },
	{ 0, "stat", NULL, "the kernel's statistics at the end of the recording", report_list,
	  LIST_STAT },
	{ 0, "uname", NULL, "the machine that was recorded", report_list, LIST_UNAME },
	{ 0, "version", NULL, "the version of the recorder", report_list, LIST_VERSION },
	{ 'E', "list-events", NULL, "the events that the file knows", report_list, LIST_EVENTS },
	{ 0, "events", NULL, "the formats of these events", report_list, LIST_FORMATS },
	{ 'f', "functions", NULL, "the symbols, by address", report_list, LIST_FUNCTIONS },
	{ 'P', "printk", NULL, "the strings of trace_printk(), by address", report_list,
	  LIST_PRINTK },
	OPT_GROUP("Rendering"),
	{ 'j', "jobs", "N", "render in N threads (default: one a CPU, at most 8)", set_threads, 0 },
	{ 0, "engine", "NAME", "who turns records into text: ftr or traceevent", set_engine, 0 },
	{ 0, "plugin", "PATH", "load an event plugin, or all of a folder (repeatable)", opt_strv,
	  AT(plugin_args.paths) },
	{ 'N', "no-plugins", NULL, "not the plugins that came with ftr", opt_flag,
	  AT(plugin_args.none) },
	{ 'O', NULL, "PLUGIN:OPTION[=VALUE]", "set an option of a plugin (repeatable)", opt_strv,
	  AT(plugin_args.options) },
	OPT_END
};

static const char *const examples[] = {
	"ftr report                       trace.dat as event lines",
	"ftr report -F 'sched_switch: next_prio < 100' --cpu 0-3 a.dat",
	"ftr report host.dat guest.dat    several files, merged by time",
	"ssh HOST ftr record -o - -e sched -- sleep 1 | ftr report -",
	NULL
};

static bool uses_libtraceevent(const struct report *r)
{
	return r->engine && !strcmp(r->engine, "traceevent");
}

/* The first of the files that is the same as file @i, or NULL. */
static const struct dat *same_before(const struct report *r, size_t i)
{
	const struct dat *d = r->traces[i]->dat;

	for (size_t k = 0; k < i; k++)
		if (r->traces[k]->dat->ino == d->ino && r->traces[k]->dat->dev == d->dev)
			return r->traces[k]->dat;
	return NULL;
}

/* Merged with itself a file tells everything twice, which is hardly meant. */
static void warn_same(const struct report *r)
{
	const struct dat *before;
	struct buf b = {0};

	for (size_t i = 1; i < r->nr_traces; i++) {
		before = same_before(r, i);
		if (before)
			buf_printf(&b, "%s'%s' is the same file as '%s'", b.len ? ", " : "",
				   r->traces[i]->dat->path, before->path);
	}
	if (b.len)
		cmd_warn("%s: its records come more than once", b.data);
	buf_release(&b);
}

static int open_traces(struct report *r, struct ftr_error *err)
{
	size_t i;

	if (!r->files.n)
		strv_add(&r->files, DEFAULT_FILE);
	r->plugins = plugins_load(&r->plugin_args,
				  uses_libtraceevent(r) ? PLUGINS_TRACEEVENT : PLUGINS_LATE, err);
	if (!r->plugins)
		return -1;
	r->traces = xcalloc(r->files.n, sizeof(*r->traces));
	for (i = 0; i < r->files.n; i++) {
		r->traces[i] = trace_open(r->files.v[i], err);
		if (!r->traces[i])
			return -1;
		r->nr_traces++;
		if (r->format == &out_kernel)
			trace_text_times(r->traces[i]);
		r->traces[i]->world.plugins = r->plugins;
		if (r->engine && trace_set_engine(r->traces[i], r->engine, err))
			return -1;
	}
	warn_same(r);
	report_times(r);
	return 0;
}

static bool wants_columns(const struct report *r)
{
	return r->fields || r->out.ts_diff || r->out.boundary || r->out.wakeup;
}

static int check_report_opts(const struct report *r, struct ftr_error *err)
{
	if (r->format != &out_kernel || !wants_columns(r))
		return 0;
	err_set(err, FTR_USAGE, "--format=kernel has lines of its own");
	return err_hint(err, "leave out --fields, --ts-diff, --boundary and -w");
}

static int print_all(struct report *r, struct ftr_error *err)
{
	struct columns *columns = NULL;
	struct out out = {
		.ops = r->format ? r->format : &out_text, .opts = r->out, .traces = r->traces,
		.nr_traces = r->nr_traces, .fd = STDOUT_FILENO,
	};
	struct out_match which;
	int ret;

	if (r->fields) {
		columns = columns_parse(r->fields, r->traces, r->nr_traces, err);
		if (!columns)
			return -1;
	}
	if (wants_columns(r))
		out.ops = columns_ops(columns, &r->out);
	report_match(r, &which);
	/* libtraceevent keeps state of its own */
	if (uses_libtraceevent(r) || ev_plugins_ordered(r->plugins))
		r->range.threads = 1;
	out.opts.columns = columns;
	out.opts.colour = out.ops != &out_kernel && term_colour(STDOUT_FILENO);
	out.opts.escape = term_reached(STDOUT_FILENO);
	ret = out_render(&out, &r->range, &which, err);
	columns_free(columns);
	if (!ret && !out.shown)
		report_say_none(r);
	return ret;
}

/* What was wrong with the files, said last so that a pager does not scroll it away. */
static int say_damages(const struct report *r)
{
	int status = FTR_OK;
	size_t i;

	for (i = 0; i < r->nr_traces; i++)
		if (cmd_damages(trace_damages(r->traces[i])))
			status = FTR_DAMAGED;
	return status;
}

static void report_release(struct report *r)
{
	size_t i;

	plugins_say_late(r->plugins);
	report_select_release(r);
	for (i = 0; i < r->nr_traces; i++)
		trace_close(r->traces[i]);
	ev_plugins_free(r->plugins);
	plugin_args_release(&r->plugin_args);
	free(r->traces);
	free(r->offsets);
	strv_release(&r->files);
}

static int run_report(const struct cmd *self, int argc, char **argv)
{
	struct ftr_error err = {0};
	struct report r = {0};
	int status, first = cmd_parse(self, argc, argv, &r, &status);

	if (first < 0)
		goto out;
	for (; first < argc; first++)
		strv_add(&r.files, argv[first]);
	cmd_quiet |= r.quiet;
	if (check_report_opts(&r, &err) || open_traces(&r, &err) || report_compile(&r, &err)) {
		say_damages(&r);
		status = cmd_fail(&err);
		goto out;
	}
	if (r.lists) {
		report_lists(&r);
		status = say_damages(&r);
		goto out;
	}
	if (!report_latencies(&r) && print_all(&r, &err)) {
		/* the reader of a pipe may stop when it has seen enough */
		status = err.sys == EPIPE ? FTR_OK : cmd_fail(&err);
		goto out;
	}
	status = say_damages(&r);
out:
	report_release(&r);
	return status;
}

const struct cmd cmd_report = {
	.name = "report",
	.usage = "[OPTIONS] [FILE...]",
	.summary = "print the records of trace files",
	.examples = examples,
	.options = options,
	.flags = CMD_PAGER,
	.run = run_report,
};
