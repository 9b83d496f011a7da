/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr start: sets up tracing and leaves it on; ftr set: changes a running setup. */
#include <stddef.h>

#include "base/mem.h"
#include "cmd/frame/command.h"
#include "cmd/frame/plan_options.h"
#include "cmd/frame/tracefs_change.h"
#include "record/child_command.h"
#include "record/setup/plan_apply.h"
#include "record/summary.h"

struct start_args {
	struct rec_plan plan;		/* first: PLAN_OPTS_* write to it */
	bool fork;
	struct rec_setup up;
	struct child_command child;
	struct buf off;			/* a remark if a setting keeps all records out, or empty */
};

#define THE_RUN \
	{ 'i', "ignore", NULL, "go on without events and functions that are missing", opt_flag, \
	  IN_PLAN(ignore_missing) }, \
	{ 'q', "quiet", NULL, "print errors and warnings only", cmd_set_quiet, IN_PLAN(quiet) }

static const struct opt start_options[] = {
	PLAN_OPTS_WHAT,
	PLAN_OPTS_FUNCTIONS,
	PLAN_OPTS_TASKS,
	PLAN_OPTS_BUFFER,
	PLAN_OPTS_SETTINGS
	OPT_GROUP("The run"),
	{ 0, "user", "USER", "run the command as this user", opt_str, IN_PLAN(user) },
	{ 0, "fork", NULL, "do not wait until the command ends",
	  opt_flag, offsetof(struct start_args, fork) },
	PLAN_OPTS_KEEP,
	{ 0, "force", NULL, "move what is in the way aside, discard data of others", opt_flag,
	  IN_PLAN(force) },
	THE_RUN,
	OPT_END
};

static const struct opt set_options[] = {
	PLAN_OPTS_WHAT,
	PLAN_OPTS_FUNCTIONS,
	PLAN_OPTS_TASKS,
	PLAN_OPTS_BUFFER,
	PLAN_OPTS_SETTINGS
	OPT_GROUP("The run"),
	{ 0, "force", NULL, "discard what -C, -R and --subbuf-size empty", opt_flag,
	  IN_PLAN(force) },
	THE_RUN,
	OPT_END
};

static const char *const start_examples[] = {
	"ftr start -p function_graph -l 'vfs_*'",
	"ftr start -e sched:sched_switch -f 'prev_prio < 100' -B net -e sock",
	"ftr start -F -c -e syscalls -- make",
	NULL
};

static const char *const set_examples[] = {
	"ftr set -e irq                      these events too",
	"ftr set -v -e irq -O nostacktrace   and no more",
	"ftr set -B net -l 'tcp_*'           in an instance: other functions",
	NULL
};

static int set_up_tracing(struct session *s, void *ctx, struct ftr_error *err)
{
	struct start_args *st = ctx;

	if (setup_resolve(&st->up, &st->plan, session_tfs(s), err) ||
	    where_choose(s, &st->plan, &st->up.places, err) ||
	    setup_apply(&st->up, s, st->child.pid, err))
		return -1;
	silence_look(session_tfs(s), &st->up, true, &st->off);
	if (st->plan.purpose == PLAN_SET)
		return 0;
	return apply_tracing_on(s, &st->up.places, true, err);
}

static int switch_tracing_off(struct session *s, void *ctx, struct ftr_error *err)
{
	struct start_args *st = ctx;

	return apply_tracing_on(s, &st->up.places, false, err);
}

/*
 * Runs the command to its end and stops recording, so that the buffer has no later records. Returns
 * its exit status.
 */
static int run_traced_command(struct start_args *st)
{
	struct ftr_error err = {0};
	int status = FTR_OK, signo = 0, ret;

	if (child_release(&st->child, &err))
		return cmd_fail(&err);
	if (st->fork) {
		cmd_notice("the command is process %d", (int)st->child.pid);
		return FTR_OK;
	}
	if (child_wait(&st->child, 0, 0, &status, &signo) == CHILD_STOP)
		status = 128 + signo;
	ret = cmd_change(CHANGE_STANDS, switch_tracing_off, st);
	if (!ret)
		cmd_notice("recording is off; the setup stays until 'ftr reset'");
	return status ? status : ret;
}

/* Sets up tracing and runs the command, if there is one. Returns an exit status. */
static int start_tracing(struct start_args *st)
{
	struct ftr_error err = {0};
	struct buf text = {0};
	int status;

	if (st->plan.argv && (child_signals_init(&err) ||
			      child_fork(&st->child, st->plan.argv, st->plan.user, &err)))
		return cmd_fail(&err);
	status = cmd_change(CHANGE_STANDS, set_up_tracing, st);
	if (status) {
		child_cancel(&st->child);
		/* A failure of ftr must not look like the command's exit status. */
		return st->plan.argv && status < CHILD_FAILED ? CHILD_FAILED : status;
	}
	setup_describe(&st->up, &text);
	cmd_notice("%s %s", st->plan.purpose == PLAN_SET ? "set" : "tracing", text.data);
	if (st->off.len)
		cmd_warn("%s", st->off.data);
	buf_release(&text);
	return st->plan.argv ? run_traced_command(st) : FTR_OK;
}

static int run_start(const struct cmd *self, int argc, char **argv)
{
	struct start_args st = {0};
	struct ftr_error err = {0};
	int first, status;

	plan_init(&st.plan);
	st.plan.purpose = self == &cmd_set ? PLAN_SET : PLAN_START;
	st.plan.notice = cmd_notice;
	st.plan.warn = cmd_warn;

	first = cmd_parse(self, argc, argv, &st, &status);
	if (first < 0)
		goto out;
	if (first < argc)
		st.plan.argv = argv + first;

	if (st.plan.argv && st.plan.purpose == PLAN_SET) {
		err_set(&err, FTR_USAGE, "ftr set runs no command, '%s'", st.plan.argv[0]);
		err_hint(&err, "'ftr start -K' does, and keeps the settings, as ftr set");
	} else if (st.fork && !st.plan.argv) {
		err_set(&err, FTR_USAGE, "--fork does not wait for the command, but none was "
			"given");
	}
	status = err.code || plan_check(&st.plan, &err) ? cmd_fail(&err) : start_tracing(&st);
out:
	setup_release(&st.up);
	plan_release(&st.plan);
	buf_release(&st.off);
	return status;
}

const struct cmd cmd_start = {
	.name = "start",
	.usage = "[OPTIONS] [-- COMMAND [ARGS...]]",
	.summary = "trace into the kernel's buffer until 'ftr stop', 'ftr reset'",
	.examples = start_examples,
	.options = start_options,
	.flags = CMD_WORDS_LAST | CMD_EVERYDAY,
	.run = run_start,
};

const struct cmd cmd_set = {
	.name = "set",
	.usage = "[OPTIONS]",
	.summary = "change what is traced while it is traced",
	.examples = set_examples,
	.options = set_options,
	.flags = CMD_WORDS_LAST,
	.run = run_start,
};
