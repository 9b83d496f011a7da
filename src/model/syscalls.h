/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of system calls by their numbers, which records of raw_syscalls have. */
#ifndef FTR_MODEL_SYSCALLS_H
#define FTR_MODEL_SYSCALLS_H

#include <stdint.h>

enum syscall_arch {
	SYSCALL_UNKNOWN,
	SYSCALL_X86_64,
	SYSCALL_ARM64,
};

/* @machine as uname() calls it: "x86_64", "aarch64". NULL and all others are SYSCALL_UNKNOWN. */
enum syscall_arch syscall_arch_of(const char *machine);
/* The name of the kernel's headers, "read", as long as the program runs; NULL: there is none. */
const char *syscall_name(enum syscall_arch arch, uint64_t nr);

#endif
