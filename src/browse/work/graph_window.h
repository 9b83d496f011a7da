/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the lines of ftr graph around any place, in a job. Blocks are numbered in the order in
 * which ftr graph prints them, which is that of their ends.
 */
#ifndef FTR_BROWSE_WORK_GRAPH_WINDOW_H
#define FTR_BROWSE_WORK_GRAPH_WINDOW_H

#include "browse/work/background_job.h"
#include "output/graph_text.h"
#include "output/pipeline.h"

#define CALLS_ROWS 3000		/* about this many rows before and after the place */

struct calls_row {
	uint32_t text, len;		/* offset and length in the block's text, without newline */
	uint32_t node;			/* index in the block's nodes */
	/* of an opening row: the last row inside of it; of a closing row: its opening row */
	uint32_t other;
	uint8_t  kind;			/* enum graph_line_kind */
	bool     is_hidden;		/* set by the view: the row is folded away */
};

struct calls_block {
	uint64_t number;
	uint64_t end;			/* end time of the block or part */
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
	bool begins, ends;		/* there is no block before, or after it */
};

enum calls_goal_kind {
	/*
	 * The place of a task at a time. If there is none, or ->pid is -1, the first block that
	 * ends at that time or later.
	 */
	CALLS_TIME,
	CALLS_BLOCK, CALLS_LAST,
	CALLS_TEXT, CALLS_FUNCTION,	/* the next or previous one from a row */
	CALLS_AHEAD,			/* no place: only read ahead, to be faster later */
};

struct calls_goal {
	enum calls_goal_kind kind;
	bool backward;
	uint64_t ts;
	uint32_t file;
	int32_t  pid;
	bool next_too;			/* CALLS_TIME: else the task's next block after the time */
	uint64_t number;		/* block of the place, or of the start row */
	uint32_t row;			/* row in that block */
	char *text;			/* CALLS_TEXT; owned */
	bool exact;
	struct block_node function;	/* CALLS_FUNCTION: its ->name, ->how, ->file */
};

/* The calls of all files, read as far as needed. Only one thread may use it at a time. */
struct calls_source;
/* Returns NULL if there is no memory for another view of the files. */
struct calls_source *calls_source_new(struct trace *const *traces, size_t n,
				      const struct out_range *range,
				      const struct out_match *which);
void calls_source_free(struct calls_source *s);
/* Returns true if all records were read. */
bool calls_source_is_whole(const struct calls_source *s);

struct calls_work {
	/* the request; ->source is borrowed, and nobody else may use it until the job has ended */
	struct calls_source *source;
	struct calls_goal goal;
	uint64_t first, last;		/* times of the files, for the percentage */
	/* the result, valid when the job has ended */
	bool found, wrapped, stopped;
	uint64_t number;		/* the block, and ->row in it */
	uint32_t row;
	struct calls_window window;	/* rows around it */
};

/* A job_fn for job_start(); @ctx is the struct calls_work. */
void calls_work_run(struct background_job *j, void *ctx);
/* Releases the work, and its window unless the caller took that. */
void calls_work_release(struct calls_work *w);
void calls_window_release(struct calls_window *w);
/* Returns the index of block @number, or of the first one after it; ->n if there is none. */
size_t calls_window_find(const struct calls_window *w, uint64_t number);
/* Returns the time of a row: the end for a closing row, else the start. */
uint64_t calls_row_time(const struct calls_block *b, const struct calls_row *r);

#endif
