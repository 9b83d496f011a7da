/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One pass of the model over all records. */
#include "browse/work/model_pass.h"

#include <stdlib.h>

#define LEAF_BYTES	(128u << 10)	/* of raw data, at most about */
#define LEAVES_MIN	256		/* of small files */
/*
 * Where data is dense, a leaf has more of it. These are looked for at some places; leaves may be so
 * much shorter then, of which most have no entry.
 */
#define PROBES		16
#define PROBE_BYTES	(1u << 20)
#define FINER_MAX	4		/* powers of two */

/* --- how long a leaf is */

static uint64_t raw_bytes(const struct pass *p)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->nr_traces; i++) {
		const struct dat *d = p->traces[i]->dat;

		for (size_t k = 0; k < d->nr_buffers; k++)
			for (size_t c = 0; c < d->buffers[k].nr_cpus; c++)
				sum += d->buffers[k].cpus[c].nr_pages *
				       d->buffers[k].layout.subbuf_size;
	}
	return sum;
}

/* The time of LEAF_BYTES where there is most data, as far as probes tell. */
static uint64_t densest(const struct pass *p, struct trace *const *views, uint64_t usual)
{
	uint64_t all = p->last - p->first, least = usual, until, since, time;

	for (unsigned int i = 1; i <= PROBES; i++) {
		until = p->first + all / PROBES * i;
		since = trace_slice_start(views, p->nr_traces, NULL, until, PROBE_BYTES);
		if (since < p->first || since >= until)
			continue;
		time = (until - since) / (PROBE_BYTES / LEAF_BYTES);
		least = time < least ? time : least;
	}
	return least > usual >> FINER_MAX ? least : usual >> FINER_MAX;
}

static unsigned int leaf_shift(const struct pass *p, struct trace *const *views)
{
	uint64_t bytes = raw_bytes(p), leaves = bytes / LEAF_BYTES, time;
	unsigned int shift = 0;

	leaves = leaves > LEAVES_MIN ? leaves : LEAVES_MIN;
	time = (p->last - p->first) / leaves;
	if (bytes / PROBE_BYTES > PROBES)
		time = densest(p, views, time);
	while (time >> shift > 1)
		shift++;
	return shift;
}

/* --- records */

static void task_stayed(void *ctx, struct task *t, uint64_t from, uint64_t to)
{
	pyramid_stayed(((struct pass *)ctx)->pyramid, t, from, to);
}

static void cpu_stayed(void *ctx, struct model_cpu *c, uint64_t from, uint64_t to)
{
	pyramid_cpu_stayed(((struct pass *)ctx)->pyramid, c, from, to);
}

static void cpu_topped(void *ctx, struct model_cpu *c, uint64_t from, uint64_t to)
{
	pyramid_topped(((struct pass *)ctx)->pyramid, c, from, to);
}

static void top_gap(void *ctx, struct model_cpu *c, uint64_t from, uint64_t to)
{
	pyramid_top_gap(((struct pass *)ctx)->pyramid, c, from, to);
}

static void cpu_gap(void *ctx, struct model_cpu *c, struct task *t, uint64_t from, uint64_t to)
{
	pyramid_gap(((struct pass *)ctx)->pyramid, c, t, from, to);
}

static const struct span_ops pass_ops = {
	.stayed = task_stayed, .cpu_stayed = cpu_stayed, .topped = cpu_topped,
	.top_gap = top_gap, .gap = cpu_gap,
};

/* False: stopped. */
static bool read_all(const struct pass *p, struct job *j, struct trace *const *views,
		     struct model *m)
{
	struct trace_iter *it = trace_iter_new(views, p->nr_traces, NULL);
	const struct trace_rec *r;
	uint32_t n = 0;
	bool whole = true;

	while (whole && (r = trace_iter_next(it))) {
		model_feed(m, r);
		if (++n % JOB_LOOK_EVERY == 0)
			whole = job_goes_on(j, p->first, p->last, r->ts);
	}
	trace_iter_free(it);
	return whole;
}

static void make_pyramid(struct pass *p, struct job *j, struct trace *const *views)
{
	struct model_opts o = { .cpus = true };
	struct ftr_error err;
	struct model *m = model_new(views, p->nr_traces, &o, &pass_ops, p, &err);
	bool whole = false;

	p->pyramid = pyramid_new(p->first, p->last, leaf_shift(p, views));
	if (m && read_all(p, j, views, m)) {
		whole = true;
		model_end(m);
		pyramid_end(p->pyramid, m);
	}
	model_free(m);
	if (!whole)
		pass_release(p);
}

void pass_run(struct job *j, void *ctx)
{
	struct pass *p = ctx;
	struct trace **views = trace_views(p->traces, p->nr_traces);

	if (views)
		make_pyramid(p, j, views);
	trace_views_close(views, p->nr_traces);
}

void pass_release(struct pass *p)
{
	pyramid_free(p->pyramid);
	p->pyramid = NULL;
}
