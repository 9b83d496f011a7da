/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr report: the records of trace files as event lines. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/term.h"
#include "base/text.h"
#include "cmd/report.h"
#include "event/plugin/plugin.h"
#include "output/json/json_records.h"
#include "output/line_columns.h"

static int set_engine(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct report *r = ctx;

	(void)o;
	r->select.engine = arg;
	if (ev_engine_known(arg))
		return 0;
	err_set(err, FTR_USAGE, "unknown engine '%s'", arg);
	return err_hint(err, "there are: ftr, traceevent");
}

static int set_format(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	static const struct out_ops *const formats[] = { &out_text, &out_kernel };
	static const char *const words[] = { "text", "kernel", NULL };
	struct report *r = ctx;
	int word = opt_word(o, arg, words, err);

	if (word < 0)
		return -1;
	r->format = formats[word];
	r->select.kernel_times = formats[word] == &out_kernel;
	return 0;
}

#define AT(member) offsetof(struct report, member)
static const struct opt options[] = {
	OPT_GROUP("Input"),
	SELECT_FILES,
	OPT_GROUP("Selection"),
	SELECT_RECORDS,
	{ 0, "stacks", NULL, "print the stacks that follow what is shown", opt_flag, AT(stacks) },
	OPT_GROUP("Output"),
	{ 0, "format", "FORMAT", "print text, or kernel: as the kernel's trace file",
	  set_format, 0 },
	{ 0, "json", NULL, "print JSON: one object per record, one per line", opt_flag,
	  AT(json) },
	{ 0, "json-safe", NULL, "json: write numbers beyond 2^53 as strings", opt_flag,
	  AT(out.json_safe) },
	{ 0, "text", NULL, "json: add the text of each record", opt_flag, AT(out.json_text) },
	{ 0, "csv", NULL, "print CSV: one row per record, the columns of --fields", opt_flag,
	  AT(csv) },
	{ 'R', "raw", NULL, "print all fields of each record, one line per record",
	  opt_flag, AT(out.raw) },
	{ 'l', "latency", NULL, "print the latency format: CPU and flags together", opt_flag,
	  AT(out.latency) },
	{ 't', "nanoseconds", NULL, "print time stamps with nine digits",
	  opt_flag, AT(out.nanoseconds) },
	{ 0, "fields", "LIST", "print these columns: task, cpu, time, event, text, FIELD...",
	  opt_str, AT(fields) },
	{ 0, "ts-diff", NULL, "print the time since the line before, in parentheses", opt_flag,
	  AT(out.ts_diff) },
	{ 0, "boundary", NULL, "mark where sub-buffers start", opt_flag, AT(out.boundary) },
	{ 'w', "wakeup", NULL, "print latencies from sched_wakeup to sched_switch", opt_flag,
	  AT(out.wakeup) },
	{ 'q', "quiet", NULL, "print no remarks on standard error", opt_flag, AT(quiet) },
	OPT_GROUP("Instead of records"),
	{ 0, "cpus", NULL, "print the CPUs that have data", report_list, LIST_CPUS },
	{ 0, "first-event", NULL, "print the time of the first event of each CPU", report_list,
	  LIST_FIRST },
	{ 0, "last-event", NULL, "print the time of the last event of each CPU",
	  report_list, LIST_LAST },
	{ 0, "stat", NULL, "print the kernel's statistics at the end of the recording", report_list,
	  LIST_STAT },
	{ 0, "uname", NULL, "print the machine that was recorded", report_list, LIST_UNAME },
	{ 0, "version", NULL, "print the version of the recorder", report_list, LIST_VERSION },
	{ 'E', "list-events", NULL, "print the events that the file knows",
	  report_list, LIST_EVENTS },
	{ 0, "events", NULL, "print the formats of these events", report_list, LIST_FORMATS },
	{ 'f', "functions", NULL, "print the symbols, by address", report_list, LIST_FUNCTIONS },
	{ 'P', "printk", NULL, "print the strings of trace_printk(), by address", report_list,
	  LIST_PRINTK },
	OPT_GROUP("Rendering"),
	{ 'j', "jobs", "N", "render in N threads (default: number of CPUs, at most 8)",
	  selection_set_threads, 0 },
	{ 0, "engine", "NAME", "render records with this engine: ftr or traceevent",
	  set_engine, 0 },
	SELECT_PLUGINS,
	OPT_END
};

static const char *const examples[] = {
	"ftr report                       trace.dat as event lines",
	"ftr report -F 'sched_switch: next_prio < 100' --cpu 0-3 a.dat",
	"ftr report host.dat guest.dat    several files, merged by time",
	"ftr report --csv --fields time,cpu,next_comm --event sched_switch > a.csv",
	"ftr report --json | jq 'select(.fields.prev_pid == 1)'",
	"ssh HOST ftr record -o - -e sched -- sleep 1 | ftr report -",
	NULL
};

static bool wants_columns(const struct report *r)
{
	return r->fields || r->out.ts_diff || r->out.boundary || r->out.wakeup;
}

/* What only lines of text have, not records in the shape of a table or of an object. */
static bool wants_lines(const struct report *r)
{
	return r->format || r->out.latency || r->out.ts_diff || r->out.boundary ||
	       r->out.wakeup || r->lists;
}

static int check_json_opts(const struct report *r, struct ftr_error *err)
{
	if (!r->json && (r->out.json_safe || r->out.json_text)) {
		err_set(err, FTR_USAGE, "--%s works with --json only",
			r->out.json_safe ? "json-safe" : "text");
		return err_hint(err, "lines of text do not depend on it");
	}
	if (r->json && (wants_lines(r) || r->csv || r->fields || r->out.raw ||
			r->out.nanoseconds)) {
		err_set(err, FTR_USAGE, "--json prints records in a form of its own");
		return err_hint(err, "leave out the other options of output");
	}
	if (r->csv && wants_lines(r)) {
		err_set(err, FTR_USAGE, "--csv prints a table of records");
		return err_hint(err, "of the options of output only --fields, -t and -R go with "
				"it");
	}
	return 0;
}

static int check_report_opts(const struct report *r, struct ftr_error *err)
{
	if (check_json_opts(r, err))
		return -1;
	if (r->format != &out_kernel || !wants_columns(r))
		return 0;
	err_set(err, FTR_USAGE, "--format=kernel has a fixed form of lines");
	return err_hint(err, "leave out --fields, --ts-diff, --boundary and -w");
}

static const struct out_ops *report_ops(const struct report *r, const struct columns *columns)
{
	if (r->json)
		return &out_json;
	if (r->csv)
		return csv_ops(columns);
	if (wants_columns(r))
		return columns_ops(columns, &r->out);
	return r->format ? r->format : &out_text;
}

/* Programs read the others. */
static bool is_for_people(const struct report *r)
{
	return !r->json && !r->csv && r->format != &out_kernel;
}

static int print_all(struct report *r, struct ftr_error *err)
{
	struct columns *columns = NULL;
	struct out out = {
		.opts = r->out, .fd = STDOUT_FILENO,
		.traces = r->select.traces, .nr_traces = r->select.nr_traces,
	};
	struct out_match which;
	int ret;

	if (r->fields || r->csv) {
		columns = columns_parse(r->fields ? r->fields : CSV_COLUMNS, r->select.traces,
					r->select.nr_traces, err);
		if (!columns)
			return -1;
	}
	out.ops = report_ops(r, columns);
	report_match(r, &which);
	/* libtraceevent keeps state of its own */
	if (selection_uses_tep(&r->select) || ev_plugins_ordered(r->select.plugins))
		r->select.range.threads = 1;
	out.opts.columns = columns;
	out.opts.colour = is_for_people(r) && term_colour(STDOUT_FILENO);
	out.opts.escape = term_reached(STDOUT_FILENO);
	ret = out_render(&out, &r->select.range, &which, err);
	columns_free(columns);
	if (!ret && r->csv)
		selection_say_losses(&out.losses);
	if (!ret && !out.shown)
		selection_say_none(&r->select, r->out.nanoseconds);
	return ret;
}

static int run_report(const struct cmd *self, int argc, char **argv)
{
	struct ftr_error err = {0};
	struct report r = {0};
	int status, first = cmd_parse(self, argc, argv, &r, &status);

	if (first < 0)
		goto out;
	for (; first < argc; first++)
		strv_add(&r.select.files, argv[first]);
	cmd_quiet |= r.quiet;
	if (check_report_opts(&r, &err) || selection_open(&r.select, &err) ||
	    selection_compile(&r.select, &err)) {
		selection_say_damages(&r.select);
		status = cmd_fail(&err);
		goto out;
	}
	if (r.lists) {
		report_lists(&r);
		status = selection_say_damages(&r.select);
		goto out;
	}
	if (!report_latencies(&r) && print_all(&r, &err)) {
		/* the reader of a pipe may stop when it has seen enough */
		status = err.sys == EPIPE ? FTR_OK : cmd_fail(&err);
		goto out;
	}
	status = selection_say_damages(&r.select);
out:
	map_release(&r.shown);
	selection_release(&r.select);
	return status;
}

const struct cmd cmd_report = {
	.name = "report",
	.usage = "[OPTIONS] [FILE...]",
	.summary = "print the records of trace files",
	.examples = examples,
	.options = options,
	.flags = CMD_PAGER | CMD_EVERYDAY,
	.run = run_report,
};
