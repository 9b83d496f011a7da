/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr report: the records of trace files as event lines. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/term.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/plugins.h"
#include "event/plugin.h"
#include "out/out.h"
#include "trace/trace.h"

#define DEFAULT_FILE "trace.dat"

/* One -F, in the order of the command line. */
struct filter_arg {
	const char *text;
	bool negative;		/* came after -v */
};

struct report {
	struct strv files;
	struct strv events, comms, pids;
	struct filter_arg *filters;
	size_t   nr_filters, cap_filters;
	bool     negate;
	uint64_t *cpus;		/* TRACE_CPU_BITS, or NULL for all */
	int64_t  ts_offset_ns;
	struct out_opts out;
	const struct out_ops *format;	/* NULL: text */
	bool     quiet;
	struct plugin_args plugin_args;
	const char *engine;	/* --engine, or NULL */

	struct ev_plugins *plugins;
	struct trace **traces;
	size_t   nr_traces;
	struct ev_filter **compiled;	/* nr_filters per trace */
};

static int add_filter(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct report *r = ctx;

	(void)o;
	(void)err;
	r->filters = xgrow(r->filters, &r->cap_filters, r->nr_filters + 1, sizeof(*r->filters));
	r->filters[r->nr_filters++] = (struct filter_arg){ arg, r->negate };
	return 0;
}

static int set_cpus(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct report *r = ctx;

	(void)o;
	free(r->cpus);
	r->cpus = xcalloc(TRACE_CPU_BITS / 64, sizeof(*r->cpus));
	if (!text_cpulist(arg, r->cpus, TRACE_CPU_BITS))
		return 0;
	err_set(err, FTR_USAGE, "no CPU list: '%s'", arg);
	return err_hint(err, "write it as 0,2-5");
}

static int set_ts_offset(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct report *r = ctx;

	(void)o;
	if (!text_number(arg, INT64_MIN, INT64_MAX, &r->ts_offset_ns))
		return 0;
	return err_set(err, FTR_USAGE, "--ts-offset takes nanoseconds, not '%s'", arg);
}

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

static int add_pid(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct report *r = ctx;
	struct strv parts = {0};
	int64_t v;
	size_t i;
	int ret = 0;

	(void)o;
	strv_split(&parts, arg, ",");
	for (i = 0; i < parts.n && !ret; i++) {
		if (text_number(parts.v[i], 0, INT32_MAX, &v))
			ret = err_set(err, FTR_USAGE, "no process id: '%s'", parts.v[i]);
		else
			strv_add(&r->pids, parts.v[i]);
	}
	strv_release(&parts);
	return ret;
}

#define AT(member) offsetof(struct report, member)
static const struct opt options[] = {
	OPT_GROUP("Input"),
	{ 'i', "input", "FILE", "read FILE (repeatable; default trace.dat)", opt_strv, AT(files) },
	{ 0, "ts-offset", "NS", "add NS nanoseconds to all time stamps", set_ts_offset, 0 },
	OPT_GROUP("Selection"),
	{ 'F', "filter", "FILTER", "only what matches 'EVENT: EXPRESSION' (repeatable: any)",
	  add_filter, 0 },
	{ 'v', NULL, NULL, "the -F after it leave out what matches", opt_flag, AT(negate) },
	{ 0, "cpu", "LIST", "only these CPUs, as 0,2-5", set_cpus, 0 },
	{ 0, "event", "GLOB", "only events of this name or system:name (repeatable)", opt_strv,
	  AT(events) },
	{ 0, "pid", "PID[,PID]", "only these tasks", add_pid, 0 },
	{ 0, "comm", "GLOB", "only tasks of this name (repeatable)", opt_strv, AT(comms) },
	OPT_GROUP("Output"),
	{ 0, "format", "FORMAT", "text, or kernel: as the kernel's trace file", set_format, 0 },
	{ 'R', "raw", NULL, "all fields of each record, one line a record", opt_flag, AT(out.raw) },
	{ 'l', "latency", NULL, "latency format: short names, CPU and flags together", opt_flag,
	  AT(out.latency) },
	{ 't', "nanoseconds", NULL, "time stamps with nine digits", opt_flag, AT(out.nanoseconds) },
	{ 'q', "quiet", NULL, "no remarks on stderr", opt_flag, AT(quiet) },
	OPT_GROUP("Rendering"),
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
	NULL
};

static bool uses_libtraceevent(const struct report *r)
{
	return r->engine && !strcmp(r->engine, "traceevent");
}

static int open_traces(struct report *r, struct ftr_error *err)
{
	size_t i;

	if (!r->files.n)
		strv_add(&r->files, DEFAULT_FILE);
	r->plugins = plugins_load(&r->plugin_args, uses_libtraceevent(r), err);
	if (!r->plugins)
		return -1;
	r->traces = xcalloc(r->files.n, sizeof(*r->traces));
	for (i = 0; i < r->files.n; i++) {
		r->traces[i] = trace_open(r->files.v[i], err);
		if (!r->traces[i])
			return -1;
		r->nr_traces++;
		r->traces[i]->world.plugins = r->plugins;
		if (r->engine && trace_set_engine(r->traces[i], r->engine, err))
			return -1;
		r->traces[i]->ts_add_ns =
			(int64_t)((uint64_t)r->traces[i]->ts_add_ns + (uint64_t)r->ts_offset_ns);
	}
	return 0;
}

/* Each -F for each file, as ids and fields differ. An event need not be in all of them. */
static int compile_filters(struct report *r, struct ftr_error *err)
{
	struct ftr_error one = {0};
	size_t i, k, fit;

	r->compiled = xcalloc(r->nr_traces * r->nr_filters + 1, sizeof(struct ev_filter *));
	for (k = 0; k < r->nr_filters; k++) {
		for (i = 0, fit = 0; i < r->nr_traces; i++) {
			struct ev_filter *f = ev_filter_new(r->traces[i]->engine, &one);

			if (f && !ev_filter_add(f, r->filters[k].text, &one)) {
				r->compiled[i * r->nr_filters + k] = f;
				fit++;
				continue;
			}
			ev_filter_free(f);
		}
		if (fit)
			continue;
		*err = one;
		return -1;
	}
	return 0;
}

/* Any of the positive filters, if there are such, and none of the negative ones. */
static bool filters_match(const struct report *r, const struct trace_rec *rec)
{
	bool positive = false, found = false;
	size_t i;

	for (i = 0; i < r->nr_filters; i++) {
		struct ev_filter *f = r->compiled[rec->file * r->nr_filters + i];
		bool match = f && ev_filter_match(f, &rec->rec, rec->cpu, rec->ts);

		if (r->filters[i].negative && match)
			return false;
		if (!r->filters[i].negative) {
			positive = true;
			found |= match;
		}
	}
	return found || !positive;
}

static bool globs_match(const struct strv *globs, const char *text)
{
	size_t i;

	for (i = 0; i < globs->n; i++)
		if (!fnmatch(globs->v[i], text, 0))
			return true;
	return false;
}

static bool event_match(const struct strv *globs, const struct ev_format *f)
{
	char full[512];

	if (!f)
		return false;
	snprintf(full, sizeof(full), "%s:%s", f->system, f->name);
	return globs_match(globs, f->name) || globs_match(globs, full);
}

static bool pid_match(const struct strv *pids, int pid)
{
	size_t i;

	for (i = 0; i < pids->n; i++)
		if (strtol(pids->v[i], NULL, 0) == pid)
			return true;
	return false;
}

static bool match(void *ctx, const struct trace_rec *rec)
{
	const struct report *r = ctx;

	if (r->pids.n && !pid_match(&r->pids, rec->pid))
		return false;
	if (r->events.n && !event_match(&r->events, rec->rec.fmt))
		return false;
	if (r->comms.n && !globs_match(&r->comms, trace_comm(rec->trace, rec->pid)))
		return false;
	return filters_match(r, rec);
}

static int print_all(struct report *r, struct ftr_error *err)
{
	bool all = !r->nr_filters && !r->pids.n && !r->events.n && !r->comms.n;
	struct out_range range = { .cpus = r->cpus, .until = UINT64_MAX, .threads = 1 };
	struct out out = {
		.ops = r->format ? r->format : &out_text, .opts = r->out, .traces = r->traces,
		.nr_traces = r->nr_traces, .fd = STDOUT_FILENO,
	};
	struct out_match which = { .match = all ? NULL : match, .ctx = r };

	out.opts.escape = term_reached(STDOUT_FILENO);
	return out_render(&out, &range, &which, err);
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

static void release(struct report *r)
{
	size_t i;

	for (i = 0; r->compiled && i < r->nr_traces * r->nr_filters; i++)
		ev_filter_free(r->compiled[i]);
	for (i = 0; i < r->nr_traces; i++)
		trace_close(r->traces[i]);
	ev_plugins_free(r->plugins);
	plugin_args_release(&r->plugin_args);
	free(r->compiled);
	free(r->traces);
	free(r->filters);
	free(r->cpus);
	strv_release(&r->files);
	strv_release(&r->events);
	strv_release(&r->comms);
	strv_release(&r->pids);
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
	if (open_traces(&r, &err) || compile_filters(&r, &err)) {
		say_damages(&r);
		status = cmd_fail(&err);
		goto out;
	}
	if (print_all(&r, &err)) {
		/* the reader of a pipe may stop when it has seen enough */
		status = err.sys == EPIPE ? FTR_OK : cmd_fail(&err);
		goto out;
	}
	status = say_damages(&r);
out:
	release(&r);
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
