/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr oops arm, disarm: a flight recording that survives a crash. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/sig.h"
#include "base/text.h"
#include "cmd/frame/plan_options.h"
#include "cmd/frame/tracefs_change.h"
#include "cmd/oops/oops_verbs.h"
#include "oops/arm/arm.h"
#include "oops/arm/armed_boots.h"

enum { WATCH_NS = 500000000, PANIC_SECONDS = 86400 };

struct oops_arm_args {
	struct oops_arm_plan p;		/* first: the rows of plan_options.h */
	struct oops_armed armed;
	bool watch;
};

static int set_dump_option(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	static const char *const words[] = { "no", "cpu", "all", NULL };
	static const enum oops_dump dumps[] = { OOPS_DUMP_NO, OOPS_DUMP_CPU, OOPS_DUMP_ALL };
	int i = opt_word(o, arg, words, err);

	if (i < 0)
		return -1;
	((struct oops_arm_args *)ctx)->p.dump = dumps[i];
	return 0;
}

static int set_panic_timeout(void *ctx, const struct opt *o, const char *arg,
			     struct ftr_error *err)
{
	struct oops_arm_plan *p = &((struct oops_arm_args *)ctx)->p;
	int64_t s;

	(void)o;
	if (text_number(arg, -1, PANIC_SECONDS, &s)) {
		err_set(err, FTR_USAGE, "--panic-timeout takes seconds, not '%s'", arg);
		return err_hint(err, "0: it waits for ever; -1: it reboots at once");
	}
	free(p->panic_timeout);
	p->panic_timeout = xasprintf("%d", (int)s);
	return 0;
}

#define AT(member) offsetof(struct oops_arm_args, member)
const struct opt oops_arm_options[] = {
	OPT_GROUP("What a crash leaves"),
	{ 0, "dump", "WHICH", "print the buffer at an oops: of its cpu, all, or no",
	  set_dump_option, 0 },
	{ 0, "panic-on-oops", NULL, "panic on an oops", opt_flag, AT(p.panic_on_oops) },
	{ 0, "panic-timeout", "S", "reboot S seconds after a panic", set_panic_timeout,
	  0 },
	{ 0, "softlockup-panic", NULL, "panic on a soft lockup", opt_flag,
	  AT(p.softlockup_panic) },
	{ 0, "hung-task-panic", NULL, "panic on a hung task", opt_flag, AT(p.hung_task_panic) },
	{ 0, "traceoff-on-warning", NULL, "stop tracing at a kernel warning", opt_flag,
	  AT(p.traceoff_on_warning) },
	{ 0, "oom", NULL, "stop tracing when the kernel kills a task for memory", opt_flag,
	  AT(p.oom) },
	PLAN_OPTS_WHAT,
	PLAN_OPTS_FUNCTIONS,
	OPT_GROUP("Which tasks and CPUs"),
	{ 'P', "pid", "PID", "trace only these processes", plan_pids, 0 },
	{ 'c', "children", NULL, "with -P: include their children", opt_flag, IN_PLAN(children) },
	{ 0, "cpu", "LIST", "trace only on these CPUs, as 0,2-5", plan_cpus, 0 },
	{ 'M', "cpumask", "MASK", "like --cpu, as a mask in hexadecimal", plan_cpumask, 0 },
	PLAN_OPTS_BUFFER,
	OPT_GROUP("The run"),
	{ 0, "watch", NULL, "keep running, and save what modules bring", opt_flag,
	  AT(watch) },
	{ 0, "again", NULL, "arm even after three short boots in a row",
	  opt_flag, AT(p.again) },
	{ 0, "force", NULL, "discard records that the buffer holds", opt_flag, IN_PLAN(force) },
	{ 'i', "ignore", NULL, "go on without events and functions that are missing", opt_flag,
	  IN_PLAN(ignore_missing) },
	{ 'q', "quiet", NULL, "print errors and warnings only", cmd_set_quiet, IN_PLAN(quiet) },
	OPT_END
};

static int set_up_armed(struct session *s, void *ctx, struct ftr_error *err)
{
	struct oops_arm_args *a = ctx;

	return oops_arm_set_up(&a->armed, s, &a->p, err);
}

static void print_armed(const struct oops_arm_args *a)
{
	static const char *const dumps[] = {
		[OOPS_DUMP_NO] = "does not print it",
		[OOPS_DUMP_CPU] = "prints that of its CPU to the console",
		[OOPS_DUMP_ALL] = "prints it to the console",
	};
	struct buf text = {0};

	setup_describe(&a->armed.up, &text);
	cmd_notice("armed %s", text.data);
	if (a->armed.lives_on)
		cmd_notice("an oops stops it, and 'ftr oops collect' takes it; a panic erases it: "
			   "--dump=all prints it to the console");
	else
		cmd_notice("%s; an oops %s; 'ftr oops status' shows what would survive",
			   a->armed.boot_instance ? "the buffer survives a reboot" :
			   "a reboot erases the buffer", dumps[a->armed.dump]);
	buf_release(&text);
}

/* Reports to systemd, by $NOTIFY_SOCKET, that a unit of Type=notify has started; sd_notify(3). */
static void notify_systemd(void)
{
	static const char ready[] = "READY=1";
	const char *path = secure_getenv("NOTIFY_SOCKET");
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t n = path ? strlen(path) : 0;
	int fd;

	if (!n || n >= sizeof(to.sun_path))
		return;
	memcpy(to.sun_path, path, n);
	if (*path == '@')
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || sendto(fd, ready, sizeof(ready) - 1, MSG_NOSIGNAL, (struct sockaddr *)&to,
			     offsetof(struct sockaddr_un, sun_path) + n) < 0)
		cmd_warn("cannot notify '%s' that it is armed", path);
	if (fd >= 0)
		close(fd);
}

/*
 * Saves the symbols of modules until a signal, or until disarm. Tracing does not depend on it:
 * after an error, which is printed, the next change is tried again.
 */
static int watch_modules(struct oops_arm_args *a)
{
	struct ftr_error err = {0};
	struct oops_boot now;
	int status = FTR_OK, lock;
	bool ended = false;
	struct tfs tfs;

	if (tfs_open(&tfs, &err))
		return cmd_fail(&err);
	oops_skeleton_move(a->armed.skeleton, &tfs);
	notify_systemd();
	cmd_notice("watching modules; Ctrl-C ends that, and the trace stays armed");
	while (!sig_wait(WATCH_NS)) {
		ended = oops_boot_read_now(&now) && now.ended;
		oops_boot_release(&now);
		if (ended)
			break;
		if (!oops_skeleton_is_old(a->armed.skeleton))
			continue;
		/* not during a disarm, after which there is nothing to write */
		lock = oops_dir_lock();
		if (oops_is_armed() &&
		    oops_skeleton_write(a->armed.skeleton, a->armed.skeleton_path, &err))
			status = cmd_fail(&err);
		if (lock >= 0)
			close(lock);
	}
	tfs_close(&tfs);
	return status;
}

int oops_arm(const struct cmd *self, int argc, char **argv)
{
	struct ftr_error err = {0};
	struct oops_arm_args a = {0};
	int first, status;

	plan_init(&a.p.plan);
	a.p.plan.purpose = PLAN_START;
	a.p.plan.notice = cmd_notice;
	a.p.plan.warn = cmd_warn;
	first = cmd_parse(self, argc, argv, &a, &status);
	if (first >= 0 && first < argc) {
		err_set(&err, FTR_USAGE, "unexpected word '%s'", argv[first]);
		err_hint(&err, "ftr oops arm -e EVENT");
		status = cmd_fail(&err);
	} else if (first >= 0 && oops_arm_allowed(&a.p, &err)) {
		status = cmd_fail(&err);
	} else if (first >= 0) {
		status = cmd_change(CHANGE_STANDS, set_up_armed, &a);
		if (!status) {
			print_armed(&a);
			status = a.watch ? watch_modules(&a) : FTR_OK;
		}
	}
	oops_armed_release(&a.armed);
	free(a.p.panic_timeout);
	plan_release(&a.p.plan);
	return status;
}

/* --- disarm */

struct oops_disarm_args {
	bool quiet;
};

const struct opt oops_disarm_options[] = {
	OPT_GROUP("Messages"),
	{ 'q', "quiet", NULL, "print errors and warnings only", cmd_set_quiet,
	  offsetof(struct oops_disarm_args, quiet) },
	OPT_END
};

int oops_disarm_now(const struct cmd *self, int argc, char **argv)
{
	struct ftr_error err = {0};
	struct strv others = {0};
	struct oops_disarm_args d = {0};
	struct tfs tfs;
	size_t i, n;
	int ret, status, first = cmd_parse(self, argc, argv, &d, &status);

	if (first < 0)
		return status;
	status = no_operands(self, first, argc, argv);
	if (status)
		return status;
	sig_hold();
	if (tfs_open(&tfs, &err))
		return cmd_fail(&err);
	ret = oops_disarm(&tfs, &n, &others, &err);
	for (i = 0; i < others.n; i++)
		cmd_notice("%s", others.v[i]);
	strv_release(&others);
	if (ret)
		status = cmd_fail(&err);
	else if (n)
		cmd_notice("put back %zu change%s", n, n == 1 ? "" : "s");
	else
		cmd_notice("nothing is armed");
	tfs_close(&tfs);
	return status;
}
