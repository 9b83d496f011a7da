/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr stream: prints records as they happen. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/term.h"
#include "cmd/frame/command.h"
#include "cmd/frame/plan_options.h"
#include "cmd/frame/selection.h"
#include "event/plugin/plugin.h"
#include "output/json/json_records.h"
#include "output/open_calls.h"
#include "output/pipeline.h"
#include "record/capture/capture_comms.h"
#include "record/capture/capture_formats.h"
#include "record/capture/clock_offset.h"
#include "record/cpu/live_recording.h"
#include "record/recording.h"
#include "record/setup/plan.h"
#include "record/symbols/protos.h"
#include "record/symbols/symbol_texts.h"
#include "trace/trace.h"

#define EVERY_NS 50000000ull

struct stream_args {
	struct rec_plan plan;		/* first: PLAN_OPTS_* write to it */
	struct out_opts out;
	struct plugin_args plugins;
	bool json;
};

#define IN(field) .off = offsetof(struct stream_args, field)

static const struct opt options[] = {
	PLAN_OPTS_WHAT,
	PLAN_OPTS_FUNCTIONS,
	PLAN_OPTS_TASKS,
	PLAN_OPTS_BUFFER,
	{ 's', "sleep", "USEC", "check for data every USEC microseconds (50000)", plan_sleep, 0 },
	{ 0, "no-filter", NULL, "trace ftr itself too", opt_flag, IN_PLAN(no_filter) },
	OPT_GROUP("Lines"),
	{ 0, "json", NULL, "print JSON: one object per record, one per line", opt_flag,
	  IN(json) },
	{ 0, "json-safe", NULL, "json: write numbers beyond 2^53 as strings", opt_flag,
	  IN(out.json_safe) },
	{ 0, "text", NULL, "json: add the text of each record", opt_flag, IN(out.json_text) },
	{ 0, "raw", NULL, "print all fields as name=value", opt_flag, IN(out.raw) },
	{ 0, "nanoseconds", NULL, "print times with nine digits", opt_flag, IN(out.nanoseconds) },
	{ 0, "plugin", "PATH", "load an event plugin, or all of a folder", opt_strv,
	  IN(plugins.paths) },
	{ 0, "no-plugins", NULL, "do not load the plugins that came with ftr", opt_flag,
	  IN(plugins.none) },
	OPT_GROUP("The run"),
	{ 0, "duration", "TIME", "stop after TIME: 10 (s), 500ms, 2m", plan_duration, 0 },
	{ 0, "user", "USER", "run the command as this user", opt_str, IN_PLAN(user) },
	{ 'i', "ignore", NULL, "go on without events and functions that are missing", opt_flag,
	  IN_PLAN(ignore_missing) },
	{ 'k', "keep", NULL, "do not restore tracefs at the end", opt_flag, IN_PLAN(keep) },
	{ 0, "force", NULL, "move what is in the way aside, discard data of others", opt_flag,
	  IN_PLAN(force) },
	{ 'q', "quiet", NULL, "print errors and warnings only", cmd_set_quiet, IN_PLAN(quiet) },
	OPT_END
};

static const char *const examples[] = {
	"ftr stream -e sched_switch | head",
	"ftr stream -e 'block:*' -f 'nr_sector > 100' --duration 10",
	"ftr stream -p function_graph -l 'vfs_*' -F -- ls",
	"ftr stream --json -e sched_process_exec | jq -r .fields.filename",
	NULL
};

/* --- the lines: sub-buffers of all CPUs are held for a round, merged, rendered */

/* The reading position of a CPU. */
struct stream_cpu {
	uint64_t last;		/* time of the last record read */
	bool fresh;		/* ->last is from this round */
	bool late;		/* the kernel may have more records of this round's time */
};

struct stream_buffer {
	struct raw_reader *raw;
	struct stream_cpu *cpus;
	size_t nr_cpus;
};

struct stream_out {
	const struct out_ops *ops;
	struct out_opts opts;
	const struct ev_plugins *plugins;
	bool     tsc2nsec;	/* the clock is x86-tsc, and shown as nanoseconds */
	const struct tfs *tfs;
	struct trace *trace;
	struct call_tracker *calls;	/* open calls of function_graph */
	struct stream_buffer *bufs;
	size_t nr_bufs;
	uint64_t horizon;	/* the last round read all records up to this time */
	bool     got;		/* records were read in this round, or are held */
	struct format_files formats;
	size_t   given;		/* number of ->formats that ->trace knows */
	struct strv enabled;	/* events "system/event" */
	struct buf kallsyms, printk, protos;	/* read when a print fmt needs them */
	bool     had_protos;	/* ->protos was read, and may be empty */
};

/* --- formats, symbols, task names */

static void pass_formats(struct stream_out *s)
{
	const struct format_file *f;

	for (; s->given < s->formats.n; s->given++) {
		f = &s->formats.v[s->given];
		trace_live_format(s->trace, f->system, f->text, f->len);
	}
}

static void read_missing_formats(void *ctx, const char *system)
{
	struct stream_out *s = ctx;

	if (system)
		formats_read_system(&s->formats, s->tfs, system, false);
	else
		formats_read_all(&s->formats, s->tfs, false);
	pass_formats(s);
}

/*
 * Returns the kernel's symbols. Without the right to see addresses all addresses are 0, and there
 * are no symbols.
 */
static const char *live_symbols(struct stream_out *s, size_t *len)
{
	struct kallsyms_history symbols = {0};
	struct buf reading = {0};

	if (!s->kallsyms.data) {
		if (!io_read_at(AT_FDCWD, "/proc/kallsyms", &reading))
			symbols_update(&symbols, &reading);
		history_text(&symbols.h, &s->kallsyms);
		history_release(&symbols.h);
		buf_release(&reading);
	}
	buf_add(&s->kallsyms, "", 0);
	*len = s->kallsyms.len;
	return s->kallsyms.data;
}

static const char *live_printk(struct stream_out *s, size_t *len)
{
	if (!s->printk.data)
		tfs_read(s->tfs, NULL, "printk_formats", &s->printk, NULL);
	buf_add(&s->printk, "", 0);
	*len = s->printk.len;
	return s->printk.data;
}

/* Returns the prototypes of all functions, since any function may be called; NULL without BTF. */
static const char *live_protos(struct stream_out *s, size_t *len)
{
	struct module_protos p = {0};

	if (!s->had_protos) {
		protos_update(&p);
		if (protos_text(&p, NULL, NULL, &s->protos, NULL))
			buf_release(&s->protos);
		protos_release(&p);
	}
	s->had_protos = true;
	*len = s->protos.len;
	return s->protos.data;
}

/* Returns a text when a print fmt first needs it, because reading takes long. */
static const char *live_text(void *ctx, enum ev_text which, size_t *len)
{
	static const char *(*const get[])(struct stream_out *s, size_t *len) = {
		[EV_KALLSYMS] = live_symbols, [EV_PRINTK] = live_printk, [EV_CMDLINES] = NULL,
		[EV_PROTOS] = live_protos,
	};

	return get[which] ? get[which](ctx, len) : NULL;
}

/* Reads task names before each round's lines, because exec changes them. */
static void read_comms(struct stream_out *s, bool first)
{
	const struct comm *comm;
	struct task_comms c = {0};
	struct buf text = {0};

	if (first)
		comms_add_proc(&c, COMM_PROC_START);
	else if (!tfs_read(s->tfs, NULL, "saved_cmdlines", &text, NULL))
		comms_add_saved(&c, text.data);
	for (size_t i = 0; i < c.by_pid.cap; i++) {
		comm = c.by_pid.slots[i].val;
		if (comm)
			trace_live_comm(s->trace, comm->pid, comm->name, strlen(comm->name));
	}
	comms_release(&c);
	buf_release(&text);
}

/* --- opening */

/* Returns the words of trace_options in one line; the caller frees. */
static char *read_options(const struct tfs *t, const char *instance)
{
	struct strv words = {0};
	struct buf text = {0}, line = {0};
	size_t i;

	if (!tfs_read(t, instance, "trace_options", &text, NULL))
		strv_split(&words, text.data, "\n");
	for (i = 0; i < words.n; i++)
		buf_printf(&line, "%s%s", i ? " " : "", words.v[i]);
	strv_release(&words);
	buf_release(&text);
	return buf_take(&line);
}

static int open_buffers(struct stream_out *s, const struct live_buffer *bufs, size_t n,
			struct trace_live_buffer *out, struct ftr_error *err)
{
	struct strv clocks = {0};
	char *clock;
	size_t i;

	s->bufs = xcalloc(n + 1, sizeof(*s->bufs));
	s->nr_bufs = n;
	for (i = 0; i < n; i++) {
		s->bufs[i].raw = raw_open(s->tfs, bufs[i].instance, err);
		if (!s->bufs[i].raw)
			return -1;
		out[i].name = bufs[i].name;
		out[i].nr_cpus = raw_cpus(s->bufs[i].raw, &out[i].cpus);
		out[i].subbuf_size = raw_subbuf_size(s->bufs[i].raw);
		s->bufs[i].nr_cpus = out[i].nr_cpus;
		s->bufs[i].cpus = xcalloc(out[i].nr_cpus + 1, sizeof(*s->bufs[i].cpus));
		out[i].options = read_options(s->tfs, bufs[i].instance);
		clock = NULL;
		if (!tfs_clocks(s->tfs, bufs[i].instance, &clocks, &clock, NULL))
			out[i].clock = clock;
		strv_release(&clocks);
	}
	return 0;
}

/*
 * Returns -1 with @err if a latency tracer is on. Its buffer goes back in time, and the longest
 * latency is in another buffer.
 */
static int check_swaps(const struct tfs *t, const struct live_buffer *bufs, size_t n,
		       struct ftr_error *err)
{
	char *tracer;
	size_t i;

	for (i = 0; i < n && !bufs[i].swaps; i++)
		;
	if (i == n)
		return 0;
	tracer = tfs_line(t, bufs[i].instance, "current_tracer");
	err_set(err, FTR_FAILED, "tracer '%s' keeps the longest latency only, which cannot be "
		"streamed", tracer);
	err_hint(err, "'ftr record -p %s' records it; 'ftr start -p %s' and 'ftr show' show it",
		 tracer, tracer);
	free(tracer);
	return -1;
}

/* Opens the buffers and describes the kernel to ->trace. Returns -1 with @err. */
static int stream_begin(void *ctx, const struct tfs *t, const struct live_buffer *bufs, size_t n,
			const struct strv *enabled, struct ftr_error *err)
{
	struct stream_out *s = ctx;
	const struct trace_live_source from = { s, read_missing_formats, live_text };
	struct trace_live_buffer *live = xcalloc(n + 1, sizeof(*live));
	struct tsc_scale scale;
	struct buf header = {0};
	size_t i;
	int ret = -1;

	s->tfs = t;
	for (i = 0; i < enabled->n; i++)
		strv_add(&s->enabled, enabled->v[i]);
	if (check_swaps(t, bufs, n, err) || open_buffers(s, bufs, n, live, err) ||
	    tfs_read(t, NULL, "events/header_page", &header, err))
		goto out;
	s->trace = trace_live_new(&from, header.data, live, n, err);
	if (!s->trace || (s->tsc2nsec && tsc_scale_read(&scale, err)))
		goto out;
	if (s->tsc2nsec)
		trace_live_tsc(s->trace, scale.mult, scale.shift);
	s->trace->meta.plugins = s->plugins;
	s->calls = calls_new(trace_nr_streams(&s->trace, 1));
	formats_read_system(&s->formats, s->tfs, "ftrace", false);
	for (i = 0; i < s->enabled.n; i++)
		formats_read(&s->formats, s->tfs, s->enabled.v[i]);
	pass_formats(s);
	read_comms(s, true);
	ret = 0;
out:
	for (i = 0; i < n; i++) {
		free((char *)live[i].clock);
		free((char *)live[i].options);
	}
	free(live);
	buf_release(&header);
	return ret;
}

/* --- rounds */

/*
 * Reads a CPU, at most one full buffer, so that the other CPUs get their turn. Returns -1 with
 * @err.
 */
static int read_cpu(struct stream_out *s, size_t buffer, size_t cpu, struct ftr_error *err)
{
	struct stream_buffer *b = &s->bufs[buffer];
	struct stream_cpu *f = &b->cpus[cpu];
	size_t left = raw_subbufs(b->raw);
	uint64_t last;
	uint8_t *mem;
	int got = 1;

	f->fresh = false;
	for (; left; left--) {
		mem = xmalloc(raw_subbuf_size(b->raw));
		got = raw_read(b->raw, cpu, mem, err);
		if (got <= 0) {
			free(mem);
			break;
		}
		s->got = true;
		if (!trace_live_push(s->trace, buffer, cpu, mem, &last))
			continue;
		f->fresh = true;
		f->last = last;
	}
	f->late = !left;
	return got < 0 ? -1 : 0;
}

/*
 * Returns the time up to which records can be printed: the time that the last round had read. If a
 * CPU has more to read, it ends before the last record of that CPU. The same holds for a CPU whose
 * last record is from this round: that may be a function entry whose exit is still missing.
 */
static uint64_t printable_until(const struct stream_out *s)
{
	uint64_t end = s->horizon;
	const struct stream_cpu *f;
	size_t i, k;

	for (i = 0; i < s->nr_bufs; i++)
		for (k = 0; k < s->bufs[i].nr_cpus; k++) {
			f = &s->bufs[i].cpus[k];
			if ((f->fresh || f->late) && f->last && f->last <= end)
				end = f->last - 1;
		}
	return end;
}

static uint64_t newest_time(const struct stream_out *s)
{
	uint64_t max = s->horizon;
	size_t i, k;

	for (i = 0; i < s->nr_bufs; i++)
		for (k = 0; k < s->bufs[i].nr_cpus; k++)
			if (s->bufs[i].cpus[k].last > max)
				max = s->bufs[i].cpus[k].last;
	return max;
}

/* Reads all CPUs and prints records. Returns 1 if the output is closed, -1 with @err. */
static int stream_round(void *ctx, bool last, struct ftr_error *err)
{
	struct stream_out *s = ctx;
	struct pollfd p = { .fd = STDOUT_FILENO };
	struct out_state out = {
		.ops = s->ops, .opts = s->opts, .traces = &s->trace, .nr_traces = 1,
		.fd = STDOUT_FILENO, .calls = s->calls,
	};
	uint64_t until;
	size_t i, k;

	if (!s->trace || (poll(&p, 1, 0) > 0 && p.revents & (POLLERR | POLLNVAL)))
		return 1;
	for (i = 0; i < s->nr_bufs; i++)
		for (k = 0; k < s->bufs[i].nr_cpus; k++)
			if (read_cpu(s, i, k, err))
				return -1;
	if (s->got) {
		until = last ? UINT64_MAX : printable_until(s);
		read_comms(s, false);
		s->got = until < newest_time(s);
		if (out_run(&out, trace_live_iter(s->trace, until), NULL, err))
			return err->sys == EPIPE ? 1 : -1;
	}
	s->horizon = newest_time(s);
	return 0;
}

/* Removes the remaining records, because nobody else reads this buffer. */
static void stream_end(void *ctx)
{
	struct stream_out *s = ctx;
	size_t i, k, left;
	uint8_t *mem;

	for (i = 0; i < s->nr_bufs; i++) {
		struct raw_reader *r = s->bufs[i].raw;

		if (!r)
			continue;
		mem = xmalloc(raw_subbuf_size(r));
		for (k = 0; k < s->bufs[i].nr_cpus; k++)
			for (left = raw_subbufs(r); left && raw_read(r, k, mem, NULL) > 0; left--)
				;
		free(mem);
		raw_close(r);
		s->bufs[i].raw = NULL;
	}
}

static void stream_out_release(struct stream_out *s)
{
	size_t i;

	stream_end(s);
	for (i = 0; i < s->nr_bufs; i++)
		free(s->bufs[i].cpus);
	free(s->bufs);
	trace_live_free(s->trace);
	calls_free(s->calls);
	formats_release(&s->formats);
	strv_release(&s->enabled);
	buf_release(&s->kallsyms);
	buf_release(&s->printk);
	buf_release(&s->protos);
}

/* --- the command */

/*
 * Reads all CPUs in rounds and merges their records by time. A record is held until all CPUs have
 * been read once more: after that no earlier record can come. Returns an exit status.
 */
static int stream_lines(struct stream_args *a, struct ftr_error *err)
{
	struct stream_out s = {
		.ops = a->json ? &out_json : &out_text, .opts = a->out,
		.tsc2nsec = a->plan.bufs[0].tsc2nsec,
	};
	struct rec_live live = {
		.ctx = &s, .every_ns = a->plan.sleep_ns ? a->plan.sleep_ns : EVERY_NS,
		.begin = stream_begin, .round = stream_round, .end = stream_end,
	};
	struct record_result res = {0};
	struct ev_plugins *plugins;
	int status;

	plugins = plugins_load(&a->plugins, PLUGINS_LATE, err);
	if (!plugins)
		return cmd_fail(err);
	s.plugins = plugins;
	s.opts.colour = !a->json && term_colour(STDOUT_FILENO);
	a->plan.live = &live;
	status = record_run(&a->plan, &res, err);
	if (err->code)
		cmd_fail(err);
	if (s.trace && cmd_damages(&s.trace->damages) && !status)
		status = FTR_DAMAGED;
	stream_out_release(&s);
	plugins_report_late(plugins);
	ev_plugins_free(plugins);
	record_result_release(&res);
	return status;
}

static int check_stream_lines(const struct stream_args *a, struct ftr_error *err)
{
	const struct out_opts *o = &a->out;

	if (!a->json && (o->json_safe || o->json_text))
		return err_set(err, FTR_USAGE, "--%s works with --json only",
			       o->json_safe ? "json-safe" : "text");
	if (a->json && (o->raw || o->nanoseconds)) {
		err_set(err, FTR_USAGE, "--json prints records in its own form");
		return err_hint(err, "leave out --raw and --nanoseconds");
	}
	return 0;
}

static int run_stream(const struct cmd *self, int argc, char **argv)
{
	struct stream_args a = {0};
	struct ftr_error err = {0};
	int first, status;

	plan_init(&a.plan);
	a.plan.notice = cmd_notice;
	a.plan.warn = cmd_warn;
	first = cmd_parse(self, argc, argv, &a, &status);
	if (first < 0)
		goto out;
	if (first < argc)
		a.plan.argv = argv + first;
	status = check_stream_lines(&a, &err) || plan_check(&a.plan, &err) ?
		 cmd_fail(&err) : stream_lines(&a, &err);
out:
	plugin_args_release(&a.plugins);
	plan_release(&a.plan);
	return status;
}

const struct cmd cmd_stream = {
	.name = "stream",
	.usage = "[OPTIONS] [-- COMMAND [ARGS...]]",
	.summary = "print records as they happen",
	.examples = examples,
	.options = options,
	.flags = CMD_WORDS_LAST,
	.run = run_stream,
};
