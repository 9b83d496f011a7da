/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ftr sched timehist: prints a line when a task leaves its CPU, and sums by task. The rows and
 * columns are those of perf sched timehist, except for the last column.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/term.h"
#include "base/text.h"
#include "cmd/sched_priv.h"

#define NAME_WIDTH	30
#define SUMMARY_WIDTH	117

/* The runs of a task, in units of the clock. */
struct task_runs {
	uint64_t n, sum, min, max;
	double mean, squares;		/* Welford's method */
};

/* The rows that an event type is printed in. */
enum row { ROW_UNKNOWN, ROW_NONE, ROW_WAKEUP, ROW_MIGRATION };

struct sched_timehist {
	struct sched_args *args;
	struct model *model;
	bool started, stop;
	bool has_waking;		/* sched_waking is recorded, so sched_wakeup adds nothing */
	uint64_t unknown;
	struct task_runs *runs;		/* indexed by task.id */
	size_t nr_runs;
	struct map migrations;		/* file and pid -> number */
	struct map rows;		/* format -> enum row */
};

/* --- lines */

static void add_units(struct buf *b, bool is_ns, const char *unit, unsigned int n)
{
	while (is_ns && n--)
		buf_printf(b, "  %9s", unit);
}

static void start_lines(struct sched_timehist *h)
{
	bool is_ns = h->args->spans.select.traces[0]->clock_is_ns;
	struct buf b = {0};

	h->started = true;
	term_pager_start();
	if (h->args->summary)
		return;
	buf_printf(&b, "%15s %6s  %-*s  %9s  %9s  %9s  %9s\n", "time", "cpu", NAME_WIDTH,
		   "task name", "wait time", "sch delay", "run time", "preempted");
	buf_printf(&b, "%15s %-6s  %-*s", "", "", is_ns ? NAME_WIDTH : 0, "[tid/pid]");
	add_units(&b, is_ns, "(msec)", 4);
	buf_printf(&b, "\n%.15s %.6s  %.*s", "------------------------------",
		   "------------------------------", NAME_WIDTH, "------------------------------");
	add_units(&b, true, "---------", 4);
	buf_addch(&b, '\n');
	sched_print(&b);
}

static void add_comm_pid(struct buf *b, const char *name, int pid)
{
	text_sanitise(b, name, strlen(name), false);
	if (pid)
		buf_printf(b, "[%d]", pid);
}

/* Appends the time, the CPU, and the task of a line. */
static void begin_row(struct buf *b, const struct trace_rec *r, const char *name, int pid)
{
	uint64_t us = r->ts / 1000;
	int left;

	if (r->trace->clock_is_ns)
		buf_printf(b, "%8" PRIu64 ".%06u", us / 1000000, (unsigned int)(us % 1000000));
	else
		buf_printf(b, "%15" PRIu64, r->ts);
	buf_printf(b, " [%04d]  ", r->cpu);
	left = NAME_WIDTH + (int)b->len;
	add_comm_pid(b, name, pid);
	left -= (int)b->len;
	buf_printf(b, "%*s", left > 0 ? left : 0, "");
}

static void add_known_time(struct buf *b, bool is_ns, uint64_t time)
{
	buf_addstr(b, "  ");
	if (time == SPAN_UNKNOWN)
		buf_printf(b, "%9s", "-");
	else
		sched_add_time(b, is_ns, 9, time);
}

/* Prints a line. It ends with the name of its file if several are read. */
static void end_row(struct sched_timehist *h, struct buf *b, uint32_t file)
{
	const char *path = sched_name_of_file(h->args, file);

	if (path) {
		buf_addstr(b, "  ");
		text_sanitise(b, path, strlen(path), false);
	}
	buf_addch(b, '\n');
	if (!h->started)
		start_lines(h);
	sched_print(b);
	h->stop = ferror(stdout);
}

/* --- runs */

static void count_run(struct sched_timehist *h, const struct task *t, uint64_t run)
{
	struct task_runs *r;
	double off;

	if (t->id >= h->nr_runs) {
		size_t cap = h->nr_runs;

		h->runs = xgrow(h->runs, &cap, t->id + 1, sizeof(*h->runs));
		memset(h->runs + h->nr_runs, 0, (cap - h->nr_runs) * sizeof(*h->runs));
		h->nr_runs = cap;
	}
	r = &h->runs[t->id];
	off = run - r->mean;
	r->min = !r->n || run < r->min ? run : r->min;
	r->max = run > r->max ? run : r->max;
	r->sum += run;
	r->mean += off / ++r->n;
	r->squares += off * (run - r->mean);
}

static void task_switched_out(void *ctx, struct task *prev, struct task *next,
			      const struct trace_rec *r)
{
	bool is_ns = r->trace->clock_is_ns;
	struct sched_timehist *h = ctx;
	struct buf b = {0};

	if (!prev->has_come || prev->unseen & UNSEEN_RUNS ||
	    !span_task_is_selected(&h->args->spans, h->model, prev) ||
	    (h->args->idle && prev->pid && next->pid))
		return;
	if (!prev->is_known) {
		h->unknown++;
		return;
	}
	count_run(h, prev, r->ts - prev->came_at);
	if (h->args->summary)
		return;
	begin_row(&b, r, model_task_name(h->model, prev), prev->pid);
	add_known_time(&b, is_ns, prev->was_off);
	add_known_time(&b, is_ns, prev->was_delayed);
	add_known_time(&b, is_ns, r->ts - prev->came_at);
	add_known_time(&b, is_ns, prev->was_preempted);
	if (h->args->next) {
		buf_addstr(&b, "  next: ");
		add_comm_pid(&b, model_task_name(h->model, next), next->pid);
	}
	end_row(h, &b, r->file);
}

/* --- wakeups and migrations */

static const struct {
	const char *name;
	enum row row;
} row_events[] = {
	{ "sched_waking", ROW_WAKEUP }, { "sched_wakeup", ROW_WAKEUP },
	{ "sched_wakeup_new", ROW_WAKEUP }, { "sched_migrate_task", ROW_MIGRATION },
};

static enum row format_row(struct sched_timehist *h, const struct ev_format *fmt)
{
	enum row row = fmt ? (uintptr_t)map_get(&h->rows, (uintptr_t)fmt) : ROW_NONE;

	if (row != ROW_UNKNOWN)
		return row;
	row = ROW_NONE;
	for (size_t i = 0; i < sizeof(row_events) / sizeof(*row_events); i++)
		if (!strcmp(fmt->system, "sched") && !strcmp(fmt->name, row_events[i].name))
			row = row_events[i].row;
	if (h->has_waking && !strcmp(fmt->name, "sched_wakeup"))
		row = ROW_NONE;
	map_put(&h->rows, (uintptr_t)fmt, (void *)(uintptr_t)row);
	return row;
}

static bool read_field(const struct trace_rec *r, const char *field, uint64_t *v)
{
	const struct ev_field *f = ev_format_ready(r->rec.fmt) ? NULL : ev_field(r->rec.fmt, field);

	return f && ev_get_num(&r->rec, f, v);
}

/*
 * Reads the task of a wakeup or a migration; its name is that of the event. Returns false if the
 * event has no pid.
 */
static bool read_event_task(const struct trace_rec *r, struct buf *name, int *pid)
{
	const struct ev_field *f;
	const uint8_t *text;
	uint32_t len;
	uint64_t v;

	if (!read_field(r, "pid", &v))
		return false;
	*pid = (int32_t)v;
	f = ev_field(r->rec.fmt, "comm");
	if (f && ev_get_bytes(&r->rec, f, &text, &len))
		buf_add(name, text, strnlen((const char *)text, len));
	buf_addstr(name, "");
	return true;
}

static void print_event_row(struct sched_timehist *h, const struct task *t, enum row row,
			    const struct trace_rec *r, const char *name, int pid)
{
	uint64_t from = 0, to = 0;
	struct buf b = {0};

	begin_row(&b, r, model_task_name(h->model, t), t->pid);
	buf_printf(&b, "  %9s  %9s  %9s  %9s  %s: ", "", "", "", "",
		   row == ROW_WAKEUP ? "awakened" : "migrated");
	add_comm_pid(&b, name, pid);
	if (row == ROW_MIGRATION && read_field(r, "orig_cpu", &from) &&
	    read_field(r, "dest_cpu", &to))
		buf_printf(&b, " cpu %" PRIu64 " => %" PRIu64, from, to);
	end_row(h, &b, r->file);
}

static void sched_event(void *ctx, struct task *t, const struct trace_rec *r)
{
	struct sched_timehist *h = ctx;
	const struct sched_args *a = h->args;
	enum row row = format_row(h, r->rec.fmt);
	struct buf name = {0};
	int pid;

	if (row == ROW_NONE || !read_event_task(r, &name, &pid))
		return;
	if (row == ROW_MIGRATION)
		map_count(&h->migrations, (uint64_t)r->file << 32 | (uint32_t)pid);
	/* As in perf, a row is shown if the waking or the woken task is selected. */
	if ((row == ROW_WAKEUP ? a->wakeups : a->migrations) && !a->summary && !a->idle &&
	    (span_task_is_selected(&a->spans, h->model, t) ||
	     filter_has_task(&a->spans.select.spec, t->cpu, pid, name.data)))
		print_event_row(h, t, row, r, name.data, pid);
	buf_release(&name);
}

/* --- the summary */

static void add_runs(const struct sched_timehist *h, struct buf *b, const struct task *t,
		     const struct task_runs *r)
{
	uint64_t key = (uint64_t)t->file << 32 | (uint32_t)t->pid;
	struct buf name = {0};
	bool is_ns = h->args->spans.select.traces[t->file]->clock_is_ns;
	double spread = 0;

	/* The standard error of the mean in percent of the mean, as perf's stddev. */
	if (r->n >= 2 && r->mean > 0)
		spread = 100 * sqrt(r->squares / (r->n - 1) / r->n) / r->mean;
	add_comm_pid(&name, model_task_name(h->model, t), t->pid);
	buf_printf(b, "%*s  %9" PRIu64, NAME_WIDTH, name.data, r->n);
	sched_add_time(b, is_ns, 14, r->sum);
	sched_add_time(b, is_ns, 11, r->min);
	sched_add_time(b, is_ns, 12, r->mean);
	sched_add_time(b, is_ns, 12, r->max);
	buf_printf(b, "  %6.2f   %5zu\n", spread,
		   (size_t)(uintptr_t)map_get(&h->migrations, key));
	buf_release(&name);
}

/* Returns the time between the first and the last selected record, in units of the clock. */
static uint64_t selected_time(const struct sched_timehist *h)
{
	const struct selection *s = &h->args->spans.select;
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < s->nr_traces; i++)
		trace_bounds(s->traces[i], &first, &last);
	first = s->range.since > first ? s->range.since : first;
	last = s->range.until <= last ? s->range.until - 1 : last;
	return last > first ? last - first : 0;
}

static void add_idle(const struct sched_timehist *h, struct buf *b)
{
	uint64_t all = selected_time(h);

	buf_addstr(b, "\nIdle stats:\n");
	for (const struct model_cpu *c = model_cpus(h->model); c; c = c->next) {
		if (!c->switched || !span_cpu_is_selected(&h->args->spans, c->cpu))
			continue;
		buf_printf(b, "    CPU %2d idle for ", c->cpu);
		sched_add_time(b, h->args->spans.select.traces[c->file]->clock_is_ns, 10, c->idle);
		buf_printf(b, "%s  (%6.2f%%)", h->args->spans.select.traces[c->file]->clock_is_ns ?
			   " msec" : "", all ? 100.0 * c->idle / all : 0);
		if (c->unknown) {
			buf_addstr(b, ", unknown for ");
			sched_add_time(b, h->args->spans.select.traces[c->file]->clock_is_ns, 0,
				       c->unknown);
		}
		buf_addch(b, '\n');
	}
}

static void print_summary(struct sched_timehist *h)
{
	bool is_ns = h->args->spans.select.traces[0]->clock_is_ns;
	uint64_t tasks = 0, switches = 0, run = 0;
	const struct task_runs *r;
	struct buf b = {0};

	buf_printf(&b, "%sRuntime summary\n%*s   sched-in      run-time    min-run     avg-run     "
		   "max-run  stddev  migrations\n", h->args->summary ? "" : "\n", NAME_WIDTH,
		   "comm");
	buf_printf(&b, "%*s    (count)  %s\n", NAME_WIDTH, "", is_ns ?
		   "      (msec)     (msec)      (msec)      (msec)       %" : "");
	for (int i = 0; i < SUMMARY_WIDTH; i++)
		buf_addch(&b, '-');
	buf_addch(&b, '\n');
	for (const struct task *t = model_tasks(h->model); t; t = t->next) {
		r = t->id < h->nr_runs ? &h->runs[t->id] : NULL;
		if (!r || !r->n)
			continue;
		switches += r->n;
		if (!t->pid)
			continue;
		add_runs(h, &b, t, r);
		tasks++;
		run += r->sum;
	}
	add_idle(h, &b);
	buf_printf(&b, "\n    Total number of unique tasks: %" PRIu64 "\n"
		   "Total number of context switches: %" PRIu64 "\n           Total run time%s: ",
		   tasks, switches, is_ns ? " (msec)" : "");
	sched_add_time(&b, is_ns, 0, run);
	buf_printf(&b, "\n    Total scheduling time%s: ", is_ns ? " (msec)" : "");
	sched_add_time(&b, is_ns, 0, selected_time(h));
	buf_addch(&b, '\n');
	sched_print(&b);
}

/* --- the interface */

/* Returns true if the files have a sched_waking event, the first of which ends the search. */
static bool has_waking(const struct selection *s)
{
	struct trace **views = trace_views(s->traces, s->nr_traces);
	const struct trace_rec *r;
	struct trace_iter *it;
	bool found = false;

	if (!views)
		return false;
	it = trace_iter_new_apart(views, s->nr_traces, NULL, s->range.since, s->range.until);
	while (!found && (r = trace_iter_next(it)))
		found = r->rec.fmt && !strcmp(r->rec.fmt->name, "sched_waking") &&
			!strcmp(r->rec.fmt->system, "sched");
	trace_iter_free(it);
	select_views_close(s, views);
	return found;
}

struct sched_timehist *timehist_new(struct sched_args *a)
{
	struct sched_timehist *h = xcalloc(1, sizeof(*h));

	h->args = a;
	h->has_waking = a->wakeups && has_waking(&a->spans.select);
	return h;
}

const struct span_ops *timehist_ops(const struct sched_timehist *h)
{
	static const struct span_ops runs = { .switched = task_switched_out };
	static const struct span_ops all = { .switched = task_switched_out, .event = sched_event };
	const struct sched_args *a = h->args;

	return a->wakeups || a->migrations || a->summary || a->with_summary ? &all : &runs;
}

void timehist_bind(struct sched_timehist *h, struct model *m)
{
	h->model = m;
}

const bool *timehist_stop(const struct sched_timehist *h)
{
	return &h->stop;
}

bool timehist_end(struct sched_timehist *h)
{
	bool any = h->started || h->nr_runs;

	if (any && (h->args->summary || h->args->with_summary)) {
		if (!h->started)
			start_lines(h);
		print_summary(h);
	}
	return any;
}

uint64_t timehist_unknown(const struct sched_timehist *h)
{
	return h->unknown;
}

void timehist_free(struct sched_timehist *h)
{
	map_release(&h->migrations);
	map_release(&h->rows);
	free(h->runs);
	free(h);
}
