/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lanes of CPUs and tasks side by side over time: as text, as a picture. */
#ifndef FTR_OUT_LANES_H
#define FTR_OUT_LANES_H

#include "filter/filter.h"
#include "model/lanes.h"

/* A row of counts: how many records of an event each column has. */
struct timeline_event {
	char *text;			/* the GLOB, sanitised */
	struct filter_spec spec;	/* borrows all it points to */
	struct filter **filters;	/* of each file */
	uint64_t *counts, total;
};

/* What is shown of lanes, in its order; the user's. */
struct timeline {
	struct trace *const *traces;
	size_t nr_traces;
	struct model *model;
	struct lanes *lanes;
	uint64_t from, to;
	struct timeline_event *events;
	size_t nr_events;
	const struct model_cpu **cpus;
	size_t nr_cpus;
	const struct task **tasks;
	size_t nr_tasks;
};

enum timeline_sort {
	TIMELINE_BY_RUN, TIMELINE_BY_WAIT, TIMELINE_BY_NAME, TIMELINE_BY_PID, TIMELINE_BY_FIRST,
};

/* For model_new(), with @t as ctx: fills ->lanes, and counts of ->events if there are some. */
const struct span_ops *timeline_span_ops(const struct timeline *t);
/*
 * When all was read: CPUs by file and number, tasks as they were met; those of which it is known
 * what they did, and that are wanted. A function that is NULL wants all.
 */
void timeline_collect(struct timeline *t, bool (*cpu)(void *ctx, const struct model_cpu *c),
		      bool (*task)(void *ctx, const struct task *task), void *ctx);
/* By what @sort says, then as they were met. */
void timeline_sort_tasks(struct timeline *t, enum timeline_sort sort);
/* What timeline_collect() found. */
void timeline_release(struct timeline *t);

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

/* How wide the text may be. */
struct timeline_look {
	unsigned int width;		/* columns of the screen, 0: there is none */
	bool given;			/* the columns of time were chosen: all sums fit */
	bool ascii;
};

/* Columns of lanes, where nobody said how many. */
uint32_t timeline_text_room(unsigned int width);

enum timeline_line_kind {
	TIMELINE_LINE_OTHER, TIMELINE_LINE_CPU, TIMELINE_LINE_TASK, TIMELINE_LINE_EVENT,
};

/* What a line of the text is about. */
struct timeline_line {
	enum timeline_line_kind kind;
	uint32_t file;
	int32_t  id;			/* the CPU, or the pid */
};

/* What there is to know about a text. */
struct timeline_lines {
	struct timeline_line *v;	/* of each line; owned */
	size_t n, cap;
	size_t column;			/* in which the lanes begin */
	size_t hidden;			/* sums that had no room */
};

/* @lines, zeroed, may be NULL. */
void timeline_add_text(const struct timeline *t, const struct timeline_look *how, struct buf *b,
		       struct timeline_lines *lines);
void timeline_lines_copy(struct timeline_lines *to, const struct timeline_lines *from);
void timeline_lines_release(struct timeline_lines *lines);
void timeline_add_svg(const struct timeline *t, struct buf *svg);

#endif
