/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sinks turn the merged records of a trace into output. One pipeline drives them all. */
#ifndef FTR_OUTPUT_PIPELINE_H
#define FTR_OUTPUT_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/mem.h"
#include "trace/trace.h"

/* The time that a line shows: */
enum out_time {
	OUT_TIME,		/* the time of the record */
	OUT_TIME_OF_DAY,	/* the time of day in UTC, if the file has it */
	OUT_TIME_SINCE,		/* since ->time_zero, with its sign */
	OUT_TIME_DIFF,		/* since the line before, with its sign */
};

struct out_opts {
	bool raw;		/* all fields as name=value, one line a record */
	bool latency;		/* short comm, bare CPU */
	bool nanoseconds;	/* all nine digits */
	bool colour;		/* colours for tasks, long durations and losses */
	bool escape;		/* kernel: escape control bytes, as the output is a terminal */
	bool json_safe;		/* json: numbers that a double may not hold are strings */
	bool json_text;		/* json: the text of each record as well */
	/* columns: */
	const struct line_columns *columns;	/* NULL: the line of text */
	struct event_table *table;	/* rows for engines: the event */
	bool ts_diff;		/* in the line of text: also the time since the line before */
	bool boundary;		/* mark where sub-buffers start */
	bool wakeup;		/* latencies from sched_wakeup to sched_switch */
	enum out_time time;
	uint64_t time_zero;
};

struct call_tracker;
struct out_state;

/* Losses among the records that were read. */
struct out_losses {
	uint64_t events;
	bool     unknown;	/* and more, of unknown number */
};

/*
 * A kind of output. All functions may append to out->buf; the pipeline writes it. A NULL member
 * does nothing. Records are borrowed. With @it a sink may look ahead (trace_iter_peek()).
 */
struct out_ops {
	/*
	 * The sink keeps no state between records, except through the iterator: each thread has its
	 * own struct out_state. Only the first thread's text that begin() and end() append to ->buf
	 * is used. event() is also called for the last record of each CPU before a
	 * slice, and its text is dropped: if it consumes the next record too (a funcgraph leaf),
	 * the slice starts after that.
	 */
	bool parallel;
	void (*begin)(struct out_state *o);
	void (*event)(struct out_state *o, const struct trace_rec *r, struct trace_iter *it);
	/* r->lost events are missing here; called before event() of the same record, or alone */
	void (*lost)(struct out_state *o, const struct trace_rec *r);
	void (*end)(struct out_state *o);
};
extern const struct out_ops out_text, out_kernel, out_perf;

/* Zero it, then set ->ops, ->opts, ->traces and ->fd. */
struct out_state {
	const struct out_ops *ops;
	struct out_opts opts;
	struct trace *const *traces;
	size_t nr_traces;
	int    fd;
	struct buf buf;
	/* open calls of function_graph; NULL: the pipeline makes them */
	struct call_tracker *calls;
	bool   shown;		/* set at the end: at least one record matched */
	struct out_losses losses;
	/* for columns that depend on the line before: its time, if ->any_line */
	bool     any_line;
	uint64_t last_ts;
	void  *priv;		/* for the sink, between begin() and end() */
	bool   own_calls;
	/*
	 * private to the pipeline: if symbols are timed ->ops is &->timed, which calls the sink's
	 * functions in ->under
	 */
	const struct out_ops *under;
	struct out_ops timed;
	/* private to the pipeline: the same for ->opts.colour, inside ->timed */
	const struct out_ops *plain;
	struct out_ops painted;
};

/* Selects the records to show. Losses are always shown. Zeroed: all records. */
struct out_match {
	bool (*match)(void *ctx, const struct trace_rec *r);
	void *ctx;
	/*
	 * For several threads: makes another ctx that matches the same records; their ->trace is
	 * one of @views (in the order of out->traces). unfork() frees it and may add its counts to
	 * @ctx. If match() is set and fork() is not, one thread is used.
	 */
	void *(*fork)(void *ctx, struct trace *const *views);
	void (*unfork)(void *ctx, void *forked);
};

/*
 * Returns a copy of @which (may be NULL) for a thread that reads @views. out_match_unfork()
 * releases it.
 */
struct out_match out_match_fork(const struct out_match *which, struct trace *const *views);
void out_match_unfork(const struct out_match *which, const struct out_match *forked);

/*
 * Sends all records of @it through the sink to ->fd. The first line is written at once, the rest in
 * writes of 32 KiB and more. @which may be NULL. Returns 0, or -1 with @err (->sys is EPIPE if the
 * reader is gone).
 */
int out_run(struct out_state *o, struct trace_iter *it, const struct out_match *which,
	    struct ftr_error *err);

#define OUT_THREADS_MAX 256

/* The records that out_render() reads, and how it reads them. */
struct out_range {
	const uint64_t *cpus;		/* as in trace_iter_new(), NULL = all */
	uint64_t since, until;		/* ts; 0 and UINT64_MAX: everything */
	unsigned int threads;		/* -j; 0: as many as there are CPUs, at most 8 */
	uint32_t slice_bytes;		/* raw data of a slice; 0: grows from 16 to 512 KiB */
};

/*
 * The same for the records of ->traces in @range. If ops->parallel is set and @which can fork,
 * several threads render slices of time. The output is the same byte for byte.
 */
int out_render(struct out_state *o, const struct out_range *range, const struct out_match *which,
	       struct ftr_error *err);

#endif
