/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr stack: controls the stack tracer and prints the deepest kernel stack. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/frame/command.h"
#include "cmd/frame/tracefs_change.h"
#include "tracefs/files/modules.h"
#include "tracefs/verbs/stack_tracer.h"

struct stack_args {
	bool start, stop, reset, all, json;
	struct strv funcs;
};

#define AT(member) offsetof(struct stack_args, member)
static const struct opt options[] = {
	OPT_GROUP("What to do"),
	{ 0, "start", NULL, "switch the stack tracer on", opt_flag, AT(start) },
	{ 0, "stop", NULL, "switch it off", opt_flag, AT(stop) },
	{ 0, "reset", NULL, "forget the deepest stack seen so far", opt_flag, AT(reset) },
	{ 'l', NULL, "FUNC", "look only in functions of this name or glob (repeatable)",
	  opt_strv, AT(funcs) },
	{ 0, "all-functions", NULL, "measure the stack in all functions again", opt_flag, AT(all) },
	OPT_GROUP("Output"),
	{ 0, "json", NULL, "print the stack as JSON", opt_flag, AT(json) },
	OPT_END
};

static const char *const examples[] = {
	"ftr stack --start          begin to look for the deepest kernel stack",
	"ftr stack                  show it",
	"ftr stack --reset -l 'ext4_*' --start      anew, in ext4 only",
	NULL
};

/* --- show */

static void print_stack_text(const struct stack_trace *st)
{
	size_t i;

	printf("stack tracer: %s\n", st->on ? "on" : "off");
	if (st->filter.n)
		cmd_print("functions: %zu%s%s\n", st->filter.n, st->filter.n == 1 ? ": " : "",
		       st->filter.n == 1 ? st->filter.v[0] : "");
	if (!st->n) {
		printf("no stack seen%s\n", st->on ? " yet" : "; 'ftr stack --start' looks");
		return;
	}
	printf("deepest stack: %" PRIu64 " bytes, %zu functions\n\n", st->max_bytes, st->n);
	printf("%5s %8s %8s  %s\n", "", "depth", "size", "location");
	for (i = 0; i < st->n; i++)
		cmd_print("%4zu) %8" PRIu64 " %8" PRIu64 "  %s\n", i, st->frames[i].depth_bytes,
		       st->frames[i].size_bytes, st->frames[i].location);
}

static void print_stack_json(const struct stack_trace *st)
{
	json_t *frames = json_array(), *filter = json_array(), *all;
	size_t i;

	for (i = 0; i < st->filter.n; i++)
		json_array_append_new(filter, json_string(st->filter.v[i]));
	for (i = 0; i < st->n; i++)
		json_array_append_new(frames, json_pack("{s:I, s:I, s:s}",
			"depth", (json_int_t)st->frames[i].depth_bytes,
			"size", (json_int_t)st->frames[i].size_bytes,
			"location", st->frames[i].location));
	all = json_pack("{s:b, s:I, s:o, s:o}", "enabled", st->on,
			"max_size", (json_int_t)st->max_bytes, "filter", filter, "stack", frames);
	json_dumpf(all, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(all);
}

static int show_stack(const struct stack_args *a)
{
	struct ftr_error err = {0};
	struct stack_trace st;
	struct tfs t;
	int status = FTR_OK;

	if (tfs_open(&t, &err))
		return cmd_fail(&err);
	if (stack_read(&t, &st, &err))
		status = cmd_fail(&err);
	else
		(a->json ? print_stack_json : print_stack_text)(&st);
	stack_release(&st);
	tfs_close(&t);
	return status;
}

/* --- change */

/* Stops the tracer first and starts it last, so that no stack is measured by old settings. */
static int change_stack_tracer(struct session *s, void *ctx, struct ftr_error *err)
{
	const struct stack_args *a = ctx;

	if (a->stop && stack_switch(s, false, err))
		return -1;
	if ((a->funcs.n || a->all) && stack_filter(s, &a->funcs, err))
		return -1;
	if (a->reset && stack_forget(session_tfs(s), err))
		return -1;
	return a->start ? stack_switch(s, true, err) : 0;
}

static int check_stack(const struct stack_args *a, const char *word, struct ftr_error *err)
{
	size_t i;

	if (word)
		return err_set(err, FTR_USAGE, "unexpected word '%s'", word);
	if (a->start && a->stop)
		return err_set(err, FTR_USAGE, "--start and --stop exclude each other");
	if (a->all && a->funcs.n)
		return err_set(err, FTR_USAGE, "-l and --all-functions exclude each other");
	for (i = 0; i < a->funcs.n; i++) {
		const char *colon = strchr(a->funcs.v[i], ':');

		if (*a->funcs.v[i] == '!' || (colon && strncmp(colon, ":mod:", 5)))
			return err_set(err, FTR_USAGE, "-l takes functions, not '%s'",
				       a->funcs.v[i]);
	}
	return 0;
}

static int run_stack(const struct cmd *self, int argc, char **argv)
{
	struct ftr_error err = {0};
	struct stack_args a = {0};
	struct strv loaded = {0};
	int status, first = cmd_parse(self, argc, argv, &a, &status);
	char *missing, *word;
	bool change;

	if (first < 0)
		goto out;
	change = a.start || a.stop || a.reset || a.all || a.funcs.n;
	/* The kernel takes functions of a module as "PATTERN:mod:NAME". */
	modules_loaded(&loaded);
	for (size_t i = 0; i < a.funcs.n; i++) {
		word = module_word(a.funcs.v[i], &loaded, &missing);
		free(a.funcs.v[i]);
		a.funcs.v[i] = word;
		free(missing);
	}
	if (check_stack(&a, first < argc ? argv[first] : NULL, &err))
		status = cmd_fail(&err);
	else if (change)
		status = cmd_change(CHANGE_STANDS, change_stack_tracer, &a);
	if (!status && !err.code && (!change || a.json))
		status = show_stack(&a);
out:
	strv_release(&loaded);
	strv_release(&a.funcs);
	return status;
}

const struct cmd cmd_stack = {
	.name = "stack",
	.usage = "[--start | --stop] [--reset] [-l FUNC]... [--json]",
	.summary = "find the deepest kernel stack, and show it",
	.examples = examples,
	.options = options,
	.flags = CMD_PAGER,
	.run = run_stack,
};
