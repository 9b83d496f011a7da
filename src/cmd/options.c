/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr options: trace options with their values, and setting them. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/frame/command.h"
#include "cmd/frame/tracefs_change.h"
#include "tracefs/state/trace_options.h"

struct options_args {
	const char *instance;
	bool changed, json, set;
	char **words;
	int nr_words;
	struct strv names;		/* names of the options among ->words */
};

#define AT(member) offsetof(struct options_args, member)
static const struct opt options[] = {
	OPT_GROUP("Where"),
	{ 'B', "buffer", "INSTANCE", "use INSTANCE instead of the top level",
	  opt_str, AT(instance) },
	OPT_GROUP("What"),
	{ 0, "set", NULL, "set each NAME, clear each noNAME", opt_flag, AT(set) },
	OPT_GROUP("Output"),
	{ 0, "changed", NULL, "print only those that differ from a fresh kernel",
	  opt_flag, AT(changed) },
	{ 0, "json", NULL, "print JSON", opt_flag, AT(json) },
	OPT_END
};

static const char *const examples[] = {
	"ftr options overwrite                what it is, and in a fresh kernel",
	"ftr options sym-offset=on raw=off    set one, clear another",
	"ftr options -B mine stacktrace=on    in an instance",
	NULL
};

/* --- show */

static const char *const usual_names[] = {
	[OPTION_OFF] = "off", [OPTION_ON] = "on", [OPTION_UNKNOWN] = "?",
};

/* Returns true if an option is named, or no names were given, and --changed does not hide it. */
static bool option_is_shown(const struct options_args *a, const struct trace_option *o)
{
	bool differs = o->usual != OPTION_UNKNOWN && o->on != (o->usual == OPTION_ON);

	if (a->changed && !differs)
		return false;
	return !a->names.n || strv_has(&a->names, o->name);
}

static void print_options_text(const struct options_args *a, const struct trace_options *all)
{
	size_t i;

	printf("%-24s%-8s%-10s%s\n", "option", "value", "default", "tracer");
	for (i = 0; i < all->n; i++) {
		const struct trace_option *o = &all->v[i];

		if (!option_is_shown(a, o))
			continue;
		printf("%-24s%-8s%-*s%s\n", o->name, o->on ? "on" : "off", o->tracer ? 10 : 0,
		       usual_names[o->usual], o->tracer ? o->tracer : "");
	}
}

static void print_options_json(const struct options_args *a, const struct trace_options *all)
{
	json_t *list = json_array(), *row;
	size_t i;

	for (i = 0; i < all->n; i++) {
		const struct trace_option *o = &all->v[i];

		if (!option_is_shown(a, o))
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

static int check_names(const struct options_args *a, const struct trace_options *all,
		       struct ftr_error *err)
{
	struct strv names = {0};
	const char *near;
	size_t i;
	int ret = 0;

	for (i = 0; i < all->n; i++)
		strv_add(&names, all->v[i].name);
	for (i = 0; i < a->names.n && !ret; i++) {
		if (strv_has(&names, a->names.v[i]))
			continue;
		near = names.n ? text_closest(a->names.v[i], names.v) : NULL;
		ret = err_set(err, FTR_FAILED, "no option '%s'", a->names.v[i]);
		if (near)
			err_hint(err, "did you mean '%s'?", near);
		else
			err_hint(err, "'ftr options' lists them");
	}
	strv_release(&names);
	return ret;
}

static int show_options(const struct options_args *a)
{
	struct ftr_error err = {0};
	struct trace_options all;
	struct tfs t;
	int status = FTR_OK;

	if (tfs_open(&t, &err))
		return cmd_fail(&err);
	if (options_read(&t, a->instance, &all, &err) || check_names(a, &all, &err))
		status = cmd_fail(&err);
	else
		(a->json ? print_options_json : print_options_text)(a, &all);
	options_release(&all);
	tfs_close(&t);
	return status;
}

/* --- change */

static int make_option_words(struct session *s, void *ctx, struct ftr_error *err)
{
	const struct options_args *a = ctx;
	int i, ret = tfs_check_instance(session_tfs(s), a->instance, err);
	char *name;
	bool on;

	for (i = 0; !ret && i < a->nr_words; i++) {
		ret = option_word(a->words[i], &name, &on, err);
		if (!ret)
			ret = session_option(s, a->instance, name, on, err);
		free(name);
	}
	return ret;
}

/*
 * Checks that all words either set or show: NAME shows, or sets with --set. Returns -1 with @err if
 * they are mixed.
 */
static int check_words(struct options_args *a, struct ftr_error *err)
{
	const char *bare = NULL;
	bool some_set = false, on;
	char *name;
	int i;

	for (i = 0; i < a->nr_words; i++) {
		if (option_word(a->words[i], &name, &on, err))
			return -1;
		strv_take(&a->names, name);
		if (strchr(a->words[i], '='))
			some_set = true;
		else if (!bare || !strncmp(a->words[i], "no", 2))
			bare = a->words[i];
	}
	if (a->set && !a->nr_words) {
		err_set(err, FTR_USAGE, "--set without an option");
		return err_hint(err, "ftr options --set NAME noNAME ...");
	}
	if (!a->set && bare && !strncmp(bare, "no", 2)) {
		err_set(err, FTR_USAGE, "'%s' clears an option with --set only", bare);
		return err_hint(err, "so does '%s=off'", bare + 2);
	}
	if (!a->set && bare && some_set) {
		err_set(err, FTR_USAGE, "'%s' has no value, and others have", bare);
		return err_hint(err, "'%s=on' sets it; --set takes NAME and noNAME", bare);
	}
	a->set |= some_set;
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
		status = cmd_fail(&err);
	else if (a.set)
		status = cmd_change(CHANGE_STANDS, make_option_words, &a);
	if (!status && (!a.set || a.json))
		status = show_options(&a);
	strv_release(&a.names);
	return status;
}

const struct cmd cmd_options = {
	.name = "options",
	.usage = "[-B INSTANCE] [NAME[=VALUE]]... | --set [NAME | noNAME]...",
	.summary = "show trace options with their defaults, or set them",
	.examples = examples,
	.options = options,
	.flags = CMD_PAGER,
	.run = run_options,
};
