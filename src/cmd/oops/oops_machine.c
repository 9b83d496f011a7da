/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options that tell of a machine that is to keep a trace over a crash. */
#include "cmd/oops/oops_machine.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "oops/boot/boot_arguments.h"

int machine_set_release(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct boot_machine *m = ctx;

	(void)o;
	if (!boot_kernel_of(arg) || strlen(arg) >= sizeof(m->release))
		return err_set(err, FTR_USAGE, "--kernel takes a release as 6.12.1, not '%s'", arg);
	snprintf(m->release, sizeof(m->release), "%s", arg);
	return 0;
}

int machine_set_cpus(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct boot_machine *m = ctx;
	int64_t n;

	(void)o;
	if (text_number(arg, 1, LIMIT_CPUS, &n))
		return err_set(err, FTR_USAGE, "--cpus takes a number up to %d, not '%s'",
			       LIMIT_CPUS, arg);
	m->cpus = n;
	return 0;
}

int machine_set_memory(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct boot_machine *m = ctx;

	(void)o;
	return text_size(arg, 1, &m->memory) || !m->memory ?
		err_set(err, FTR_USAGE, "--memory takes a size as 16G, not '%s'", arg) : 0;
}

int machine_set_cpu_kb(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct boot_machine *m = ctx;
	uint64_t bytes;

	(void)o;
	if (text_size(arg, 1024, &bytes) || bytes < 16 * 1024 || bytes > 1ull << 40)
		return err_set(err, FTR_USAGE, "-b takes KiB a CPU, 16 at least, not '%s'", arg);
	m->cpu_kb = bytes / 1024;
	return 0;
}
