/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr record: options with trace-cmd's letters, and the run of a recording. */
#include <stdio.h>

#include "base/mem.h"
#include "cmd/frame/command.h"
#include "cmd/frame/plan_options.h"
#include "record/dry_run.h"
#include "record/recording.h"
#include "record/setup/plan.h"

#define DRY_RUN_NS 1000000000ull	/* measuring time if --duration is not given */

static const struct opt options[] = {
	PLAN_OPTS_WHAT,
	PLAN_OPTS_FUNCTIONS,
	PLAN_OPTS_TASKS,
	PLAN_OPTS_BUFFER,
	{ 0, "date", NULL, "note the date: times can then be shown as time of day", opt_flag,
	  IN_PLAN(date) },
	{ 0, "proc-map", NULL, "save address maps and build-ids of the command and of -P",
	  opt_flag, IN_PLAN(proc_map) },
	{ 0, "btf", NULL, "save the kernel's whole BTF in the file", opt_flag, IN_PLAN(btf) },
	{ 's', "sleep", "USEC", "check for data every USEC microseconds", plan_sleep, 0 },
	{ 'r', "rt-prio", "PRIO", "give recorder threads this SCHED_FIFO priority", plan_prio, 0 },
	{ 0, "no-filter", NULL, "trace ftr's own threads too", opt_flag,
	  IN_PLAN(no_filter) },
	{ 0, "nosplice", NULL, "move the data by read and write, not by splice",
	  opt_flag, IN_PLAN(no_splice) },
	PLAN_OPTS_SETTINGS
	OPT_GROUP("When to start and stop"),
	{ 0, "at", "TIME", "begin at a time of day: 12:00:00.000, +10s", plan_at, 0 },
	{ 0, "duration", "TIME", "stop recording after TIME: 10 (s), 500ms, 2m", plan_duration, 0 },
	{ 0, "stop-on", "EVENT", "stop at an event: 'sched:sched_switch if prev_pid == 5'",
	  plan_stop_event, 0 },
	{ 0, "stop-on-func", "FUNC", "stop when this function is called", plan_stop_func, 0 },
	{ 0, "flight", "SIZE", "keep only the newest SIZE per CPU; written at the end",
	  plan_flight, 0 },
	{ 'm', "max-kept", "SIZE", "keep the last SIZE of each CPU in the file", plan_keep, 0 },
	{ 0, "max-size", "SIZE", "stop at SIZE of data; formats and symbols are not counted",
	  plan_max_size, 0 },
	{ 0, "rotate", "N", "at --max-size begin the next file; keep the last N",
	  plan_rotate, 0 },
	{ 0, "max-rate", "SIZE", "stop when more than SIZE comes in a second", plan_max_rate, 0 },
	{ 0, "dry-run", NULL, "measure for 1 s how much data comes; record nothing",
	  opt_flag, IN_PLAN(dry_run) },
	OPT_GROUP("The run"),
	{ 'o', "output", "FILE", "write FILE (trace.dat; an older one: FILE.old); -: stdout",
	  opt_str, IN_PLAN(out_path) },
	{ 0, "sync", "TIME", "write to the disk every TIME (5s); 0: never", plan_sync, 0 },
	{ 0, "compression", "HOW", "zstd, zlib, zstd:LEVEL: compress data too; none: nothing",
	  plan_compression, 0 },
	{ 'N', "listener", "ADDRESS", "send to ftr listen at HOST:PORT; keep a file if that fails",
	  opt_str, IN_PLAN(listener) },
	{ 0, "file-version", "N", "write file version 6 or 7 (default)", plan_file_version, 0 },
	{ 0, "strict", NULL, "end with status 3 when events were lost", opt_flag, IN_PLAN(strict) },
	{ 0, "user", "USER", "run the command as this user", opt_str, IN_PLAN(user) },
	{ 'i', "ignore", NULL, "go on without events and functions that are missing", opt_flag,
	  IN_PLAN(ignore_missing) },
	PLAN_OPTS_KEEP,
	{ 0, "force", NULL, "move what is in the way aside, discard data of others", opt_flag,
	  IN_PLAN(force) },
	{ 'q', "quiet", NULL, "print errors and warnings only", cmd_set_quiet, IN_PLAN(quiet) },
	OPT_END
};

static const char *const examples[] = {
	"ftr record -p function_graph -l 'nfs*' --module nfs,nfsv4 -- mount srv:/x /mnt",
	"ftr record -e sched:sched_switch -f 'prev_prio < 100' -e irq --duration 10",
	"ftr record -F -c -e syscalls -b 8M -o build.dat -- make",
	NULL
};

static int run_dry(struct rec_plan *p, struct ftr_error *err)
{
	struct record_result res = {0};
	struct buf out = {0};
	struct rec_live live;
	struct record_dry_run *d = dry_new(&live);
	int status;

	p->live = &live;
	p->argv = NULL;
	p->user = NULL;
	if (!p->duration_ns)
		p->duration_ns = DRY_RUN_NS;
	status = record_run(p, &res, err);
	if (err->code)
		cmd_fail(err);
	if (res.ns) {
		dry_report(d, res.ns, &out);
		fwrite(out.data, 1, out.len, stdout);
	}
	buf_release(&out);
	record_result_release(&res);
	dry_free(d);
	return status;
}

static int run_record(const struct cmd *self, int argc, char **argv)
{
	struct record_result res = {0};
	struct ftr_error err = {0};
	struct rec_plan plan;
	int first, status;

	plan_init(&plan);
	plan.notice = cmd_notice;
	plan.warn = cmd_warn;

	first = cmd_parse(self, argc, argv, &plan, &status);
	if (first < 0)
		goto out;
	if (first < argc)
		plan.argv = argv + first;

	if (plan_check(&plan, &err)) {
		status = cmd_fail(&err);
		goto out;
	}

	if (line_wanted(plan.argv) && !plan.quiet)
		plan.line = line_show;
	if (plan.dry_run) {
		status = run_dry(&plan, &err);
		goto out;
	}
	status = record_run(&plan, &res, &err);
	if (err.code)
		cmd_fail(&err);
	cmd_line(&res.summary, "");
	cmd_line(&res.advice, "hint: ");
out:
	record_result_release(&res);
	plan_release(&plan);
	return status;
}

const struct cmd cmd_record = {
	.name = "record",
	.usage = "[OPTIONS] [-- COMMAND [ARGS...]]",
	.summary = "record a command, or until Ctrl-C, into a trace file",
	.examples = examples,
	.options = options,
	.flags = CMD_WORDS_LAST | CMD_EVERYDAY,
	.run = run_record,
};
