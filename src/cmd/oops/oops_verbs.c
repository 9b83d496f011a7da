/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr oops: the table of its verbs. */
#include "cmd/oops/oops_verbs.h"

#include "cmd/frame/command_verbs.h"
#include "cmd/frame/text_import.h"

static const char *const examples[] = {
	"ftr oops arm --panic-on-oops --panic-timeout 10",
	"ftr oops parse console.log -o crash.dat",
	"ftr oops show crash.dat",
	NULL
};

static const struct cmd verbs[] = {
	{ .name = "arm", .usage = "[OPTIONS]",
	  .summary = "record into the kernel's buffer what is to survive a crash",
	  .options = oops_arm_options, .run = oops_arm },
	{ .name = "disarm", .usage = "[OPTIONS]",
	  .summary = "put back what arm changed",
	  .options = oops_disarm_options, .run = oops_disarm_now },
	{ .name = "status", .usage = "[OPTIONS]",
	  .summary = "show what of a trace would survive a crash now",
	  .options = oops_status_options, .run = oops_status },
	{ .name = "parse", .usage = "LOG|- -o FILE [--formats FILE|DIR]",
	  .summary = "make trace files of the dumps in a log",
	  .options = import_options, .run = import_run },
	{ .name = "show", .usage = "[OPTIONS] FILE",
	  .summary = "show what led to the oops of a trace file",
	  .options = oops_show_options, .run = oops_show },
	{ .name = "collect", .usage = "[OPTIONS]",
	  .summary = "take the trace of the boot that crashed out of the kernel",
	  .options = oops_collect_options, .run = oops_collect },
	{ .name = "cmdline", .usage = "[OPTIONS]",
	  .summary = "print boot arguments that keep a trace over a crash",
	  .options = oops_cmdline_options, .run = oops_cmdline },
	{ .name = "install", .usage = "[OPTIONS]",
	  .summary = "install files that collect and arm at each boot",
	  .options = oops_install_options, .run = oops_install },
	{ .name = "uninstall", .usage = "[OPTIONS]",
	  .summary = "remove what install wrote",
	  .options = oops_uninstall_options, .run = oops_uninstall },
	{ 0 }
};

const struct cmd cmd_oops = {
	.name = "oops",
	.usage = "VERB [OPTIONS] [WORDS]",
	.summary = "keep what led to a crash, and collect it afterwards",
	.examples = examples,
	.flags = CMD_EVERYDAY,
	.verbs = verbs,
	.run = verbs_run,
};
