/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names, states, sums and the order of lanes, for their text and their picture. */
#include "output/lanes/lanes_view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define NUMBER_WHOLE 10000000	/* larger ones have four digits and a prefix */

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

const char *timeline_cpu_state(const struct state_lane *lane, uint32_t column)
{
	static const char *const names[LANE_CPU_STATES] = { "busy", "idle", "unknown" };

	if (!lane || lane->states[column] == LANE_EMPTY)
		return NULL;
	return names[lane->states[column] - 1];
}

const char *timeline_task_state(const struct timeline *t, const struct state_lane *lane,
				uint32_t column)
{
	if (!lane || lane->states[column] == LANE_EMPTY)
		return NULL;
	return model_state_name(t->model, lane->states[column] - 1);
}

void timeline_add_task(const struct timeline *t, const struct task *task, struct buf *b)
{
	const char *name = model_task_name(t->model, task);

	text_sanitise(b, name, strlen(name), false);
	buf_addch(b, '-');
	model_add_task_id(task, b);
}

char *timeline_task_text(const struct timeline *t, const struct task *task)
{
	struct buf b = {0};

	if (!task)
		return NULL;
	timeline_add_task(t, task, &b);
	return buf_take(&b);
}

void timeline_add_time(const struct timeline *t, struct buf *b, uint64_t ts)
{
	bool is_fine = (t->to - t->from) / lanes_width(t->lanes) < 10000;

	trace_add_time(b, t->traces[0], ts, is_fine);
}

/* Returns the decimals of a number with four digits. */
static int nr_decimals(double v)
{
	return v >= 999.95 ? 0 : v < 9.9995 ? 3 : v < 99.995 ? 2 : 1;
}

void timeline_add_duration(const struct timeline *t, struct buf *b, uint64_t v)
{
	static const char *const units[] = { "ns", "us", "ms", "s", "d" };
	double rest = v;
	unsigned int unit = 0;

	if (!t->traces[0]->clock_is_ns) {
		timeline_add_number(b, v);
		return;
	}
	for (; rest >= 999.95 && unit < 3; unit++)
		rest /= 1000;
	if (rest >= 99999.5) {
		rest /= 24 * 3600;
		unit++;
	}
	buf_printf(b, "%.*f %s", !unit ? 0 : nr_decimals(rest), rest, units[unit]);
}

void timeline_add_number(struct buf *b, uint64_t v)
{
	static const char prefixes[] = " kMGTPE";
	unsigned int prefix = 0;
	double rest = v;

	if (v < NUMBER_WHOLE) {
		buf_printf(b, "%" PRIu64, v);
		return;
	}
	for (; rest >= 999.95; prefix++)
		rest /= 1000;
	buf_printf(b, "%.*f %c", nr_decimals(rest), rest, prefixes[prefix]);
}

/* --- order */

static int compare_cpus(const void *a, const void *b)
{
	const struct model_cpu *x = *(const struct model_cpu *const *)a;
	const struct model_cpu *y = *(const struct model_cpu *const *)b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

void timeline_collect(struct timeline *t, bool (*cpu)(void *ctx, const struct model_cpu *c),
		      bool (*task)(void *ctx, const struct task *task), void *ctx)
{
	size_t cap_cpus = 0, cap = 0;

	for (const struct model_cpu *c = model_cpus(t->model); c; c = c->next) {
		if (!model_has_states(t->model, c->file) || (cpu && !cpu(ctx, c)))
			continue;
		t->cpus = xgrow(t->cpus, &cap_cpus, t->nr_cpus + 1, sizeof(*t->cpus));
		t->cpus[t->nr_cpus++] = c;
	}
	if (t->nr_cpus)
		qsort(t->cpus, t->nr_cpus, sizeof(*t->cpus), compare_cpus);
	for (const struct task *k = model_tasks(t->model); k; k = k->next) {
		if (!k->pid || k->unseen & UNSEEN_RUNS || !model_has_states(t->model, k->file) ||
		    (task && !task(ctx, k)))
			continue;
		t->tasks = xgrow(t->tasks, &cap, t->nr_tasks + 1, sizeof(*t->tasks));
		t->tasks[t->nr_tasks++] = k;
	}
}

void timeline_release(struct timeline *t)
{
	free(t->cpus);
	free(t->tasks);
	t->cpus = NULL;
	t->tasks = NULL;
	t->nr_cpus = t->nr_tasks = 0;
}

struct sort_key {
	uint64_t value;			/* the larger one comes first */
	const char *name;		/* compared next; NULL: not by name */
	const struct task *task;
};

static int compare_keys(const void *a, const void *b)
{
	const struct sort_key *x = a, *y = b;
	int order = 0;

	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	if (x->name)
		order = strcmp(x->name, y->name);
	return order ? order : (x->task->id > y->task->id) - (x->task->id < y->task->id);
}

void timeline_sort_tasks(struct timeline *t, enum timeline_sort sort)
{
	struct sort_key *keys = xcalloc(t->nr_tasks + 1, sizeof(*keys)), *k;
	struct timeline_sums sums;

	for (size_t i = 0; i < t->nr_tasks; i++) {
		k = &keys[i];
		k->task = t->tasks[i];
		sums = timeline_sums_of(t, k->task);
		if (sort == TIMELINE_BY_RUN)
			k->value = sums.run;
		else if (sort == TIMELINE_BY_WAIT)
			k->value = sums.wait;
		else if (sort == TIMELINE_BY_PID)
			k->value = UINT32_MAX - (uint32_t)k->task->pid;
		else if (sort == TIMELINE_BY_NAME)
			k->name = model_task_name(t->model, k->task);
	}
	qsort(keys, t->nr_tasks, sizeof(*keys), compare_keys);
	for (size_t i = 0; i < t->nr_tasks; i++)
		t->tasks[i] = keys[i].task;
	free(keys);
}

/* --- callbacks of the model */

static void count_record(void *ctx, struct task *task, const struct trace_rec *r)
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
	.stayed = task_stayed, .cpu_stayed = cpu_stayed, .gap = cpu_gap, .event = count_record,
};

const struct span_ops *timeline_span_ops(const struct timeline *t)
{
	return t->nr_events ? &event_ops : &lane_ops;
}
