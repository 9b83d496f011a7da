/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr sched states: shows the time that each task was in each state, and that CPUs were busy. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command_parts.h"
#include "cmd/sched_priv.h"

#define WIDE_COUNTED	5	/* the table has room for counts of so many states */

/* --- tasks */

static bool is_used(unsigned int state, const struct state_time *t)
{
	return state != TASK_DEAD && (t->count || t->time);
}

/* Titles are aligned to the right, as the numbers below. */
static void add_title(struct buf *b, const struct sched_tasks *ts, int width, const char *title)
{
	const char *unit = sched_unit(ts->is_ns);

	buf_printf(b, " %*s%s", width - (int)strlen(unit), title, unit);
}

/* Columns after the states with --wide, in JSON before them. */
static const struct sched_column task_columns[] = { SCHED_DELAYS(struct task, 1, 10), { 0 } };

/* Returns true if the table has counts: five states fit into 134 columns. JSON has all counts. */
static bool has_counts(const struct sched_tasks *ts)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < model_nr_states(ts->model); i++)
		n += ts->used[i];
	return n <= WIDE_COUNTED;
}

static void add_wide_titles(struct buf *b, const struct sched_tasks *ts, bool units)
{
	bool counts = has_counts(ts);

	buf_printf(b, "# %-20s", units ? "" : "Task");
	for (unsigned int i = 0; i < model_nr_states(ts->model); i++)
		if (ts->used[i])
			buf_printf(b, " %10s%*s",
				   units ? "(msec)" : model_state_name(ts->model, i),
				   counts ? 7 : 0, counts && !units ? "count" : "");
	sched_add_titles(b, task_columns, units);
	buf_addch(b, '\n');
}

static void add_wide_head(struct buf *b, const struct sched_tasks *ts)
{
	add_wide_titles(b, ts, false);
	if (ts->is_ns)
		add_wide_titles(b, ts, true);
}

static void add_cell(struct buf *b, const struct sched_tasks *ts, int width, uint64_t v)
{
	buf_addch(b, ' ');
	sched_add_time(b, ts->is_ns, width, v);
}

static void add_wide_states(struct buf *b, const struct sched_tasks *ts, const struct task *t)
{
	bool counts = has_counts(ts);

	for (unsigned int i = 0; i < model_nr_states(ts->model); i++) {
		if (!ts->used[i])
			continue;
		add_cell(b, ts, 10, task_time(t, i)->time);
		if (counts)
			buf_printf(b, " %6" PRIu64, task_time(t, i)->count);
	}
	sched_add_cells(b, task_columns, t, ts->is_ns);
	buf_addch(b, '\n');
}

/* Groups of states, which are the columns without --wide. */
enum state_group {
	GROUP_RUNNING, GROUP_WAITING, GROUP_ASLEEP, GROUP_BLOCKED, GROUP_UNKNOWN, GROUPS,
};
static const char *const group_titles[GROUPS] = {
	"running", "waiting", "asleep", "blocked", "unknown",
};

/* States from D on, as DK, are uninterruptible. */
static enum state_group group_of(const struct model *m, unsigned int state)
{
	switch (state) {
	case TASK_RUNNING:
		return GROUP_RUNNING;
	case TASK_NEW:
	case TASK_RUNNABLE:
	case TASK_PREEMPTED:
		return GROUP_WAITING;
	case TASK_UNKNOWN:
		return GROUP_UNKNOWN;
	case TASK_DEAD:
		return GROUPS;
	default:
		return model_state_name(m, state)[0] == 'D' ? GROUP_BLOCKED : GROUP_ASLEEP;
	}
}

static void add_states_head(struct buf *b, const struct sched_tasks *ts)
{
	buf_printf(b, "# %-22s", "Task");
	for (int i = 0; i < GROUPS; i++)
		add_title(b, ts, 10, group_titles[i]);
	buf_addch(b, '\n');
}

static void add_states(struct buf *b, const struct sched_tasks *ts, const struct task *t)
{
	uint64_t sums[GROUPS] = {0};
	enum state_group group;

	for (unsigned int i = 0; i < model_nr_states(ts->model); i++) {
		group = group_of(ts->model, i);
		if (group < GROUPS)
			sums[group] += task_time(t, i)->time;
	}
	for (int i = 0; i < GROUPS; i++)
		add_cell(b, ts, 10, sums[i]);
	buf_addch(b, '\n');
}

/* Returns the first selected CPU of the file from @c on, or NULL. */
static const struct model_cpu *find_cpu(const struct sched_tasks *ts, const struct model_cpu *c)
{
	while (c && (c->file != ts->file || !model_has_states(ts->model, c->file) ||
		     !span_cpu_is_selected(&ts->args->spans, c->cpu)))
		c = c->next;
	return c;
}

#define EACH_CPU(c, ts) \
	const struct model_cpu *c = find_cpu(ts, model_cpus((ts)->model)); c; \
	c = find_cpu(ts, c->next)

#define CPU_TIME(name) \
	{ #name, #name, SCHED_TIME, offsetof(struct model_cpu, name), 0, 1, 10 }
/* Text has the times of interrupts only if there are any. */
static const struct sched_column cpu_columns[] = {
	CPU_TIME(busy), CPU_TIME(idle), CPU_TIME(unknown), { 0 }
}, irq_columns[] = {
	CPU_TIME(irq), CPU_TIME(softirq), { 0 }
};

static void add_cpu_titles(struct buf *b, const struct sched_tasks *ts,
			   const struct sched_column *c)
{
	for (; c->key; c++)
		add_title(b, ts, c->width, c->title);
}

static void add_cpus(struct buf *b, const struct sched_tasks *ts)
{
	static const struct sched_column none[1];
	const struct sched_column *irqs = none;

	for (EACH_CPU(c, ts))
		if (c->irq || c->softirq)
			irqs = irq_columns;
	buf_printf(b, "\n# %-22s", "CPU");
	add_cpu_titles(b, ts, cpu_columns);
	add_cpu_titles(b, ts, irqs);
	buf_addch(b, '\n');
	for (EACH_CPU(c, ts)) {
		buf_printf(b, "%-24d", c->cpu);
		sched_add_cells(b, cpu_columns, c, ts->is_ns);
		sched_add_cells(b, irqs, c, ts->is_ns);
		buf_addch(b, '\n');
	}
}

/* Levels of CPUs: idle states, frequencies. A level that was not recorded has no table. */
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

static void add_levels(struct buf *b, const struct sched_tasks *ts, const struct level_kind *k)
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

void sched_set_cpu_times(json_t *o, const struct model_cpu *c)
{
	sched_set_members(o, cpu_columns, c);
	sched_set_members(o, irq_columns, c);
}

static void add_cpu_objects(json_t *all, const struct sched_tasks *ts)
{
	json_t *o, *levels;
	char key[24];

	for (EACH_CPU(c, ts)) {
		o = sched_file_object(ts->args, c->file);
		json_object_set_new(o, "cpu", json_integer(c->cpu));
		sched_set_cpu_times(o, c);
		for (const struct level_kind *k = level_kinds; k < level_kinds + LEVEL_KINDS; k++) {
			levels = json_object();
			for (const struct cpu_value *v = first_level(k, c); v; v = v->next) {
				snprintf(key, sizeof(key), "%" PRIu64, v->value);
				json_object_set_new(levels, key, time_object(&v->t));
			}
			json_object_set_new(o, k->key, levels);
		}
		json_array_append_new(all, o);
	}
}

json_t *sched_states_object(const struct model *m, const struct task *task)
{
	json_t *states = json_object();

	for (unsigned int i = 0; i < model_nr_states(m); i++) {
		const struct state_time *t = task_time(task, i);

		if (is_used(i, t))
			json_object_set_new(states, model_state_name(m, i), time_object(t));
	}
	return states;
}

static void add_states_objects(json_t *all, const struct sched_tasks *ts)
{
	char *name;
	json_t *o;

	for (size_t i = 0; i < ts->n; i++) {
		const struct task *task = ts->v[i];

		name = sched_task_text(ts->model, task, '-');
		o = sched_task_object(ts->args, task->file, name, task->pid);
		free(name);
		sched_set_members(o, task_columns, task);
		json_object_set_new(o, "states", sched_states_object(ts->model, task));
		json_array_append_new(all, o);
	}
}

static void print_states_text(struct sched_tasks *ts)
{
	struct buf b = {0};
	char *name;

	for (size_t i = 0; i < ts->n; i++)
		for (unsigned int k = 0; k < model_nr_states(ts->model); k++)
			ts->used[k] |= is_used(k, task_time(ts->v[i], k));
	sched_add_file(&b, ts->args, ts->file);
	(ts->args->wide ? add_wide_head : add_states_head)(&b, ts);
	for (size_t i = 0; i < ts->n; i++) {
		name = sched_task_text(ts->model, ts->v[i], '-');
		buf_printf(&b, ts->args->wide ? "%-22s" : "%-24s", name);
		free(name);
		(ts->args->wide ? add_wide_states : add_states)(&b, ts, ts->v[i]);
	}
	add_cpus(&b, ts);
	for (size_t i = 0; i < LEVEL_KINDS; i++)
		add_levels(&b, ts, &level_kinds[i]);
	sched_print(&b);
}

void sched_print_states(const struct sched_args *a, const struct model *m)
{
	json_t *tasks = json_array(), *cpus = json_array();
	struct sched_tasks ts;

	for (uint32_t file = 0; file < a->spans.select.nr_traces; file++) {
		sched_collect(&ts, a, m, file);
		if (a->spans.json) {
			add_states_objects(tasks, &ts);
			add_cpu_objects(cpus, &ts);
		} else {
			print_states_text(&ts);
		}
		free(ts.v);
	}
	if (a->spans.json)
		sched_print_json(json_pack("{s:O, s:O}", "tasks", tasks, "cpus", cpus));
	json_decref(tasks);
	json_decref(cpus);
}
