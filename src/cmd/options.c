/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr options: trace options with their values, and setting them. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/frame/change.h"
#include "cmd/frame/cmd.h"
#include "tracefs/state/options.h"

struct options_args {
	const char *instance;
	bool changed, json;
	char **words;
	int nr_words;
};

#define AT(member) offsetof(struct options_args, member)
static const struct opt options[] = {
	OPT_GROUP("Where"),
	{ 'B', "buffer", "INSTANCE", "use INSTANCE instead of the top level",
	  opt_str, AT(instance) },
	OPT_GROUP("Output"),
	{ 0, "changed", NULL, "print only those that differ from a fresh kernel",
	  opt_flag, AT(changed) },
	{ 0, "json", NULL, "print JSON", opt_flag, AT(json) },
	OPT_END
};

static const char *const examples[] = {
	"ftr options                          what they are, and in a fresh kernel",
	"ftr options sym-offset nooverwrite   set one, clear another",
	"ftr options -B mine stacktrace=on    in an instance",
	NULL
};

/* --- show */

static const char *const usual_names[] = {
	[OPTION_OFF] = "off", [OPTION_ON] = "on", [OPTION_UNKNOWN] = "?",
};

static bool option_differs(const struct trace_option *o)
{
	return o->usual != OPTION_UNKNOWN && o->on != (o->usual == OPTION_ON);
}

static void print_options_text(const struct trace_options *all, bool changed)
{
	size_t i;

	printf("%-24s%-8s%-10s%s\n", "option", "value", "default", "tracer");
	for (i = 0; i < all->n; i++) {
		const struct trace_option *o = &all->v[i];

		if (changed && !option_differs(o))
			continue;
		printf("%-24s%-8s%-*s%s\n", o->name, o->on ? "on" : "off", o->tracer ? 10 : 0,
		       usual_names[o->usual], o->tracer ? o->tracer : "");
	}
}

static void print_options_json(const struct trace_options *all, bool changed)
{
	json_t *list = json_array(), *row;
	size_t i;

	for (i = 0; i < all->n; i++) {
		const struct trace_option *o = &all->v[i];

		if (changed && !option_differs(o))
			continue;
		row = json_pack("{s:s, s:b, s:o, s:s?}", "name", o->name, "value", o->on,
				"default", o->usual == OPTION_UNKNOWN ? json_null() :
				json_boolean(o->usual == OPTION_ON), "tracer", o->tracer);
		json_array_append_new(list, row);
	}
	json_dumpf(list, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(list);
}

static int show_options(const struct options_args *a)
{
	struct ftr_error err = {0};
	struct trace_options all;
	struct tfs t;
	int status = FTR_OK;

	if (tfs_open(&t, &err))
		return cmd_fail(&err);
	if (options_read(&t, a->instance, &all, &err))
		status = cmd_fail(&err);
	else
		(a->json ? print_options_json : print_options_text)(&all, a->changed);
	options_release(&all);
	tfs_close(&t);
	return status;
}

/* --- change */

static int set_word(struct session *s, const struct options_args *a, const char *word,
		    struct ftr_error *err)
{
	char *name;
	bool on;
	int ret = option_word(word, &name, &on, err);

	if (!ret)
		ret = session_option(s, a->instance, name, on, err);
	free(name);
	return ret;
}

static int make_option_words(struct session *s, void *ctx, struct ftr_error *err)
{
	const struct options_args *a = ctx;
	int i, ret = tfs_check_instance(session_tfs(s), a->instance, err);

	for (i = 0; !ret && i < a->nr_words; i++)
		ret = set_word(s, a, a->words[i], err);
	return ret;
}

static int check_words(const struct options_args *a, struct ftr_error *err)
{
	char *name;
	bool on;
	int i;

	for (i = 0; i < a->nr_words; i++) {
		if (option_word(a->words[i], &name, &on, err))
			return -1;
		free(name);
	}
	return 0;
}

static int run_options(const struct cmd *self, int argc, char **argv)
{
	struct ftr_error err = {0};
	struct options_args a = {0};
	int status, first = cmd_parse(self, argc, argv, &a, &status);

	if (first < 0)
		return status;
	a.words = argv + first;
	a.nr_words = argc - first;
	if (check_words(&a, &err))
		return cmd_fail(&err);
	if (a.nr_words)
		status = cmd_change(CHANGE_STANDS, make_option_words, &a);
	if (!status && (!a.nr_words || a.json))
		status = show_options(&a);
	return status;
}

const struct cmd cmd_options = {
	.name = "options",
	.usage = "[-B INSTANCE] [NAME[=VALUE] | noNAME]...",
	.summary = "show trace options with their defaults, or set them",
	.examples = examples,
	.options = options,
	.flags = CMD_PAGER,
	.run = run_options,
};
