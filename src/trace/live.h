/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace that is not in a file: its sub-buffers are pushed as they come. */
#ifndef FTR_TRACE_LIVE_H
#define FTR_TRACE_LIVE_H

#include "trace/trace.h"

/* Where what is beside the data comes from. */
struct trace_live_source {
	void *ctx;
	/*
	 * Somebody needs the formats of @system, or all (NULL): those that are new are to be given
	 * to trace_live_format() now.
	 */
	void (*formats)(void *ctx, const char *system);
	/* Borrowed for as long as the trace; NULL if there is none. */
	const char *(*text)(void *ctx, enum ev_text which, size_t *len);
};

struct trace_live_buffer {
	const char *name, *clock;	/* "" = the main one; copied */
	const char *options;		/* trace_options, words with blanks between; copied */
	const int  *cpus;
	size_t      nr_cpus;
	uint32_t    subbuf_size;
};

/*
 * A trace of this machine's kernel, with @header_page as in events/header_page. It is used as any
 * other, in one thread, with one iterator from trace_live_iter(). NULL and @err when header_page
 * makes no sense. The caller pushes the formats of "ftrace" and of what it enabled from
 * ->formats() at first.
 */
struct trace *trace_live_new(const struct trace_live_source *from, const char *header_page,
			     const struct trace_live_buffer *bufs, size_t n, struct ftr_error *err);
/* Before the first sub-buffer: the clock is the TSC, shown as (cycles * @mult) >> @shift ns. */
void trace_live_tsc(struct trace *t, uint32_t mult, uint32_t shift);
/* One format file. @text is borrowed for as long as the trace. */
void trace_live_format(struct trace *t, const char *system, const char *text, size_t len);
/* The name of a task from now on. */
void trace_live_comm(struct trace *t, int pid, const char *comm, size_t len);
/*
 * A sub-buffer of memory from malloc(), owned by the trace then. *last (may be NULL) gets the time
 * of its last record as ->ts of records has it; false when it has none.
 */
bool trace_live_push(struct trace *t, size_t buffer, size_t cpu, uint8_t *mem, uint64_t *last);
/*
 * The iterator over what was pushed and not handed out yet, up to @until (included). Between two
 * calls of this no record is borrowed. It is the trace's.
 */
struct trace_iter *trace_live_iter(struct trace *t, uint64_t until);
void trace_live_free(struct trace *t);

#endif
