/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr sched: shows what tasks did and how long they waited for a CPU, in columns of perf sched. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/term.h"
#include "base/text.h"
#include "base/map.h"
#include "cmd/frame/command.h"
#include "cmd/frame/command_verbs.h"
#include "cmd/sched_priv.h"

#define NS_PER_MS	1e6

static int set_sort(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	static const char *const words[] = { "avg", "max", "runtime", "switches", NULL };
	struct sched_args *a = ctx;
	int word = opt_word(o, arg, words, err);

	if (word < 0)
		return -1;
	a->sort = word;
	return 0;
}

static int set_rows_by(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	static const char *const words[] = { "task", "comm", NULL };
	struct sched_args *a = ctx;
	int word = opt_word(o, arg, words, err);

	if (word < 0)
		return -1;
	a->by_comm = word == 1;
	return 0;
}

#define AT(member) offsetof(struct sched_args, member)
#define OPT_JSON { 0, "json", NULL, "print JSON, times in nanoseconds", opt_flag, SPAN_AT(json) }
#define OPTS_COMMON \
	OPT_GROUP("Input"), \
	SELECT_FILES, \
	SPAN_BUFFER_OPT, \
	OPT_GROUP("Selection"), \
	SELECT_WHERE, \
	OPT_GROUP("Output")

static const struct opt latency_options[] = {
	OPTS_COMMON,
	{ 0, "by", "WHAT", "print a row for each task (default), or for each comm",
	  set_rows_by, 0 },
	{ 0, "sort", "WHAT", "sort by avg (default), max, runtime or switches",
	  set_sort, 0 },
	{ 0, "wide", NULL, "print the columns of perf sched latency, on 141 characters", opt_flag,
	  AT(wide) },
	OPT_JSON,
	SPAN_QUIET_OPT,
	OPT_END
};

static const struct opt timehist_options[] = {
	OPTS_COMMON,
	{ 's', "summary", NULL, "print sums by task instead of lines", opt_flag, AT(summary) },
	{ 'S', "with-summary", NULL, "print lines, then sums by task", opt_flag, AT(with_summary) },
	{ 'n', "next", NULL, "print which task comes next", opt_flag, AT(next) },
	{ 'w', "wakeups", NULL, "print a line for each wakeup, too", opt_flag, AT(wakeups) },
	{ 'M', "migrations", NULL, "print a line for each migration, too", opt_flag,
	  AT(migrations) },
	{ 'I', "idle-hist", NULL, "print only when a CPU becomes idle or leaves idle", opt_flag,
	  AT(idle) },
	SPAN_QUIET_OPT,
	OPT_END
};

static const struct opt states_options[] = {
	OPTS_COMMON,
	{ 0, "wide", NULL, "print each state with its count, and delays", opt_flag, AT(wide) },
	OPT_JSON,
	SPAN_QUIET_OPT,
	OPT_END
};

/* --- times, or plain numbers if the clock does not count seconds */

const char *sched_unit(bool is_ns)
{
	return is_ns ? " ms" : "";
}

void sched_add_time(struct buf *b, bool is_ns, int width, double v)
{
	if (is_ns)
		buf_printf(b, "%*.3f", width, v / NS_PER_MS);
	else
		buf_printf(b, "%*.0f", width, v);
}

/* An average below 1e6 has decimals if the clock does not count seconds. */
static void add_avg(struct buf *b, bool is_ns, int width, double v)
{
	if (!is_ns && v < 1e6)
		buf_printf(b, "%*.3f", width, v);
	else
		sched_add_time(b, is_ns, width, v);
}

/* --- columns */

static double average(uint64_t sum, uint64_t n)
{
	return n ? (double)sum / n : 0;
}

static uint64_t number_at(const void *row, size_t at)
{
	return *(const uint64_t *)((const char *)row + at);
}

void sched_add_titles(struct buf *b, const struct sched_column *c, bool units)
{
	static const char *const names[] = {
		[SCHED_COUNT] = "", [SCHED_TIME] = "(msec)", [SCHED_AVG] = "(msec)",
		[SCHED_STAMP] = "(sec)",
	};

	for (; c->key; c++)
		if (c->title)
			buf_printf(b, "%*s", c->gap + c->width, units ? names[c->kind] : c->title);
}

static void add_stamp(struct buf *b, bool is_ns, int width, uint64_t ts)
{
	if (is_ns)
		buf_printf(b, "%*.6f", width, ts / 1e9);
	else
		buf_printf(b, "%*" PRIu64, width, ts);
}

void sched_add_cells(struct buf *b, const struct sched_column *c, const void *row, bool is_ns)
{
	for (; c->key; c++) {
		uint64_t v = number_at(row, c->at);

		if (!c->title)
			continue;
		buf_printf(b, "%*s", c->gap, "");
		if (c->kind == SCHED_TIME)
			sched_add_time(b, is_ns, c->width, v);
		else if (c->kind == SCHED_AVG)
			add_avg(b, is_ns, c->width, average(v, number_at(row, c->per)));
		else if (c->kind == SCHED_COUNT)
			buf_printf(b, "%*" PRIu64, c->width, v);
		else if (number_at(row, c->per))
			add_stamp(b, is_ns, c->width, v);
		else
			buf_printf(b, "%*s", c->width, "-");
	}
}

void sched_set_members(json_t *o, const struct sched_column *c, const void *row)
{
	for (; c->key; c++) {
		json_int_t v = number_at(row, c->at);

		if (c->kind == SCHED_AVG)
			v = average(v, number_at(row, c->per));
		json_object_set_new(o, c->key, json_integer(v));
	}
}

/* --- tasks in order */

/* Idle tasks are skipped: the CPUs show their time. */
void sched_collect(struct sched_tasks *ts, const struct sched_args *a, const struct model *m,
			  uint32_t file)
{
	size_t cap = 0;

	*ts = (struct sched_tasks){ .args = a, .model = m, .file = file,
			      .is_ns = a->spans.select.traces[file]->clock_is_ns };
	for (const struct task *t = model_tasks(m); t; t = t->next) {
		if (!t->pid || t->unseen & UNSEEN_RUNS || t->file != file ||
		    !model_has_states(m, t->file) ||
		    !span_task_is_selected(&a->spans, m, t))
			continue;
		ts->v = xgrow(ts->v, &cap, ts->n + 1, sizeof(*ts->v));
		ts->v[ts->n++] = t;
	}
}

char *sched_task_text(const struct model *m, const struct task *t, char between)
{
	struct buf b = {0};
	const char *name = model_task_name(m, t);

	text_sanitise(&b, name, strlen(name), false);
	buf_addch(&b, between);
	model_add_task_id(t, &b);
	return buf_take(&b);
}

void sched_print(struct buf *b)
{
	fwrite(b->len ? b->data : "", 1, b->len, stdout);
	buf_release(b);
}

void sched_print_json(json_t *all)
{
	json_dumpf(all, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(all);
}

const char *sched_name_of_file(const struct sched_args *a, uint32_t file)
{
	return a->spans.select.nr_traces > 1 ? a->spans.select.traces[file]->dat->path : NULL;
}

json_t *sched_file_object(const struct sched_args *a, uint32_t file)
{
	const char *name = sched_name_of_file(a, file);
	json_t *o = json_object();
	struct buf b = {0};

	if (!name)
		return o;
	text_sanitise(&b, name, strlen(name), false);
	json_object_set_new(o, "file", json_string(b.data));
	buf_release(&b);
	return o;
}

void sched_add_file(struct buf *b, const struct sched_args *a, uint32_t file)
{
	const char *name = sched_name_of_file(a, file);

	if (!name)
		return;
	buf_printf(b, "%s# ", file ? "\n" : "");
	text_sanitise(b, name, strlen(name), false);
	buf_addch(b, '\n');
}

/* --- latency */

#define LATENCY_RULE \
	" ------------------------------------------------------------------------------------" \
	"-------------------------------------------------------\n"

/* A task, or with --by comm all tasks of that name. */
struct latency_row {
	char *name;
	uint32_t nr_tasks;
	int32_t  pid;			/* of the first task */
	size_t   place;			/* index of the row before sorting */
	uint64_t run, switches, delays, delay_sum, delay_max, delay_max_at;
};

struct latency_rows {
	const struct sched_args *args;
	struct latency_row *v;
	size_t n, cap;
	struct textmap by_name;		/* --by comm: name -> index + 1 */
	uint32_t file;
	bool is_ns;
};

static struct latency_row *latency_row_of(struct latency_rows *rows, const struct sched_tasks *ts,
				  const struct task *t)
{
	const char *comm = model_task_name(ts->model, t);
	size_t at = 0;

	if (rows->args->by_comm)
		at = (uintptr_t)textmap_get(&rows->by_name, comm, strlen(comm));
	if (at)
		return &rows->v[at - 1];
	rows->v = xgrow(rows->v, &rows->cap, rows->n + 1, sizeof(*rows->v));
	rows->v[rows->n] = (struct latency_row){ .pid = t->pid, .place = rows->n };
	rows->n++;
	if (rows->args->by_comm)
		textmap_put(&rows->by_name, comm, strlen(comm), (void *)(uintptr_t)rows->n);
	return &rows->v[rows->n - 1];
}

/* Sums up the tasks that ran. Names are perf's: "comm:pid", or "comm:(3)" for several tasks. */
static void collect_latency_rows(struct latency_rows *rows, const struct sched_tasks *ts)
{
	char between = ts->args->wide && !ts->args->spans.json ? ':' : '-';
	struct buf name = {0};

	*rows = (struct latency_rows){ .args = ts->args, .file = ts->file, .is_ns = ts->is_ns };
	for (size_t i = 0; i < ts->n; i++) {
		const struct task *t = ts->v[i];
		const char *comm = model_task_name(ts->model, t);
		struct latency_row *r;

		if (!t->times[TASK_RUNNING].count)
			continue;
		r = latency_row_of(rows, ts, t);
		r->nr_tasks++;
		r->run += t->times[TASK_RUNNING].time;
		r->switches += t->user;
		r->delays += t->delays;
		r->delay_sum += t->delay_sum;
		if (t->delay_max >= r->delay_max) {
			r->delay_max = t->delay_max;
			r->delay_max_at = t->delay_max_at;
		}
		free(r->name);
		if (r->nr_tasks == 1) {
			r->name = sched_task_text(ts->model, t, between);
			continue;
		}
		text_sanitise(&name, comm, strlen(comm), false);
		buf_printf(&name, ":(%u)", r->nr_tasks);
		r->name = buf_take(&name);
	}
}

static enum sched_sort sorting;

static double latency_value(const struct latency_row *r)
{
	switch (sorting) {
	case BY_AVG:
		return average(r->delay_sum, r->delays);
	case BY_MAX:
		return r->delay_max;
	case BY_RUNTIME:
		return r->run;
	case BY_SWITCHES:
		break;
	}
	return r->switches;
}

/* Equal rows stay in the order of the first records of their tasks. */
static int by_latency_value(const void *a, const void *b)
{
	const struct latency_row *x = a, *y = b;
	double vx = latency_value(x), vy = latency_value(y);

	if (vx != vy)
		return vx < vy ? 1 : -1;
	return (x->place > y->place) - (x->place < y->place);
}

static void add_timestamp(struct buf *b, bool is_ns, uint64_t ts)
{
	if (is_ns)
		buf_printf(b, "%5" PRIu64 ".%06u s", ts / 1000000000,
			   (unsigned int)(ts % 1000000000 / 1000));
	else
		buf_printf(b, "%14" PRIu64, ts);
}

/* Appends a time and its unit, in @width columns together. */
static void add_time_with_unit(struct buf *b, bool is_ns, int width,
			       void (*add)(struct buf *b, bool is_ns, int width, double v),
			       double v)
{
	add(b, is_ns, is_ns ? width - 3 : width, v);
	buf_addstr(b, sched_unit(is_ns));
}

/* Appends the table of perf sched latency. */
static void add_wide_rows(struct buf *b, const struct latency_rows *rows,
			  const struct latency_row *all)
{
	const char *unit = sched_unit(rows->is_ns);
	bool is_ns = rows->is_ns;

	buf_printf(b, "\n" LATENCY_RULE
		   "  Task                  |   Runtime%-3s  | Switches | Avg delay%-3s    | "
		   "Max delay%-3s    | Max delay start           | Max delay end          |\n"
		   LATENCY_RULE, unit, unit, unit);
	for (const struct latency_row *r = rows->v; r < rows->v + rows->n; r++) {
		buf_printf(b, "  %-21s |", r->name);
		add_time_with_unit(b, is_ns, 14, sched_add_time, r->run);
		buf_printf(b, " |%9" PRIu64 " | avg:", r->switches);
		add_time_with_unit(b, is_ns, 11, add_avg, average(r->delay_sum, r->delays));
		buf_addstr(b, " | max:");
		add_time_with_unit(b, is_ns, 11, sched_add_time, r->delay_max);
		buf_addstr(b, " | max start: ");
		add_timestamp(b, is_ns, r->delay_max_at - r->delay_max);
		buf_addstr(b, " | max end: ");
		add_timestamp(b, is_ns, r->delay_max_at);
		buf_addch(b, '\n');
	}
	buf_addstr(b, " ---------------------------------------------------------------"
		   "--------------------------------------------------\n"
		   "  TOTAL:                |");
	add_time_with_unit(b, is_ns, 14, sched_add_time, all->run);
	buf_printf(b, " |%9" PRIu64 " |\n"
		   " ---------------------------------------------------\n\n", all->switches);
}

/* The sums are also in the last line of the text. In JSON, the delays come first. */
#define ROW_AT(member) offsetof(struct latency_row, member)
static const struct sched_column latency_sums[] = {
	{ "runtime", "runtime", SCHED_TIME, ROW_AT(run), 0, 0, 12 },
	{ "switches", "switches", SCHED_COUNT, ROW_AT(switches), 0, 1, 9 },
	{ 0 }
}, latency_delays[] = {
	SCHED_DELAYS(struct latency_row, 0, 11),
	{ 0 }
}, latency_ends[] = {
	{ "delay_max_end", "max until", SCHED_STAMP, ROW_AT(delay_max_at), ROW_AT(delay_max), 1,
	  11 },
	{ 0 }
};

static void add_latency_titles(struct buf *b, const char *first, bool units)
{
	buf_printf(b, "# %-22s", first);
	sched_add_titles(b, latency_sums, units);
	sched_add_titles(b, latency_delays, units);
	sched_add_titles(b, latency_ends, units);
	buf_addch(b, '\n');
}

/* Appends a table for a terminal of 80 columns. */
static void add_latency_rows(struct buf *b, const struct latency_rows *rows,
			     const struct latency_row *all)
{
	bool is_ns = rows->is_ns;

	add_latency_titles(b, "Task", false);
	if (is_ns)
		add_latency_titles(b, "", true);
	for (const struct latency_row *r = rows->v; r < rows->v + rows->n; r++) {
		buf_printf(b, "%-24s", r->name);
		sched_add_cells(b, latency_sums, r, is_ns);
		sched_add_cells(b, latency_delays, r, is_ns);
		sched_add_cells(b, latency_ends, r, is_ns);
		buf_addch(b, '\n');
	}
	buf_printf(b, "# %-22s", "all of them");
	sched_add_cells(b, latency_sums, all, is_ns);
	buf_addch(b, '\n');
}

static void print_latency_text(const struct latency_rows *rows)
{
	struct latency_row all = {0};
	struct buf b = {0};

	for (size_t i = 0; i < rows->n; i++) {
		all.run += rows->v[i].run;
		all.switches += rows->v[i].switches;
	}
	sched_add_file(&b, rows->args, rows->file);
	(rows->args->wide ? add_wide_rows : add_latency_rows)(&b, rows, &all);
	sched_print(&b);
}

json_t *sched_task_object(const struct sched_args *a, uint32_t file, const char *name, int pid)
{
	json_t *o = sched_file_object(a, file);

	json_object_set_new(o, "task", json_string(name));
	json_object_set_new(o, "pid", json_integer(pid));
	return o;
}

static void add_latency_objects(json_t *all, const struct latency_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		const struct latency_row *r = &rows->v[i];
		json_t *o = sched_task_object(rows->args, rows->file, r->name, r->pid);

		if (rows->args->by_comm)
			json_object_set_new(o, "tasks", json_integer(r->nr_tasks));
		sched_set_members(o, latency_delays, r);
		sched_set_members(o, latency_sums, r);
		sched_set_members(o, latency_ends, r);
		json_array_append_new(all, o);
	}
}

static void print_latency(const struct sched_args *a, const struct model *m)
{
	json_t *all = a->spans.json ? json_array() : NULL;
	struct latency_rows rows;
	struct sched_tasks ts;

	sorting = a->sort;
	for (uint32_t file = 0; file < a->spans.select.nr_traces; file++) {
		sched_collect(&ts, a, m, file);
		collect_latency_rows(&rows, &ts);
		if (rows.n)
			qsort(rows.v, rows.n, sizeof(*rows.v), by_latency_value);
		if (all)
			add_latency_objects(all, &rows);
		else
			print_latency_text(&rows);
		for (size_t i = 0; i < rows.n; i++)
			free(rows.v[i].name);
		free(rows.v);
		textmap_release(&rows.by_name);
		free(ts.v);
	}
	if (all)
		sched_print_json(all);
}

/* --- remarks */

/*
 * Prints remarks as last lines: delays of selected tasks that are in no sum, and missing records.
 */
static void print_remarks(const struct sched_args *a, const struct model *m, uint64_t unknown)
{
	uint64_t marks[SPAN_MARKS] = {0};
	struct buf b = {0};

	for (const struct task *t = model_tasks(m); t; t = t->next) {
		if (!t->pid || !span_task_is_selected(&a->spans, m, t))
			continue;
		marks[__builtin_ctz(SPAN_NO_END)] += t->broken_delays;
		marks[__builtin_ctz(SPAN_LOSS)] += t->lost_delays;
	}
	span_add_marks(&b, marks, 0);
	if (unknown)
		buf_printf(&b, "# not shown: %" PRIu64 " runs of which the begin is not known\n",
			   unknown);
	span_add_unknown(&b, m, true);
	if (a->spans.json)
		span_print_remarks(&b);
	else
		fwrite(b.len ? b.data : "", 1, b.len, stdout);
	buf_release(&b);
}

/* --- the commands */

/* Counts switches to a task. A task that ran when the file started was not switched to. */
static void count_switch(void *ctx, struct task *prev, struct task *next,
			 const struct trace_rec *r)
{
	(void)ctx;
	(void)prev;
	(void)r;
	next->user++;
}

typedef void (*print_fn)(const struct sched_args *a, const struct model *m);

/* Prints the tables. Text without rows is not printed if the selection is the cause. */
static void print_tables(const struct sched_args *a, const struct model *m, print_fn print)
{
	struct sched_tasks ts = {0};

	for (uint32_t file = 0; file < a->spans.select.nr_traces && !ts.n; file++) {
		sched_collect(&ts, a, m, file);
		free(ts.v);
	}
	if (!ts.n && span_report_no_task(&a->spans, m) && !a->spans.json)
		return;
	term_pager_start();
	print(a, m);
}

static int run_sched(struct sched_args *a, print_fn print, struct ftr_error *err)
{
	static const struct span_ops table_ops = { .switched = count_switch };
	struct model_opts o = { .pairs = &a->spans.pairs, .instance = a->spans.instance,
				.cpus = print == sched_print_states };
	struct sched_timehist *h;
	struct model *m;
	int ret = -1;

	/* The lines of all files have one head, so they need one clock. */
	if (!print && span_check_clocks(&a->spans, err))
		return -1;
	h = timehist_new(a);
	m = model_new(a->spans.select.traces, a->spans.select.nr_traces, &o,
		      print ? &table_ops : timehist_ops(h), h, err);
	if (m) {
		timehist_bind(h, m);
		span_read(&a->spans, m, timehist_stop(h));
	}
	if (m && !model_met_switch(m) && !a->spans.signal) {
		span_fail_no_switches(&a->spans, err);
	} else if (m) {
		ret = 0;
		if (print)
			print_tables(a, m, print);
		else if (!timehist_end(h))
			span_report_no_task(&a->spans, m);
		print_remarks(a, m, timehist_unknown(h));
	}
	timehist_free(h);
	model_free(m);
	return ret;
}

static int run_verb(const struct cmd *self, int argc, char **argv, print_fn print)
{
	struct sched_args a = {0};
	struct ftr_error err = {0};
	int status, first = cmd_parse(self, argc, argv, &a, &status);

	if (first >= 0 && (span_open(&a.spans, first, argc, argv, &err) ||
			   run_sched(&a, print, &err)))
		status = cmd_fail(&err);
	return span_close(&a.spans, status);
}

static int run_latency(const struct cmd *self, int argc, char **argv)
{
	return run_verb(self, argc, argv, print_latency);
}

static int run_timehist(const struct cmd *self, int argc, char **argv)
{
	return run_verb(self, argc, argv, NULL);
}

static int run_states(const struct cmd *self, int argc, char **argv)
{
	return run_verb(self, argc, argv, sched_print_states);
}

static const struct cmd verbs[] = {
	{ .name = "latency", .usage = "[OPTIONS] [FILE...]",
	  .summary = "print how long each task ran and waited for a CPU",
	  .options = latency_options, .run = run_latency },
	{ .name = "timehist", .usage = "[OPTIONS] [FILE...]",
	  .summary = "print one line each time a task leaves its CPU",
	  .options = timehist_options, .run = run_timehist },
	{ .name = "states", .usage = "[OPTIONS] [FILE...]",
	  .summary = "print how long each task was in each state",
	  .options = states_options, .run = run_states },
	{ 0 }
};

static const char *const examples[] = {
	"ftr sched latency                who waited longest for a CPU",
	"ftr sched timehist --pid 1234    each time that task 1234 ran",
	"ftr sched states --json a.dat    running, runnable, asleep: times and counts",
	NULL
};

const struct cmd cmd_sched = {
	.name = "sched",
	.usage = "VERB [OPTIONS] [FILE...]",
	.summary = "show when tasks ran, slept, and waited for a CPU",
	.examples = examples,
	.verbs = verbs,
	.run = verbs_run,
};
