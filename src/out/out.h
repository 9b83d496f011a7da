/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sinks: what becomes of the merged records of a trace, and the one pipeline that drives them. */
#ifndef FTR_OUT_OUT_H
#define FTR_OUT_OUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/mem.h"
#include "trace/trace.h"

struct out_opts {
	bool raw;		/* all fields as name=value, one line a record */
	bool latency;		/* short comm, bare CPU */
	bool nanoseconds;	/* all nine digits */
};

struct out;

/*
 * A kind of output. All may add to out->buf; the pipeline writes it. A NULL member does nothing.
 * Records are borrowed; ->it lets a sink look ahead (trace_iter_peek()).
 */
struct out_ops {
	const char *name;
	void (*begin)(struct out *o);
	void (*event)(struct out *o, const struct trace_rec *r, struct trace_iter *it);
	/* r->lost events are missing here; comes before event() of the same record, or alone */
	void (*lost)(struct out *o, const struct trace_rec *r);
	void (*end)(struct out *o);
};
extern const struct out_ops out_text;

/* Zeroed, then ->ops, ->opts, ->traces and ->fd set by the user. */
struct out {
	const struct out_ops *ops;
	struct out_opts opts;
	struct trace *const *traces;
	size_t nr_traces;
	int    fd;
	struct buf buf;
	void  *priv;		/* the sink's, between begin and end */
};

/* True for records that are to be shown. Losses are always shown. */
typedef bool (*out_match_fn)(void *ctx, const struct trace_rec *r);

/*
 * Sends everything of @it through the sink to ->fd, in writes of 64 KiB and more. @match may be
 * NULL. Returns 0, or -1 with @err (->sys is EPIPE when the reader went away).
 */
int out_run(struct out *o, struct trace_iter *it, out_match_fn match, void *ctx,
	    struct ftr_error *err);

#endif
