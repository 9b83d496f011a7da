/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pipeline: merged records through a filter into a sink, and its bytes to a file descriptor. */
#include "output/pipeline.h"

#include <sched.h>

#include "base/io.h"
#include "output/open_calls.h"
#include "output/pipeline_priv.h"

#define THREADS_AUTO 8		/* beyond it the one who writes is what is waited for */

int out_flush(struct out *o, struct ftr_error *err)
{
	if (io_write_all(o->fd, o->buf.data, o->buf.len))
		return err_write(err, "cannot write to standard output");
	buf_reset(&o->buf);
	return 0;
}

struct out_match out_match_fork(const struct out_match *which, struct trace *const *views)
{
	struct out_match forked = which ? *which : (struct out_match){0};

	if (forked.match)
		forked.ctx = which->fork(which->ctx, views);
	return forked;
}

void out_match_unfork(const struct out_match *which, const struct out_match *forked)
{
	if (forked->match && forked->unfork)
		forked->unfork(which->ctx, forked->ctx);
}

static int out_drive(struct out *o, struct trace_iter *it, const struct out_match *which,
		     struct ftr_error *err)
{
	const struct trace_rec *r;
	/*
	 * The first line comes before what the next ones need is read; and whoever wanted no more
	 * of them has us end after a few, not after hundreds.
	 */
	size_t flush_at = 1, next = OUT_FLUSH_FEW;

	while ((r = trace_iter_next(it))) {
		out_one(o, r, it, which);
		if (o->buf.len < flush_at)
			continue;
		if (out_flush(o, err))
			return -1;
		flush_at = next;
		next = next < OUT_FLUSH_AT ? 2 * next : next;
	}
	return 0;
}

struct calls *out_calls(const struct out *o)
{
	return calls_new(trace_nr_streams(o->traces, o->nr_traces));
}

static void timed_event(struct out *o, const struct trace_rec *r, struct trace_iter *it)
{
	ev_engine_at(r->trace->engine, r->ts);
	o->under->event(o, r, it);
}

/* Only where it is needed are records asked for their time first. */
static void set_timed(struct out *o)
{
	bool timed = false;
	size_t i;

	for (i = 0; i < o->nr_traces; i++)
		timed |= ev_syms_timed(o->traces[i]->world.syms);
	if (!timed || !o->ops->event)
		return;
	o->under = o->ops;
	o->timed = *o->ops;
	o->timed.event = timed_event;
	o->ops = &o->timed;
}

void out_begin(struct out *o)
{
	buf_reserve(&o->buf, 2 * OUT_FLUSH_AT);
	o->own_calls = !o->calls;
	if (o->own_calls)
		o->calls = out_calls(o);
	if (o->opts.colour)
		out_paint(o);
	set_timed(o);
	if (o->ops->begin)
		o->ops->begin(o);
}

static int out_end(struct out *o, int ret, struct ftr_error *err)
{
	if (o->ops->end)
		o->ops->end(o);
	if (!ret)
		ret = out_flush(o, err);
	buf_release(&o->buf);
	if (o->own_calls)
		calls_free(o->calls);
	return ret;
}

int out_run(struct out *o, struct trace_iter *it, const struct out_match *which,
	    struct ftr_error *err)
{
	out_begin(o);
	return out_end(o, out_drive(o, it, which, err), err);
}

static unsigned int nr_threads(const struct out *o, const struct out_range *range,
			       const struct out_match *which)
{
	unsigned int n = range->threads;
	cpu_set_t online;

	if (!o->ops->parallel || (which && which->match && !which->fork))
		return 1;
	if (n)
		return n < OUT_THREADS_MAX ? n : OUT_THREADS_MAX;
	if (sched_getaffinity(0, sizeof(online), &online))
		return 1;
	n = CPU_COUNT(&online);
	return n < THREADS_AUTO ? n : THREADS_AUTO;
}

int out_render(struct out *o, const struct out_range *range, const struct out_match *which,
	       struct ftr_error *err)
{
	unsigned int threads = nr_threads(o, range, which);
	struct trace_iter *it;
	int ret = 1;

	out_begin(o);
	if (threads > 1)
		ret = out_parallel(o, range, which, threads, err);
	if (ret == 1) {
		it = trace_iter_new_range(o->traces, o->nr_traces, range->cpus, range->since,
					  range->until);
		ret = out_drive(o, it, which, err);
		trace_iter_free(it);
	}
	return out_end(o, ret, err);
}
