/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr stop: sets tracing_on of buffers to 0. */
#include <stddef.h>

#include "cmd/frame/tracefs_change.h"

static const struct opt options[] = {
	OPT_GROUP("Which buffers"),
	BUFFER_OPTS,
	OPT_END
};

static const char *const examples[] = {
	"ftr stop             the top level",
	"ftr stop -B net      an instance",
	"ftr stop -a -t       everything",
	NULL
};

static int run_stop(const struct cmd *self, int argc, char **argv)
{
	return buffers_switch(self, argc, argv, false);
}

const struct cmd cmd_stop = {
	.name = "stop",
	.usage = "[OPTIONS]",
	.summary = "stop recording into the buffer; the setup and the data stay",
	.examples = examples,
	.options = options,
	.flags = CMD_EVERYDAY,
	.run = run_stop,
};
