/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/syscalls.h"

#include <stddef.h>
#include <string.h>

#include "model/syscall_table.h"

#define COUNT(v) (sizeof(v) / sizeof((v)[0]))

static const struct {
	const char *machine;
	const char *const *calls;
	size_t n;
} arches[] = {
	[SYSCALL_UNKNOWN] = { "", NULL, 0 },
	[SYSCALL_X86_64] = { "x86_64", calls_x86_64, COUNT(calls_x86_64) },
	[SYSCALL_ARM64] = { "aarch64", calls_arm64, COUNT(calls_arm64) },
};

enum syscall_arch syscall_arch_of(const char *machine)
{
	size_t i;

	for (i = SYSCALL_UNKNOWN + 1; machine && i < COUNT(arches); i++) {
		if (!strcmp(machine, arches[i].machine))
			return i;
	}
	return SYSCALL_UNKNOWN;
}

const char *syscall_name(enum syscall_arch arch, uint64_t nr)
{
	return nr < arches[arch].n ? arches[arch].calls[nr] : NULL;
}
