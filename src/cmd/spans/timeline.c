/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr timeline: what each CPU and each task did, side by side over time. */
#include "cmd/spans/timeline.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/term.h"
#include "base/text.h"
#include "cmd/frame/output.h"
#include "cmd/frame/cmd.h"
#include "out/svg.h"

#define JSON_WIDTH	100
#define SVG_WIDTH	1000

enum sort_by { BY_RUN, BY_WAIT, BY_NAME, BY_PID, BY_FIRST };

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
	{ 0, "tasks", "GLOB", "lanes of these tasks alone, by name or NAME-PID (repeatable)",
	  opt_strv, AT(tasks) },
	OPT_GROUP("Lanes"),
	{ 0, "event", "GLOB", "a row that counts events of this name, system, or system:name "
	  "(repeatable)", opt_strv, AT(events) },
	{ 0, "sort", "ORDER", "tasks with the longest run time (the default) or wait first, or by "
	  "name, pid, or first record", set_sort, 0 },
	{ 0, "width", "N", "columns of time (default: what the terminal has room for)", set_width,
	  0 },
	OPT_GROUP("Output"),
	{ 0, "ascii", NULL, "no characters beyond ASCII", opt_flag, AT(ascii) },
	{ 'o', "output", "FILE", "a picture (SVG) instead of text; -: to standard output", opt_str,
	  AT(svg) },
	{ 0, "json", NULL, "JSON, times in nanoseconds", opt_flag, SPAN_AT(json) },
	SPAN_QUIET_OPT,
	OPT_END
};

static const char *const examples[] = {
	"ftr timeline                                 CPUs and tasks of trace.dat",
	"ftr timeline --since +1s --until +1.2s --tasks 'make*' --event sched_wakeup",
	"ftr timeline -o picture.svg a.dat",
	NULL
};

/* --- what the outputs share */

struct timeline_sums timeline_sums_of(const struct timeline *t, const struct task *task)
{
	struct timeline_sums sums = {
		.run = task_time(task, TASK_RUNNING)->time,
		.wait = task_time(task, TASK_RUNNABLE)->time +
			task_time(task, TASK_PREEMPTED)->time + task_time(task, TASK_NEW)->time,
	};

	for (unsigned int i = TASK_ASLEEP; i < model_nr_states(t->model); i++)
		sums.sleep += task_time(task, i)->time;
	return sums;
}

bool timeline_has_irqs(const struct timeline *t)
{
	for (size_t i = 0; i < t->nr_cpus; i++)
		if (t->cpus[i]->irq || t->cpus[i]->softirq)
			return true;
	return false;
}

const char *timeline_cpu_state(const struct lane *lane, uint32_t column)
{
	static const char *const names[LANE_CPU_STATES] = { "busy", "idle", "unknown" };

	if (!lane || lane->states[column] == LANE_EMPTY)
		return NULL;
	return names[lane->states[column] - 1];
}

const char *timeline_task_state(const struct timeline *t, const struct lane *lane,
				uint32_t column)
{
	if (!lane || lane->states[column] == LANE_EMPTY)
		return NULL;
	return model_state_name(t->model, lane->states[column] - 1);
}

char *timeline_task_text(const struct timeline *t, const struct task *task)
{
	struct buf b = {0};
	const char *name;

	if (!task)
		return NULL;
	name = model_task_name(t->model, task);
	text_sanitise(&b, name, strlen(name), false);
	buf_addch(&b, '-');
	model_add_task_id(task, &b);
	return buf_take(&b);
}

void timeline_add_time(const struct timeline *t, struct buf *b, uint64_t ts)
{
	bool is_fine = (t->to - t->from) / lanes_width(t->lanes) < 10000;

	trace_add_time(b, t->args->spans.select.traces[0], ts, is_fine);
}

void timeline_add_duration(const struct timeline *t, struct buf *b, uint64_t v)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double rest = v;
	unsigned int unit = 0;

	if (!t->args->spans.select.traces[0]->clock_is_ns) {
		buf_printf(b, "%" PRIu64, v);
		return;
	}
	for (; rest >= 999.95 && unit < 3; unit++)
		rest /= 1000;
	buf_printf(b, "%.*f %s", !unit || rest >= 999.95 ? 0 : rest < 9.9995 ? 3 :
		   rest < 99.995 ? 2 : 1, rest, units[unit]);
}

/* --- lanes in order */

static int by_number(const void *a, const void *b)
{
	const struct model_cpu *x = *(const struct model_cpu *const *)a;
	const struct model_cpu *y = *(const struct model_cpu *const *)b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static void collect_cpus(struct timeline *t)
{
	size_t cap = 0;

	for (const struct model_cpu *c = model_cpus(t->model); c; c = c->next) {
		if (!model_has_states(t->model, c->file) ||
		    !span_cpu_is_selected(&t->args->spans, c->cpu))
			continue;
		t->cpus = xgrow(t->cpus, &cap, t->nr_cpus + 1, sizeof(*t->cpus));
		t->cpus[t->nr_cpus++] = c;
	}
	if (t->nr_cpus)
		qsort(t->cpus, t->nr_cpus, sizeof(*t->cpus), by_number);
}

static bool is_wanted(const struct timeline *t, const struct task *task)
{
	const struct strv *globs = &t->args->tasks;
	const char *name = model_task_name(t->model, task);
	char *text = timeline_task_text(t, task);
	bool wanted = !globs->n;

	for (size_t i = 0; i < globs->n && !wanted; i++)
		wanted = !fnmatch(globs->v[i], name, 0) || !fnmatch(globs->v[i], text, 0);
	free(text);
	return wanted;
}

static const struct timeline *sorting;

static uint64_t sort_value(const struct task *task)
{
	switch (sorting->args->sort) {
	case BY_RUN:
		return timeline_sums_of(sorting, task).run;
	case BY_WAIT:
		return timeline_sums_of(sorting, task).wait;
	case BY_PID:
		return UINT32_MAX - (uint32_t)task->pid;
	default:
		return 0;
	}
}

static int by_value(const void *a, const void *b)
{
	const struct task *x = *(const struct task *const *)a;
	const struct task *y = *(const struct task *const *)b;
	uint64_t vx = sort_value(x), vy = sort_value(y);
	int order = 0;

	if (vx != vy)
		return vx < vy ? 1 : -1;
	if (sorting->args->sort == BY_NAME)
		order = strcmp(model_task_name(sorting->model, x),
			       model_task_name(sorting->model, y));
	return order ? order : (x->id > y->id) - (x->id < y->id);
}

/* JSON has them as they were met: who reads it sorts as he likes. */
static void collect_tasks(struct timeline *t)
{
	size_t cap = 0;

	for (const struct task *task = model_tasks(t->model); task; task = task->next) {
		if (!task->pid || !model_has_states(t->model, task->file) ||
		    !span_task_is_selected(&t->args->spans, t->model, task) ||
		    !is_wanted(t, task))
			continue;
		t->tasks = xgrow(t->tasks, &cap, t->nr_tasks + 1, sizeof(*t->tasks));
		t->tasks[t->nr_tasks++] = task;
	}
	sorting = t;
	if (t->nr_tasks && !t->args->spans.json)
		qsort(t->tasks, t->nr_tasks, sizeof(*t->tasks), by_value);
}

/* --- events */

static int compile_event(struct timeline *t, struct timeline_event *e, char *glob,
			 struct ftr_error *err)
{
	const struct selection *s = &t->args->spans.select;
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

static int compile_events(struct timeline *t, struct ftr_error *err)
{
	const struct strv *globs = &t->args->events;

	t->events = xcalloc(globs->n + 1, sizeof(*t->events));
	t->nr_events = globs->n;
	for (size_t i = 0; i < globs->n; i++)
		if (compile_event(t, &t->events[i], globs->v[i], err))
			return -1;
	return 0;
}

static void release_events(struct timeline *t)
{
	for (size_t i = 0; i < t->nr_events; i++) {
		struct timeline_event *e = &t->events[i];

		for (size_t k = 0; e->filters && k < t->args->spans.select.nr_traces; k++)
			filter_free(e->filters[k]);
		free(e->filters);
		free(e->counts);
		free(e->text);
	}
	free(t->events);
}

/* --- the pass */

static void record_came(void *ctx, struct task *task, const struct trace_rec *r)
{
	struct timeline *t = ctx;

	(void)task;
	if (r->ts < t->from || r->ts > t->to)
		return;
	for (size_t i = 0; i < t->nr_events; i++) {
		struct timeline_event *e = &t->events[i];

		if (!filter_match(e->filters[r->file], r->type, r->pid, r->cpu, r->ts, &r->rec))
			continue;
		e->counts[lanes_column(t->lanes, r->ts)]++;
		e->total++;
	}
}

static void task_stayed(void *ctx, struct task *task, uint64_t from, uint64_t to)
{
	lanes_stayed(((struct timeline *)ctx)->lanes, task, from, to);
}

static void cpu_stayed(void *ctx, struct model_cpu *c, uint64_t from, uint64_t to)
{
	lanes_cpu_stayed(((struct timeline *)ctx)->lanes, c, from, to);
}

static void cpu_gap(void *ctx, struct model_cpu *c, struct task *task, uint64_t from, uint64_t to)
{
	lanes_gap(((struct timeline *)ctx)->lanes, c, task, from, to);
}

static const struct span_ops lane_ops = {
	.stayed = task_stayed, .cpu_stayed = cpu_stayed, .gap = cpu_gap,
};
static const struct span_ops event_ops = {
	.stayed = task_stayed, .cpu_stayed = cpu_stayed, .gap = cpu_gap, .event = record_came,
};

/* The times of the records, cut by --since and --until. */
static int find_range(struct timeline *t, struct ftr_error *err)
{
	const struct selection *s = &t->args->spans.select;

	t->from = UINT64_MAX;
	for (size_t i = 0; i < s->nr_traces; i++)
		trace_bounds(s->traces[i], &t->from, &t->to);
	t->from = s->range.since > t->from ? s->range.since : t->from;
	/* ->until is behind the last one */
	t->to = s->range.until <= t->to ? s->range.until - 1 : t->to;
	if (t->from <= t->to)
		return 0;
	err_set(err, FTR_FAILED, "no records to be shown in '%s'",
		s->nr_traces == 1 ? s->traces[0]->dat->path : "the files");
	return err_hint(err, "'ftr info' tells the first and the last time");
}

static uint32_t wanted_width(const struct timeline_args *a)
{
	if (a->width)
		return a->width;
	if (a->svg)
		return SVG_WIDTH;
	return a->spans.json ? JSON_WIDTH : timeline_text_room();
}

static int print_svg(const struct timeline *t, struct ftr_error *err)
{
	struct buf svg = {0};
	int ret;

	timeline_add_svg(t, &svg);
	ret = output_write(&svg, t->args->svg, err);
	buf_release(&svg);
	return ret;
}

static int print_timeline(struct timeline *t, struct ftr_error *err)
{
	struct buf b = {0};

	collect_cpus(t);
	collect_tasks(t);
	if (t->args->svg)
		return print_svg(t, err);
	term_pager_start();
	if (t->args->spans.json) {
		timeline_print_json(t);
		return 0;
	}
	timeline_add_text(t, &b);
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
			     t->nr_events ? &event_ops : &lane_ops, t, err);
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
	struct timeline t = { .args = a };
	int ret = compile_events(&t, err);

	if (!ret)
		ret = find_range(&t, err);
	if (!ret)
		ret = read_lanes(&t, a, err);
	if (!ret)
		ret = print_timeline(&t, err);
	release_events(&t);
	free(t.cpus);
	free(t.tasks);
	lanes_free(t.lanes);
	model_free(t.model);
	return ret;
}

static int check_outputs(const struct timeline_args *a, struct ftr_error *err)
{
	if (!a->svg || !a->spans.json)
		return 0;
	err_set(err, FTR_USAGE, "--json is no picture");
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
