/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the pipeline share. */
#ifndef FTR_OUT_PRIV_H
#define FTR_OUT_PRIV_H

#include "out/out.h"

#define OUT_FLUSH_AT (32u << 10)
#define OUT_FLUSH_FEW 256u	/* behind the first line, then twice as much each time */

static inline void losses_add(struct out_losses *l, const struct out_losses *more)
{
	l->events += more->events;
	l->unknown |= more->unknown;
}

/* The sink need not be told to have it counted. */
static inline void out_one_lost(struct out *o, const struct trace_rec *r)
{
	if (r->lost == RING_LOST_UNKNOWN)
		o->losses.unknown = true;
	else
		o->losses.events += r->lost;
	if (o->ops->lost)
		o->ops->lost(o, r);
}

/* One record or loss through the sink, into o->buf. */
static inline void out_one(struct out *o, const struct trace_rec *r, struct trace_iter *it,
			   const struct out_match *which)
{
	if (__builtin_expect(!!r->lost, 0))
		out_one_lost(o, r);
	if (r->rec.data && o->ops->event &&
	    (!which || !which->match || which->match(which->ctx, r))) {
		o->shown = true;
		o->ops->event(o, r, it);
	}
}

/* Has the sink begin; who calls it ends the sink, and frees ->calls if these are its own. */
void out_begin(struct out *o);

/* Has the sink's lines painted from now on. */
void out_paint(struct out *o);

/* Of the size that the sink needs; calls_free() it. */
struct calls *out_calls(const struct out *o);

/* Writes o->buf. 0, or -1 with @err. */
int out_flush(struct out *o, struct ftr_error *err);

/* As out_render() between begin() and end(), by @threads of them. 1: can't be done, do it alone. */
int out_parallel(struct out *o, const struct out_range *range, const struct out_match *which,
		 unsigned int threads, struct ftr_error *err);

#endif
