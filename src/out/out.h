/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sinks: what becomes of the merged records of a trace, and the one pipeline that drives them. */
#ifndef FTR_OUT_OUT_H
#define FTR_OUT_OUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/mem.h"
#include "trace/trace.h"

/* What stands in the place of a line's time: */
enum out_time {
	OUT_TIME,		/* that of the record */
	OUT_TIME_OF_DAY,	/* hours to seconds, UTC, where the file tells it */
	OUT_TIME_SINCE,		/* from ->time_zero, with its sign */
	OUT_TIME_DIFF,		/* from the line before, with its sign */
};

struct out_opts {
	bool raw;		/* all fields as name=value, one line a record */
	bool latency;		/* short comm, bare CPU */
	bool nanoseconds;	/* all nine digits */
	bool colour;		/* tasks, long durations and losses, for a terminal */
	bool escape;		/* kernel: the output is a terminal, no control bytes */
	bool json_safe;		/* json: numbers that a double may not hold are strings */
	bool json_text;		/* json: the text of each record as well */
	/* columns: */
	const struct columns *columns;	/* NULL: the line of text */
	bool ts_diff;		/* in that, the time since the line before */
	bool boundary;		/* say where sub-buffers start */
	bool wakeup;		/* latencies from sched_wakeup to sched_switch */
	enum out_time time;
	uint64_t time_zero;
};

struct calls;
struct out;

/* What was lost among the records that were read. */
struct out_losses {
	uint64_t events;
	bool     unknown;	/* and others, nobody knows how many */
};

/*
 * A kind of output. All may add to out->buf; the pipeline writes it. A NULL member does nothing.
 * Records are borrowed; ->it lets a sink look ahead (trace_iter_peek()).
 */
struct out_ops {
	/*
	 * No state from one record to the next but what event() takes from the iterator: each
	 * thread has a struct out of its own. What begin() and end() add to ->buf counts in the
	 * first one only. event() is also called, its text dropped, for the last record of each CPU
	 * before a slice: whether that takes the next one with it (a funcgraph leaf) decides where
	 * the slice starts.
	 */
	bool parallel;
	void (*begin)(struct out *o);
	void (*event)(struct out *o, const struct trace_rec *r, struct trace_iter *it);
	/* r->lost events are missing here; comes before event() of the same record, or alone */
	void (*lost)(struct out *o, const struct trace_rec *r);
	void (*end)(struct out *o);
};
extern const struct out_ops out_text, out_kernel;

/* Zeroed, then ->ops, ->opts, ->traces and ->fd set by the user. */
struct out {
	const struct out_ops *ops;
	struct out_opts opts;
	struct trace *const *traces;
	size_t nr_traces;
	int    fd;
	struct buf buf;
	struct calls *calls;	/* of function_graph; NULL: the pipeline has its own */
	bool   shown;		/* a record was wanted; said when all is done */
	struct out_losses losses;
	/* of columns, where a line depends on the one before: its time, if there is one */
	bool     any_line;
	uint64_t last_ts;
	void  *priv;		/* the sink's, between begin and end */
	bool   own_calls;
	/* the pipeline's: where symbols are timed ->ops is ->timed, and these are the sink's own */
	const struct out_ops *under;
	struct out_ops timed;
	/* the same with ->opts.colour, inside of that */
	const struct out_ops *plain;
	struct out_ops painted;
};

/* Which records are shown; losses always are. Zeroed: all. */
struct out_match {
	bool (*match)(void *ctx, const struct trace_rec *r);
	void *ctx;
	/*
	 * For several threads: another ctx that matches the same, of records whose ->trace is one
	 * of @views (in the order of out->traces). unfork() frees it, and may add to @ctx what it
	 * counted. Without fork() but with match() there is one thread only.
	 */
	void *(*fork)(void *ctx, struct trace *const *views);
	void (*unfork)(void *ctx, void *forked);
};

/* @which, or NULL, for another thread, which has @views; out_match_unfork() ends it. */
struct out_match out_match_fork(const struct out_match *which, struct trace *const *views);
void out_match_unfork(const struct out_match *which, const struct out_match *forked);

/*
 * Sends everything of @it through the sink to ->fd: the first line at once, then in writes of 32
 * KiB and more. @which may be NULL. Returns 0, or -1 with @err (->sys is EPIPE when the reader
 * went away).
 */
int out_run(struct out *o, struct trace_iter *it, const struct out_match *which,
	    struct ftr_error *err);

#define OUT_THREADS_MAX 256

/* What out_render() reads and how. */
struct out_range {
	const uint64_t *cpus;		/* as of trace_iter_new(), NULL = all */
	uint64_t since, until;		/* ts; 0 and UINT64_MAX: everything */
	unsigned int threads;		/* -j; 0: as many as there are CPUs, at most 8 */
	uint32_t slice_bytes;		/* raw data of a slice; 0: grows from 16 to 512 KiB */
};

/*
 * The same for the records of ->traces in @range. With ops->parallel, and what @which needs for it,
 * slices of time are rendered by several threads; the output is the same byte for byte.
 */
int out_render(struct out *o, const struct out_range *range, const struct out_match *which,
	       struct ftr_error *err);

#endif
