/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr export: the records of trace files for other programs. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/frame/cmd.h"
#include "cmd/frame/output.h"
#include "cmd/frame/progress.h"
#include "cmd/frame/select.h"
#include "out/perfetto/perfetto.h"

struct export;

/* A format, and what writes it. */
struct format {
	const char *name;
	bool binary;
	const struct out_ops *ops;
	int (*check)(const struct export *e, struct ftr_error *err);
	void (*say)(void);		/* what the reader of the format does not get */
};

struct export {
	struct selection select;	/* first: its own rows */
	const struct format *to;
	const char *output;
	bool quiet;

	struct out_ops counted;		/* of the format, with losses counted */
	uint64_t lost;
	bool lost_unknown;
};

static struct export *running;

static int check_perfetto(const struct export *e, struct ftr_error *err)
{
	return perfetto_check_clocks(e->select.traces, e->select.nr_traces, err);
}

static void say_perfetto(void)
{
	if (perfetto_left_out())
		cmd_warn("%" PRIu64 " events are left out: Perfetto takes no CPU above %d",
			 perfetto_left_out(), PERFETTO_CPUS - 1);
}

static const struct format formats[] = {
	{ "perfetto", true, &out_perfetto, check_perfetto, say_perfetto },
};
#define NR_FORMATS (sizeof(formats) / sizeof(*formats))

static int set_to(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	const char *words[NR_FORMATS + 1] = {0};
	struct export *e = ctx;
	int word;

	for (size_t i = 0; i < NR_FORMATS; i++)
		words[i] = formats[i].name;
	word = opt_word(o, arg, words, err);
	if (word < 0)
		return -1;
	e->to = &formats[word];
	return 0;
}

#define AT(member) offsetof(struct export, member)
static const struct opt options[] = {
	OPT_GROUP("Input"),
	SELECT_FILES,
	OPT_GROUP("Selection"),
	SELECT_RECORDS,
	OPT_GROUP("Output"),
	{ 0, "to", "FORMAT", "perfetto: a trace for ui.perfetto.dev and its trace processor",
	  set_to, 0 },
	{ 'o', "output", "FILE", "write to FILE, not to standard output", opt_str, AT(output) },
	{ 'q', "quiet", NULL, "no remarks on stderr", cmd_set_quiet, AT(quiet) },
	OPT_GROUP("Rendering"),
	SELECT_PLUGINS,
	OPT_END
};

static const char *const examples[] = {
	"ftr export --to perfetto -o trace.pftrace",
	"ftr export --to perfetto --event 'sched*' --since -2s a.dat -o end.pftrace",
	"ftr export --to perfetto host.dat guest.dat | gzip > both.pftrace.gz",
	NULL
};

static int check_args(const struct export *e, struct ftr_error *err)
{
	if (!e->to) {
		err_set(err, FTR_USAGE, "export was not told to what");
		return err_hint(err, "'ftr export --to perfetto -o FILE'; -h lists the formats");
	}
	if (!e->to->binary || (e->output && strcmp(e->output, "-")) || !isatty(STDOUT_FILENO))
		return 0;
	err_set(err, FTR_USAGE, "'%s' is binary, and not for a terminal", e->to->name);
	return err_hint(err, "'-o FILE' writes it to a file");
}

static void count_lost(struct out *o, const struct trace_rec *r)
{
	if (r->lost == RING_LOST_UNKNOWN)
		running->lost_unknown = true;
	else
		running->lost += r->lost;
	if (running->to->ops->lost)
		running->to->ops->lost(o, r);
}

static void say_lost(const struct export *e)
{
	struct buf b = {0};

	if (!e->lost && !e->lost_unknown)
		return;
	text_grouped(&b, e->lost);
	cmd_warn("%s%s events were lost in the recording", b.data,
		 e->lost_unknown ? " or more" : "");
	buf_release(&b);
}

static int write_all(struct export *e, struct output *to, struct ftr_error *err)
{
	struct out out = {
		.traces = e->select.traces, .nr_traces = e->select.nr_traces, .fd = to->fd,
	};
	struct progress progress;
	struct out_match which;
	int ret;

	e->counted = *e->to->ops;
	e->counted.lost = count_lost;
	out.ops = &e->counted;
	running = e;
	selection_match(&e->select, &which);
	progress_watch(&progress, &e->select, &which);
	ret = out_render(&out, &e->select.range, &which, err);
	progress_end(&progress);
	if (!ret && !out.shown)
		selection_say_none(&e->select, false);
	return ret;
}

static int export_all(struct export *e, struct ftr_error *err)
{
	struct output to = { .fd = -1 };
	int ret;

	if (selection_open(&e->select, err) || selection_compile(&e->select, err) ||
	    (e->to->check && e->to->check(e, err)) || output_open(&to, e->output, err))
		return -1;
	ret = write_all(e, &to, err);
	if (!ret)
		ret = output_commit(&to, err);
	output_release(&to);
	return ret;
}

static int run_export(const struct cmd *self, int argc, char **argv)
{
	struct ftr_error err = {0};
	struct export e = {0};
	int status, damaged, first = cmd_parse(self, argc, argv, &e, &status);

	if (first < 0)
		goto out;
	for (; first < argc; first++)
		strv_add(&e.select.files, argv[first]);
	if (check_args(&e, &err)) {
		status = cmd_fail(&err);
		goto out;
	}
	if (!export_all(&e, &err)) {
		say_lost(&e);
		if (e.to->say)
			e.to->say();
		status = FTR_OK;
	} else {
		/* the reader of a pipe may stop when it has seen enough */
		status = err.sys == EPIPE ? FTR_OK : cmd_fail(&err);
	}
	damaged = selection_say_damages(&e.select);
	status = status ? status : damaged;
out:
	selection_release(&e.select);
	return status;
}

const struct cmd cmd_export = {
	.name = "export",
	.usage = "--to FORMAT [OPTIONS] [FILE...]",
	.summary = "write records for other programs: Perfetto and others",
	.examples = examples,
	.options = options,
	.run = run_export,
};
