/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's boot arguments by which a trace survives a crash. */
#ifndef FTR_OOPS_BOOT_BOOT_ARGUMENTS_H
#define FTR_OOPS_BOOT_BOOT_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

enum { BOOT_CPU_KB = 1024 };		/* default size of a CPU's buffer */

/* Zero or empty members, except ->cpu_kb, mean those of this machine. */
struct boot_machine {
	char     release[65];		/* as 'uname -r' prints it */
	uint32_t kernel;		/* of the release: 6.12 is 60012 */
	uint64_t cpus, memory;		/* memory in bytes */
	uint64_t cpu_kb;
};

/* ->kernel of a release as 6.12.1; 0 if the text is none. */
uint32_t boot_kernel_of(const char *release);
/* Sets the members that are not set. -1 with @err: the machine's memory is too small. */
int boot_machine_complete(struct boot_machine *m, struct ftr_error *err);
/*
 * Gets the next argument in @word, and its reason, some lines, in *reason. *i starts at 0. False if
 * there are no more.
 */
bool boot_argument_next(const struct boot_machine *m, size_t *i, struct buf *word,
			const char **reason);
/* Appends all arguments, separated by blanks. */
void boot_arguments_line(const struct boot_machine *m, struct buf *out);

#endif
