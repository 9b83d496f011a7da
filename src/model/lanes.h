/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tasks and CPUs did over a range of time, cut into columns: for each column the state that
 * fills most of it. The rules are in Documentation/spans.md, "Lanes". Memory grows with tasks, CPUs
 * and columns alone.
 */
#ifndef FTR_MODEL_LANES_H
#define FTR_MODEL_LANES_H

#include "model/model.h"

/* What a CPU did in a column. */
enum lane_cpu { LANE_BUSY, LANE_IDLE, LANE_CPU_UNKNOWN, LANE_CPU_STATES };

#define LANE_EMPTY	0	/* of a column: nobody is there */
#define LANE_WIDTH_MAX	100000u

struct lane {
	uint8_t *states;		/* of each column: LANE_EMPTY, or 1 + a state */
	const struct task **tasks;	/* of a CPU: who ran longest in each, or NULL */
	bool    *losses;		/* of each: were records lost? NULL: of none */
	uint64_t lost;			/* how often */
	/* private: the column that is being filled */
	uint32_t column;
	uint64_t column_end, done;
	struct lane_sum *sums;
	size_t nr_sums, cap_sums;
	struct lane_run *runs;		/* of a CPU, by the number of the task */
	size_t nr_runs, cap_runs;
	uint32_t *met;			/* of a CPU: the tasks that ran in the column */
	size_t nr_met, cap_met;
	const struct task **who;	/* by number */
	size_t cap_who;
};

struct lanes;

/* Of the time from @from to @to, both included; @width as it is wanted: see lanes_width(). */
struct lanes *lanes_new(uint64_t from, uint64_t to, uint32_t width);
/* Whose states will come; before the first of them. */
void lanes_bind(struct lanes *l, const struct model *m);
/* For span_ops. Uses ->user of tasks and CPUs. */
void lanes_stayed(struct lanes *l, struct task *t, uint64_t from, uint64_t to);
void lanes_cpu_stayed(struct lanes *l, struct model_cpu *c, uint64_t from, uint64_t to);
void lanes_gap(struct lanes *l, struct model_cpu *c, struct task *t, uint64_t from, uint64_t to);
/* Nothing more comes. */
void lanes_end(struct lanes *l);

/* How many columns there are: at most one for each unit of time, at least one. */
uint32_t lanes_width(const struct lanes *l);
/* The column of a time in the range, and the time at which one begins. */
uint32_t lanes_column(const struct lanes *l, uint64_t ts);
uint64_t lanes_begin(const struct lanes *l, uint32_t column);
/* NULL: it was there at no time. */
const struct lane *lanes_of_task(const struct lanes *l, const struct task *t);
const struct lane *lanes_of_cpu(const struct lanes *l, const struct model_cpu *c);
void lanes_free(struct lanes *l);

#endif
