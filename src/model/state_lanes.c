/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tasks and CPUs did, in columns. */
#include "model/state_lanes.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/mem.h"
#include "model/arena.h"

#define SUMS_FIRST	4	/* states of a task in one column, as a rule */
#define RUNS_FIRST	8	/* places for tasks of a CPU in one column */

/* Time of a state within the column that is being filled. */
struct lane_sum {
	uint32_t state;
	uint64_t time;
};

/* The time of a task on a CPU within a column. A run of another column is a free place. */
struct lane_run {
	const struct task *task;
	uint32_t column;		/* 1 + its number; 0: none */
	uint32_t turn;			/* how many tasks came before in the column */
	uint64_t time;
};

struct lanes {
	const struct model *model;
	uint64_t from, to;
	uint32_t width;
	struct lane **v;
	size_t n, cap;
	struct arena arena;		/* all that does not depend on how many tasks a CPU had */
};

struct lanes *lanes_new(uint64_t from, uint64_t to, uint32_t width)
{
	struct lanes *l = xcalloc(1, sizeof(*l));
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

void lanes_bind(struct lanes *l, const struct model *m)
{
	l->model = m;
}

void lanes_free(struct lanes *l)
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

uint32_t lanes_width(const struct lanes *l)
{
	return l->width;
}

uint32_t lanes_column(const struct lanes *l, uint64_t ts)
{
	unsigned __int128 d = ts - l->from;

	if (ts <= l->from)
		return 0;
	if (ts >= l->to)
		return l->width - 1;
	return ((d + 1) * l->width - 1) / (l->to - l->from);
}

uint64_t lanes_begin(const struct lanes *l, uint32_t column)
{
	return l->from + (uint64_t)((unsigned __int128)(l->to - l->from) * column / l->width);
}

/* --- lanes */

/* @number is what a task or CPU keeps of its lane: 0 is none yet. */
static struct lane *lane_of(struct lanes *l, uint64_t *number, bool is_cpu)
{
	struct lane *lane;

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

static const struct lane *find_lane(const struct lanes *l, uint64_t number)
{
	return number ? l->v[number - 1] : NULL;
}

const struct lane *lanes_of_task(const struct lanes *l, const struct task *t)
{
	return find_lane(l, t->user);
}

const struct lane *lanes_of_cpu(const struct lanes *l, const struct model_cpu *c)
{
	return find_lane(l, c->user);
}

/* --- who has most of a column */

/* Of states with the same time the first of these is shown; of those asleep, by their texts. */
static unsigned int rank_of(unsigned int state)
{
	static const uint8_t ranks[TASK_ASLEEP] = {
		[TASK_RUNNING] = 0, [TASK_RUNNABLE] = 1, [TASK_PREEMPTED] = 2, [TASK_NEW] = 3,
		[TASK_UNKNOWN] = 5, [TASK_DEAD] = 6,
	};

	return state < TASK_ASLEEP ? ranks[state] : 4;
}

static bool comes_before(const struct lanes *l, const struct lane *lane, uint32_t a, uint32_t b)
{
	if (lane->tasks)
		return a < b;
	if (a >= TASK_ASLEEP && b >= TASK_ASLEEP)
		return strcmp(model_state_name(l->model, a), model_state_name(l->model, b)) < 0;
	return rank_of(a) < rank_of(b);
}

static uint8_t most_of_column(const struct lanes *l, const struct lane *lane)
{
	const struct lane_sum *most = lane->sums;

	for (const struct lane_sum *s = lane->sums + 1; s < lane->sums + lane->nr_sums; s++)
		if (s->time > most->time ||
		    (s->time == most->time && comes_before(l, lane, s->state, most->state)))
			most = s;
	return most->state + 1;
}

static void close_column(struct lanes *l, struct lane *lane)
{
	if (lane->nr_sums)
		lane->states[lane->column] = most_of_column(l, lane);
	if (lane->nr_met)
		lane->tasks[lane->column] = lane->longest->task;
	lane->nr_sums = 0;
	lane->nr_met = 0;
}

/* --- filling a column */

/* What it had stays in the arena: states are few. */
static void grow_sums(struct lanes *l, struct lane *lane)
{
	size_t cap = lane->cap_sums ? lane->cap_sums * 2 : SUMS_FIRST;
	struct lane_sum *sums = arena_alloc(&l->arena, cap * sizeof(*sums));

	if (lane->nr_sums)
		memcpy(sums, lane->sums, lane->nr_sums * sizeof(*sums));
	lane->sums = sums;
	lane->cap_sums = cap;
}

static void add_state(struct lanes *l, struct lane *lane, uint32_t state, uint64_t time)
{
	for (size_t i = 0; i < lane->nr_sums; i++) {
		if (lane->sums[i].state == state) {
			lane->sums[i].time += time;
			return;
		}
	}
	if (lane->nr_sums == lane->cap_sums)
		grow_sums(l, lane);
	lane->sums[lane->nr_sums++] = (struct lane_sum){ state, time };
}

/* The run of @t in the column, or the place for it. */
static struct lane_run *find_run(struct lane_run *runs, size_t cap, uint32_t column,
				 const struct task *t)
{
	size_t i = hash_number(t->id) & (cap - 1);

	while (runs[i].column == column && runs[i].task != t)
		i = (i + 1) & (cap - 1);
	return &runs[i];
}

/* Half of the places are free: as many are there as tasks in the fullest column need. */
static void make_room(struct lane *lane)
{
	size_t cap = lane->cap_runs ? lane->cap_runs * 2 : RUNS_FIRST;
	struct lane_run *runs;

	if (lane->nr_met * 2 < lane->cap_runs)
		return;
	runs = xcalloc(cap, sizeof(*runs));
	for (struct lane_run *r = lane->runs; r < lane->runs + lane->cap_runs; r++)
		if (r->column == lane->column + 1)
			*find_run(runs, cap, r->column, r->task) = *r;
	if (lane->nr_met)
		lane->longest = find_run(runs, cap, lane->column + 1, lane->longest->task);
	free(lane->runs);
	lane->runs = runs;
	lane->cap_runs = cap;
}

/* Of those that ran equally long the first that came. */
static bool comes_first(const struct lane_run *a, const struct lane_run *b)
{
	return a->time > b->time || (a->time == b->time && a->turn < b->turn);
}

static void add_run(struct lane *lane, const struct task *t, uint64_t time)
{
	struct lane_run *run;

	make_room(lane);
	run = find_run(lane->runs, lane->cap_runs, lane->column + 1, t);
	if (run->column != lane->column + 1)
		*run = (struct lane_run){ t, lane->column + 1, lane->nr_met++, 0 };
	run->time += time;
	if (lane->nr_met == 1 || comes_first(run, lane->longest))
		lane->longest = run;
}

/* @lane was in @state; of a CPU, @t ran there, or NULL. Times that came already do not again. */
static void fill(struct lanes *l, struct lane *lane, uint32_t state, const struct task *t,
		 uint64_t from, uint64_t to)
{
	uint64_t end;

	from = from > l->from ? from : l->from;
	from = from > lane->done ? from : lane->done;
	to = to < l->to ? to : l->to;
	for (; from < to; from = end) {
		if (from >= lane->column_end) {
			close_column(l, lane);
			lane->column = lanes_column(l, from);
			lane->column_end = lanes_begin(l, lane->column + 1);
		}
		end = to < lane->column_end ? to : lane->column_end;
		add_state(l, lane, state, end - from);
		if (t)
			add_run(lane, t, end - from);
		lane->done = end;
	}
}

void lanes_stayed(struct lanes *l, struct task *t, uint64_t from, uint64_t to)
{
	if (t->pid && t->state != TASK_DEAD)
		fill(l, lane_of(l, &t->user, false), t->state, NULL, from, to);
}

void lanes_cpu_stayed(struct lanes *l, struct model_cpu *c, uint64_t from, uint64_t to)
{
	bool known = c->task && !c->lost, busy = known && c->task->pid;

	fill(l, lane_of(l, &c->user, true),
	     busy ? LANE_BUSY : known ? LANE_IDLE : LANE_CPU_UNKNOWN, busy ? c->task : NULL, from,
	     to);
}

static void mark_lane(struct lanes *l, struct lane *lane, uint64_t from, uint64_t to)
{
	lane->lost++;
	if (!lane->losses)
		lane->losses = arena_alloc(&l->arena, l->width * sizeof(*lane->losses));
	for (uint32_t i = lanes_column(l, from); i <= lanes_column(l, to); i++)
		lane->losses[i] = true;
}

void lanes_gap(struct lanes *l, struct model_cpu *c, struct task *t, uint64_t from, uint64_t to)
{
	if (to < l->from || from > l->to)
		return;
	mark_lane(l, lane_of(l, &c->user, true), from, to);
	if (t && t->pid)
		mark_lane(l, lane_of(l, &t->user, false), from, to);
}

void lanes_end(struct lanes *l)
{
	for (size_t i = 0; i < l->n; i++)
		close_column(l, l->v[i]);
}
