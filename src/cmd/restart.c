/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr restart: sets tracing_on of buffers to 1. */
#include <stddef.h>

#include "cmd/frame/tracefs_change.h"

static const struct opt options[] = {
	OPT_GROUP("Which buffers"),
	BUFFER_OPTS,
	OPT_END
};

static const char *const examples[] = {
	"ftr restart             the top level",
	"ftr restart -B net      an instance",
	"ftr restart -a -t       everything",
	NULL
};

static int run_restart(const struct cmd *self, int argc, char **argv)
{
	return buffers_switch(self, argc, argv, true);
}

const struct cmd cmd_restart = {
	.name = "restart",
	.usage = "[OPTIONS]",
	.summary = "record into the buffer again, after ftr stop",
	.examples = examples,
	.options = options,
	.run = run_restart,
};
