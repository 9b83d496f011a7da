/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * States of tasks and CPUs over a range of time, in columns: each column has the state that fills
 * most of it. The rules are in Documentation/design/spans.md, "Lanes". Memory depends only on the
 * numbers of tasks, CPUs and columns.
 */
#ifndef FTR_MODEL_STATE_LANES_H
#define FTR_MODEL_STATE_LANES_H

#include "model/model.h"

/* The state of a CPU in a column. */
enum lane_cpu { LANE_BUSY, LANE_IDLE, LANE_CPU_UNKNOWN, LANE_CPU_STATES };

#define LANE_EMPTY	0	/* a column in which the task or CPU does not exist */
#define LANE_WIDTH_MAX	100000u

struct state_lane {
	uint8_t *states;		/* for each column: LANE_EMPTY, or 1 + a state */
	const struct task **tasks; /* of a CPU: the task that ran longest in each column, or NULL */
	bool    *losses;	/* for each column: true if records were lost; NULL: none were */
	uint64_t lost;			/* number of losses */
	/* private: the column that is being filled */
	uint32_t column;
	uint64_t column_end, done;
	struct lane_sum *sums;
	size_t nr_sums, cap_sums;
	struct lane_run *runs;		/* of a CPU: a hash table of the tasks in its columns */
	size_t nr_met, cap_runs;	/* of the column; 0 or a power of two */
	struct lane_run *longest;	/* of the column */
};

struct state_lanes;

/*
 * Makes lanes for times from @from to @to, both included. @width is the wanted number of columns:
 * see lanes_width().
 */
struct state_lanes *lanes_new(uint64_t from, uint64_t to, uint32_t width);
/* Sets the model whose states will come. Call it before the first. */
void lanes_bind(struct state_lanes *l, const struct model *m);
/* Add states and gaps; call them from span_ops. They use ->user of tasks and CPUs. */
void lanes_stayed(struct state_lanes *l, struct task *t, uint64_t from, uint64_t to);
void lanes_cpu_stayed(struct state_lanes *l, struct model_cpu *c, uint64_t from, uint64_t to);
void lanes_gap(struct state_lanes *l, struct model_cpu *c, struct task *t, uint64_t from,
	       uint64_t to);
/* Ends the lanes. */
void lanes_end(struct state_lanes *l);

/* Returns the number of columns: at least one, at most one for each unit of time. */
uint32_t lanes_width(const struct state_lanes *l);
/* lanes_column() returns the column of a time, lanes_begin() the start time of a column. */
uint32_t lanes_column(const struct state_lanes *l, uint64_t ts);
uint64_t lanes_begin(const struct state_lanes *l, uint32_t column);
/* Return NULL if the task or CPU did not exist during the range. */
const struct state_lane *lanes_of_task(const struct state_lanes *l, const struct task *t);
const struct state_lane *lanes_of_cpu(const struct state_lanes *l, const struct model_cpu *c);
void lanes_free(struct state_lanes *l);

#endif
