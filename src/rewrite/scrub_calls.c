/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events raw_syscalls: arguments without a type, whose meaning follows from the number of the
 * system call. Large numbers are replaced as addresses, but for those that are pids or users here.
 */
#include <string.h>

#include "event/tables/syscall_table.h"
#include "rewrite/scrub_priv.h"

#define RET	(1 << 6)	/* in a mask of arguments: the value that the call returns */
#define NR_ARGS 6
#define COUNT(v) (sizeof(v) / sizeof((v)[0]))

static const struct {
	const char *name;
	uint8_t pids, users;		/* bit n: argument n */
} kinds[] = {
	{ "kill", 1, 0 }, { "tkill", 1, 0 }, { "tgkill", 3, 0 }, { "rt_sigqueueinfo", 1, 0 },
	{ "rt_tgsigqueueinfo", 3, 0 }, { "wait4", 1 | RET, 0 }, { "waitid", 2, 0 },
	{ "getpid", RET, 0 }, { "gettid", RET, 0 }, { "getppid", RET, 0 }, { "getpgrp", RET, 0 },
	{ "getpgid", 1 | RET, 0 }, { "setpgid", 3, 0 }, { "getsid", 1 | RET, 0 },
	{ "setsid", RET, 0 }, { "fork", RET, 0 }, { "vfork", RET, 0 }, { "clone", RET, 0 },
	{ "clone3", RET, 0 }, { "set_tid_address", RET, 0 }, { "ptrace", 2, 0 },
	{ "sched_setparam", 1, 0 }, { "sched_getparam", 1, 0 }, { "sched_setscheduler", 1, 0 },
	{ "sched_getscheduler", 1, 0 }, { "sched_rr_get_interval", 1, 0 },
	{ "sched_setaffinity", 1, 0 }, { "sched_getaffinity", 1, 0 }, { "sched_setattr", 1, 0 },
	{ "sched_getattr", 1, 0 }, { "getpriority", 2, 0 }, { "setpriority", 2, 0 },
	{ "ioprio_get", 2, 0 }, { "ioprio_set", 2, 0 }, { "prlimit64", 1, 0 },
	{ "get_robust_list", 1, 0 }, { "migrate_pages", 1, 0 }, { "move_pages", 1, 0 },
	{ "process_vm_readv", 1, 0 }, { "process_vm_writev", 1, 0 }, { "kcmp", 3, 0 },
	{ "perf_event_open", 2, 0 }, { "pidfd_open", 1, 0 },
	{ "getuid", 0, RET }, { "geteuid", 0, RET }, { "getgid", 0, RET }, { "getegid", 0, RET },
	{ "setuid", 0, 1 }, { "setgid", 0, 1 }, { "setreuid", 0, 3 }, { "setregid", 0, 3 },
	{ "setresuid", 0, 7 }, { "setresgid", 0, 7 }, { "setfsuid", 0, 1 | RET },
	{ "setfsgid", 0, 1 | RET }, { "chown", 0, 6 }, { "fchown", 0, 6 }, { "lchown", 0, 6 },
	{ "fchownat", 0, 12 },
};

/* Stores the table of the recorded machine. Returns its length, 0 if it is not known. */
static size_t calls_of_machine(const struct trace *t, const char *const **calls)
{
	const struct dat_option *o = dat_option(t->dat, DAT_UNAME);
	size_t len = o ? strnlen(o->data.p, o->data.len) : 0;

	*calls = calls_x86_64;
	if (len > 7 && !memcmp(o->data.p + len - 7, " x86_64", 7))
		return COUNT(calls_x86_64);
	*calls = calls_arm64;
	if (len > 8 && !memcmp(o->data.p + len - 8, " aarch64", 8))
		return COUNT(calls_arm64);
	return 0;
}

/* Returns the row of the call @nr plus 1, 0 if its arguments are neither pids nor users. */
static uint8_t call_kind(const char *name)
{
	for (size_t i = 0; name && i < COUNT(kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return i + 1;
	return 0;
}

void scrub_calls_find(struct scrub_run *s)
{
	const char *const *calls;
	size_t n = calls_of_machine(s->t, &calls);

	for (size_t nr = 0; nr < n && nr < SCRUB_CALLS; nr++)
		s->calls[nr] = call_kind(calls[nr]);
}

void scrub_call(struct scrub_run *s, const struct scrub_op *op, uint64_t nr, uint8_t *p,
		uint32_t len)
{
	uint8_t row = nr < SCRUB_CALLS ? s->calls[nr] : 0, bit;
	uint8_t pids = row ? kinds[row - 1].pids : 0, users = row ? kinds[row - 1].users : 0;
	bool is_ret = len == op->elem;
	struct scrub_op one = *op;
	uint32_t i;

	for (i = 0; (i + 1) * op->elem <= len; i++) {
		bit = is_ret ? RET : i < NR_ARGS ? 1 << i : 0;
		one.how = pids & bit ? is_ret ? SCRUB_PID_RET : SCRUB_PID :
			  users & bit ? SCRUB_USER : SCRUB_ADDRESS;
		scrub_apply(s, &one, p + i * op->elem, op->elem);
	}
}
