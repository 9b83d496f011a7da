/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of 'ftr sched'. */
#ifndef FTR_CMD_SCHED_PRIV_H
#define FTR_CMD_SCHED_PRIV_H

#include <jansson.h>

#include "cmd/frame/span_commands.h"

enum sched_sort { BY_AVG, BY_MAX, BY_RUNTIME, BY_SWITCHES };

struct sched_args {
	struct span_args spans;		/* first: SPAN_* and SELECT_* options write to it */
	enum sched_sort sort;
	bool by_comm;			/* latency: one row for all tasks of a name */
	bool wide;
	/* timehist */
	bool summary, with_summary, wakeups, next, migrations, idle;
};

/* The tasks of a file that ran or were runnable. */
struct sched_tasks {
	const struct sched_args *args;
	const struct model *model;
	const struct task **v;
	size_t n;
	uint32_t file;
	bool is_ns;
	bool used[TASK_STATES_MAX];	/* states that a task was in */
};

enum sched_kind {
	SCHED_COUNT,
	SCHED_TIME,
	SCHED_AVG,			/* of ->per times; the value is their sum */
	SCHED_STAMP,			/* the time of a record; unknown if ->per is 0 */
};

/* A column of a table, and the member of the row's object in JSON. */
struct sched_column {
	const char *key;		/* in JSON; NULL: end of the columns */
	const char *title;		/* in text; NULL: in JSON alone */
	enum sched_kind kind;
	size_t at, per;			/* offsets of numbers in the row, uint64_t */
	int gap, width;			/* of text: blanks, then the value, right-aligned */
};

/* The delays of a row, which has the members delays, delay_sum and delay_max. */
#define SCHED_DELAYS(row, gap, width) \
	{ "delays", NULL, SCHED_COUNT, offsetof(row, delays), 0, gap, width }, \
	{ "delay_avg", "avg delay", SCHED_AVG, offsetof(row, delay_sum), offsetof(row, delays), \
	  gap, width }, \
	{ "delay_max", "max delay", SCHED_TIME, offsetof(row, delay_max), 0, gap, width }

/* Collects the selected tasks without idle tasks. The caller frees ->v. */
void sched_collect(struct sched_tasks *ts, const struct sched_args *a, const struct model *m,
		   uint32_t file);
/* Returns "bash-1234", sanitised, with @between between the parts; the caller frees. */
char *sched_task_text(const struct model *m, const struct task *t, char between);
/* Returns the unit in titles of times: " ms", or "" if the clock does not count seconds. */
const char *sched_unit(bool is_ns);
/* Appends a time in milliseconds, or a plain number if the clock does not count seconds. */
void sched_add_time(struct buf *b, bool is_ns, int width, double v);
/* Appends the titles of columns, or with @units their units, if the clock counts seconds. */
void sched_add_titles(struct buf *b, const struct sched_column *c, bool units);
void sched_add_cells(struct buf *b, const struct sched_column *c, const void *row, bool is_ns);
void sched_set_members(json_t *o, const struct sched_column *c, const void *row);
/* Returns the name of the file if several are read, else NULL. */
const char *sched_name_of_file(const struct sched_args *a, uint32_t file);
/* Prints and releases @b. */
void sched_print(struct buf *b);

/* Appends "# FILE" above a table if several files are read. */
void sched_add_file(struct buf *b, const struct sched_args *a, uint32_t file);
/* Returns a new object, with the name of the file if several are read. */
json_t *sched_file_object(const struct sched_args *a, uint32_t file);
/* As sched_file_object(), with members task and pid. */
json_t *sched_task_object(const struct sched_args *a, uint32_t file, const char *name, int pid);
/* Prints and releases @all. */
void sched_print_json(json_t *all);

void sched_print_states(const struct sched_args *a, const struct model *m);

/* Prints a line when a task leaves its CPU, and summaries. It is the context of timehist_ops(). */
struct sched_timehist;

struct sched_timehist *timehist_new(struct sched_args *a);
const struct span_ops *timehist_ops(const struct sched_timehist *h);
/* Sets the model before it reads. */
void timehist_bind(struct sched_timehist *h, struct model *m);
/* Returns a flag that is set if standard output cannot be written. */
const bool *timehist_stop(const struct sched_timehist *h);
/* Prints the summary if it is wanted. Returns false if neither lines nor a summary were printed. */
bool timehist_end(struct sched_timehist *h);
/* Returns the number of runs without a line, because their start is not recorded. */
uint64_t timehist_unknown(const struct sched_timehist *h);
void timehist_free(struct sched_timehist *h);

#endif
