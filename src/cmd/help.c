/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr help: lists the commands, explains one, and completes words for shells. */
#include <stdio.h>

#include "base/mem.h"
#include "base/text.h"
#include "cmd/command_table.h"
#include "cmd/frame/command.h"
#include "cmd/frame/command_verbs.h"
#include "cmd/frame/trace_cmd.h"

struct help_args {
	const char *completion;
	bool all, complete, options, trace_cmd;
};

#define AT(member) offsetof(struct help_args, member)
static const struct opt options[] = {
	{ 'a', "all", NULL, "list every command, and the options before it", opt_flag, AT(all) },
	OPT_GROUP("For shells and scripts"),
	{ 0, "completion", "SHELL", "print the completion for bash, zsh or fish", opt_str,
	  AT(completion) },
	{ 0, "complete", NULL, "print what can complete the last of WORDS",
	  opt_flag, AT(complete) },
	{ 0, "options", NULL, "print all options of all commands, separated by tabs",
	  opt_flag, AT(options) },
	{ 0, "trace-cmd", NULL, "print what ftr calls otherwise than trace-cmd, with tabs",
	  opt_flag, AT(trace_cmd) },
	OPT_END
};

static const char *const examples[] = {
	"ftr help                   the everyday commands",
	"ftr help -a                every command",
	"ftr help record            what 'ftr record' takes, as 'ftr record -h' does",
	"man ftr-record             the same at length",
	NULL
};

static int for_shells(const struct help_args *h, char **words, int n)
{
	struct ftr_error err = {0};
	struct buf out = {0};
	const char *script = "";

	if (h->completion)
		script = complete_script(h->completion, &err);
	if (!script)
		return cmd_fail(&err);
	buf_addstr(&out, script);
	if (h->complete)
		complete_words(words, n, &out);
	if (h->options)
		complete_option_table(&out);
	if (h->trace_cmd)
		trace_cmd_table(&out);
	fwrite(out.data, 1, out.len, stdout);
	buf_release(&out);
	return FTR_OK;
}

static int run_help(const struct cmd *self, int argc, char **argv)
{
	struct ftr_error err = {0};
	const struct cmd *c;
	struct cmd verb;
	struct help_args h = {0};
	int status, first = cmd_parse(self, argc, argv, &h, &status);

	if (first < 0)
		return status;
	if (h.completion || h.complete || h.options || h.trace_cmd)
		return for_shells(&h, argv + first, argc - first);
	if (first == argc) {
		cmd_print_overview(h.all);
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
	.usage = "[-a | COMMAND [VERB] | OPTION [-- WORDS]]",
	.summary = "list the commands, or explain one",
	.examples = examples,
	.options = options,
	.run = run_help,
};
