/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the pipeline and output/rows. */
#ifndef FTR_OUTPUT_PIPELINE_PRIV_H
#define FTR_OUTPUT_PIPELINE_PRIV_H

#include "output/pipeline.h"

#define OUT_FLUSH_AT (32u << 10)	/* bytes */
#define OUT_FLUSH_FEW 256u	/* flush size after the first line; doubled each time */

static inline void losses_add(struct out_losses *l, const struct out_losses *more)
{
	l->events += more->events;
	l->unknown |= more->unknown;
}

/* Counts a loss, and passes it to the sink if that has lost(). */
static inline void out_loss(struct out_state *o, const struct trace_rec *r)
{
	if (r->lost == RING_LOST_UNKNOWN)
		o->losses.unknown = true;
	else
		o->losses.events += r->lost;
	if (o->ops->lost)
		o->ops->lost(o, r);
}

/* Passes a record or loss through the sink, to o->buf. */
static inline void out_record(struct out_state *o, const struct trace_rec *r, struct trace_iter *it,
			      const struct out_match *which)
{
	if (__builtin_expect(!!r->lost, 0))
		out_loss(o, r);
	if (r->rec.data && o->ops->event &&
	    (!which || !which->match || which->match(which->ctx, r))) {
		o->shown = true;
		o->ops->event(o, r, it);
	}
}

/* Starts the sink. The caller ends it, and frees ->calls if ->own_calls. */
void out_begin(struct out_state *o);


/* Makes the open calls of all streams of @o. Free with calls_free(). */
struct call_tracker *out_calls(const struct out_state *o);

/* Writes o->buf. Returns 0, or -1 with @err. */
int out_flush(struct out_state *o, struct ftr_error *err);

/*
 * Does out_render() between begin() and end() with @threads threads. Returns 0, -1 with @err, or 1
 * if it is not possible: use one thread.
 */
int out_parallel(struct out_state *o, const struct out_range *range, const struct out_match *which,
		 unsigned int threads, struct ftr_error *err);

#endif
