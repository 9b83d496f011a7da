/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses a line of a trace without regard to other lines: threads may parse many at once. Its place
 * among the others, and what follows from that, is the reader's: dump_reader.h.
 */
#ifndef FTR_TEXT_LOG_TEXT_LINE_H
#define FTR_TEXT_LOG_TEXT_LINE_H

#include "text/log/line_scan.h"
#include "text/log/text_types.h"

#define DUMP_CPUS	8192
/* Characters of a task's name in a column: of records ("%8.8s"), of a graph. The kernel has 15. */
#define DUMP_COMM_RECORD 8
#define DUMP_COMM_GRAPH	 7
#define DUMP_COMM_WHOLE	 16
#define NAME_MAX_LEN	 200	/* of an event */

enum line_class {
	LINE_UNKNOWN,
	LINE_EMPTY,
	LINE_REMARK,		/* the kernel prints it between records; it has no record */
	LINE_HEADER,		/* "# ...", of a file */
	LINE_RECORD,
	LINE_ENTRY,		/* graph: a call; its duration follows if it is a leaf */
	LINE_LEAF,
	LINE_EXIT,
	LINE_COMMENT,		/* graph: a record in a comment */
	LINE_OPEN_COMMENT,	/* and its text goes on in the next line */
	LINE_CLASSIC,		/* tracer blk: ->next_comm is the device before ->rec.text */
	LINE_SWITCH,		/* graph: ->rec.pid is replaced by ->next_pid */
	LINE_FRAME,		/* of a stack; ->rec.text */
	LINE_LOST,		/* ->count events of ->rec.cpu */
	LINE_DROPPED,		/* ->count lines */
};

/* A name of a task in the text of an event. */
struct line_name {
	struct span_text comm;
	int32_t pid;
};

#define LINE_NAMES 2

struct text_line {
	struct dump_rec rec;
	uint8_t  class;			/* enum line_class */
	uint8_t  comm_width;		/* of the column of ->comm, 0: there is none */
	bool     has_time;		/* false: a line of a graph without a time */
	bool     absolute;		/* the time is that of the trace clock */
	bool     exact;			/* the time has nanoseconds */
	bool     has_cpu, has_task, has_duration;	/* the line has them */
	bool     is_user;		/* LINE_FRAME: of user space */
	bool     has_context;		/* a context was found, whatever follows it */
	uint8_t  nr_names;
	bool     more_names;		/* there are more than LINE_NAMES */
	int32_t  next_pid;
	uint64_t count;			/* lost, dropped; graph: nanoseconds of the duration */
	struct span_text comm, next_comm;
	struct line_name names[LINE_NAMES];
	struct span_text line;		/* the line itself */
};

/* The form of the lines of a text. */
struct line_form {
	const struct text_type *type;
	uint16_t skip;			/* bytes of a file's name before each line */
	bool no_cpu, no_duration;	/* function_graph without these columns */
};

/* Returns the bytes of the name before a line. Frames of a stack have none. */
static inline size_t line_form_skip(const struct line_form *f, const char *p, size_t len)
{
	return f->skip && len > f->skip && p[f->skip - 2] == ':' && p[f->skip - 1] == ' ' ?
	       f->skip : 0;
}

/* Parses a line without its newline. */
void text_line_parse(const struct line_form *f, const char *p, size_t len, struct text_line *out);
/* Returns true if a line has the context of a record, or reports lost events. */
bool text_line_has_context(const struct line_form *f, const char *p, size_t len);
/* Calls @add for each "comm=NAME pid=N" in the text of an event from @from on. */
void text_line_names(struct span_text text, void (*add)(void *ctx, const struct line_name *n),
		     void *ctx);

/* Returns true for events whose text is what a program wrote: it may have several lines. */
bool text_line_is_mark(struct span_text name);

/* --- steps of the parser, for the types of texts */

/* Texts after the context. They return false if it is no event. */
bool body_kernel(const struct line_form *f, struct line_scanner s, struct text_line *l);
bool body_perf(const struct line_form *f, struct line_scanner s, struct text_line *l);
/* Frames of stacks. */
bool frame_kernel(struct line_scanner s, struct text_line *l);
bool frame_perf(struct line_scanner s, struct text_line *l);
void text_line_find_names(struct text_line *l);
/* Parses a line of function_graph. */
bool text_line_graph(const struct line_form *f, struct line_scanner s, struct text_line *l);
/* Parses the duration and the call after the columns of a graph, of trace-cmd as well. */
bool text_line_call(struct line_scanner s, struct text_line *l);

/* Contexts: they set the task, the CPU, the time and the flags. @s is after the context then. */
bool context_kernel(struct line_scanner *s, struct text_line *l);
bool context_perf(struct line_scanner *s, struct text_line *l);
/* Parses the time "12.345678", also with nanoseconds; of other clocks "12345" without a dot. */
bool scan_time(struct line_scanner *s, struct text_line *l);
/* Parses the letters of flags, at most seven, followed by a blank. */
bool scan_letters(struct line_scanner *s, struct dump_rec *rec);

/* Removes the flags of a context that was none after all. */
static inline void remove_letters(struct dump_rec *rec)
{
	memset(rec->letters, 0, sizeof(rec->letters));
	rec->has_flags = false;
	rec->columns = 0;
}

#endif
