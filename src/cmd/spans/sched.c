/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr sched: what tasks did, how long they waited for a CPU; in the columns of perf sched. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/term.h"
#include "base/text.h"
#include "cmd/frame/cmd.h"
#include "cmd/spans/spans.h"
#include "cmd/frame/verbs.h"

#define NS_PER_MS	1e6

enum sort_by { BY_AVG, BY_MAX, BY_RUNTIME, BY_SWITCHES };

struct sched_args {
	struct span_args spans;		/* first: its own rows */
	enum sort_by sort;
};

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
	{ 0, "sort", "WHAT", "sort by avg (default), max, runtime or switches",
	  set_sort, 0 },
	OPT_JSON,
	SPAN_QUIET_OPT,
	OPT_END
};

static const struct opt timehist_options[] = { OPTS_COMMON, SPAN_QUIET_OPT, OPT_END };
static const struct opt states_options[] = { OPTS_COMMON, OPT_JSON, SPAN_QUIET_OPT, OPT_END };

/* --- times: of a clock without seconds they are its numbers */

/* Behind the title of a column of times. */
static const char *unit_text(bool is_ns)
{
	return is_ns ? " ms" : "";
}

static void add_time(struct buf *b, bool is_ns, int width, double v)
{
	if (is_ns)
		buf_printf(b, "%*.3f", width, v / NS_PER_MS);
	else
		buf_printf(b, "%*.0f", width, v);
}

/* Of an average small numbers have decimals, too. */
static void add_avg(struct buf *b, bool is_ns, int width, double v)
{
	if (!is_ns && v < 1e6)
		buf_printf(b, "%*.3f", width, v);
	else
		add_time(b, is_ns, width, v);
}

/* --- tasks in order */

struct tasks {
	const struct sched_args *args;
	const struct model *model;
	const struct task **v;
	size_t n;
	uint32_t file;
	bool is_ns;
	bool used[TASK_STATES_MAX];	/* states in which one of them was */
};

static double avg_delay(const struct task *t)
{
	return t->delays ? (double)t->delay_sum / t->delays : 0;
}

static double sort_value(const struct task *t, enum sort_by by)
{
	switch (by) {
	case BY_AVG:
		return avg_delay(t);
	case BY_MAX:
		return t->delay_max;
	case BY_RUNTIME:
		return t->times[TASK_RUNNING].time;
	case BY_SWITCHES:
		break;
	}
	return t->user;
}

static enum sort_by sorting;

static int by_value(const void *a, const void *b)
{
	const struct task *x = *(const struct task *const *)a;
	const struct task *y = *(const struct task *const *)b;
	double vx = sort_value(x, sorting), vy = sort_value(y, sorting);

	if (vx != vy)
		return vx < vy ? 1 : -1;
	return (x->id > y->id) - (x->id < y->id);
}

/* Those of a file that ran or were to run; idle tasks are CPUs. */
static void collect_tasks(struct tasks *ts, const struct sched_args *a, const struct model *m,
			  uint32_t file)
{
	size_t cap = 0;

	*ts = (struct tasks){ .args = a, .model = m, .file = file,
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

static char *task_text(const struct model *m, const struct task *t, char between)
{
	struct buf b = {0};
	const char *name = model_task_name(m, t);

	text_sanitise(&b, name, strlen(name), false);
	buf_addch(&b, between);
	model_add_task_id(t, &b);
	return buf_take(&b);
}

static void print_buf(struct buf *b)
{
	fwrite(b->len ? b->data : "", 1, b->len, stdout);
	buf_release(b);
}

static void print_json(json_t *all)
{
	json_dumpf(all, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(all);
}

/* Of several files each row and each table names its own. */
static const char *name_of_file(const struct sched_args *a, uint32_t file)
{
	return a->spans.select.nr_traces > 1 ? a->spans.select.traces[file]->dat->path : NULL;
}

static json_t *file_object(const struct sched_args *a, uint32_t file)
{
	const char *name = name_of_file(a, file);
	json_t *o = json_object();
	struct buf b = {0};

	if (!name)
		return o;
	text_sanitise(&b, name, strlen(name), false);
	json_object_set_new(o, "file", json_string(b.data));
	buf_release(&b);
	return o;
}

static void add_file(struct buf *b, const struct sched_args *a, uint32_t file)
{
	const char *name = name_of_file(a, file);

	if (!name)
		return;
	buf_printf(b, "%s# ", file ? "\n" : "");
	text_sanitise(b, name, strlen(name), false);
	buf_addch(b, '\n');
}

static json_t *task_object(const struct tasks *ts, const struct task *t)
{
	json_t *o = file_object(ts->args, t->file);
	char *name = task_text(ts->model, t, '-');

	json_object_set_new(o, "task", json_string(name));
	json_object_set_new(o, "pid", json_integer(t->pid));
	json_object_set_new(o, "delays", json_integer(t->delays));
	json_object_set_new(o, "delay_avg", json_integer(avg_delay(t)));
	json_object_set_new(o, "delay_max", json_integer(t->delay_max));
	free(name);
	return o;
}

/* --- latency */

#define LATENCY_RULE \
	" ------------------------------------------------------------------------------------" \
	"-------------------------------------------------------\n"

static void add_moment(struct buf *b, bool is_ns, uint64_t ts)
{
	if (is_ns)
		buf_printf(b, "%5" PRIu64 ".%06u s", ts / 1000000000,
			   (unsigned int)(ts % 1000000000 / 1000));
	else
		buf_printf(b, "%14" PRIu64, ts);
}

/* A time in a column that has room for its unit. */
static void add_with_unit(struct buf *b, bool is_ns, int width,
			  void (*add)(struct buf *b, bool is_ns, int width, double v), double v)
{
	add(b, is_ns, is_ns ? width - 3 : width, v);
	buf_addstr(b, unit_text(is_ns));
}

static void add_latency(struct buf *b, const struct tasks *ts, const struct task *t)
{
	char *name = task_text(ts->model, t, ':');

	buf_printf(b, "  %-21s |", name);
	add_with_unit(b, ts->is_ns, 14, add_time, t->times[TASK_RUNNING].time);
	buf_printf(b, " |%9" PRIu64 " | avg:", t->user);
	add_with_unit(b, ts->is_ns, 11, add_avg, avg_delay(t));
	buf_addstr(b, " | max:");
	add_with_unit(b, ts->is_ns, 11, add_time, t->delay_max);
	buf_addstr(b, " | max start: ");
	add_moment(b, ts->is_ns, t->delay_max_at - t->delay_max);
	buf_addstr(b, " | max end: ");
	add_moment(b, ts->is_ns, t->delay_max_at);
	buf_addch(b, '\n');
	free(name);
}

static void add_latency_head(struct buf *b, const struct tasks *ts)
{
	const char *unit = unit_text(ts->is_ns);

	buf_printf(b, "\n" LATENCY_RULE
		   "  Task                  |   Runtime%-3s  | Switches | Avg delay%-3s    | "
		   "Max delay%-3s    | Max delay start           | Max delay end          |\n"
		   LATENCY_RULE, unit, unit, unit);
}

static void print_latency_text(const struct tasks *ts)
{
	uint64_t run = 0, switches = 0;
	struct buf b = {0};

	add_file(&b, ts->args, ts->file);
	add_latency_head(&b, ts);
	for (size_t i = 0; i < ts->n; i++) {
		if (!ts->v[i]->times[TASK_RUNNING].count)
			continue;
		add_latency(&b, ts, ts->v[i]);
		run += ts->v[i]->times[TASK_RUNNING].time;
		switches += ts->v[i]->user;
	}
	buf_addstr(&b, " ---------------------------------------------------------------"
		   "--------------------------------------------------\n"
		   "  TOTAL:                |");
	add_with_unit(&b, ts->is_ns, 14, add_time, run);
	buf_printf(&b, " |%9" PRIu64 " |\n"
		   " ---------------------------------------------------\n\n", switches);
	print_buf(&b);
}

static void add_latency_objects(json_t *all, const struct tasks *ts)
{
	json_t *o;

	for (size_t i = 0; i < ts->n; i++) {
		const struct task *t = ts->v[i];

		if (!t->times[TASK_RUNNING].count)
			continue;
		o = task_object(ts, t);
		json_object_set_new(o, "runtime", json_integer(t->times[TASK_RUNNING].time));
		json_object_set_new(o, "switches", json_integer(t->user));
		json_object_set_new(o, "delay_max_end", json_integer(t->delay_max_at));
		json_array_append_new(all, o);
	}
}

static void print_latency(const struct sched_args *a, const struct model *m)
{
	json_t *all = a->spans.json ? json_array() : NULL;
	struct tasks ts;

	sorting = a->sort;
	for (uint32_t file = 0; file < a->spans.select.nr_traces; file++) {
		collect_tasks(&ts, a, m, file);
		if (ts.n)
			qsort(ts.v, ts.n, sizeof(*ts.v), by_value);
		if (all)
			add_latency_objects(all, &ts);
		else
			print_latency_text(&ts);
		free(ts.v);
	}
	if (all)
		print_json(all);
}

/* --- states */

static void find_used(struct tasks *ts)
{
	const struct state_time *t;

	for (size_t i = 0; i < ts->n; i++)
		for (unsigned int k = 0; k < model_nr_states(ts->model); k++) {
			t = task_time(ts->v[i], k);
			ts->used[k] |= k != TASK_DEAD && (t->count || t->time);
		}
}

/* Titles stand at the right, as what is below does. */
static void add_title(struct buf *b, const struct tasks *ts, int width, const char *title)
{
	const char *unit = unit_text(ts->is_ns);

	buf_printf(b, " %*s%s", width - (int)strlen(unit), title, unit);
}

static void add_states_head(struct buf *b, const struct tasks *ts)
{
	buf_printf(b, "# %-22s", "Task");
	for (unsigned int i = 0; i < model_nr_states(ts->model); i++) {
		if (!ts->used[i])
			continue;
		add_title(b, ts, 14, model_state_name(ts->model, i));
		buf_printf(b, " %7s", "count");
	}
	add_title(b, ts, 12, "avg delay");
	add_title(b, ts, 12, "max delay");
	buf_addch(b, '\n');
}

static void add_cell(struct buf *b, const struct tasks *ts, int width, uint64_t v)
{
	buf_addch(b, ' ');
	add_time(b, ts->is_ns, width, v);
}

static void add_states(struct buf *b, const struct tasks *ts, const struct task *t)
{
	char *name = task_text(ts->model, t, '-');

	buf_printf(b, "%-24s", name);
	free(name);
	for (unsigned int i = 0; i < model_nr_states(ts->model); i++) {
		if (!ts->used[i])
			continue;
		add_cell(b, ts, 14, task_time(t, i)->time);
		buf_printf(b, " %7" PRIu64, task_time(t, i)->count);
	}
	buf_addch(b, ' ');
	add_avg(b, ts->is_ns, 12, avg_delay(t));
	add_cell(b, ts, 12, t->delay_max);
	buf_addch(b, '\n');
}

/* The first from @c on that is to be shown. */
static const struct model_cpu *find_cpu(const struct tasks *ts, const struct model_cpu *c)
{
	while (c && (c->file != ts->file || !model_has_states(ts->model, c->file) ||
		     !span_cpu_is_selected(&ts->args->spans, c->cpu)))
		c = c->next;
	return c;
}

#define EACH_CPU(c, ts) \
	const struct model_cpu *c = find_cpu(ts, model_cpus((ts)->model)); c; \
	c = find_cpu(ts, c->next)

static bool has_top(const struct tasks *ts)
{
	for (EACH_CPU(c, ts))
		if (c->irq || c->softirq)
			return true;
	return false;
}

static const struct cpu_time {
	const char *title;
	size_t at;
} cpu_times[] = {
	{ "busy", offsetof(struct model_cpu, busy) },
	{ "idle", offsetof(struct model_cpu, idle) },
	{ "unknown", offsetof(struct model_cpu, unknown) },
	/* last: where there are such */
	{ "irq", offsetof(struct model_cpu, irq) },
	{ "softirq", offsetof(struct model_cpu, softirq) },
};
#define CPU_TIMES (sizeof(cpu_times) / sizeof(*cpu_times))

static void add_cpus(struct buf *b, const struct tasks *ts)
{
	bool top = has_top(ts);

	buf_printf(b, "\n# %-22s", "CPU");
	for (size_t i = 0; i < (top ? CPU_TIMES : CPU_TIMES - 2); i++)
		add_title(b, ts, 14, cpu_times[i].title);
	buf_addch(b, '\n');
	for (EACH_CPU(c, ts)) {
		buf_printf(b, "%-24d", c->cpu);
		for (size_t i = 0; i < (top ? CPU_TIMES : CPU_TIMES - 2); i++)
			add_cell(b, ts, 14, *(const uint64_t *)((const char *)c + cpu_times[i].at));
		buf_addch(b, '\n');
	}
}

/* Idle states, frequencies: a table of what was recorded of them, or none. */
static const struct level_kind {
	const char *title, *key;
	size_t at;
} level_kinds[] = {
	{ "idle state", "idle_states", offsetof(struct model_cpu, idle_state) },
	{ "kHz", "frequencies", offsetof(struct model_cpu, frequency) },
};
#define LEVEL_KINDS (sizeof(level_kinds) / sizeof(*level_kinds))

static const struct cpu_value *first_level(const struct level_kind *k, const struct model_cpu *c)
{
	return ((const struct cpu_levels *)((const char *)c + k->at))->first;
}

static void add_levels(struct buf *b, const struct tasks *ts, const struct level_kind *k)
{
	bool any = false;

	for (EACH_CPU(c, ts)) {
		for (const struct cpu_value *v = first_level(k, c); v; v = v->next) {
			if (!any)
				buf_printf(b, "\n# %-22s %14s %14s %7s\n", "CPU", k->title,
					   ts->is_ns ? "ms" : "time", "count");
			any = true;
			buf_printf(b, "%-24d %14" PRIu64, c->cpu, v->value);
			add_cell(b, ts, 14, v->t.time);
			buf_printf(b, " %7" PRIu64 "\n", v->t.count);
		}
	}
}

static json_t *time_object(const struct state_time *t)
{
	return json_pack("{s:I, s:I}", "time", (json_int_t)t->time, "count", (json_int_t)t->count);
}

static json_t *levels_object(const struct level_kind *k, const struct model_cpu *c)
{
	json_t *o = json_object();
	char key[24];

	for (const struct cpu_value *v = first_level(k, c); v; v = v->next) {
		snprintf(key, sizeof(key), "%" PRIu64, v->value);
		json_object_set_new(o, key, time_object(&v->t));
	}
	return o;
}

static void add_cpu_objects(json_t *all, const struct tasks *ts)
{
	json_t *o;

	for (EACH_CPU(c, ts)) {
		o = file_object(ts->args, c->file);
		json_object_set_new(o, "cpu", json_integer(c->cpu));
		json_object_set_new(o, "busy", json_integer(c->busy));
		json_object_set_new(o, "idle", json_integer(c->idle));
		json_object_set_new(o, "unknown", json_integer(c->unknown));
		json_object_set_new(o, "irq", json_integer(c->irq));
		json_object_set_new(o, "softirq", json_integer(c->softirq));
		for (size_t i = 0; i < LEVEL_KINDS; i++)
			json_object_set_new(o, level_kinds[i].key,
					    levels_object(&level_kinds[i], c));
		json_array_append_new(all, o);
	}
}

static void add_states_objects(json_t *all, const struct tasks *ts)
{
	json_t *o, *states;

	for (size_t i = 0; i < ts->n; i++) {
		o = task_object(ts, ts->v[i]);
		states = json_object();
		for (unsigned int k = 0; k < model_nr_states(ts->model); k++) {
			const struct state_time *t = task_time(ts->v[i], k);

			if (k != TASK_DEAD && (t->count || t->time))
				json_object_set_new(states, model_state_name(ts->model, k),
						    time_object(t));
		}
		json_object_set_new(o, "states", states);
		json_array_append_new(all, o);
	}
}

static void print_states_text(struct tasks *ts)
{
	struct buf b = {0};

	find_used(ts);
	add_file(&b, ts->args, ts->file);
	add_states_head(&b, ts);
	for (size_t i = 0; i < ts->n; i++)
		add_states(&b, ts, ts->v[i]);
	add_cpus(&b, ts);
	for (size_t i = 0; i < LEVEL_KINDS; i++)
		add_levels(&b, ts, &level_kinds[i]);
	print_buf(&b);
}

static void print_states(const struct sched_args *a, const struct model *m)
{
	json_t *tasks = json_array(), *cpus = json_array();
	struct tasks ts;

	for (uint32_t file = 0; file < a->spans.select.nr_traces; file++) {
		collect_tasks(&ts, a, m, file);
		if (a->spans.json) {
			add_states_objects(tasks, &ts);
			add_cpu_objects(cpus, &ts);
		} else {
			print_states_text(&ts);
		}
		free(ts.v);
	}
	if (a->spans.json)
		print_json(json_pack("{s:O, s:O}", "tasks", tasks, "cpus", cpus));
	json_decref(tasks);
	json_decref(cpus);
}

/* --- timehist: a line when a task leaves its CPU */

struct timehist {
	const struct sched_args *args;
	struct model *model;
	bool started, stop;
	uint64_t unknown;		/* runs of which the begin is not known */
};

static void start_timehist(struct timehist *h)
{
	h->started = true;
	term_pager_start();
	printf("           time    cpu  task name                       wait time  sch delay   "
	       "run time\n");
	if (h->args->spans.select.traces[0]->clock_is_ns)
		printf("                        [tid/pid]                          (msec)     "
		       "(msec)     (msec)\n");
	else
		printf("                        [tid/pid]\n");
	printf("--------------- ------  ------------------------------  ---------  ---------  "
	       "---------\n");
}

static char *timehist_name(const struct model *m, const struct task *t)
{
	struct buf b = {0};
	const char *name = model_task_name(m, t);

	text_sanitise(&b, name, strlen(name), false);
	if (t->pid)
		buf_printf(&b, "[%d]", t->pid);
	return buf_take(&b);
}

static void add_known_time(struct buf *b, bool is_ns, uint64_t time)
{
	buf_addstr(b, "  ");
	if (time == SPAN_UNKNOWN)
		buf_printf(b, "%9s", "-");
	else
		add_time(b, is_ns, 9, time);
}

/* Of several files the line's own stands behind it. */
static void end_line(const struct timehist *h, uint32_t file)
{
	const char *path = name_of_file(h->args, file);
	struct buf b = {0};

	if (path) {
		buf_addstr(&b, "  ");
		text_sanitise(&b, path, strlen(path), false);
	}
	buf_addch(&b, '\n');
	print_buf(&b);
}

static void task_leaves(void *ctx, struct task *prev, struct task *next, const struct trace_rec *r)
{
	struct timehist *h = ctx;
	bool is_ns = r->trace->clock_is_ns;
	uint64_t us = r->ts / 1000;
	struct buf b = {0};
	char *name;

	(void)next;
	if (!prev->has_come || prev->unseen & UNSEEN_RUNS ||
	    !span_task_is_selected(&h->args->spans, h->model, prev))
		return;
	if (!prev->is_known) {
		h->unknown++;
		return;
	}
	if (!h->started)
		start_timehist(h);
	name = timehist_name(h->model, prev);
	if (is_ns)
		buf_printf(&b, "%8" PRIu64 ".%06u", us / 1000000, (unsigned int)(us % 1000000));
	else
		buf_printf(&b, "%15" PRIu64, r->ts);
	buf_printf(&b, " [%04d]  %-30s", r->cpu, name);
	add_known_time(&b, is_ns, prev->was_off);
	add_known_time(&b, is_ns, prev->was_delayed);
	add_known_time(&b, is_ns, r->ts - prev->came_at);
	print_buf(&b);
	end_line(h, r->file);
	free(name);
	h->stop = ferror(stdout);
}

/* --- what is not known */

/* Delays of selected tasks that are in no sum, and what else is missing, in the last lines. */
static void say_unknown(const struct timehist *h)
{
	uint64_t marks[SPAN_MARKS] = {0};
	struct buf b = {0};

	for (const struct task *t = model_tasks(h->model); t; t = t->next) {
		if (!t->pid || !span_task_is_selected(&h->args->spans, h->model, t))
			continue;
		marks[__builtin_ctz(SPAN_NO_END)] += t->broken_delays;
		marks[__builtin_ctz(SPAN_LOSS)] += t->lost_delays;
	}
	span_add_marks(&b, marks, 0);
	if (h->unknown)
		buf_printf(&b, "# not shown: %" PRIu64 " runs of which the begin is not known\n",
			   h->unknown);
	span_add_unknown(&b, h->model, true);
	if (h->args->spans.json)
		span_say_lines(&b);
	else
		fwrite(b.len ? b.data : "", 1, b.len, stdout);
	buf_release(&b);
}

/* --- the commands */

/* How often a task was switched to: one that ran when the file began was not. */
static void count_switch(void *ctx, struct task *prev, struct task *next,
			 const struct trace_rec *r)
{
	(void)ctx;
	(void)prev;
	(void)r;
	next->user++;
}

typedef void (*print_fn)(const struct sched_args *a, const struct model *m);

static int run_sched(struct sched_args *a, print_fn print, struct ftr_error *err)
{
	static const struct span_ops table_ops = { .switched = count_switch };
	static const struct span_ops line_ops = { .switched = task_leaves };
	struct model_opts o = { .pairs = &a->spans.pairs, .instance = a->spans.instance,
				.cpus = print == print_states };
	struct timehist h = { .args = a };
	int ret = -1;

	/* lines of all files have one head */
	if (!print && span_check_clocks(&a->spans, err))
		return -1;
	h.model = model_new(a->spans.select.traces, a->spans.select.nr_traces, &o,
			    print ? &table_ops : &line_ops, &h, err);
	if (!h.model)
		return -1;
	span_read(&a->spans, h.model, &h.stop);
	if (model_met_switch(h.model) || a->spans.signal) {
		ret = 0;
		if (print) {
			term_pager_start();
			print(a, h.model);
		}
		say_unknown(&h);
	} else {
		span_say_no_switches(&a->spans, err);
	}
	model_free(h.model);
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
	return run_verb(self, argc, argv, print_states);
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
