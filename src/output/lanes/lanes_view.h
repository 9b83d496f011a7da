/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lanes of CPUs and tasks over time, as text or as a picture. */
#ifndef FTR_OUTPUT_LANES_LANES_VIEW_H
#define FTR_OUTPUT_LANES_LANES_VIEW_H

#include "model/state_lanes.h"
#include "trace/filter.h"

/* A row of counts: the number of an event's records in each column. */
struct timeline_event {
	char *text;			/* the GLOB, sanitised */
	struct filter_spec spec;	/* borrows all it points to */
	struct filter **filters;	/* one per file */
	uint64_t *counts, total;
};

/* The lanes to show, in order. The caller owns all members. */
struct timeline {
	struct trace *const *traces;
	size_t nr_traces;
	struct model *model;
	struct state_lanes *lanes;
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

/* For model_new() with @t as ctx: fills ->lanes, and the counts of ->events if there are any. */
const struct span_ops *timeline_span_ops(const struct timeline *t);
/*
 * Sets ->cpus, by file and number, and ->tasks, in the order of their first records: all that have
 * known states and for which @cpu and @task return true (NULL: all). Call it at the end of the
 * pass.
 */
void timeline_collect(struct timeline *t, bool (*cpu)(void *ctx, const struct model_cpu *c),
		      bool (*task)(void *ctx, const struct task *task), void *ctx);
/* Sorts the tasks by @sort, then in the order of their first records. */
void timeline_sort_tasks(struct timeline *t, enum timeline_sort sort);
/* Releases the results of timeline_collect(). */
void timeline_release(struct timeline *t);

/* The sums shown after a task's lane. */
struct timeline_sums {
	uint64_t run, wait, sleep;	/* wait: runnable, preempted or new */
};

struct timeline_sums timeline_sums_of(const struct timeline *t, const struct task *task);
/* Returns true if interrupts or softirqs took time on a CPU. */
bool timeline_has_irqs(const struct timeline *t);
/* Return the state in a column: "busy", "running", "S"; NULL if it is empty. */
const char *timeline_cpu_state(const struct state_lane *lane, uint32_t column);
const char *timeline_task_state(const struct timeline *t, const struct state_lane *lane,
				uint32_t column);
/* Appends "bash-1234", sanitised. */
void timeline_add_task(const struct timeline *t, const struct task *task, struct buf *b);
/* Returns the same text, which the caller frees; NULL for no task. */
char *timeline_task_text(const struct timeline *t, const struct task *task);
/* Appends a time as in report, with nanoseconds if columns are short. */
void timeline_add_time(const struct timeline *t, struct buf *b, uint64_t ts);
/* Appends a number of at most 8 characters: 9999999, or "12.35 M". */
void timeline_add_number(struct buf *b, uint64_t v);
/*
 * Appends "1.234 ms", "12 ns", with four digits; or the number, if the clock does not count
 * nanoseconds. At most 8 characters.
 */
void timeline_add_duration(const struct timeline *t, struct buf *b, uint64_t v);

/* The form of the text. */
struct timeline_look {
	unsigned int width;		/* columns of the screen, 0: no screen */
	bool given;	/* the user chose the number of columns: all sums are shown */
	bool ascii;
};

/* Returns the default number of columns of lanes on a screen of @width. */
uint32_t timeline_text_room(unsigned int width);

enum timeline_line_kind {
	TIMELINE_LINE_OTHER, TIMELINE_LINE_CPU, TIMELINE_LINE_TASK, TIMELINE_LINE_EVENT,
};

/* The lane that a line of the text shows. */
struct timeline_line {
	enum timeline_line_kind kind;
	uint32_t file;
	int32_t  id;			/* the CPU, or the pid */
};

/* Information on the lines of a text. */
struct timeline_lines {
	struct timeline_line *v;	/* one per line; owned */
	size_t n, cap;
	size_t column;			/* first column of the lanes */
	size_t hidden;			/* sums without room */
};

/* Appends the text. @lines may be NULL, else it is zeroed before and released by the caller. */
void timeline_add_text(const struct timeline *t, const struct timeline_look *how, struct buf *b,
		       struct timeline_lines *lines);
void timeline_lines_copy(struct timeline_lines *to, const struct timeline_lines *from);
void timeline_lines_release(struct timeline_lines *lines);
void timeline_add_svg(const struct timeline *t, struct buf *svg);

#endif
