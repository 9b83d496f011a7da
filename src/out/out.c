/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pipeline: merged records through a filter into a sink, and its bytes to a file descriptor. */
#include "out/out.h"

#include "base/io.h"

#define FLUSH_AT (64u << 10)

static int flush(struct out *o, struct ftr_error *err)
{
	if (io_write_all(o->fd, o->buf.data, o->buf.len)) {
		err_sys(err, "cannot write to standard output");
		err->code = FTR_DAMAGED;
		return -1;
	}
	buf_reset(&o->buf);
	return 0;
}

static bool shown(const struct out_match *which, const struct trace_rec *r)
{
	return !which || !which->match || which->match(which->ctx, r);
}

static int drive(struct out *o, struct trace_iter *it, const struct out_match *which,
		 struct ftr_error *err)
{
	const struct trace_rec *r;

	while ((r = trace_iter_next(it))) {
		if (r->lost && o->ops->lost)
			o->ops->lost(o, r);
		if (r->rec.data && o->ops->event && shown(which, r))
			o->ops->event(o, r, it);
		if (o->buf.len >= FLUSH_AT && flush(o, err))
			return -1;
	}
	return 0;
}

int out_run(struct out *o, struct trace_iter *it, const struct out_match *which,
	    struct ftr_error *err)
{
	int ret;

	buf_reserve(&o->buf, 2 * FLUSH_AT);
	if (o->ops->begin)
		o->ops->begin(o);
	ret = drive(o, it, which, err);
	if (o->ops->end)
		o->ops->end(o);
	if (!ret)
		ret = flush(o, err);
	buf_release(&o->buf);
	return ret;
}

int out_render(struct out *o, const struct out_range *range, const struct out_match *which,
	       struct ftr_error *err)
{
	struct trace_iter *it = trace_iter_new_range(o->traces, o->nr_traces, range->cpus,
						     range->since, range->until);
	int ret = out_run(o, it, which, err);

	trace_iter_free(it);
	return ret;
}
