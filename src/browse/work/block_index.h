/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An index of the contents of blocks of records, by which a search skips blocks without a match. It
 * is made in one pass over all records of a range, and immutable afterwards: any thread may use it.
 */
#ifndef FTR_BROWSE_WORK_BLOCK_INDEX_H
#define FTR_BROWSE_WORK_BLOCK_INDEX_H

#include "trace/trace.h"

#define INDEX_PAGES 256u	/* default number of sub-buffers in a block */

struct block_index;
/* Makes an empty index. A block has @pages sub-buffers with records, of one CPU of one buffer. */
struct block_index *index_new(struct trace *const *traces, size_t n, uint32_t pages);
/*
 * Adds the next record of its CPU, or a loss without a record. CPUs may come in turns or one after
 * another.
 */
void index_add(struct block_index *x, const struct trace_rec *r);
void index_free(struct block_index *x);
/* Returns false if timestamps of a CPU go back. The index must then not be used. */
bool index_is_ordered(const struct block_index *x);

enum index_what { INDEX_TASK, INDEX_CPU, INDEX_EVENT, INDEX_LOSS, INDEX_WAKING };

/* The records of a file to search for. ->what decides which of ->pid, ->cpu and ->type counts. */
struct index_want {
	enum index_what what;
	unsigned int file;
	int pid;	/* INDEX_WAKING: the task woken. INDEX_TASK: pid 0 is a task on each CPU */
	int cpu;
	uint16_t type;
};

/* Returns true if @r is such a record. */
bool index_fits(const struct index_want *w, const struct trace_rec *r);

/* A range of time, and the CPUs, that may have such records. */
struct index_window {
	uint64_t first, last;
	uint64_t cpus[TRACE_CPU_BITS / 64];
	bool     all_cpus;	/* a CPU is in no list: ->cpus is not valid */
};

/* The blocks that may have such records. */
struct index_blocks;
struct index_blocks *index_blocks_new(const struct block_index *x, const struct index_want *w);
void index_blocks_free(struct index_blocks *b);
/*
 * index_window_from() returns the first window that ends at @ts or later, cut to start at @ts;
 * index_window_before() the last window that starts before @ts, cut to end before @ts. A window has
 * about @n adjacent blocks. They return false if there is none.
 */
bool index_window_from(const struct index_blocks *b, uint64_t ts, size_t n,
		       struct index_window *out);
bool index_window_before(const struct index_blocks *b, uint64_t ts, size_t n,
			 struct index_window *out);

#endif
