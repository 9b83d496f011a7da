/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ftr oops show found, for its two outputs. */
#ifndef FTR_CMD_OOPS_OOPS_SHOW_H
#define FTR_CMD_OOPS_OOPS_SHOW_H

#include "cmd/frame/selection.h"
#include "model/model.h"
#include "oops/log/oops_text.h"

#define SHOW_FEW	5	/* wakeups, waits for locks, requests */
#define SHOW_OPEN	64	/* spans that are open */
#define SHOW_LINE	1024	/* bytes of a line of the oops: LOG_LINE_MAX of printk */

struct show_args {
	struct selection select;	/* first: its own rows */
	uint64_t around_ns;
	int64_t  last;
	bool     json, text, quiet;
};

struct show_span {
	unsigned int kind;		/* as of model_kind_name(), or SPAN_WAKEUP */
	uint64_t begin, duration;	/* SPAN_UNKNOWN where it is not known */
	bool     is_open;
	bool     is_most;		/* it lasted no longer: records are lost inside of it */
	uint32_t depth;
	char    *name;			/* sanitised; of a wakeup who woke, or NULL */
};

/* The last that came, ->v a ring: ->next is the oldest once it is full. */
struct show_list {
	struct show_span v[SHOW_OPEN];
	size_t n, next, room;
};

enum show_what { SHOW_OPENS, SHOW_WAKEUPS, SHOW_LOCKS, SHOW_BLOCKS, SHOW_LISTS };

struct show_cpu {
	int      cpu;
	uint64_t lost;
	bool     lost_unknown, has_records;
	const struct task *task;	/* that it runs at the end, or NULL */
	uint64_t all;			/* its records */
	uint64_t count, shown, skip;	/* of those that are looked at, the last; before these */
};

struct show {
	const struct show_args *args;
	struct trace *trace;
	struct oops_text oops;
	bool     has_oops;
	bool     told_task, told_cpu;	/* by the text, not by the last record */
	int      cpu, pid;		/* in question; -1: nobody knows */
	struct model *model;
	const struct task *task;	/* in the records, or NULL */
	uint64_t since;			/* of its state */
	struct show_list lists[SHOW_LISTS];
	struct show_cpu *cpus;		/* by number */
	size_t   nr_cpus;
	uint64_t last_ts;
	int      signal;
};

/* "insmod-136", sanitised; of the idle task of a CPU "<idle>-0". */
char *show_task_text(const struct show *s);
const struct show_span *show_span_at(const struct show_list *l, size_t i);
/*
 * Writes the last records to @fd: of the CPU in question, or merged those of all others in the
 * time of --around. Once each.
 */
int show_lines_write(const struct show *s, bool others, int fd, struct ftr_error *err);
/* What a CPU runs at the end, sanitised; NULL if that is not known. */
char *show_cpu_task(const struct show *s, const struct show_cpu *c);
struct show_cpu *show_find_cpu(const struct show *s, int cpu);
/* A part of the oops text, at most SHOW_LINE bytes of it. */
void show_add_part(struct buf *b, const struct oops_part *p);

int show_print_text(const struct show *s, struct ftr_error *err);
int show_print_json(const struct show *s, struct ftr_error *err);

#endif
