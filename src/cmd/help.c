/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr help: what there is, and how a command is used. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/table.h"
#include "cmd/verbs.h"

static const struct opt options[] = {
	OPT_END
};

static const char *const examples[] = {
	"ftr help                   the commands",
	"ftr help record            what 'ftr record' takes, as 'ftr record -h' does",
	"man ftr-record             the same at length",
	NULL
};

static int run_help(const struct cmd *self, int argc, char **argv)
{
	struct ftr_error err = {0};
	const struct cmd *c;
	struct cmd verb;
	int status, first = cmd_parse(self, argc, argv, NULL, &status);

	if (first < 0)
		return status;
	if (first == argc) {
		cmd_print_overview();
		return FTR_OK;
	}
	c = cmd_find(argv[first], &err);
	if (!c)
		return cmd_fail(&err);
	if (c->verbs && first + 1 < argc) {
		if (verbs_find(c, argv[first + 1], &verb, &err))
			return cmd_fail(&err);
		c = &verb;
	}
	cmd_print_help(c);
	return FTR_OK;
}

const struct cmd cmd_help = {
	.name = "help",
	.usage = "[COMMAND [VERB]]",
	.summary = "list the commands, or explain one",
	.examples = examples,
	.options = options,
	.run = run_help,
};
