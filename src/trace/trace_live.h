/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace that is not in a file: the caller pushes its sub-buffers as they come. */
#ifndef FTR_TRACE_TRACE_LIVE_H
#define FTR_TRACE_TRACE_LIVE_H

#include "trace/trace.h"

/* The source of formats and texts. */
struct trace_live_source {
	void *ctx;
	/*
	 * Called when formats of @system (NULL: all) are needed. Pass new ones to
	 * trace_live_format().
	 */
	void (*formats)(void *ctx, const char *system);
	/* Returns a text, borrowed as long as the trace exists; NULL if there is none. */
	const char *(*text)(void *ctx, enum ev_text which, size_t *len);
};

struct trace_live_buffer {
	const char *name, *clock;	/* "" = the main one; copied */
	const char *options;	/* the words of trace_options, separated by blanks; copied */
	const int  *cpus;
	size_t      nr_cpus;
	uint32_t    subbuf_size;
};

/*
 * Makes a trace of the running kernel. @header_page is the text of events/header_page. Use it like
 * any trace, but in one thread and with the iterator of trace_live_iter(). The first ->formats()
 * must push the formats of "ftrace" and of the enabled events. NULL with @err if @header_page is
 * invalid.
 */
struct trace *trace_live_new(const struct trace_live_source *from, const char *header_page,
			     const struct trace_live_buffer *bufs, size_t n, struct ftr_error *err);
/*
 * Says that the clock is the TSC: times are (cycles * @mult) >> @shift ns. Call it before the first
 * sub-buffer.
 */
void trace_live_tsc(struct trace *t, uint32_t mult, uint32_t shift);
/* Adds a format file. @text is borrowed as long as the trace exists. */
void trace_live_format(struct trace *t, const char *system, const char *text, size_t len);
/* Sets the name of a task from now on. */
void trace_live_comm(struct trace *t, int pid, const char *comm, size_t len);
/*
 * Adds a sub-buffer @mem from malloc(), which the trace then owns. *last (may be NULL) gets the
 * ->ts of its last record. False if it has no record.
 */
bool trace_live_push(struct trace *t, size_t buffer, size_t cpu, uint8_t *mem, uint64_t *last);
/*
 * The trace's iterator, over the records pushed and not yet returned, up to @until (included).
 * Records are borrowed until the next call of this.
 */
struct trace_iter *trace_live_iter(struct trace *t, uint64_t until);
void trace_live_free(struct trace *t);

#endif
