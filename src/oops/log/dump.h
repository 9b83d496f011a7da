/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The dumps of the trace in a log: ftrace_dump()'s text as records, whose events are text still. */
#ifndef FTR_OOPS_DUMP_H
#define FTR_OOPS_DUMP_H

#include "base/map.h"
#include "oops/log/lines.h"

/* Bytes of a log's other lines that are kept of each dump, and lines before it that may be. */
#define DUMP_OOPS_MAX	  (64 << 10)
#define DUMP_BEFORE_LINES 200
/* Bytes of a line of a dump, and dumps of a log; printk's lines have some 1,000. */
#define DUMP_LINE_MAX	  8192
#define DUMPS_MAX	  64
/* A task that a graph without names of tasks does not tell. */
#define DUMP_NO_PID (-1)

struct span_text {
	const char *p;
	size_t      len;
};

enum dump_kind {
	DUMP_EVENT,		/* "name: text" */
	DUMP_SYSCALL,		/* "sys_NAME(text)" */
	DUMP_SYSRET,		/* "sys_NAME -> text" */
	DUMP_FUNCTION,		/* "name <-text" */
	DUMP_STACK,		/* frames */
	DUMP_ENTRY,		/* of function_graph */
	DUMP_EXIT,
};

struct dump_rec {
	enum dump_kind kind;
	int      cpu, pid;
	uint8_t  flags, count;		/* common_flags, common_preempt_count */
	uint64_t ns;
	uint64_t lost;			/* events before it: 0, a number, RING_LOST_UNKNOWN */
	uint32_t line;
	struct span_text name, text;
	size_t   frames, nr_frames;	/* DUMP_STACK: in ->frames of its dump */
	uint32_t depth;			/* graph */
	uint64_t duration_ns;		/* DUMP_EXIT */
};

struct dump {
	char    *instance;		/* "" = the top level */
	uint64_t head_ns;		/* printk's time of its first line */
	bool     timed;			/* that is known */
	bool     ended;			/* its last line is there */
	bool     headless;		/* its first lines are not; no line tells the instance */
	bool     made_times;		/* times of a graph are made up */
	bool     absolute;		/* times are of the clock, else since the buffer's start */
	struct dump_rec *v;
	size_t n, cap;
	struct span_text *frames;
	size_t nr_frames, cap_frames;
	size_t   unknown;		/* lines that fit nothing */
	uint32_t first_unknown;		/* the number of the first */
	struct map comms;		/* pid -> char *, in ->texts */
	int     *pids;			/* keys of ->comms, as they came */
	size_t   nr_pids, cap_pids;
	struct buf oops;		/* the log's other lines */
	struct texts texts;
};

struct dumps {
	struct dump *v;
	size_t n, cap;
};

/* Times are in their order for each CPU. Texts are those of @lines. */
void dumps_find(struct dumps *d, const struct log_lines *lines);
void dumps_release(struct dumps *d);

#endif
