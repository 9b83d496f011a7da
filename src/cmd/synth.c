/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr synth: defines, lists and removes synthetic events. */
#include "tracefs/verbs/synth_event.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cmd/frame/command.h"
#include "cmd/frame/command_verbs.h"
#include "cmd/frame/tracefs_change.h"

struct synth_args {
	struct synth_join join;
	struct synth_action action;
	const char *instance;
	bool print, json, force;
	char *const *words;
	struct synth_plan plan;
};

#define AT(field) .off = offsetof(struct synth_args, field)

static const struct opt add_options[] = {
	OPT_GROUP("Fired by two events"),
	{ 0, "from", "EVENT", "the first event: SYSTEM:EVENT", opt_str, AT(join.from) },
	{ 0, "to", "EVENT", "the second event, which fires it", opt_str, AT(join.to) },
	{ 0, "on", "KEY", "match the events by a field, or by FIELD=FIELD", opt_strv,
	  AT(join.keys) },
	{ 0, "field", "FIELD", "add a field of the second event, or from.FIELD; NAME=FIELD",
	  opt_strv, AT(join.fields) },
	{ 0, "latency", NULL, "add a field lat: microseconds between the two", opt_flag,
	  AT(join.latency) },
	{ 0, "nsecs", NULL, "keep lat in nanoseconds", opt_flag, AT(join.nsecs) },
	{ 0, "from-if", "FILTER", "filter the first event", opt_str, AT(join.from_filter) },
	{ 0, "to-if", "FILTER", "filter the second event", opt_str, AT(join.to_filter) },
	{ 'B', "buffer", "INSTANCE", "put the triggers into INSTANCE", opt_str, AT(instance) },
	{ 0, "force", NULL, "discard records that a trigger with times empties", opt_flag,
	  AT(force) },
	OPT_GROUP("What a match does"),
	{ 'm', "max", "FIELD", "act when FIELD has a new maximum", opt_str, AT(action.max) },
	{ 'c', "change", "FIELD", "act when FIELD changes", opt_str, AT(action.change) },
	{ 's', "snapshot", NULL, "with -m, -c: take a snapshot instead", opt_flag,
	  AT(action.snapshot) },
	{ 'S', "save", "FIELD,..", "with -m, -c: save these fields of the second event instead",
	  opt_str, AT(action.save) },
	{ 0, "trace", NULL, "with -s, -S: also fire the event", opt_flag, AT(action.trace) },
	OPT_GROUP("Or print only"),
	{ 0, "print", NULL, "print the commands and change nothing", opt_flag, AT(print) },
	OPT_END
};

static const struct opt list_options[] = {
	OPT_GROUP("Output"),
	{ 0, "json", NULL, "print JSON: name, fields, triggers",
	  opt_flag, AT(json) },
	OPT_END
};

static const struct opt no_options[] = { OPT_END };

static const char *const examples[] = {
	"ftr synth add sys --from sys_enter --to sys_exit --on common_pid --latency",
	"ftr synth add 'mine u64 lat; pid_t pid; char comm[16]'",
	"ftr synth del sys",
	NULL
};

/* ---- add */

static bool has_join(const struct synth_args *y)
{
	const struct synth_join *j = &y->join;

	return j->from || j->to || j->keys.n || j->fields.n || j->latency || j->nsecs ||
	       j->from_filter || j->to_filter || y->action.max || y->action.change || y->instance;
}

static int check_add(struct synth_args *y, struct ftr_error *err)
{
	const struct synth_action *a = &y->action;
	const struct synth_join *j = &y->join;

	if (!j->from || !j->to) {
		err_set(err, FTR_USAGE, "a joined event needs both --from EVENT and --to EVENT");
		return err_hint(err, "or only a definition: ftr synth add 'NAME type field; ...'");
	}
	if (strpbrk(j->name, " \t;/$,()")) {
		err_set(err, FTR_USAGE, "'%s' is not a name of an event", j->name);
		return err_hint(err, "with --from the fields come from --field and --latency");
	}
	if (a->max && a->change)
		return err_set(err, FTR_USAGE, "-m and -c exclude each other");
	if (!a->max && !a->change && (a->snapshot || a->save || a->trace))
		return err_set(err, FTR_USAGE, "-s, -S and --trace need -m FIELD or -c FIELD");
	return 0;
}

static int make_join_plan(struct synth_args *y, const struct tfs *t, struct ftr_error *err)
{
	if (synth_join(t, &y->join, &y->plan, err))
		return -1;
	return synth_act(&y->plan, &y->action, err);
}

static int define_synth(struct session *s, void *ctx, struct ftr_error *err)
{
	struct synth_args *y = ctx;

	return synth_define(s, y->join.name, err);
}

static int create_joined(struct session *s, void *ctx, struct ftr_error *err)
{
	struct synth_args *y = ctx;

	if (make_join_plan(y, session_tfs(s), err))
		return -1;
	if (!y->force && synth_check_held(session_tfs(s), y->instance, &y->plan, err))
		return -1;
	return synth_create(s, y->instance, &y->plan, err);
}

static int print_commands(struct synth_args *y)
{
	struct ftr_error err = {0};
	struct buf out = {0};
	int status = FTR_OK;
	struct tfs t;

	if (tfs_open(&t, &err))
		return cmd_fail(&err);
	if (has_join(y) && make_join_plan(y, &t, &err))
		status = cmd_fail(&err);
	else if (has_join(y))
		synth_commands(&y->plan, t.path, y->instance, &out);
	else
		buf_printf(&out, "echo '%s' >> %s/synthetic_events\n", y->join.name, t.path);
	if (!status)
		fwrite(out.data, 1, out.len, stdout);
	buf_release(&out);
	tfs_close(&t);
	return status;
}

/* Returns 0 for one operand, else prints an error and returns the exit status. */
static int check_one_operand(const struct cmd *self, int argc, char **argv, int first,
			     const char *what)
{
	struct ftr_error err = {0};

	if (first == argc - 1)
		return 0;
	if (first == argc)
		err_set(&err, FTR_USAGE, "ftr %s needs %s", self->name, what);
	else
		err_set(&err, FTR_USAGE, "'%s' is one word too many", argv[first + 1]);
	err_hint(&err, "'ftr %s -h' explains it", self->name);
	return cmd_fail(&err);
}

static int run_synth_add(const struct cmd *self, int argc, char **argv)
{
	struct ftr_error err = {0};
	struct synth_args y = {0};
	int status, first = cmd_parse(self, argc, argv, &y, &status);

	if (first >= 0)
		status = check_one_operand(self, argc, argv, first, "a name or a definition");
	if (first < 0 || status)
		goto out;
	y.join.name = argv[first];
	if (has_join(&y) && check_add(&y, &err))
		status = cmd_fail(&err);
	else if (y.print)
		status = print_commands(&y);
	else
		status = cmd_change(CHANGE_STANDS, has_join(&y) ? create_joined : define_synth, &y);
out:
	synth_plan_release(&y.plan);
	strv_release(&y.join.keys);
	strv_release(&y.join.fields);
	return status;
}

/* ---- list */

static json_t *event_json(const char *name, const char *fields, const struct synth_triggers *mine)
{
	struct strv parts = {0};
	json_t *list = json_array(), *triggers = json_array();
	size_t i;

	strv_split(&parts, fields, ";");
	for (i = 0; i < parts.n; i++)
		json_array_append_new(list, json_string(parts.v[i] + strspn(parts.v[i], " ")));
	strv_release(&parts);
	for (i = 0; i < mine->n; i++)
		json_array_append_new(triggers, json_pack("{s:s, s:s, s:s, s:b}",
			"instance", mine->v[i].instance, "event", mine->v[i].event,
			"text", mine->v[i].text, "fires", synth_fires(&mine->v[i], name)));
	return json_pack("{s:s, s:o, s:o}", "name", name, "fields", list, "triggers", triggers);
}

/* Prints all synthetic events with their triggers. Returns -1 with @err. */
static int list_synth_events(const struct tfs *t, bool json, struct ftr_error *err)
{
	struct synth_triggers all = {0}, mine = {0};
	json_t *out = json_array();
	struct strv lines = {0};
	size_t i, k, n;
	int ret = synth_list(t, &lines, err);

	if (!ret && lines.n)
		ret = synth_scan(t, &all, err);
	for (i = 0; !ret && i < lines.n; i++) {
		char *fields = lines.v[i];

		n = strcspn(fields, "\t ");
		fields += n + (fields[n] != '\0');
		lines.v[i][n] = '\0';
		synth_pick(&all, lines.v[i], &mine);
		if (json)
			json_array_append_new(out, event_json(lines.v[i], fields, &mine));
		else
			cmd_print("%s %s\n", lines.v[i], fields);
		for (k = 0; k < mine.n && !json; k++)
			cmd_print("  %s%s%s  %s\n", mine.v[k].instance,
				  *mine.v[k].instance ? ":" : "", mine.v[k].event, mine.v[k].text);
		synth_triggers_release(&mine);
	}
	if (!ret && json) {
		json_dumpf(out, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
		putchar('\n');
	} else if (!ret && !lines.n) {
		cmd_notice("no synthetic events");
	}
	json_decref(out);
	synth_triggers_release(&all);
	strv_release(&lines);
	return ret;
}

static int run_synth_list(const struct cmd *self, int argc, char **argv)
{
	struct ftr_error err = {0};
	struct synth_args y = {0};
	struct tfs t;
	int status, first = cmd_parse(self, argc, argv, &y, &status);

	if (first < 0)
		return status;
	if (first < argc) {
		err_set(&err, FTR_USAGE, "'%s' is one word too many", argv[first]);
		return cmd_fail(&err);
	}
	if (tfs_open(&t, &err))
		return cmd_fail(&err);
	status = list_synth_events(&t, y.json, &err) ? cmd_fail(&err) : FTR_OK;
	tfs_close(&t);
	return status;
}

/* ---- del */

static int delete_events(struct session *s, void *ctx, struct ftr_error *err)
{
	char *const *words = ctx;

	for (; *words; words++)
		if (synth_delete(s, *words, err))
			return -1;
	return 0;
}

static int run_synth_del(const struct cmd *self, int argc, char **argv)
{
	struct synth_args y = {0};
	int status, first = cmd_parse(self, argc, argv, &y, &status);

	if (first < 0)
		return status;
	if (first == argc)
		return check_one_operand(self, argc, argv, first, "the name of an event");
	return cmd_change(CHANGE_STANDS, delete_events, argv + first);
}

static const struct cmd verbs[] = {
	{ .name = "add", .usage = "[OPTIONS] NAME | 'NAME TYPE FIELD; ...'",
	  .summary = "define a synthetic event, alone or fired by two events",
	  .options = add_options,
	  .run = run_synth_add },
	{ .name = "list", .usage = "[--json]",
	  .summary = "list synthetic events with their triggers",
	  .options = list_options, .run = run_synth_list },
	{ .name = "del", .usage = "NAME...",
	  .summary = "remove synthetic events and their triggers",
	  .options = no_options, .run = run_synth_del },
	{ 0 }
};

const struct cmd cmd_synth = {
	.name = "synth",
	.usage = "VERB ...",
	.summary = "define, list and remove synthetic events",
	.examples = examples,
	.verbs = verbs,
	.run = verbs_run,
};
