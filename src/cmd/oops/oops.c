/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr oops: what led to an oops, out of what survives it. */
#include "cmd/oops/oops.h"

#include "cmd/frame/verbs.h"

static const char *const examples[] = {
	"ftr oops parse console.log",
	"ftr oops parse -",
	"dmesg | ftr oops parse -",
	NULL
};

static const struct cmd verbs[] = {
	{ .name = "parse", .usage = "[OPTIONS] LOG|-",
	  .summary = "find the kernel's dumps of the trace in a log",
	  .options = oops_parse_options, .run = oops_parse },
	{ .name = "cmdline", .usage = "[OPTIONS]",
	  .summary = "print boot arguments that keep a trace over a crash",
	  .options = oops_cmdline_options, .run = oops_cmdline },
	{ 0 }
};

const struct cmd cmd_oops = {
	.name = "oops",
	.usage = "VERB [OPTIONS] [WORDS]",
	.summary = "take traces out of a crash",
	.examples = examples,
	.verbs = verbs,
	.run = verbs_run,
};
