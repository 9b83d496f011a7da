/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses texts of traces, and dumps of the trace in a log: lines become records, whose events are
 * still text. text_types.h has the types of texts.
 */
#ifndef FTR_TEXT_LOG_LOG_DUMP_H
#define FTR_TEXT_LOG_LOG_DUMP_H

#include "base/map.h"
#include "text/log/log_lines.h"
#include "text/log/text_types.h"

/* Limits for each dump: bytes of other lines of the log, and lines before the dump. */
#define DUMP_OOPS_MAX	  (64 << 10)
#define DUMP_BEFORE_LINES 200
/* Limits: bytes in a line of a dump (lines of printk have some 1,000), and dumps in a log. */
#define DUMP_LINE_MAX	  8192
#define DUMPS_MAX	  64
/* The pid of graph records without a column of tasks, until a switch shows the task of the CPU. */
#define DUMP_NO_PID (-1)
/*
 * A task that no line names has this pid plus the number of its CPU. No task of a kernel has it:
 * PID_MAX_LIMIT is 4,194,304.
 */
#define DUMP_UNKNOWN_PID 4194305
#define DUMP_LETTERS 7

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

/* One for each record of a text of any length: 96 bytes. */
struct dump_rec {
	uint64_t ns;
	uint64_t lost;			/* events lost before it: 0, a number, RING_LOST_UNKNOWN */
	struct span_text name, text;
	union {
		struct span_text system;	/* DUMP_EVENT: of "system:name", else empty */
		struct span_text args;	/* of a call: its arguments; DUMP_EXIT: its result */
	};
	union {
		struct {		/* DUMP_STACK: index into dump.frames, and count */
			uint32_t frames, nr_frames;
		};
		uint64_t duration_ns;	/* DUMP_EXIT: time in the function */
	};
	int32_t  pid;
	uint32_t line;
	uint32_t depth;			/* graph: number of open calls around it */
	uint16_t cpu;
	uint8_t  kind;			/* enum dump_kind */
	/* it has flags; else ->flags are those of interrupts known to be open */
	bool     has_flags : 1;
	bool     made_time : 1;		/* ->ns is made: its line has no time */
	uint8_t  columns;		/* number of columns of flags in its line */
	union {
		struct {
			uint8_t flags, count;	/* common_flags, common_preempt_count */
			uint8_t lazy_depth;	/* the column preempt-lazy-depth, 0: none */
		};
		char letters[DUMP_LETTERS];	/* until the columns are known: flag_columns.h */
	};
};

struct log_dump {
	char    *instance;		/* "" = the top level */
	struct text_progress *progress;	/* that of the log_dumps, or NULL */
	const struct text_type *type;	/* the type as which the text was read */
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
	/* number of records that show none: in a graph, and if irq-info was off */
	size_t   without_flags;
	size_t   lazy_depths;		/* number of records with one, which no field can keep */
	size_t   ambiguous_flags;	/* number of records whose flags have two readings: none */
	const char *ambiguity;		/* these two, for a message, if there are such records */
	/* records without flags that are in no open interrupt are in none */
	bool     contexts_known;
	bool     is_rt;			/* of a kernel with PREEMPT_RT: softirqs are in tasks */
	bool     lacks_wakers;		/* it has wakings, and which task woke is not known */
	size_t   without_cpu;		/* number of records without a CPU: they are on CPU 0 */
	size_t   without_task;		/* number of graph records whose task no line shows */
	size_t   without_duration;	/* number of ends of calls without a duration: it is 0 */
	size_t   long_calls;		/* number of calls whose made times are too long */
	size_t   with_args;		/* number of calls with arguments in ->args */
	size_t   ends, results;		/* number of ends of calls, and of those with a result */
	size_t   closings, tails;	/* number of lines "}", and of those with a name */
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
	struct log_lines lines;		/* of a log: the records borrow them */
	struct text_progress *progress;	/* or NULL */
};

/*
 * Finds the dumps in a text: the text of a trace, or a log. If there are many, the last ones. Times
 * are in order for each CPU. The text is borrowed; it is parsed in several threads if it is long.
 * @type, unless it is NULL, is the type of the text.
 */
void dumps_find(struct log_dumps *d, const char *text, size_t len, const struct text_type *type);
void dumps_release(struct log_dumps *d);

/* Returns true if flags of records are not known. */
static inline bool dump_lacks_flags(const struct log_dump *d)
{
	return d->without_flags || d->ambiguous_flags;
}

/* Parses the result of a call in ->args, "0x1f" or "-22". Returns false if it is no number. */
bool dump_result(const struct dump_rec *exit, uint64_t *v);

/* The line that comes nearest to a record, in a text without a dump. */
struct text_nearest {
	uint32_t line;			/* from 1; 0: none is like a record */
	const char *what;		/* what it is like, for a message: "the head of a dump" */
};

/* Finds the line of a text that is most like a trace. */
struct text_nearest dumps_nearest(const char *text, size_t len);

#endif
