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

static int drive(struct out *o, struct trace_iter *it, out_match_fn match, void *ctx,
		 struct ftr_error *err)
{
	const struct trace_rec *r;

	while ((r = trace_iter_next(it))) {
		if (r->lost && o->ops->lost)
			o->ops->lost(o, r);
		if (r->rec.data && o->ops->event && (!match || match(ctx, r)))
			o->ops->event(o, r, it);
		if (o->buf.len >= FLUSH_AT && flush(o, err))
			return -1;
	}
	return 0;
}

int out_run(struct out *o, struct trace_iter *it, out_match_fn match, void *ctx,
	    struct ftr_error *err)
{
	int ret;

	buf_reserve(&o->buf, 2 * FLUSH_AT);
	if (o->ops->begin)
		o->ops->begin(o);
	ret = drive(o, it, match, ctx, err);
	if (o->ops->end)
		o->ops->end(o);
	if (!ret)
		ret = flush(o, err);
	buf_release(&o->buf);
	return ret;
}
