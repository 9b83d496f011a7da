/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drives a session in a guest: a wide plan, then a normal end, an error half-way, or death. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tracefs/session/session.h"
#include "tracefs/state/buffer_idle.h"

enum how { SET, LIST, APPEND, OPTION, TRIGGER };

/* One step; LIST and APPEND take words. */
struct step {
	enum how how;
	const char *file, *value;
	bool top_only;
};

static const struct step plan[] = {
	{ SET, "tracing_on", "0", false },
	{ SET, "buffer_size_kb", "3000", false },
	{ SET, "per_cpu/cpu0/buffer_size_kb", "700", false },
	{ SET, "buffer_subbuf_size_kb", "16", false },
	{ SET, "buffer_percent", "10", false },
	{ SET, "trace_clock", "mono", false },
	{ SET, "tracing_cpumask", "2", false },
	{ OPTION, "sym-addr", "1", false },
	{ OPTION, "sym-offset", "0", false },
	{ OPTION, "annotate", "0", false },
	{ OPTION, "overwrite", "0", false },
	{ OPTION, "record-tgid", "1", false },
	{ OPTION, "event-fork", "1", false },
	{ OPTION, "function-fork", "1", false },
	{ OPTION, "func_stack_trace", "1", false },
	{ OPTION, "funcgraph-proc", "1", true },
	{ OPTION, "funcgraph-cpu", "0", true },
	{ SET, "trace_options", "verbose", false },
	{ SET, "trace_options", "noirq-info", false },
	{ LIST, "set_event_pid", "1 77", false },
	{ APPEND, "set_event_pid", "78", false },
	{ LIST, "set_event_notrace_pid", "5", false },
	{ LIST, "set_ftrace_pid", "1 2 3", false },
	{ LIST, "set_ftrace_notrace_pid", "4", false },
	{ LIST, "set_ftrace_filter", "vfs_read vfs_write ksys_*", false },
	{ APPEND, "set_ftrace_filter", "vfs_rmdir vfs_mkdir nfs_*:mod:nfs", false },
	{ APPEND, "set_ftrace_filter", "vfs_unlink:stacktrace:3 vfs_rename:enable_event:irq:irq_handler_exit",
	  false },
	{ LIST, "set_ftrace_notrace", "vfs_statx *lock*", false },
	{ LIST, "set_graph_function", "vfs_open vfs_read", true },
	{ LIST, "set_graph_notrace", "vfs_write", true },
	{ SET, "max_graph_depth", "3", true },
	{ SET, "tracing_thresh", "10", true },
	{ SET, "saved_cmdlines_size", "20000", true },
	{ SET, "events/sched/enable", "1", false },
	{ SET, "events/timer/timer_start/enable", "1", false },
	{ SET, "events/kmem/kfree/enable", "1", false },
	{ SET, "events/kmem/enable", "1", false },
	{ SET, "events/irq/enable", "0", false },
	{ SET, "events/sched/filter", "common_pid != 0", false },
	{ SET, "events/sched/sched_switch/filter", "prev_pid == 1", false },
	{ SET, "events/irq/irq_handler_entry/filter", "irq < 3", false },
	{ APPEND, "set_event", "workqueue:workqueue_queue_work", false },
	{ TRIGGER, "sched/sched_wakeup", "traceoff:3 if pid == 99999", false },
	{ TRIGGER, "sched/sched_waking", "stacktrace", false },
	{ TRIGGER, "sched/sched_waking", "hist:keys=pid:vals=hitcount if prio < 5", false },
	{ TRIGGER, "sched/sched_switch", "enable_event:kmem:kfree:2 if prev_pid == 99999", false },
	{ SET, "current_tracer", "function_graph", true },
	{ SET, "tracing_on", "1", false },
};

#define N_PLAN (sizeof(plan) / sizeof(*plan))

static const char *const buffers[] = { NULL, "drive", "dirty0", "dirty1", "dirty2" };

static int step(struct session *s, const char *instance, const struct step *p, struct ftr_error *err)
{
	struct strv words = {0};
	int ret = -1;

	switch (p->how) {
	case SET:
		ret = session_set(s, instance, p->file, p->value, err);
		break;
	case OPTION:
		ret = session_option(s, instance, p->file, *p->value == '1', err);
		break;
	case TRIGGER:
		ret = session_trigger(s, instance, p->file, p->value, err);
		break;
	case LIST:
	case APPEND:
		strv_split(&words, p->value, " ");
		ret = p->how == LIST ? session_set_list(s, instance, p->file, &words, err)
				     : session_append(s, instance, p->file, &words, err);
		strv_release(&words);
	}
	return ret;
}

/* What a kernel does not have is not a failure: sub-buffer sizes came after 6.1. */
static bool absent(struct session *s, const struct step *p)
{
	return p->how == SET && !tfs_exists(session_tfs(s), NULL, p->file);
}

static int apply(struct session *s, size_t n_steps)
{
	struct ftr_error err;
	bool made;
	size_t b, i;
	int failed = 0;

	if (session_instance(s, "drive", &made, &err) || !made)
		printf("# instance: %s\n", err.msg);
	for (b = 0; b < sizeof(buffers) / sizeof(*buffers); b++) {
		char path[64];

		snprintf(path, sizeof(path), "instances/%s", buffers[b] ? buffers[b] : "");
		if (buffers[b] && !tfs_exists(session_tfs(s), NULL, path))
			continue;
		for (i = 0; i < n_steps; i++) {
			if ((buffers[b] && plan[i].top_only) || absent(s, &plan[i]))
				continue;
			if (!step(s, buffers[b], &plan[i], &err))
				continue;
			printf("# %s %s=%s: %s\n", buffers[b] ? buffers[b] : "top", plan[i].file,
			       plan[i].value, err.msg);
			failed++;
		}
	}
	return failed;
}

static int finish(struct session *s)
{
	struct ftr_error err = {0};
	struct timespec a, b;
	int ret;

	clock_gettime(CLOCK_MONOTONIC, &a);
	ret = session_close(s, &err);
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("# closed in %ld ms\n", (b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000);
	if (ret)
		printf("# close: %s\n", err.msg);
	return ret;
}

static int recover(struct tfs *t)
{
	struct ftr_error err = {0};
	struct strv list = {0};
	size_t i;
	int ret = session_dead_journals(&list, &err);

	for (i = 0; !ret && i < list.n; i++)
		ret = session_recover(t, list.v[i], &err);
	printf("journals %zu\n", list.n);
	if (ret)
		printf("# recover: %s\n", err.msg);
	strv_release(&list);
	return ret;
}

/* Prints "msg / hint" of what is refused. */
static void refusals(struct session *s)
{
	static const struct { const char *instance; struct step step; } bad[] = {
		{ NULL, { SET, "current_tracer", "functoin", false } },
		{ NULL, { SET, "trace_clock", "mon", false } },
		{ NULL, { OPTION, "sym-adr", "1", false } },
		{ NULL, { LIST, "set_ftrace_filter", "vfs_raed", false } },
		{ NULL, { LIST, "set_graph_function", "vfs_wirte", false } },
		{ NULL, { SET, "events/sched/sched_switch/filter", "prev_pid == 1 && bogus", false } },
		{ NULL, { TRIGGER, "sched/sched_switch", "hist:keys=nokey", false } },
		{ NULL, { SET, "no_such_file", "1", false } },
		{ "nowhere", { SET, "tracing_on", "1", false } },
		{ "drive", { SET, "max_graph_depth", "1", false } },
		{ NULL, { SET, "buffer_size_kb", "many", false } },
	};
	struct ftr_error err;
	bool made;
	size_t i;

	session_instance(s, "drive", &made, &err);
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		err = (struct ftr_error){0};
		if (!step(s, bad[i].instance, &bad[i].step, &err))
			printf("%s: taken\n", bad[i].step.file);
		else
			printf("%s: %s | %s\n", bad[i].step.file, err.msg, err.hint);
	}
}

static int drive(struct tfs *t, struct session *s, const char *mode)
{
	struct ftr_error err = {0};
	int failed = 0;

	if (!strcmp(mode, "plan")) {
		failed = apply(s, N_PLAN);
	} else if (!strcmp(mode, "half")) {
		failed = apply(s, N_PLAN / 2);
		if (!session_set(s, NULL, "events/sched/no_such_event/enable", "1", &err))
			failed++;
	} else if (!strcmp(mode, "kill")) {
		failed = apply(s, N_PLAN);
		fflush(stdout);
		if (!failed)
			kill(getpid(), SIGKILL);
	} else if (!strcmp(mode, "refusals")) {
		refusals(s);
	} else if (!strcmp(mode, "all-functions")) {
		failed = session_set(s, NULL, "set_ftrace_filter", "vfs_read", &err) != 0;
	} else if (!strcmp(mode, "hold")) {
		failed = session_lock_global(s, &err) != 0;
		puts("held");
		fflush(stdout);
		pause();
	} else if (!strcmp(mode, "lock")) {
		failed = session_lock_global(s, &err) != 0;
		printf("%s\n", failed ? err.msg : "locked");
	} else if (!strcmp(mode, "keep")) {
		failed = session_set(s, NULL, "max_graph_depth", "9", &err) != 0;
		session_keep(s, NULL);
	} else if (!strcmp(mode, "instance")) {
		bool made;

		failed = session_instance(s, "drive", &made, &err) ||
			 session_set(s, "drive", "current_tracer", "function", &err);
	} else if (!strcmp(mode, "module-events")) {
		struct strv words = {0};

		strv_add(&words, ":mod:nothing");
		strv_add(&words, "irq:irq_handler_entry");
		failed = session_append(s, NULL, "set_event", &words, &err) != 0;
		strv_release(&words);
	} else if (!strcmp(mode, "idle")) {
		char *why;

		tfs_idle(t, NULL, &why);
		printf("%s\n", why ? why : "idle");
		free(why);
	}
	return failed;
}

int main(int argc, char **argv)
{
	struct ftr_error err = {0};
	struct session *s;
	struct tfs t;
	int failed;

	if (argc < 2 || tfs_open(&t, &err)) {
		printf("# %s (%s)\n", err.msg, err.hint);
		return 1;
	}
	if (!strcmp(argv[1], "recover"))
		return recover(&t) ? 1 : 0;
	s = session_open(&t, &err);
	if (!s) {
		printf("# %s\n", err.msg);
		return 1;
	}
	failed = drive(&t, s, argv[1]);
	failed |= finish(s) != 0;
	tfs_close(&t);
	return failed ? 1 : 0;
}
