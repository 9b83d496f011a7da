/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr stream: event lines as they happen. */
#include <stdio.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/term.h"
#include "cmd/frame/command.h"
#include "cmd/frame/plugin_choice.h"
#include "cmd/frame/plan_options.h"
#include "cmd/stream_source.h"
#include "event/plugin/plugin.h"
#include "output/json/json_records.h"
#include "record/setup/plan.h"
#include "record/recording.h"

#define EVERY_NS 50000000ull

struct stream_args {
	struct rec_plan plan;		/* first: plan_options.h */
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

static int stream_lines(struct stream_args *a, struct ftr_error *err)
{
	struct stream_opts opts = {
		.ops = a->json ? &out_json : &out_text, .out = a->out, .fd = STDOUT_FILENO,
		.every_ns = a->plan.sleep_ns ? a->plan.sleep_ns : EVERY_NS,
		.tsc2nsec = a->plan.bufs[0].tsc2nsec,
	};
	struct record_result res = {0};
	struct ev_plugins *plugins;
	struct stream_out *out;
	struct rec_live live;
	int status;

	plugins = plugins_load(&a->plugins, PLUGINS_LATE, err);
	if (!plugins)
		return cmd_fail(err);
	opts.plugins = plugins;
	opts.out.colour = !a->json && term_colour(STDOUT_FILENO);
	out = stream_out_new(&opts, &live);
	a->plan.live = &live;
	status = record_run(&a->plan, &res, err);
	if (err->code)
		cmd_fail(err);
	if (stream_out_damages(out) && cmd_damages(stream_out_damages(out)) && !status)
		status = FTR_DAMAGED;
	stream_out_free(out);
	plugins_say_late(plugins);
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
		err_set(err, FTR_USAGE, "--json prints records in a form of its own");
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
	a.plan.say = cmd_say;
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
