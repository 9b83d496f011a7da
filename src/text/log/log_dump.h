/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses dumps of the trace in a log, and the text of the file trace: the text of ftrace_dump()
 * becomes records, whose events are still text.
 */
#ifndef FTR_TEXT_LOG_LOG_DUMP_H
#define FTR_TEXT_LOG_LOG_DUMP_H

#include "base/map.h"
#include "text/log/log_lines.h"

/* Limits for each dump: bytes of other lines of the log, and lines before the dump. */
#define DUMP_OOPS_MAX	  (64 << 10)
#define DUMP_BEFORE_LINES 200
/* Limits: bytes in a line of a dump (lines of printk have some 1,000), and dumps in a log. */
#define DUMP_LINE_MAX	  8192
#define DUMPS_MAX	  64
/* The pid of graph records if there is no column of tasks. */
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
	DUMP_ENTRY,		/* the start of a function in a graph; DUMP_EXIT is its end */
	DUMP_EXIT,
};

/* The name of a task beside a record: whole, or cut to the width of its column. */
enum dump_column { DUMP_COLUMN_CUT = 1, DUMP_COLUMN_WHOLE };

struct dump_rec {
	enum dump_kind kind;
	int      cpu, pid;
	uint8_t  flags, count;		/* common_flags, common_preempt_count */
	uint8_t  columns;		/* number of columns of flags in its line */
	bool     has_flags;		/* it has flags; else ->flags is 0 */
	unsigned int lazy_depth;	/* the column preempt-lazy-depth, 0: none */
	uint64_t ns;
	uint64_t lost;			/* events lost before it: 0, a number, RING_LOST_UNKNOWN */
	uint32_t line;
	struct span_text name, text;
	size_t   frames, nr_frames;	/* DUMP_STACK: index into dump.frames, and count */
	uint32_t depth;			/* graph: number of open calls around it */
	uint64_t duration_ns;		/* DUMP_EXIT: time in the function */
};

struct log_dump {
	char    *instance;		/* "" = the top level */
	uint64_t head_ns;		/* printk's time of its first line */
	bool     timed;			/* ->head_ns is known */
	bool     ended;			/* the dump has its last line */
	bool     headless;		/* the dump lacks its first lines and the instance's name */
	bool     made_times;		/* the times of a graph are synthetic */
	bool     absolute;	/* times are of the trace clock; if not, since the buffer's start */
	struct dump_rec *v;
	size_t n, cap;
	struct span_text *frames;
	size_t nr_frames, cap_frames;
	size_t   unknown;		/* number of lines of unknown form */
	uint32_t first_unknown;		/* line number of the first */
	size_t   without_flags;		/* number of records that show none: irq-info was off */
	size_t   lazy_depths;		/* number of records with one, which no field can keep */
	size_t   disordered;		/* number of records that follow later ones of their CPU */
	bool     sorted;		/* some were disordered; a graph is never sorted */
	uint64_t dropped;		/* lines that the log reports as dropped */
	struct map comms;		/* pid -> char *, in ->texts */
	struct map columns;		/* pid -> enum dump_column, of names beside records */
	int     *pids;			/* the keys of ->comms in their first order */
	size_t   nr_pids, cap_pids;
	struct buf oops;		/* the log's other lines */
	struct string_pool texts;
};

struct log_dumps {
	struct log_dump *v;
	size_t n, cap;
	size_t left_out;		/* earlier dumps, if there are over DUMPS_MAX */
};

/*
 * Finds the dumps in @lines; if there are many, the last ones. Times are in order for each CPU. The
 * texts are borrowed from @lines.
 */
void dumps_find(struct log_dumps *d, const struct log_lines *lines);
void dumps_release(struct log_dumps *d);

#endif
