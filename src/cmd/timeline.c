/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr timeline: draws the activity of CPUs and tasks over time. */
#include <fnmatch.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/term.h"
#include "base/text.h"
#include "cmd/command_parts.h"
#include "cmd/frame/command.h"
#include "cmd/frame/command_output.h"
#include "cmd/frame/listing.h"
#include "cmd/frame/span_commands.h"
#include "output/lanes/lanes_view.h"
#include "output/svg.h"

struct timeline_args {
	struct span_args spans;		/* first: SPAN_* and SELECT_* options write to it */
	struct strv tasks;		/* --tasks */
	struct strv events;		/* --event */
	int64_t width;			/* --width in columns; 0: as wide as the terminal */
	enum timeline_sort sort;
	bool ascii;
	const char *svg;		/* -o: file name */
};

#define JSON_WIDTH	100
#define SVG_WIDTH	1000

static int set_sort(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	static const char *const words[] = { "run", "wait", "name", "pid", "first", NULL };
	struct timeline_args *a = ctx;
	int word = opt_word(o, arg, words, err);

	if (word < 0)
		return -1;
	a->sort = word;
	return 0;
}

static int set_width(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct timeline_args *a = ctx;

	(void)o;
	if (!text_number(arg, 1, LANE_WIDTH_MAX, &a->width))
		return 0;
	err_set(err, FTR_USAGE, "--width does not take '%s'", arg);
	return err_hint(err, "it is a number of columns, 1 to %u", LANE_WIDTH_MAX);
}

#define AT(member) offsetof(struct timeline_args, member)
static const struct opt options[] = {
	OPT_GROUP("Input"),
	SELECT_FILES,
	SPAN_BUFFER_OPT,
	OPT_GROUP("Selection"),
	SELECT_WHERE,
	{ 0, "tasks", "GLOB", "draw only these tasks: NAME or NAME-PID (repeatable)",
	  opt_strv, AT(tasks) },
	OPT_GROUP("Lanes"),
	{ 0, "event", "GLOB", "add a row that counts these events (repeatable)",
	  opt_strv, AT(events) },
	{ 0, "sort", "ORDER", "order of tasks: run (default), wait, name, pid, first",
	  set_sort, 0 },
	{ 0, "width", "N", "draw N columns of time (default: the terminal's width)", set_width,
	  0 },
	OPT_GROUP("Output"),
	{ 0, "ascii", NULL, "draw with ASCII characters only", opt_flag, AT(ascii) },
	{ 'o', "output", "FILE", "write an SVG picture into FILE; -: standard output", opt_str,
	  AT(svg) },
	{ 0, "json", NULL, "print JSON, times in nanoseconds", opt_flag, SPAN_AT(json) },
	SPAN_QUIET_OPT,
	OPT_END
};

static const char *const examples[] = {
	"ftr timeline                                 CPUs and tasks of trace.dat",
	"ftr timeline --since +1s --until +1.2s --tasks 'make*' --event sched_wakeup",
	"ftr timeline -o picture.svg a.dat",
	NULL
};

/* --- selection of CPUs and tasks */

struct timeline_choice {
	const struct timeline *t;
	const struct timeline_args *a;
};

static bool is_cpu_wanted(void *ctx, const struct model_cpu *c)
{
	const struct timeline_choice *choice = ctx;

	return span_cpu_is_selected(&choice->a->spans, c->cpu);
}

static bool is_task_wanted(void *ctx, const struct task *task)
{
	const struct timeline_choice *choice = ctx;
	const struct timeline *t = choice->t;
	const struct strv *globs = &choice->a->tasks;
	const char *name = model_task_name(t->model, task);
	bool wanted = !globs->n;
	char *text;

	if (!span_task_is_selected(&choice->a->spans, t->model, task))
		return false;
	text = timeline_task_text(t, task);
	for (size_t i = 0; i < globs->n && !wanted; i++)
		wanted = !fnmatch(globs->v[i], name, 0) || !fnmatch(globs->v[i], text, 0);
	free(text);
	return wanted;
}

/* --- events */

static int compile_event(const struct selection *s, struct timeline_event *e, char *glob,
			 struct ftr_error *err)
{
	const struct event_meta **metas = xcalloc(s->nr_traces, sizeof(*metas));
	char *globs[] = { glob, NULL };
	struct buf text = {0};
	int ret;

	text_sanitise(&text, glob, strlen(glob), false);
	buf_addstr(&text, "");
	e->text = buf_take(&text);
	e->spec = s->spec;
	e->spec.events = (struct strv){ .v = globs, .n = 1 };
	e->filters = xcalloc(s->nr_traces, sizeof(*e->filters));
	for (size_t i = 0; i < s->nr_traces; i++)
		metas[i] = &s->traces[i]->meta;
	ret = filter_compile(&e->spec, metas, s->nr_traces, e->filters, err);
	e->spec.events = (struct strv){0};
	free(metas);
	return ret;
}

/* --- reading */

/*
 * Sets the time range: from the first to the last record, cut by --since and --until. Returns -1
 * with @err if there is none.
 */
static int find_range(struct timeline *t, const struct span_args *a, struct ftr_error *err)
{
	const struct selection *s = &a->select;

	t->from = UINT64_MAX;
	for (size_t i = 0; i < s->nr_traces; i++)
		trace_bounds(s->traces[i], &t->from, &t->to);
	t->from = s->range.since > t->from ? s->range.since : t->from;
	/* ->until is after the last record. */
	t->to = s->range.until <= t->to ? s->range.until - 1 : t->to;
	if (t->from <= t->to)
		return 0;
	return span_fail_no_records(a, err);
}

/* Explains that --tasks matches no task, and names near ones. */
static void explain_no_task(const struct timeline *t, const struct timeline_args *a, struct buf *b)
{
	struct none_names *names = none_names_new();

	for (const struct task *task = model_tasks(t->model); task; task = task->next) {
		char *text = task->pid ? timeline_task_text(t, task) : NULL;

		if (text)
			none_names_count(names, text, task->times[TASK_RUNNING].time);
		free(text);
	}
	buf_printf(b, "no task matches --tasks '%s'%s", a->tasks.v[0],
		   a->tasks.n > 1 ? ", ..." : "");
	none_names_add(names, "; there are ", a->tasks.v[0], b);
	none_names_free(names);
}

/*
 * Checks that there is something to draw; CPUs without tasks are enough. Returns 1 if an empty
 * timeline was explained, -1 with @err if it would be a picture.
 */
static int check_lanes(const struct timeline *t, const struct timeline_args *a,
		       struct ftr_error *err)
{
	bool empty = !t->nr_tasks && !t->nr_cpus && !t->nr_events && !a->spans.json;
	struct buf why = {0};

	if (t->nr_tasks)
		return 0;
	if (!span_add_no_task(&a->spans, t->model, &why) && a->tasks.n)
		explain_no_task(t, a, &why);
	if (empty && a->svg)
		span_fail_empty(&a->spans, why.len ? why.data : NULL, err);
	else if (why.len && !cmd_quiet)
		cmd_notice("%s", why.data);
	buf_release(&why);
	return !empty ? 0 : a->svg ? -1 : 1;
}

/* --- JSON */

static json_t *text_or_null(const char *text)
{
	return text ? json_string(text) : json_null();
}

static json_t *loss_list(const struct timeline *t, const struct state_lane *lane)
{
	json_t *list = json_array();

	for (uint32_t i = 0; lane && lane->losses && i < lanes_width(t->lanes); i++)
		if (lane->losses[i])
			json_array_append_new(list, json_integer(i));
	return list;
}

static json_t *cpu_object(const struct timeline *t, const struct model_cpu *c)
{
	const struct state_lane *lane = lanes_of_cpu(t->lanes, c);
	json_t *o = json_object(), *columns = json_array(), *tasks = json_array();
	char *text;

	for (uint32_t i = 0; i < lanes_width(t->lanes); i++) {
		json_array_append_new(columns, text_or_null(timeline_cpu_state(lane, i)));
		text = timeline_task_text(t, lane ? lane->tasks[i] : NULL);
		json_array_append_new(tasks, text_or_null(text));
		free(text);
	}
	json_object_set_new(o, "file", json_integer(c->file));
	json_object_set_new(o, "cpu", json_integer(c->cpu));
	json_object_set_new(o, "columns", columns);
	json_object_set_new(o, "tasks", tasks);
	json_object_set_new(o, "losses", loss_list(t, lane));
	sched_set_cpu_times(o, c);
	return o;
}

static json_t *task_object(const struct timeline *t, const struct task *task)
{
	const struct state_lane *lane = lanes_of_task(t->lanes, task);
	json_t *o = json_object(), *columns = json_array();
	char *text = timeline_task_text(t, task);

	for (uint32_t i = 0; i < lanes_width(t->lanes); i++)
		json_array_append_new(columns, text_or_null(timeline_task_state(t, lane, i)));
	json_object_set_new(o, "file", json_integer(task->file));
	json_object_set_new(o, "task", json_string(text));
	json_object_set_new(o, "pid", json_integer(task->pid));
	json_object_set_new(o, "columns", columns);
	json_object_set_new(o, "losses", loss_list(t, lane));
	json_object_set_new(o, "states", sched_states_object(t->model, task));
	free(text);
	return o;
}

static void timeline_print_json(const struct timeline *t)
{
	struct json_rows rows;
	json_t *o, *columns;

	json_rows_begin(&rows);
	json_rows_add_member(&rows, "from", json_integer(t->from));
	json_rows_add_member(&rows, "to", json_integer(t->to));
	json_rows_add_member(&rows, "width", json_integer(lanes_width(t->lanes)));
	json_rows_begin_list(&rows, "cpus");
	for (size_t i = 0; i < t->nr_cpus; i++)
		json_rows_add_row(&rows, cpu_object(t, t->cpus[i]));
	json_rows_end_list(&rows);
	json_rows_begin_list(&rows, "tasks");
	for (size_t i = 0; i < t->nr_tasks; i++)
		json_rows_add_row(&rows, task_object(t, t->tasks[i]));
	json_rows_end_list(&rows);
	json_rows_begin_list(&rows, "events");
	for (const struct timeline_event *e = t->events; e < t->events + t->nr_events; e++) {
		o = json_object();
		columns = json_array();
		for (uint32_t i = 0; i < lanes_width(t->lanes); i++)
			json_array_append_new(columns, json_integer(e->counts[i]));
		json_object_set_new(o, "event", json_string(e->text));
		json_object_set_new(o, "count", json_integer(e->total));
		json_object_set_new(o, "columns", columns);
		json_rows_add_row(&rows, o);
	}
	json_rows_end_list(&rows);
	json_rows_end(&rows);
}

/* --- the command */

/* Prints the timeline as text, JSON or a picture. Returns -1 with @err. */
static int print_timeline(struct timeline *t, const struct timeline_args *a,
			  struct ftr_error *err)
{
	struct timeline_look look = { term_width(), a->width, a->ascii || !term_utf8() };
	struct timeline_choice choice = { t, a };
	struct buf lines = {0}, b = {0};
	int ret;

	timeline_collect(t, is_cpu_wanted, is_task_wanted, &choice);
	/* JSON has tasks in the order of their first records. */
	if (!a->spans.json)
		timeline_sort_tasks(t, a->sort);
	ret = check_lanes(t, a, err);
	if (ret)
		return ret < 0 ? -1 : 0;
	/* Each output shows losses, but only text shows the filters of the recording. */
	model_add_missed(t->model, &lines);
	if (a->svg || a->spans.json)
		model_add_filters(t->model, &lines);
	span_print_remarks(&lines);
	buf_release(&lines);
	if (a->svg) {

		timeline_add_svg(t, &b);
		ret = output_write(&b, a->svg, err);
	} else {
		term_pager_start();
		if (a->spans.json)
			timeline_print_json(t);
		else
			timeline_add_text(t, &look, &b, NULL);
		fwrite(b.len ? b.data : "", 1, b.len, stdout);
	}
	buf_release(&b);
	return ret;
}

static int read_lanes(struct timeline *t, struct timeline_args *a, struct ftr_error *err)
{
	struct model_opts o = { .instance = a->spans.instance, .cpus = true };
	uint32_t width = a->width;

	if (!width && a->svg)
		width = SVG_WIDTH;
	else if (!width)
		width = a->spans.json ? JSON_WIDTH : timeline_text_room(term_width());
	t->lanes = lanes_new(t->from, t->to, width);
	for (size_t i = 0; i < t->nr_events; i++)
		t->events[i].counts = xcalloc(lanes_width(t->lanes), sizeof(uint64_t));
	t->model = model_new(a->spans.select.traces, a->spans.select.nr_traces, &o,
			     timeline_span_ops(t), t, err);
	if (!t->model)
		return -1;
	lanes_bind(t->lanes, t->model);
	span_read(&a->spans, t->model, NULL);
	lanes_end(t->lanes);
	if (!model_met_switch(t->model) && !a->spans.signal)
		return span_fail_no_switches(&a->spans, err);
	return 0;
}

static int run_lanes(struct timeline_args *a, struct ftr_error *err)
{
	const struct strv *globs = &a->events;
	struct timeline t = {
		.traces = a->spans.select.traces, .nr_traces = a->spans.select.nr_traces,
		.events = xcalloc(globs->n + 1, sizeof(*t.events)), .nr_events = globs->n,
	};
	int ret = 0;

	for (size_t i = 0; i < globs->n && !ret; i++)
		ret = compile_event(&a->spans.select, &t.events[i], globs->v[i], err);
	if (!ret)
		ret = span_check_clocks(&a->spans, err);
	if (!ret)
		ret = find_range(&t, &a->spans, err);
	if (!ret)
		ret = read_lanes(&t, a, err);
	if (!ret)
		ret = print_timeline(&t, a, err);
	for (struct timeline_event *e = t.events; e < t.events + t.nr_events; e++) {
		for (size_t k = 0; e->filters && k < t.nr_traces; k++)
			filter_free(e->filters[k]);
		free(e->filters);
		free(e->counts);
		free(e->text);
	}
	free(t.events);
	timeline_release(&t);
	lanes_free(t.lanes);
	model_free(t.model);
	return ret;
}

static int check_outputs(const struct timeline_args *a, struct ftr_error *err)
{
	if (!a->svg || !a->spans.json)
		return 0;
	err_set(err, FTR_USAGE, "--json does not draw a picture");
	return err_hint(err, "leave out -o, or --json");
}

static int run_timeline(const struct cmd *self, int argc, char **argv)
{
	struct timeline_args a = {0};
	struct ftr_error err = {0};
	int status, first = cmd_parse(self, argc, argv, &a, &status);

	if (first >= 0 && (check_outputs(&a, &err) ||
			   span_open(&a.spans, first, argc, argv, &err) || run_lanes(&a, &err)))
		status = cmd_fail(&err);
	strv_release(&a.tasks);
	status = span_close(&a.spans, status);
	strv_release(&a.events);
	return status;
}

const struct cmd cmd_timeline = {
	.name = "timeline",
	.usage = "[OPTIONS] [FILE...]",
	.summary = "draw what each CPU and each task did over time",
	.examples = examples,
	.options = options,
	.run = run_timeline,
};
