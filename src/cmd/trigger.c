/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr trigger: adds, lists and removes triggers of events and commands of functions. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cmd/frame/command.h"
#include "cmd/frame/command_verbs.h"
#include "cmd/frame/tracefs_change.h"
#include "tracefs/verbs/triggers.h"

struct trigger_args {
	const char *instance;
	bool func, all, json, force;
	const char *where;	/* EVENT or FUNC; NULL: all */
	char *text;		/* TRIGGER, or NULL; freed by the verb */
	size_t n;		/* number of triggers that were added or removed */
};

#define AT(member) .off = offsetof(struct trigger_args, member)

#define OPT_BUFFER \
	{ 'B', "buffer", "INSTANCE", "use INSTANCE instead of the top level", opt_str, \
	  AT(instance) }

static const struct opt add_options[] = {
	OPT_BUFFER,
	{ 0, "func", NULL, "add a command of functions: FUNC is a name or a glob", opt_flag,
	  AT(func) },
	{ 0, "force", NULL, "discard records that a histogram of times empties", opt_flag,
	  AT(force) },
	OPT_END
};

static const struct opt list_options[] = {
	{ 'B', "buffer", "INSTANCE", "list those of INSTANCE only (default: of all)",
	  opt_str, AT(instance) },
	{ 0, "func", NULL, "list commands of functions only", opt_flag, AT(func) },
	{ 0, "json", NULL, "print a JSON array with one object for each", opt_flag, AT(json) },
	OPT_END
};

static const struct opt remove_options[] = {
	OPT_BUFFER,
	{ 0, "func", NULL, "remove a command of functions", opt_flag, AT(func) },
	{ 0, "all", NULL, "remove all triggers, or all of EVENT; with --func: commands",
	  opt_flag, AT(all) },
	OPT_END
};

/* Joins words with blanks. The caller frees the result. */
static char *join_words(char **words, int n)
{
	struct buf out = {0};
	int i;

	buf_addstr(&out, "");
	for (i = 0; i < n; i++)
		buf_printf(&out, "%s%s", i ? " " : "", words[i]);
	return buf_take(&out);
}

static int add_trigger(struct session *s, void *ctx, struct ftr_error *err)
{
	struct trigger_args *g = ctx;

	if (!g->func && !g->force && trigger_check_held(session_tfs(s), g->instance, g->text, err))
		return -1;
	return (g->func ? triggers_add_functions : triggers_add_events)
		(s, g->instance, g->where, g->text, &g->n, err);
}

static void report_count(const struct trigger_args *g, const char *done)
{
	const char *what = g->func ? "function" : "event";

	if (!g->text)
		cmd_notice("%s %zu %s%s", done, g->n, g->func ? "command" : "trigger",
			   g->n == 1 ? "" : "s");
	else if (g->n != 1 || g->func)
		cmd_notice("%s '%s': %zu %s%s", done, g->text, g->n, what, g->n == 1 ? "" : "s");
}

static int err_usage(const struct cmd *self, const char *what)
{
	struct ftr_error err = {0};

	err_set(&err, FTR_USAGE, "%s", what);
	err_hint(&err, "ftr %s %s", self->name, self->usage);
	return cmd_fail(&err);
}

static int run_trigger_add(const struct cmd *self, int argc, char **argv)
{
	struct trigger_args g = {0};
	int status, first = cmd_parse(self, argc, argv, &g, &status);

	if (first < 0)
		return status;
	if (argc - first < 2)
		return err_usage(self, first == argc ? "which event or function?"
				 : "which trigger?");
	g.where = argv[first];
	g.text = join_words(argv + first + 1, argc - first - 1);
	status = cmd_change(CHANGE_STANDS, add_trigger, &g);
	if (!status)
		report_count(&g, "added");
	free(g.text);
	return status;
}

/* ---- remove */

static int err_nothing_removed(const struct trigger_args *g, const struct triggers *have,
			       struct ftr_error *err)
{
	const char *what = g->func ? "command" : "trigger";
	struct strv names = {0};
	const char *near;
	size_t i;

	for (i = 0; i < have->n; i++)
		strv_add(&names, have->v[i].command);
	near = g->text && names.n ? text_closest(g->text, names.v) : NULL;
	if (g->text)
		err_set(err, FTR_FAILED, "'%s' has no %s '%s'", g->where, what, g->text);
	else if (g->where)
		err_set(err, FTR_FAILED, "'%s' has no %ss", g->where, what);
	else
		err_set(err, FTR_FAILED, "there are no %ss", what);
	if (near)
		err_hint(err, "did you mean '%s'?", near);
	else
		err_hint(err, "'ftr trigger list' shows what there is");
	strv_release(&names);
	return -1;
}

static int read_triggers(const struct tfs *t, const struct trigger_args *g, const char *instance,
			 struct triggers *l, struct ftr_error *err)
{
	return (g->func ? triggers_of_functions : triggers_of_events)(t, instance, g->where, l,
								      err);
}

static int remove_triggers(struct session *s, void *ctx, struct ftr_error *err)
{
	struct triggers have = {0}, chosen = {0};
	struct trigger_args *g = ctx;
	size_t i;
	int ret = read_triggers(session_tfs(s), g, g->instance, &have, err);

	for (i = 0; i < have.n; i++)
		if (!g->text || trigger_is(&have.v[i], g->text))
			triggers_add_line(&chosen, have.v[i].function, have.v[i].where,
					  have.v[i].line);
	if (!ret && !chosen.n)
		ret = err_nothing_removed(g, &have, err);
	if (!ret)
		ret = triggers_remove(s, g->instance, &chosen, g->where ? g->where : "*", err);
	g->n = chosen.n;
	triggers_release(&have);
	triggers_release(&chosen);
	return ret;
}

static int run_remove(const struct cmd *self, int argc, char **argv)
{
	struct trigger_args g = {0};
	int status, first = cmd_parse(self, argc, argv, &g, &status);

	if (first < 0)
		return status;
	if (g.all && argc - first > 1)
		return err_usage(self, "--all takes an event or nothing");
	if (!g.all && argc - first < 2)
		return err_usage(self, first == argc ? "which event or function?"
				 : "which trigger?");
	g.where = first < argc ? argv[first] : NULL;
	g.text = g.all ? NULL : join_words(argv + first + 1, argc - first - 1);
	status = cmd_change(CHANGE_STANDS, remove_triggers, &g);
	if (!status)
		report_count(&g, "removed");
	free(g.text);
	return status;
}

/* ---- list */

static const char *const states[] = {
	[TRIGGER_ACTIVE] = "active", [TRIGGER_PAUSED] = "paused", [TRIGGER_SPENT] = "spent",
};

/* The output of trigger list. */
struct trigger_listing {
	const struct trigger_args *g;
	const struct tfs *tfs;
	struct trigger_authors *authors;
	json_t *json;		/* NULL: text */
	struct buf out;
	size_t n;
};

static void add_trigger_json(struct trigger_listing *l, const char *instance,
			     const struct trigger *tr, const char *by)
{
	json_t *o = json_pack("{s:s, s:s, s:s, s:s*, s:s, s:s*}", "instance", instance,
			      tr->function ? "function" : "event", tr->where,
			      "trigger", tr->command, "filter", tr->filter,
			      "state", states[tr->state], "by", by);

	if (o && tr->count >= 0)
		json_object_set_new(o, "left", json_integer(tr->count));
	json_array_append_new(l->json, o);
}

static void add_trigger_line(struct trigger_listing *l, const char *instance,
			     const struct trigger *tr, const char *by)
{
	char left[24] = "-";
	struct buf line = {0};

	if (!l->n)
		buf_printf(&l->out, "%-32s %6s %-7s %-10s %s\n", "WHERE", "LEFT", "STATE", "BY",
			   "TRIGGER");
	if (tr->count >= 0)
		snprintf(left, sizeof(left), "%ld", tr->count);
	buf_printf(&line, "%s%s%s%s", instance, *instance ? "/" : "", tr->where,
		   tr->function ? "()" : "");
	text_sanitise(&l->out, line.data, line.len, false);
	buf_printf(&l->out, "%*s %6s %-7s %-10s ", line.len < 32 ? 32 - (int)line.len : 0, "", left,
		   states[tr->state], by ? by : "-");
	buf_reset(&line);
	buf_printf(&line, "%s%s%s", tr->command, tr->filter ? " if " : "",
		   tr->filter ? tr->filter : "");
	text_sanitise(&l->out, line.data, line.len, false);
	buf_addch(&l->out, '\n');
	buf_release(&line);
}

/* Adds the triggers of an instance to the output. Returns -1 with @err. */
static int list_instance(struct trigger_listing *l, const char *instance, struct ftr_error *err)
{
	struct triggers found = {0};
	struct trigger_args funcs = *l->g;
	char *by;
	size_t i;
	int ret = 0;

	funcs.func = true;
	if (!l->g->func)
		ret = read_triggers(l->tfs, l->g, instance, &found, err);
	if (!ret && (l->g->func || !l->g->where))
		ret = read_triggers(l->tfs, &funcs, instance, &found, err);
	for (i = 0; !ret && i < found.n; i++) {
		by = authors_of(l->authors, instance, &found.v[i]);
		(l->json ? add_trigger_json : add_trigger_line)(l, instance, &found.v[i], by);
		l->n++;
		free(by);
	}
	triggers_release(&found);
	return ret;
}

static int list_all(struct trigger_listing *l, struct ftr_error *err)
{
	struct strv names = {0};
	size_t i;
	int ret;

	if (l->g->instance) {
		if (tfs_exists(l->tfs, l->g->instance, "current_tracer"))
			return list_instance(l, l->g->instance, err);
		return err_set(err, FTR_FAILED, "no instance '%s'", l->g->instance);
	}
	ret = list_instance(l, "", err);
	if (!ret)
		ret = tfs_instances(l->tfs, &names, err);
	for (i = 0; !ret && i < names.n; i++)
		ret = list_instance(l, names.v[i], err);
	strv_release(&names);
	return ret;
}

static int run_trigger_list(const struct cmd *self, int argc, char **argv)
{
	struct trigger_args g = {0};
	struct trigger_listing l = { .g = &g };
	struct ftr_error err = {0};
	struct tfs tfs;
	int status, first = cmd_parse(self, argc, argv, &g, &status);

	if (first < 0)
		return status;
	if (argc - first > 1)
		return err_usage(self, "only one event or glob at a time");
	g.where = first < argc ? argv[first] : NULL;
	if (tfs_open(&tfs, &err))
		return cmd_fail(&err);
	l.tfs = &tfs;
	l.authors = authors_new();
	l.json = g.json ? json_array() : NULL;
	if (list_all(&l, &err)) {
		status = cmd_fail(&err);
	} else if (l.json) {
		json_dumpf(l.json, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
		putchar('\n');
	} else if (!l.n) {
		cmd_notice("there are no triggers");
	} else {
		fwrite(l.out.data, 1, l.out.len, stdout);
	}
	json_decref(l.json);
	buf_release(&l.out);
	authors_free(l.authors);
	tfs_close(&tfs);
	return status;
}

static const struct cmd verbs[] = {
	{ .name = "add", .usage = "[OPTIONS] EVENT|FUNC TRIGGER [if FILTER]",
	  .summary = "make an event, or with --func a function, trigger an action",
	  .options = add_options, .run = run_trigger_add },
	{ .name = "list", .usage = "[OPTIONS] [EVENT|GLOB]",
	  .summary = "list triggers: how often they still fire, who set them up",
	  .options = list_options, .flags = CMD_PAGER, .run = run_trigger_list },
	{ .name = "remove", .usage = "[OPTIONS] EVENT|FUNC TRIGGER | --all [EVENT|FUNC]",
	  .summary = "remove triggers, also those of others",
	  .options = remove_options, .run = run_remove },
	{ 0 }
};

static const char *const examples[] = {
	"ftr trigger add sched:sched_process_exit traceoff:1 if 'comm == \"make\"'",
	"ftr trigger add --func 'vfs_*' stacktrace:3",
	"ftr trigger remove sched:sched_process_exit traceoff",
	NULL
};

const struct cmd cmd_trigger = {
	.name = "trigger",
	.usage = "VERB [OPTIONS] ...",
	.summary = "let events and functions stop tracing, take stacks, ...",
	.examples = examples,
	.verbs = verbs,
	.run = verbs_run,
};
