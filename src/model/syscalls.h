/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of system calls by number, for records of raw_syscalls. */
#ifndef FTR_MODEL_SYSCALLS_H
#define FTR_MODEL_SYSCALLS_H

#include <stdint.h>

enum syscall_arch {
	SYSCALL_UNKNOWN,
	SYSCALL_X86_64,
	SYSCALL_ARM64,
};

/* @machine as in uname(): "x86_64", "aarch64". NULL and all others give SYSCALL_UNKNOWN. */
enum syscall_arch syscall_arch_of(const char *machine);
/* The name in the kernel's headers, "read", as a static string; NULL if there is none. */
const char *syscall_name(enum syscall_arch arch, uint64_t nr);

#endif
