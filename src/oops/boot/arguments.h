/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a kernel is to be booted with, so that a trace outlives a crash. */
#ifndef FTR_OOPS_ARGUMENTS_H
#define FTR_OOPS_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

enum { BOOT_CPU_KB = 1024 };		/* of a CPU's buffer, when nobody says it */

/* Zero or empty, but for cpu_kb: that of the machine that we are on. */
struct boot_machine {
	char     release[65];		/* as 'uname -r' prints it */
	uint32_t kernel;		/* of the release: 6.12 is 60012 */
	uint64_t cpus, memory;		/* memory in bytes */
	uint64_t cpu_kb;
};

/* Of a release as 6.12.1; 0 when it is none. */
uint32_t boot_kernel_of(const char *release);
/* Fills in what is not set. -1 with @err: its memory is too small for such a trace. */
int boot_machine_complete(struct boot_machine *m, struct ftr_error *err);
/*
 * The next argument, from *i, which begins at 0, in @word; *reason: some lines. False: there is
 * none left.
 */
bool boot_argument_next(const struct boot_machine *m, size_t *i, struct buf *word,
			const char **reason);
/* Appends all of them, a blank between two. */
void boot_arguments_line(const struct boot_machine *m, struct buf *out);

#endif
