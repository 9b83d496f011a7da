/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One pass over all records beside the keys. */
#include "browse/work/record_count.h"

#include <stdlib.h>

static int by_time(const void *a, const void *b)
{
	const struct scan_loss *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->stream < y->stream ? -1 : x->stream > y->stream;
}

static void keep_first_losses(struct scan *s)
{
	if (s->nr_losses)
		qsort(s->losses, s->nr_losses, sizeof(*s->losses), by_time);
	if (s->nr_losses > s->losses_max)
		s->nr_losses = s->losses_max;
}

static void note_loss(struct scan *s, const struct trace_rec *r)
{
	s->all_losses++;
	if (!s->losses_max)
		return;
	if (s->nr_losses == 2 * s->losses_max)
		keep_first_losses(s);
	s->losses = xgrow(s->losses, &s->cap_losses, s->nr_losses + 1, sizeof(*s->losses));
	s->losses[s->nr_losses++] = (struct scan_loss){
		.ts = r->ts, .lost = r->lost, .cpu = r->cpu, .stream = r->stream,
	};
}

/* No two CPUs are compared here: each is read for itself. */
static void read_all(struct scan *s, struct job *j, struct trace_iter *it,
		     const struct out_match *which)
{
	const struct trace_rec *r;
	size_t passed, cpus;
	uint64_t n = 0;

	s->whole = true;
	while (s->whole && (r = trace_iter_next(it))) {
		if (r->lost)
			note_loss(s, r);
		if (s->index)
			index_add(s->index, r);
		if (s->counts && r->rec.data)
			hide_count_record(&s->by, r);
		if (r->rec.data && (!which->match || which->match(which->ctx, r)))
			s->records++;
		if (++n % JOB_LOOK_EVERY)
			continue;
		passed = trace_iter_passed(it, &cpus);
		s->whole = job_part_goes_on(j, passed, cpus, s->first, s->last, r->ts);
	}
	keep_first_losses(s);
}

static bool is_stopped(void *ctx)
{
	return job_stops(ctx);
}

void scan_run(struct job *j, void *ctx)
{
	struct scan *s = ctx;
	size_t i, n = s->nr_traces;
	struct trace **views = trace_views(s->traces, n);
	struct out_match which;
	struct trace_iter *it;

	s->damages = xcalloc(n + 1, sizeof(*s->damages));
	if (!views)
		return;
	if (s->index_pages)
		s->index = index_new(s->traces, n, s->index_pages);
	which = out_match_fork(s->which, views);
	it = trace_iter_new_apart(views, n, s->range->cpus, s->range->since, s->range->until);
	read_all(s, j, it, &which);
	trace_iter_free(it);
	out_match_unfork(s->which, &which);
	for (i = 0; i < n; i++)
		damages_merge(&s->damages[i], &views[i]->damages);
	trace_views_close(views, n);
	if (s->whole && !s->records && s->add_none)
		s->add_none(s->ctx, is_stopped, j, &s->none);
}

void scan_release(struct scan *s)
{
	for (size_t i = 0; s->damages && i < s->nr_traces; i++)
		damages_release(&s->damages[i]);
	free(s->damages);
	free(s->losses);
	hide_counts_release(&s->by);
	buf_release(&s->none);
	index_free(s->index);
	s->index = NULL;
	s->damages = NULL;
	s->losses = NULL;
	s->nr_losses = s->cap_losses = 0;
	s->records = s->all_losses = 0;
}
