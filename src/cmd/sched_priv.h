/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside ftr sched: what is asked for, and what its tables share. */
#ifndef FTR_CMD_SCHED_PRIV_H
#define FTR_CMD_SCHED_PRIV_H

#include <jansson.h>

#include "cmd/frame/span_commands.h"

enum sched_sort { BY_AVG, BY_MAX, BY_RUNTIME, BY_SWITCHES };

struct sched_args {
	struct span_args spans;		/* first: its own rows */
	enum sched_sort sort;
	bool by_comm;			/* latency: tasks of one name are one row */
	bool wide;
	/* timehist */
	bool summary, with_summary, wakeups, next, migrations, idle;
};

/* The tasks of a file that ran or were to run. */
struct sched_tasks {
	const struct sched_args *args;
	const struct model *model;
	const struct task **v;
	size_t n;
	uint32_t file;
	bool is_ns;
	bool used[TASK_STATES_MAX];	/* states in which one of them was */
};


/* The selected ones; idle tasks are CPUs. The caller frees ->v. */
void sched_collect(struct sched_tasks *ts, const struct sched_args *a, const struct model *m,
		   uint32_t file);
/* "bash-1234", sanitised, with another character between; the caller frees. */
char *sched_task_text(const struct model *m, const struct task *t, char between);
double sched_avg(uint64_t sum, uint64_t n);
/* What follows the title of a column of times: " ms", or "" of a clock without seconds. */
const char *sched_unit(bool is_ns);
/* Appends a time in milliseconds, or the number that a clock without seconds counts. */
void sched_add_time(struct buf *b, bool is_ns, int width, double v);
/* The same, with decimals for small numbers of a clock without seconds. */
void sched_add_avg(struct buf *b, bool is_ns, int width, double v);
/* The name of the file where several are read, or NULL. */
const char *sched_name_of_file(const struct sched_args *a, uint32_t file);
/* Prints @b, and releases it. */
void sched_print(struct buf *b);

/* Appends "# FILE" above a table, where several files are read. */
void sched_add_file(struct buf *b, const struct sched_args *a, uint32_t file);
/* An object with the name of the file, where several are read. */
json_t *sched_file_object(const struct sched_args *a, uint32_t file);
/* The same with members task and pid. */
json_t *sched_task_object(const struct sched_args *a, uint32_t file, const char *name, int pid);
void sched_set_delays(json_t *o, uint64_t n, uint64_t sum, uint64_t max);
/* Prints @all, and releases it. */
void sched_print_json(json_t *all);

void sched_print_states(const struct sched_args *a, const struct model *m);

/* A line when a task leaves its CPU, and summaries. It is the context of sched_timehist_ops(). */
struct timehist;

struct timehist *timehist_new(struct sched_args *a);
const struct span_ops *timehist_ops(const struct timehist *h);
/* Sets the model that will be read. */
void timehist_bind(struct timehist *h, struct model *m);
/* True once standard output takes no more. */
const bool *timehist_stop(const struct timehist *h);
/* Prints the summary, where it is wanted. Returns false if nothing was printed at all. */
bool timehist_end(struct timehist *h);
/* Runs of which the begin is not known: they have no line. */
uint64_t timehist_unknown(const struct timehist *h);
void timehist_free(struct timehist *h);

#endif
