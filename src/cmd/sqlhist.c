/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr sqlhist: prints, creates or runs synthetic events and histograms that are written in SQL. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/text.h"
#include "cmd/command_parts.h"
#include "cmd/frame/command.h"
#include "cmd/frame/trace_cmd.h"
#include "cmd/frame/tracefs_change.h"
#include "record/synth_run.h"
#include "tracefs/hist/hist_live.h"
#include "tracefs/verbs/synth_event.h"

struct sqlhist_args {
	const char *sql, *file, *name, *instance;
	struct synth_action action;
	bool create, run, json, raw, force;
	uint64_t duration_ns;
	char *const *argv;
	char *text;			/* the statement; freed with the struct */
	struct synth_plan plan;
	int status, shown;		/* exit statuses of the command and of the output */
};

#define AT(field) .off = offsetof(struct sqlhist_args, field)

static int set_duration(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct sqlhist_args *q = ctx;

	(void)o;
	q->run = true;
	if (!text_duration(arg, &q->duration_ns) && q->duration_ns)
		return 0;
	err_set(err, FTR_USAGE, "'%s' is not a time", arg);
	return err_hint(err, "as 10, 500ms, 2m");
}

static const struct opt options[] = {
	OPT_GROUP("What"),
	{ 'e', "sql", "SQL", "the SQL statement (default: the first operand)", opt_str, AT(sql) },
	{ 'f', "file", "FILE", "read the statement from FILE; -: standard input",
	  opt_str, AT(file) },
	{ 'n', "name", "NAME", "name the synthetic event (Anonymous)", opt_str, AT(name) },
	OPT_GROUP("What a match does"),
	{ 'm', "max", "FIELD", "act when FIELD has a new maximum", opt_str, AT(action.max) },
	{ 'c', "change", "FIELD", "act when FIELD changes", opt_str, AT(action.change) },
	{ 's', "snapshot", NULL, "with -m, -c: take a snapshot instead", opt_flag,
	  AT(action.snapshot) },
	{ 'S', "save", "FIELD,..", "with -m, -c: save these fields of the second event instead",
	  opt_str, AT(action.save) },
	{ 'T', "trace", NULL, "with -s, -S: also fire the event", opt_flag, AT(action.trace) },
	OPT_GROUP("What to do with it (default: print the commands)"),
	{ 'x', "create", NULL, "create it; it stays until ftr reset", opt_flag, AT(create) },
	{ 'B', "buffer", "INSTANCE", "put its triggers into INSTANCE", opt_str, AT(instance) },
	{ 0, "force", NULL, "discard records that a trigger with times empties", opt_flag,
	  AT(force) },
	{ 'd', "duration", "TIME", "run it for TIME, then show the result: 10 (s), 500ms, 2m",
	  set_duration, 0 },
	{ 0, "run", NULL, "run it until Ctrl-C", opt_flag, AT(run) },
	{ 0, "json", NULL, "print JSON: event, triggers; after a run also results",
	  opt_flag, AT(json) },
	{ 0, "raw", NULL, "after a run: print the kernel's own text of the histogram", opt_flag,
	  AT(raw) },
	OPT_END
};

static const char *const examples[] = {
	"ftr sqlhist 'SELECT id, CAST(common_pid AS comm) FROM sys_enter' -d 5",
	"ftr sqlhist -f wakeup.sql -n wakeup -- hackbench",
	"ftr sqlhist -f wakeup.sql -n wakeup -m lat -S next_comm,next_prio -T -x",
	NULL
};

/* ---- the statement */

/* Sets ->text to the operand or the content of --file. Returns -1 with @err. */
static int read_statement(struct sqlhist_args *q, struct ftr_error *err)
{
	struct buf text = {0};
	int ret;

	if (!q->file) {
		q->text = xstrdup(q->sql);
		return 0;
	}
	ret = io_read_input(q->file, &text);
	if (ret)
		err_sys(err, "cannot read '%s'", q->file);
	else if (memchr(text.data ? text.data : "", '\0', text.len))
		ret = err_set(err, FTR_USAGE, "'%s' is not text", q->file);
	q->text = text.data ? buf_take(&text) : xstrdup("");
	buf_release(&text);
	return ret;
}

static int check_args(struct sqlhist_args *q, struct ftr_error *err)
{
	bool handler = q->action.max || q->action.change;

	if (!q->sql == !q->file) {
		err_set(err, FTR_USAGE, "%s", q->sql ? "give a statement or -f, not both"
						     : "no SQL statement");
		return err_hint(err, "ftr sqlhist -e 'SELECT ... FROM EVENT'");
	}
	if (q->sql && *q->sql == '-') {
		err_set(err, FTR_USAGE, "-e needs the statement, not '%s'", q->sql);
		trace_cmd_hint("sqlhist", "-e", err);
		return -1;
	}
	if (q->action.max && q->action.change)
		return err_set(err, FTR_USAGE, "-m and -c exclude each other");
	if (!handler && (q->action.snapshot || q->action.save || q->action.trace)) {
		err_set(err, FTR_USAGE, "-s, -S and -T need -m FIELD or -c FIELD");
		return err_hint(err, "they are the action when FIELD has a new maximum or changes");
	}
	if (q->create && (q->run || q->argv)) {
		err_set(err, FTR_USAGE, "-x keeps the event, a run removes it at its end");
		return err_hint(err, "give either -x, or -d, --run or a command");
	}
	if (q->instance && (q->run || q->argv))
		return err_set(err, FTR_USAGE, "a run uses a private instance, not -B %s",
			       q->instance);
	q->run |= q->argv != NULL;
	if (q->raw && q->json)
		return err_set(err, FTR_USAGE, "--raw and --json exclude each other");
	if (q->raw && !q->run)
		return err_set(err, FTR_USAGE,
			       "--raw prints the events of a run: it needs -d, --run or a command");
	return 0;
}

static int make_sql_plan(struct sqlhist_args *q, const struct tfs *t, struct ftr_error *err)
{
	const char *name = q->name ? q->name : "Anonymous";

	if (sql_plan(t, name, q->text, &q->plan, err))
		return -1;
	return synth_act(&q->plan, &q->action, err);
}

/* ---- output */

static void add_json_text(json_t *to, const char *key, char *text)
{
	json_object_set_new(to, key, json_string(text));
	free(text);
}

static json_t *plan_json(const struct synth_plan *p)
{
	json_t *all = json_object();

	if (p->name)
		add_json_text(all, "event", synth_definition(p));
	json_object_set_new(all, "start_event", json_string(p->start_event));
	add_json_text(all, "start_trigger", synth_start_trigger(p));
	if (p->name) {
		json_object_set_new(all, "end_event", json_string(p->end_event));
		add_json_text(all, "end_trigger", synth_end_trigger(p));
	}
	return all;
}

static void print_json_object(json_t *all)
{
	json_dumpf(all, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(all);
}

static int show_commands(struct sqlhist_args *q)
{
	struct ftr_error err = {0};
	struct buf out = {0};
	struct tfs t;
	int status = FTR_OK;

	if (tfs_open(&t, &err))
		return cmd_fail(&err);
	if (make_sql_plan(q, &t, &err)) {
		status = cmd_fail(&err);
	} else if (q->json) {
		print_json_object(plan_json(&q->plan));
	} else {
		synth_commands(&q->plan, t.path, q->instance, &out);
		fwrite(out.data, 1, out.len, stdout);
	}
	buf_release(&out);
	tfs_close(&t);
	return status;
}

static void print_part(const struct buf *text, const char *what)
{
	if (text->data && !text->len)
		cmd_notice("no %s", what);
	else if (text->data)
		fwrite(text->data, 1, text->len, stdout);
}

static json_t *lines_json(const struct buf *text)
{
	struct strv lines = {0};
	json_t *list = json_array();
	size_t i;

	strv_split(&lines, text->data, "\n");
	for (i = 0; i < lines.n; i++)
		json_array_append_new(list, json_string(lines.v[i]));
	strv_release(&lines);
	return list;
}

/*
 * Parses the histogram of our trigger: if the file has other histograms, too, the one that saves.
 * Returns -1 with @err.
 */
static int parse_hist(const struct synth_run *r, const struct tfs *t, struct hist *h,
		      struct ftr_error *err)
{
	const char *text = r->hist.data;
	size_t len = r->hist.len;
	struct hist_types types;
	int ret;

	hist_types_read(&types, t, r->hist_event);
	hist_cut(&text, &len, r->plan->save.n ? ".save(" : "");
	ret = hist_parse(h, text, len, types.v, types.n, err);
	hist_types_release(&types);
	return ret;
}

static void print_run_json(const struct synth_run *r, const struct hist *h)
{
	json_t *all = plan_json(r->plan);
	char *event;

	if (r->events.data)
		json_object_set_new(all, "events", lines_json(&r->events));
	if (h) {
		event = xstrdup(r->hist_event);
		event[strcspn(event, "/")] = ':';
		json_object_set_new(all, "hist", hist_json_object(h, event, r->ran_ns / 1e9));
		free(event);
	}
	if (r->snapshot.data)
		json_object_set_new(all, "snapshot", lines_json(&r->snapshot));
	json_object_set_new(all, "lost", json_integer(r->lost));
	print_json_object(all);
}

/* @h is NULL if the kernel's text is printed, or if there is no histogram. */
static void print_run_text(const struct synth_run *r, const struct hist *h,
			   const struct hist_look *look)
{
	struct buf out = {0};

	print_part(&r->events, "event");
	if (h)
		hist_draw(h, look, &out);
	else if (r->hist.data)
		text_sanitise(&out, r->hist.data, r->hist.len, true);
	fwrite(out.data ? out.data : "", 1, out.len, stdout);
	print_part(&r->snapshot, "snapshot");
	buf_release(&out);
}

/* Prints the results of a run. Returns an exit status. */
static int show_run(const struct sqlhist_args *q, const struct synth_run *r, const struct tfs *t)
{
	struct hist_look look = hist_terminal(0);
	bool drawn = r->hist.data && !q->raw;
	struct ftr_error err = {0};
	struct hist h = {0};
	int status = FTR_OK;

	if (drawn && parse_hist(r, t, &h, &err)) {
		status = cmd_fail(&err);
		drawn = false;
	}
	if (drawn)
		hist_order(&h, &look, NULL, 0);
	if (q->json)
		print_run_json(r, drawn ? &h : NULL);
	else
		print_run_text(r, drawn ? &h : NULL, &look);
	if (drawn)
		status = hist_warn(&h, "a WHERE or fewer keys need less");
	if (r->lost)
		cmd_warn("%llu events were lost: the buffer had no room",
			 (unsigned long long)r->lost);
	hist_release(&h);
	return status;
}

/* ---- creating and running */

static int create_from_sql(struct session *s, void *ctx, struct ftr_error *err)
{
	struct sqlhist_args *q = ctx;

	if (make_sql_plan(q, session_tfs(s), err))
		return -1;
	if (!q->force && synth_check_held(session_tfs(s), q->instance, &q->plan, err))
		return -1;
	return synth_create(s, q->instance, &q->plan, err);
}

static void report_running(void)
{
	cmd_notice("running; Ctrl-C ends it");
}

static int run_plan(struct session *s, void *ctx, struct ftr_error *err)
{
	struct sqlhist_args *q = ctx;
	struct synth_run r = { .plan = &q->plan, .duration_ns = q->duration_ns, .argv = q->argv };
	int ret;

	if (make_sql_plan(q, session_tfs(s), err))
		return -1;
	if (!q->argv && !q->duration_ns)
		r.begun = report_running;
	ret = synth_run(s, &r, err);
	if (!ret)
		q->shown = show_run(q, &r, session_tfs(s));
	q->status = r.status;
	synth_run_release(&r);
	return ret;
}

/* Prints, creates or runs the statement. Returns an exit status. */
static int run_statement(struct sqlhist_args *q)
{
	int status;

	if (q->create) {
		status = cmd_change(CHANGE_STANDS, create_from_sql, q);
		if (!status && q->plan.name)
			cmd_notice("made the event synthetic:%s; 'ftr synth del %s' or 'ftr reset' "
				   "removes it", q->plan.name, q->plan.name);
		else if (!status)
			cmd_notice("made the histogram of %s; 'ftr reset' removes it",
				   q->plan.start_event);
		return status;
	}
	if (!q->run)
		return show_commands(q);
	status = cmd_change(CHANGE_GOES, run_plan, q);
	if (!status)
		status = q->status ? q->status : q->shown;
	return status;
}

static int run_sqlhist(const struct cmd *self, int argc, char **argv)
{
	struct ftr_error err = {0};
	struct sqlhist_args q = {0};
	int status, first = cmd_parse(self, argc, argv, &q, &status);

	if (first < 0)
		return status;
	if (first < argc && !q.sql && !q.file)
		q.sql = argv[first++];
	if (first < argc)
		q.argv = argv + first;
	if (check_args(&q, &err) || read_statement(&q, &err))
		status = cmd_fail(&err);
	else
		status = run_statement(&q);
	synth_plan_release(&q.plan);
	free(q.text);
	return status;
}

const struct cmd cmd_sqlhist = {
	.name = "sqlhist",
	.usage = "[OPTIONS] [-e] SQL [-- COMMAND [ARGS...]]",
	.summary = "make synthetic events and histograms by SQL",
	.examples = examples,
	.options = options,
	.run = run_sqlhist,
};
