/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What blocks of records hold, so that a search passes those that have nothing for it. Made in one
 * pass over all records of some range, then immutable: any thread may ask.
 */
#ifndef FTR_TUI_INDEX_H
#define FTR_TUI_INDEX_H

#include "trace/trace.h"

#define INDEX_PAGES 256u	/* sub-buffers in a block, where nothing else is better */

struct index;
/* Empty; of blocks of @pages sub-buffers with records each, of one CPU of one buffer. */
struct index *index_new(struct trace *const *traces, size_t n, uint32_t pages);
/* The next one of all, as merged, losses that stand alone as well. */
void index_add(struct index *x, const struct trace_rec *r);
void index_free(struct index *x);
/* False where times of some CPU go back: it is not to be asked then. */
bool index_is_ordered(const struct index *x);

enum index_what { INDEX_TASK, INDEX_CPU, INDEX_EVENT, INDEX_LOSS, INDEX_WAKING };

/* The records of a file that are looked for: those of the last members that ->what is about. */
struct index_want {
	enum index_what what;
	unsigned int file;
	int pid;	/* INDEX_WAKING: which is woken. Of INDEX_TASK 0 is one task on each CPU */
	int cpu;
	uint16_t type;
};

/* Whether a record is one. */
bool index_fits(const struct index_want *w, const struct trace_rec *r);

/* Times in which there may be some, and on which CPUs alone. */
struct index_window {
	uint64_t first, last;
	uint64_t cpus[TRACE_CPU_BITS / 64];
	bool     all_cpus;	/* one is in no list: ->cpus is not for it */
};

/* The blocks that may have some. */
struct index_blocks;
struct index_blocks *index_blocks_new(const struct index *x, const struct index_want *w);
void index_blocks_free(struct index_blocks *b);
/*
 * The first window that ends at @ts or later, what is before @ts left out; or the last one that
 * begins before @ts, what is at @ts and behind left out. Of about @n blocks side by side. False:
 * there is none.
 */
bool index_window_from(const struct index_blocks *b, uint64_t ts, size_t n,
		       struct index_window *out);
bool index_window_before(const struct index_blocks *b, uint64_t ts, size_t n,
			 struct index_window *out);

#endif
