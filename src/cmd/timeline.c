/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr timeline: what each CPU and each task did, side by side over time. */
#include "cmd/timeline.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/term.h"
#include "base/text.h"
#include "cmd/frame/command_output.h"
#include "cmd/frame/command.h"
#include "output/svg.h"

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

/* --- which lanes */

struct choice {
	const struct timeline *t;
	const struct timeline_args *a;
};

static bool is_cpu_wanted(void *ctx, const struct model_cpu *c)
{
	const struct choice *choice = ctx;

	return span_cpu_is_selected(&choice->a->spans, c->cpu);
}

static bool has_name(const struct timeline *t, const struct strv *globs, const struct task *task)
{
	const char *name = model_task_name(t->model, task);
	char *text = timeline_task_text(t, task);
	bool wanted = !globs->n;

	for (size_t i = 0; i < globs->n && !wanted; i++)
		wanted = !fnmatch(globs->v[i], name, 0) || !fnmatch(globs->v[i], text, 0);
	free(text);
	return wanted;
}

static bool is_task_wanted(void *ctx, const struct task *task)
{
	const struct choice *choice = ctx;

	return span_task_is_selected(&choice->a->spans, choice->t->model, task) &&
	       has_name(choice->t, &choice->a->tasks, task);
}

/* JSON has tasks as they were met: who reads it sorts as he likes. */
static void collect_lanes(struct timeline *t, const struct timeline_args *a)
{
	struct choice choice = { t, a };

	timeline_collect(t, is_cpu_wanted, is_task_wanted, &choice);
	if (!a->spans.json)
		timeline_sort_tasks(t, a->sort);
}

/* --- events */

static int compile_event(const struct selection *s, struct timeline_event *e, char *glob,
			 struct ftr_error *err)
{
	const struct ev_world **worlds = xcalloc(s->nr_traces, sizeof(*worlds));
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
		worlds[i] = &s->traces[i]->world;
	ret = filter_compile(&e->spec, worlds, s->nr_traces, e->filters, err);
	e->spec.events = (struct strv){0};
	free(worlds);
	return ret;
}

static int compile_events(struct timeline *t, const struct timeline_args *a,
			  struct ftr_error *err)
{
	const struct strv *globs = &a->events;

	t->events = xcalloc(globs->n + 1, sizeof(*t->events));
	t->nr_events = globs->n;
	for (size_t i = 0; i < globs->n; i++)
		if (compile_event(&a->spans.select, &t->events[i], globs->v[i], err))
			return -1;
	return 0;
}

static void release_events(struct timeline *t)
{
	for (size_t i = 0; i < t->nr_events; i++) {
		struct timeline_event *e = &t->events[i];

		for (size_t k = 0; e->filters && k < t->nr_traces; k++)
			filter_free(e->filters[k]);
		free(e->filters);
		free(e->counts);
		free(e->text);
	}
	free(t->events);
}

/* --- the pass */

/* The times of the records, cut by --since and --until. */
static int find_range(struct timeline *t, const struct span_args *a, struct ftr_error *err)
{
	const struct selection *s = &a->select;

	t->from = UINT64_MAX;
	for (size_t i = 0; i < s->nr_traces; i++)
		trace_bounds(s->traces[i], &t->from, &t->to);
	t->from = s->range.since > t->from ? s->range.since : t->from;
	/* ->until is behind the last one */
	t->to = s->range.until <= t->to ? s->range.until - 1 : t->to;
	if (t->from <= t->to)
		return 0;
	return span_say_no_records(a, err);
}

static uint32_t wanted_width(const struct timeline_args *a)
{
	if (a->width)
		return a->width;
	if (a->svg)
		return SVG_WIDTH;
	return a->spans.json ? JSON_WIDTH : timeline_text_room(term_width());
}

static int print_svg(const struct timeline *t, const char *path, struct ftr_error *err)
{
	struct buf svg = {0};
	int ret;

	timeline_add_svg(t, &svg);
	ret = output_write(&svg, path, err);
	buf_release(&svg);
	return ret;
}

/* Losses are in all pictures, filters in the last lines of text. */
static void say_unknown(const struct timeline *t, bool filters)
{
	struct buf lines = {0};

	model_add_missed(t->model, &lines);
	if (filters)
		model_add_filters(t->model, &lines);
	span_say_lines(&lines);
	buf_release(&lines);
}

/* --tasks chose none of the tasks. */
static void add_no_name(const struct timeline *t, const struct timeline_args *a, struct buf *b)
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
 * CPUs alone are still something to look at. 1: there is nothing, which was said; -1 with @err for
 * a picture of it.
 */
static int check_lanes(const struct timeline *t, const struct timeline_args *a,
		       struct ftr_error *err)
{
	bool empty = !t->nr_tasks && !t->nr_cpus && !t->nr_events && !a->spans.json;
	struct buf why = {0};

	if (t->nr_tasks)
		return 0;
	if (!span_add_no_task(&a->spans, t->model, &why) && a->tasks.n)
		add_no_name(t, a, &why);
	if (empty && a->svg)
		span_fail_empty(&a->spans, why.len ? why.data : NULL, err);
	else if (why.len && !cmd_quiet)
		cmd_say("%s", why.data);
	buf_release(&why);
	return !empty ? 0 : a->svg ? -1 : 1;
}

static int print_timeline(struct timeline *t, const struct timeline_args *a,
			  struct ftr_error *err)
{
	struct timeline_look look = { term_width(), a->width, a->ascii || !term_utf8() };
	struct buf b = {0};
	int ret;

	collect_lanes(t, a);
	ret = check_lanes(t, a, err);
	if (ret)
		return ret < 0 ? -1 : 0;
	say_unknown(t, a->svg || a->spans.json);
	if (a->svg)
		return print_svg(t, a->svg, err);
	term_pager_start();
	if (a->spans.json) {
		timeline_print_json(t);
		return 0;
	}
	timeline_add_text(t, &look, &b, NULL);
	fwrite(b.data, 1, b.len, stdout);
	buf_release(&b);
	return 0;
}

static int read_lanes(struct timeline *t, struct timeline_args *a, struct ftr_error *err)
{
	struct model_opts o = { .instance = a->spans.instance, .cpus = true };

	t->lanes = lanes_new(t->from, t->to, wanted_width(a));
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
		return span_say_no_switches(&a->spans, err);
	return 0;
}

static int run_lanes(struct timeline_args *a, struct ftr_error *err)
{
	struct timeline t = {
		.traces = a->spans.select.traces, .nr_traces = a->spans.select.nr_traces,
	};
	int ret = compile_events(&t, a, err);

	if (!ret)
		ret = span_check_clocks(&a->spans, err);
	if (!ret)
		ret = find_range(&t, &a->spans, err);
	if (!ret)
		ret = read_lanes(&t, a, err);
	if (!ret)
		ret = print_timeline(&t, a, err);
	release_events(&t);
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
