/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options that tell of a machine that is to keep a trace over a crash. */
#ifndef FTR_CMD_OOPS_OOPS_MACHINE_H
#define FTR_CMD_OOPS_OOPS_MACHINE_H

#include "base/opt.h"

/* Setters of rows whose ctx begins with a struct boot_machine. */
int machine_set_release(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int machine_set_cpus(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int machine_set_memory(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int machine_set_cpu_kb(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);

#define MACHINE_OPT_BUFFER								\
	{ 'b', "buffer-size", "SIZE",							\
	  "set each CPU's buffer size: 4M; a plain number is KiB (1M)",	\
	  machine_set_cpu_kb, 0 }
#define MACHINE_OPTS_OTHER								\
	OPT_GROUP("For another machine"),					\
	{ 0, "kernel", "RELEASE", "for this kernel, as 'uname -r' prints it",		\
	  machine_set_release, 0 },							\
	{ 0, "cpus", "N", "the machine has N CPUs", machine_set_cpus, 0 },			\
	{ 0, "memory", "SIZE", "the machine has SIZE of memory, as 16G", machine_set_memory, 0 }

#endif
