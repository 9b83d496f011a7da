/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of ftr graph around any place, made beside the keys. Blocks are numbered in the order
 * in which ftr graph prints them, which is the order of their ends.
 */
#ifndef FTR_TUI_CALLS_H
#define FTR_TUI_CALLS_H

#include "out/graph.h"
#include "out/out.h"
#include "tui/work/job.h"

#define CALLS_ROWS 3000		/* about so many before and behind the place */

struct calls_row {
	uint32_t text, len;		/* in the block's text, without the newline */
	uint32_t node;			/* of the block's nodes */
	/* of what opens: the last row inside of it; of what closes: the one that opens it */
	uint32_t other;
	uint8_t  kind;			/* enum graph_line_kind */
	bool     is_hidden;		/* the view's: it is folded away */
};

struct calls_block {
	uint64_t number;
	uint64_t end;			/* when it was whole, or the part was */
	uint32_t file;
	int32_t  pid;
	struct block_node *nodes;
	size_t nr_nodes;
	struct calls_row *rows;
	size_t nr_rows;
	struct buf text;
};

/* Blocks with rows, in their order. */
struct calls_window {
	struct calls_block **v;
	size_t n, cap;
	bool begins, ends;		/* no block comes before, or behind it */
};

enum calls_goal_kind {
	/*
	 * Where a task was at a time; else, and where ->pid is -1, the first block that ends then
	 * or later.
	 */
	CALLS_TIME,
	CALLS_BLOCK, CALLS_LAST,
	CALLS_TEXT, CALLS_FUNCTION,	/* the next or previous one, from a row on */
	CALLS_AHEAD,			/* no place: reads on, so that going there is quick later */
};

struct calls_goal {
	enum calls_goal_kind kind;
	bool backward;
	uint64_t ts;
	uint32_t file;
	int32_t  pid;
	bool next_too;			/* CALLS_TIME: or the task's next block after the time */
	uint64_t number;		/* of the block where it is or begins, and a row there */
	uint32_t row;
	char *text;			/* CALLS_TEXT; owned */
	bool exact;
	struct block_node function;	/* CALLS_FUNCTION: its ->name, ->how, ->file */
};

/* The calls of all files, read as far as it was needed; for one thread at a time. */
struct calls_source;
/* NULL: the files cannot be had once more (memory). */
struct calls_source *calls_source_new(struct trace *const *traces, size_t n,
				      const struct out_range *range,
				      const struct out_match *which);
void calls_source_free(struct calls_source *s);
/* Was all read? */
bool calls_source_is_whole(const struct calls_source *s);

struct calls_work {
	/* what is wanted; @source is borrowed, and nobody else's until the job has ended */
	struct calls_source *source;
	struct calls_goal goal;
	uint64_t first, last;		/* times of the files, for the percentage */
	/* the result, when the job has ended */
	bool found, wrapped, stopped;
	uint64_t number;		/* of the block, and the row in it */
	uint32_t row;
	struct calls_window window;	/* around it */
};

/* For job_start(). */
void calls_work_run(struct job *j, void *ctx);
/* What the work has; the window only where nobody took it. */
void calls_work_release(struct calls_work *w);
void calls_window_release(struct calls_window *w);
/* The block of a number, or the first one behind it; ->n: there is none. */
size_t calls_window_find(const struct calls_window *w, uint64_t number);
/* Of what closes its end, else its begin. */
uint64_t calls_row_time(const struct calls_block *b, const struct calls_row *r);

#endif
