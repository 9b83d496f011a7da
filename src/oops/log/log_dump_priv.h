/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the reader of dumps share. */
#ifndef FTR_OOPS_LOG_LOG_DUMP_PRIV_H
#define FTR_OOPS_LOG_LOG_DUMP_PRIV_H

#include "oops/log/log_dump.h"

#define DUMP_CPUS  8192
#define DUMP_DEPTH 512
/* Characters of a task's name in a column: of records ("%8.8s"), of a graph. The whole has 15. */
#define DUMP_COMM_RECORD 8
#define DUMP_COMM_GRAPH	 7
#define DUMP_COMM_WHOLE	 16

/* An open call of a graph. */
struct dump_call {
	struct span_text name;
	uint64_t at_ns;
	bool     open;
};

/* What is known of a CPU while its lines are read. */
struct dump_cpu {
	uint64_t last_ns;		/* of its last record */
	uint64_t lost;			/* before its next record */
	uint32_t drops;			/* reader's ->drops before its last record */
	size_t   leaf;			/* graph: behind the exit whose time is computed; or 0 */
	uint64_t leaf_ns;		/* its entry's */
	int      pid;			/* graph: the task that runs */
	bool     told;			/* it was told at a switch, or beside a call */
	size_t   graph;			/* graph lines before the first switch begin here */
	struct dump_call *calls;	/* DUMP_DEPTH, or NULL */
};

struct dump_reader {
	struct dump *dump;
	struct dump_cpu *cpus;		/* DUMP_CPUS */
	uint64_t last_ns;		/* of the last record of all CPUs */
	bool     stack;			/* the last record is one, and may have more frames */
	bool     graph;			/* its times are made of its lines: their order counts */
	uint32_t drops;			/* places where the kernel's log dropped lines */
};

/* A line read from its left. */
struct scan {
	const char *p, *end;
};

bool line_word(struct scan *s, const char *word);
void line_blanks(struct scan *s);
/* Decimal digits; false where there are none, or too many. */
bool line_number(struct scan *s, uint64_t *v);
/* "12.345" as thousandths; the kernel leaves out digits of numbers that are too long. */
bool line_thousandths(struct scan *s, uint64_t *v);
static inline struct span_text line_rest(const struct scan *s)
{
	return (struct span_text){ s->p, s->end - s->p };
}

/*
 * log_dump_text.c: what stands behind the context. False when it is nothing that the kernel writes.
 */
bool dump_text(struct dump_reader *r, struct scan s, struct dump_rec *rec);
/* "comm=NAME pid=N" and its like in the text of an event. */
void dump_text_comms(struct dump *d, struct span_text text);

/* log_dump_graph.c: a line of function_graph; true when it is one. */
bool dump_graph(struct dump_reader *r, struct scan s, uint32_t line);

/* log_dump.c */
/* The last line's record; sees to ->lost and order. */
struct dump_rec *dump_add(struct dump_reader *r, const struct dump_rec *rec);
/* A name in the text of an event: what a column says counts more, and may be its begin. */
void dump_add_comm(struct dump *d, int pid, struct span_text comm);
/* A name in a column of @width characters: the kernel's for that pid when it wrote the dump. */
void dump_column_comm(struct dump *d, int pid, struct span_text comm, size_t width);
/* The flags' five letters, at @s; false when these are none. */
bool dump_flags(struct scan *s, struct dump_rec *rec);

#endif
