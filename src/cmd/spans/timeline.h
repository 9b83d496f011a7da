/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr timeline: what its three outputs print. */
#ifndef FTR_CMD_TIMELINE_H
#define FTR_CMD_TIMELINE_H

#include "cmd/spans/spans.h"
#include "model/lanes.h"

struct timeline_args {
	struct span_args spans;		/* first: its own rows */
	struct strv tasks;		/* --tasks */
	struct strv events;		/* --event */
	int64_t width;			/* --width; 0: as there is room */
	int sort;
	bool ascii;
	const char *svg;		/* -o */
};

/* A --event: how many of its records each column has. */
struct timeline_event {
	char *text;			/* the GLOB, sanitised */
	struct filter_spec spec;	/* borrows all it points to */
	struct filter **filters;	/* of each file */
	uint64_t *counts, total;
};

struct timeline {
	const struct timeline_args *args;
	struct model *model;
	struct lanes *lanes;
	uint64_t from, to;
	struct timeline_event *events;
	size_t nr_events;
	const struct model_cpu **cpus;	/* those that are shown, in their order */
	size_t nr_cpus;
	const struct task **tasks;
	size_t nr_tasks;
};

/* What is said of a task behind its lane. */
struct timeline_sums {
	uint64_t run, wait, sleep;	/* wait: runnable, preempted or new */
};

struct timeline_sums timeline_sums_of(const struct timeline *t, const struct task *task);
/* Did interrupts or softirqs take time on a CPU? */
bool timeline_has_irqs(const struct timeline *t);
/* "busy", "running", "S"; NULL for what is empty. */
const char *timeline_cpu_state(const struct lane *lane, uint32_t column);
const char *timeline_task_state(const struct timeline *t, const struct lane *lane,
				uint32_t column);
/* "bash-1234", sanitised, to be freed; NULL for no task. */
char *timeline_task_text(const struct timeline *t, const struct task *task);
/* A time as report shows it; with nanoseconds where columns are short. */
void timeline_add_time(const struct timeline *t, struct buf *b, uint64_t ts);
/* "1.234 ms", "12 ns": four digits; of other clocks the number. */
void timeline_add_duration(const struct timeline *t, struct buf *b, uint64_t v);

/* Columns of lanes, where nobody said how many. */
uint32_t timeline_text_room(void);
void timeline_add_text(const struct timeline *t, struct buf *b);
void timeline_print_json(const struct timeline *t);
void timeline_add_svg(const struct timeline *t, struct buf *svg);

#endif
