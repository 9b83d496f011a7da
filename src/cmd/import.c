/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr import: makes trace files of a text. */
#include <stddef.h>

#include "cmd/frame/text_import.h"

static const char *const examples[] = {
	"ftr import trace.txt -o trace.dat",
	"ftr import console.log -o crash.dat --formats trace.dat",
	"ssh host cat /sys/kernel/tracing/trace | ftr import - -o host.dat",
	NULL
};

const struct cmd cmd_import = {
	.name = "import",
	.usage = "TEXT|- -o FILE [--formats FILE|DIR]",
	.summary = "make trace files of a text that ftrace printed",
	.examples = examples,
	.options = import_options,
	.run = import_run,
};
