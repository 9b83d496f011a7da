/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of system calls: a part of what 'ausyscall --dump' of audit 3.0.9 lists, whose tables are its own. */
#include "model/model_priv.h"

#include "tap.h"

#define COUNT(v) (sizeof(v) / sizeof((v)[0]))

static const struct {
	enum syscall_arch arch;
	uint64_t nr;
	const char *name;
} listed[] = {
	{ SYSCALL_X86_64, 0, "read" },
	{ SYSCALL_X86_64, 1, "write" },
	{ SYSCALL_X86_64, 12, "brk" },
	{ SYSCALL_X86_64, 15, "rt_sigreturn" },
	{ SYSCALL_X86_64, 24, "sched_yield" },
	{ SYSCALL_X86_64, 36, "getitimer" },
	{ SYSCALL_X86_64, 48, "shutdown" },
	{ SYSCALL_X86_64, 59, "execve" },
	{ SYSCALL_X86_64, 60, "exit" },
	{ SYSCALL_X86_64, 72, "fcntl" },
	{ SYSCALL_X86_64, 84, "rmdir" },
	{ SYSCALL_X86_64, 96, "gettimeofday" },
	{ SYSCALL_X86_64, 108, "getegid" },
	{ SYSCALL_X86_64, 120, "getresgid" },
	{ SYSCALL_X86_64, 132, "utime" },
	{ SYSCALL_X86_64, 144, "sched_setscheduler" },
	{ SYSCALL_X86_64, 156, "_sysctl" },
	{ SYSCALL_X86_64, 168, "swapoff" },
	{ SYSCALL_X86_64, 180, "nfsservctl" },
	{ SYSCALL_X86_64, 192, "lgetxattr" },
	{ SYSCALL_X86_64, 202, "futex" },
	{ SYSCALL_X86_64, 204, "sched_getaffinity" },
	{ SYSCALL_X86_64, 216, "remap_file_pages" },
	{ SYSCALL_X86_64, 228, "clock_gettime" },
	{ SYSCALL_X86_64, 231, "exit_group" },
	{ SYSCALL_X86_64, 240, "mq_open" },
	{ SYSCALL_X86_64, 252, "ioprio_get" },
	{ SYSCALL_X86_64, 257, "openat" },
	{ SYSCALL_X86_64, 264, "renameat" },
	{ SYSCALL_X86_64, 276, "tee" },
	{ SYSCALL_X86_64, 288, "accept4" },
	{ SYSCALL_X86_64, 300, "fanotify_init" },
	{ SYSCALL_X86_64, 312, "kcmp" },
	{ SYSCALL_X86_64, 324, "membarrier" },
	{ SYSCALL_X86_64, 425, "io_uring_setup" },
	{ SYSCALL_X86_64, 435, "clone3" },
	{ SYSCALL_X86_64, 437, "openat2" },
	{ SYSCALL_X86_64, 449, "futex_waitv" },
	{ SYSCALL_X86_64, 450, "set_mempolicy_home_node" },
	{ SYSCALL_ARM64, 0, "io_setup" },
	{ SYSCALL_ARM64, 12, "llistxattr" },
	{ SYSCALL_ARM64, 24, "dup3" },
	{ SYSCALL_ARM64, 36, "symlinkat" },
	{ SYSCALL_ARM64, 48, "faccessat" },
	{ SYSCALL_ARM64, 56, "openat" },
	{ SYSCALL_ARM64, 60, "quotactl" },
	{ SYSCALL_ARM64, 63, "read" },
	{ SYSCALL_ARM64, 64, "write" },
	{ SYSCALL_ARM64, 72, "pselect6" },
	{ SYSCALL_ARM64, 84, "sync_file_range" },
	{ SYSCALL_ARM64, 93, "exit" },
	{ SYSCALL_ARM64, 94, "exit_group" },
	{ SYSCALL_ARM64, 96, "set_tid_address" },
	{ SYSCALL_ARM64, 98, "futex" },
	{ SYSCALL_ARM64, 108, "timer_gettime" },
	{ SYSCALL_ARM64, 120, "sched_getscheduler" },
	{ SYSCALL_ARM64, 132, "sigaltstack" },
	{ SYSCALL_ARM64, 139, "rt_sigreturn" },
	{ SYSCALL_ARM64, 144, "setgid" },
	{ SYSCALL_ARM64, 156, "getsid" },
	{ SYSCALL_ARM64, 168, "getcpu" },
	{ SYSCALL_ARM64, 180, "mq_open" },
	{ SYSCALL_ARM64, 192, "semtimedop" },
	{ SYSCALL_ARM64, 204, "getsockname" },
	{ SYSCALL_ARM64, 216, "mremap" },
	{ SYSCALL_ARM64, 221, "execve" },
	{ SYSCALL_ARM64, 228, "mlock" },
	{ SYSCALL_ARM64, 240, "rt_tgsigqueueinfo" },
	{ SYSCALL_ARM64, 268, "setns" },
	{ SYSCALL_ARM64, 280, "bpf" },
	{ SYSCALL_ARM64, 292, "io_pgetevents" },
	{ SYSCALL_ARM64, 433, "fspick" },
	{ SYSCALL_ARM64, 435, "clone3" },
	{ SYSCALL_ARM64, 445, "landlock_add_rule" },
	{ SYSCALL_ARM64, 450, "set_mempolicy_home_node" },
};

/* Newer than audit 3.0.9; the numbers are those of all architectures. */
static const struct {
	uint64_t nr;
	const char *name;
} common[] = {
	{ 435, "clone3" }, { 451, "cachestat" }, { 462, "mseal" }, { 470, "listns" },
};

/* Nothing has these: gaps of the tables, what is behind their ends, -1 of a call that was skipped. */
static const struct {
	enum syscall_arch arch;
	uint64_t nr;
} without[] = {
	{ SYSCALL_X86_64, 337 }, { SYSCALL_X86_64, 423 }, { SYSCALL_X86_64, 512 },
	{ SYSCALL_X86_64, 0x40000000 }, { SYSCALL_X86_64, UINT64_MAX }, { SYSCALL_ARM64, 244 },
	{ SYSCALL_ARM64, 403 }, { SYSCALL_ARM64, 512 }, { SYSCALL_ARM64, UINT64_MAX },
	{ SYSCALL_UNKNOWN, 0 }, { SYSCALL_UNKNOWN, 1 },
};

/* Whether @want is what @arch has; NULL: nothing. */
static int is_called(enum syscall_arch arch, uint64_t nr, const char *want)
{
	const char *got = syscall_name(arch, nr);

	if (want && got ? !strcmp(want, got) : want == got)
		return 1;
	printf("# %d, %" PRIu64 ": wanted %s, got %s\n", arch, nr, want ? want : "none", got ? got : "none");
	return 0;
}

static void test_names(void)
{
	int bad = 0;
	size_t i;

	for (i = 0; i < COUNT(listed); i++)
		bad += !is_called(listed[i].arch, listed[i].nr, listed[i].name);
	for (i = 0; i < COUNT(common); i++) {
		bad += !is_called(SYSCALL_X86_64, common[i].nr, common[i].name);
		bad += !is_called(SYSCALL_ARM64, common[i].nr, common[i].name);
	}
	TAP_EQ(bad, 0, "system calls have the names that audit and the kernel give them");
	for (i = bad = 0; i < COUNT(without); i++)
		bad += !is_called(without[i].arch, without[i].nr, NULL);
	TAP_EQ(bad, 0, "numbers that nothing has have no name");
}

static void test_machines(void)
{
	TAP_EQ(syscall_arch_of("x86_64"), SYSCALL_X86_64, "x86_64");
	TAP_EQ(syscall_arch_of("aarch64"), SYSCALL_ARM64, "aarch64");
	TAP_EQ(syscall_arch_of("i686"), SYSCALL_UNKNOWN, "another machine");
	TAP_EQ(syscall_arch_of(""), SYSCALL_UNKNOWN, "a machine without a name");
	TAP_EQ(syscall_arch_of(NULL), SYSCALL_UNKNOWN, "no machine");
}

int main(void)
{
	test_names();
	test_machines();
	return tap_done();
}
