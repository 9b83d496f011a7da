/* SPDX-License-Identifier: GPL-2.0-or-later */
/* States of tasks and CPUs, in columns. */
#include "model/state_lanes.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/mem.h"
#include "model/arena.h"

#define SUMS_FIRST	4	/* initial number of states of a lane in one column */
#define RUNS_FIRST	8	/* initial size of the table of tasks of a CPU in one column */

/* The time of a state within the column that is being filled. */
struct lane_sum {
	uint32_t state;
	uint64_t time;
};

/* The time of a task on a CPU within a column. A run of another column is a free slot. */
struct lane_run {
	const struct task *task;
	uint32_t column;		/* 1 + its number; 0: none */
	uint32_t turn;			/* number of tasks that ran before it in the column */
	uint64_t time;
};

struct state_lanes {
	const struct model *model;
	uint64_t from, to;
	uint32_t width;
	struct state_lane **v;
	size_t n, cap;
	struct arena arena;		/* all memory except lane.runs */
};

struct state_lanes *lanes_new(uint64_t from, uint64_t to, uint32_t width)
{
	struct state_lanes *l = xcalloc(1, sizeof(*l));
	uint64_t range = to - from;

	l->from = from;
	l->to = to;
	l->width = width < LANE_WIDTH_MAX ? width : LANE_WIDTH_MAX;
	if (l->width > range)
		l->width = range;
	if (!l->width)
		l->width = 1;
	return l;
}

void lanes_bind(struct state_lanes *l, const struct model *m)
{
	l->model = m;
}

void lanes_free(struct state_lanes *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i]->runs);
	arena_release(&l->arena);
	free(l->v);
	free(l);
}

/* --- columns */

uint32_t lanes_width(const struct state_lanes *l)
{
	return l->width;
}

uint32_t lanes_column(const struct state_lanes *l, uint64_t ts)
{
	unsigned __int128 d = ts - l->from;

	if (ts <= l->from)
		return 0;
	if (ts >= l->to)
		return l->width - 1;
	return ((d + 1) * l->width - 1) / (l->to - l->from);
}

uint64_t lanes_begin(const struct state_lanes *l, uint32_t column)
{
	return l->from + (uint64_t)((unsigned __int128)(l->to - l->from) * column / l->width);
}

/* --- lanes */

/* Returns the lane of *number, the ->user of a task or CPU. Makes a lane if that is 0. */
static struct state_lane *lane_of(struct state_lanes *l, uint64_t *number, bool is_cpu)
{
	struct state_lane *lane;

	if (*number)
		return l->v[*number - 1];
	l->v = xgrow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	lane = l->v[l->n++] = arena_alloc(&l->arena, sizeof(*lane));
	lane->states = arena_alloc(&l->arena, l->width * sizeof(*lane->states));
	if (is_cpu)
		lane->tasks = arena_alloc(&l->arena, l->width * sizeof(*lane->tasks));
	*number = l->n;
	return lane;
}

static const struct state_lane *find_lane(const struct state_lanes *l, uint64_t number)
{
	return number ? l->v[number - 1] : NULL;
}

const struct state_lane *lanes_of_task(const struct state_lanes *l, const struct task *t)
{
	return find_lane(l, t->user);
}

const struct state_lane *lanes_of_cpu(const struct state_lanes *l, const struct model_cpu *c)
{
	return find_lane(l, c->user);
}

/* --- the state with most of a column */

/* Among states with the same time the lowest rank is shown; sleep states are sorted by text. */
static unsigned int state_rank(unsigned int state)
{
	static const uint8_t ranks[TASK_ASLEEP] = {
		[TASK_RUNNING] = 0, [TASK_RUNNABLE] = 1, [TASK_PREEMPTED] = 2, [TASK_NEW] = 3,
		[TASK_UNKNOWN] = 5, [TASK_DEAD] = 6,
	};

	return state < TASK_ASLEEP ? ranks[state] : 4;
}

static bool state_wins_tie(const struct state_lanes *l, const struct state_lane *lane, uint32_t a,
			   uint32_t b)
{
	if (lane->tasks)
		return a < b;
	if (a >= TASK_ASLEEP && b >= TASK_ASLEEP)
		return strcmp(model_state_name(l->model, a), model_state_name(l->model, b)) < 0;
	return state_rank(a) < state_rank(b);
}

static void lane_close_column(struct state_lanes *l, struct state_lane *lane)
{
	const struct lane_sum *s, *most = lane->sums;

	for (size_t i = 1; i < lane->nr_sums; i++) {
		s = &lane->sums[i];
		if (s->time > most->time ||
		    (s->time == most->time && state_wins_tie(l, lane, s->state, most->state)))
			most = s;
	}
	if (lane->nr_sums)
		lane->states[lane->column] = most->state + 1;
	if (lane->nr_met)
		lane->tasks[lane->column] = lane->longest->task;
	lane->nr_sums = 0;
	lane->nr_met = 0;
}

/* --- filling a column */

static void lane_add_state(struct state_lanes *l, struct state_lane *lane, uint32_t state,
			   uint64_t time)
{
	struct lane_sum *sums;

	for (size_t i = 0; i < lane->nr_sums; i++) {
		if (lane->sums[i].state == state) {
			lane->sums[i].time += time;
			return;
		}
	}
	if (lane->nr_sums == lane->cap_sums) {
		/* the old array stays in the arena: a lane has few states */
		lane->cap_sums = lane->cap_sums ? lane->cap_sums * 2 : SUMS_FIRST;
		sums = arena_alloc(&l->arena, lane->cap_sums * sizeof(*sums));
		if (lane->nr_sums)
			memcpy(sums, lane->sums, lane->nr_sums * sizeof(*sums));
		lane->sums = sums;
	}
	lane->sums[lane->nr_sums++] = (struct lane_sum){ state, time };
}

/* Returns the slot of @t in the column, a free one if it has no run yet. */
static struct lane_run *run_slot(struct lane_run *runs, size_t cap, uint32_t column,
				 const struct task *t)
{
	size_t i = hash_number(t->id) & (cap - 1);

	while (runs[i].column == column && runs[i].task != t)
		i = (i + 1) & (cap - 1);
	return &runs[i];
}

/* Grows the table so that half of it is free. Its size is that of the fullest column so far. */
static void lane_grow_runs(struct state_lane *lane)
{
	size_t cap = lane->cap_runs ? lane->cap_runs * 2 : RUNS_FIRST;
	struct lane_run *runs;

	if (lane->nr_met * 2 < lane->cap_runs)
		return;
	runs = xcalloc(cap, sizeof(*runs));
	for (struct lane_run *r = lane->runs; r < lane->runs + lane->cap_runs; r++)
		if (r->column == lane->column + 1)
			*run_slot(runs, cap, r->column, r->task) = *r;
	if (lane->nr_met)
		lane->longest = run_slot(runs, cap, lane->column + 1, lane->longest->task);
	free(lane->runs);
	lane->runs = runs;
	lane->cap_runs = cap;
}

static void lane_add_run(struct state_lane *lane, const struct task *t, uint64_t time)
{
	struct lane_run *run, *longest;

	lane_grow_runs(lane);
	longest = lane->longest;
	run = run_slot(lane->runs, lane->cap_runs, lane->column + 1, t);
	if (run->column != lane->column + 1)
		*run = (struct lane_run){ t, lane->column + 1, lane->nr_met++, 0 };
	run->time += time;
	/* among tasks of equal time the one that ran first */
	if (lane->nr_met == 1 || run->time > longest->time ||
	    (run->time == longest->time && run->turn < longest->turn))
		lane->longest = run;
}

/*
 * Adds time in @state to @lane. @t is the task that ran, in the lane of a CPU, or NULL. Time before
 * the end of the previous call is ignored.
 */
static void lane_fill(struct state_lanes *l, struct state_lane *lane, uint32_t state,
		      const struct task *t, uint64_t from, uint64_t to)
{
	uint64_t end;

	from = from > l->from ? from : l->from;
	from = from > lane->done ? from : lane->done;
	to = to < l->to ? to : l->to;
	for (; from < to; from = end) {
		if (from >= lane->column_end) {
			lane_close_column(l, lane);
			lane->column = lanes_column(l, from);
			lane->column_end = lanes_begin(l, lane->column + 1);
		}
		end = to < lane->column_end ? to : lane->column_end;
		lane_add_state(l, lane, state, end - from);
		if (t)
			lane_add_run(lane, t, end - from);
		lane->done = end;
	}
}

void lanes_stayed(struct state_lanes *l, struct task *t, uint64_t from, uint64_t to)
{
	if (t->pid && t->state != TASK_DEAD)
		lane_fill(l, lane_of(l, &t->user, false), t->state, NULL, from, to);
}

void lanes_cpu_stayed(struct state_lanes *l, struct model_cpu *c, uint64_t from, uint64_t to)
{
	bool known = c->task && !c->lost, busy = known && c->task->pid;
	uint32_t state = busy ? LANE_BUSY : known ? LANE_IDLE : LANE_CPU_UNKNOWN;

	lane_fill(l, lane_of(l, &c->user, true), state, busy ? c->task : NULL, from, to);
}

static void lane_add_loss(struct state_lanes *l, struct state_lane *lane, uint64_t from,
			  uint64_t to)
{
	lane->lost++;
	if (!lane->losses)
		lane->losses = arena_alloc(&l->arena, l->width * sizeof(*lane->losses));
	for (uint32_t i = lanes_column(l, from); i <= lanes_column(l, to); i++)
		lane->losses[i] = true;
}

void lanes_gap(struct state_lanes *l, struct model_cpu *c, struct task *t, uint64_t from,
	       uint64_t to)
{
	if (to < l->from || from > l->to)
		return;
	lane_add_loss(l, lane_of(l, &c->user, true), from, to);
	if (t && t->pid)
		lane_add_loss(l, lane_of(l, &t->user, false), from, to);
}

void lanes_end(struct state_lanes *l)
{
	for (size_t i = 0; i < l->n; i++)
		lane_close_column(l, l->v[i]);
}
