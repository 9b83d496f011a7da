/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data of the timeline: the pass that makes its index, and the lines of a range of time.
 *
 * A bucket in which a column starts is read record by record, and data may come in bursts. So a
 * bucket has at most 128 KiB of raw data, some 3,000 records, where data is dense: probes at 16
 * places measure the density, and buckets may be up to 16 times shorter than on average. Buckets
 * without a change take no memory, so a file pays for them only where it is dense. If no probe
 * meets a burst, or if the burst is more than 16 times as dense as the file, a zoom there reads
 * accordingly more. There are at most 2^28 buckets.
 */
#include "browse/work/timeline_lanes.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "browse/work/model_pass.h"

#define CPU_LABEL	12		/* columns of "1023:CPU 511" */
#define BUCKET_BYTES	(128u << 10)	/* raw data in a bucket of the index, at most about */
#define BUCKETS_MIN	256		/* buckets of small files */
/*
 * Dense parts have more data in a bucket, so the density is measured at PROBES times. Buckets then
 * become at most 2^FINER_MAX times shorter; most of them have no entry.
 */
#define PROBES		16
#define PROBE_BYTES	(1u << 20)
#define FINER_MAX	4

/* --- the length of a bucket */

/* Returns the shortest time with BUCKET_BYTES at the probes, at least @usual >> FINER_MAX. */
static uint64_t densest_time(const struct lod_pass *p, struct trace *const *views, uint64_t usual)
{
	uint64_t all = p->last - p->first, least = usual, until, since, time;

	for (unsigned int i = 1; i <= PROBES; i++) {
		until = p->first + all / PROBES * i;
		since = trace_slice_start(views, p->nr_traces, NULL, until, PROBE_BYTES);
		if (since < p->first || since >= until)
			continue;
		time = (until - since) / (PROBE_BYTES / BUCKET_BYTES);
		least = time < least ? time : least;
	}
	return least > usual >> FINER_MAX ? least : usual >> FINER_MAX;
}

/* Returns the binary logarithm of the length of a bucket in units of time. */
static unsigned int bucket_shift(const struct lod_pass *p, struct trace *const *views)
{
	uint64_t bytes = 0, buckets, time;
	unsigned int shift = 0;

	for (size_t i = 0; i < p->nr_traces; i++) {
		const struct dat *d = p->traces[i]->dat;

		for (size_t k = 0; k < d->nr_buffers; k++)
			for (size_t c = 0; c < d->buffers[k].nr_cpus; c++)
				bytes += d->buffers[k].cpus[c].nr_pages *
					 d->buffers[k].layout.subbuf_size;
	}
	buckets = bytes / BUCKET_BYTES > BUCKETS_MIN ? bytes / BUCKET_BYTES : BUCKETS_MIN;
	time = (p->last - p->first) / buckets;
	if (bytes / PROBE_BYTES > PROBES)
		time = densest_time(p, views, time);
	while (time >> shift > 1)
		shift++;
	return shift;
}

/* --- the pass */

static void task_stayed(void *ctx, struct task *t, uint64_t from, uint64_t to)
{
	lod_index_stayed(((struct lod_pass *)ctx)->lod, t, from, to);
}

static void cpu_stayed(void *ctx, struct model_cpu *c, uint64_t from, uint64_t to)
{
	lod_index_cpu_stayed(((struct lod_pass *)ctx)->lod, c, from, to);
}

static void cpu_topped(void *ctx, struct model_cpu *c, uint64_t from, uint64_t to)
{
	lod_index_topped(((struct lod_pass *)ctx)->lod, c, from, to);
}

static void top_gap(void *ctx, struct model_cpu *c, uint64_t from, uint64_t to)
{
	lod_index_top_gap(((struct lod_pass *)ctx)->lod, c, from, to);
}

static void cpu_gap(void *ctx, struct model_cpu *c, struct task *t, uint64_t from, uint64_t to)
{
	lod_index_gap(((struct lod_pass *)ctx)->lod, c, t, from, to);
}

static const struct span_ops pass_ops = {
	.stayed = task_stayed, .cpu_stayed = cpu_stayed, .topped = cpu_topped,
	.top_gap = top_gap, .gap = cpu_gap,
};

void pass_run(struct background_job *j, void *ctx)
{
	struct lod_pass *p = ctx;
	struct model_opts o = { .cpus = true };
	struct trace **views = trace_views(p->traces, p->nr_traces);
	struct ftr_error err;
	struct model *m;

	if (!views)
		return;
	m = model_new(views, p->nr_traces, &o, &pass_ops, p, &err);
	p->lod = lod_index_new(p->first, p->last, bucket_shift(p, views));
	if (m && model_pass(m, j, views, p->nr_traces, p->first, p->last)) {
		model_end(m);
		lod_index_end(p->lod, m);
	} else {
		pass_release(p);
	}
	model_free(m);
	trace_views_close(views, p->nr_traces);
}

void pass_release(struct lod_pass *p)
{
	lod_index_free(p->lod);
	p->lod = NULL;
}

/* --- lanes */

struct lanes_builder {
	struct lanes_work *w;
	struct background_job *job;
	struct trace *const *views;
};

/* --- from the index */

static bool read_records(void *ctx, struct model *m, uint64_t since, uint64_t until)
{
	struct lanes_builder *making = ctx;
	struct lanes_work *w = making->w;
	struct trace_iter *it = trace_iter_new_range(making->views, w->nr_traces, NULL, since,
						     until);
	const struct trace_rec *r;
	bool whole = job_goes_on(making->job, w->from, w->to, since);

	while (whole && (r = trace_iter_next(it))) {
		model_feed(m, r);
		if (++w->records % JOB_LOOK_EVERY == 0)
			whole = job_goes_on(making->job, w->from, w->to, r->ts);
	}
	trace_iter_free(it);
	return whole;
}

static bool is_there(void *ctx, const struct task *task)
{
	return lod_fill_has(ctx, task);
}

static void make_lanes(struct lanes_builder *making)
{
	struct lanes_work *w = making->w;
	struct model_opts o = { .cpus = true };
	struct timeline t = {
		.traces = making->views, .nr_traces = w->nr_traces, .from = w->from, .to = w->to,
	};
	struct timeline_look look = { w->width, false, w->ascii };
	struct lod_fill *f;
	struct ftr_error err;

	t.lanes = lanes_new(w->from, w->to, timeline_text_room(w->width));
	f = lod_fill_new(w->lod, t.lanes, w->from, w->to);
	t.model = model_new(making->views, w->nr_traces, &o, &lod_fill_ops, f, &err);
	w->known = lod_index_has_states(w->lod);
	w->whole = t.model && lod_fill_run(f, t.model, read_records, making);
	if (w->whole) {
		timeline_collect(&t, NULL, is_there, f);
		timeline_sort_tasks(&t, w->sort);
		timeline_add_text(&t, &look, &w->text, &w->lines);
		w->columns = lanes_width(t.lanes);
		timeline_release(&t);
	}
	lod_fill_free(f);
	lanes_free(t.lanes);
	model_free(t.model);
}

/* --- without the index: the times with data */

/* Adds a line for each CPU of a file. @spread has the columns with data in any buffer. */
static void spread_file(struct lanes_builder *making, size_t file, bool *spread)
{
	struct lanes_work *w = making->w;
	struct trace *t = making->views[file];
	const struct dat *d = t->dat;
	char label[32];

	for (size_t i = 0; d->nr_buffers && i < d->buffers->nr_cpus && w->whole; i++) {
		int cpu = d->buffers->cpus[i].cpu;

		memset(spread, 0, w->columns * sizeof(*spread));
		for (struct dat_buffer *b = d->buffers; b < d->buffers + d->nr_buffers; b++)
			for (size_t k = 0; k < b->nr_cpus; k++)
				if (b->cpus[k].cpu == cpu)
					trace_cpu_spread(t, b, &b->cpus[k], w->from, w->to, spread,
							 w->columns);
		if (w->nr_traces > 1)
			snprintf(label, sizeof(label), "%zu:CPU %d", file, cpu);
		else
			snprintf(label, sizeof(label), "CPU %d", cpu);
		buf_printf(&w->text, "%-*s ", CPU_LABEL, label);
		for (uint32_t c = 0; c < w->columns; c++)
			buf_addch(&w->text, spread[c] ? '=' : ' ');
		buf_addch(&w->text, '\n');
		w->whole = !job_stops(making->job);
	}
}

static void make_spread(struct lanes_builder *making)
{
	struct lanes_work *w = making->w;
	struct state_lanes *l = lanes_new(w->from, w->to, timeline_text_room(w->width));
	bool *spread;

	w->columns = lanes_width(l);
	w->lines.column = CPU_LABEL + 1;
	lanes_free(l);
	spread = xcalloc(w->columns + 1, sizeof(*spread));
	w->whole = w->known = true;
	buf_addstr(&w->text, "# ");
	trace_add_time(&w->text, making->views[0], w->from, false);
	buf_addstr(&w->text, " to ");
	trace_add_time(&w->text, making->views[0], w->to, false);
	buf_addstr(&w->text, ", where there is data (=); lanes come when all records were read\n");
	for (size_t i = 0; i < w->nr_traces; i++)
		spread_file(making, i, spread);
	free(spread);
}

void lanes_work_run(struct background_job *j, void *ctx)
{
	struct lanes_work *w = ctx;
	struct trace **views = trace_views(w->traces, w->nr_traces);
	struct lanes_builder making = { w, j, views };

	if (views)
		(w->lod ? make_lanes : make_spread)(&making);
	trace_views_close(views, w->nr_traces);
}

void lanes_work_release(struct lanes_work *w)
{
	buf_release(&w->text);
	timeline_lines_release(&w->lines);
	*w = (struct lanes_work){0};
}
