/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of ftr timeline of a range of time. */
#include "tui/timeline.h"

#include <stdlib.h>

#define LOOK_EVERY 4096		/* records: is it to stop, and how far is it? */

static bool goes_on(const struct lanes_work *w, struct job *j, uint64_t ts)
{
	uint64_t all = w->to - w->from;

	atomic_store(&j->percent, ts > w->from ? (ts - w->from) / (all / 100 + 1) : 0);
	return !job_stops(j);
}

static void read_records(struct lanes_work *w, struct job *j, struct trace *const *views,
			 struct model *m)
{
	struct trace_iter *it = trace_iter_new_range(views, w->nr_traces, NULL, w->from,
						     w->to == UINT64_MAX ? w->to : w->to + 1);
	const struct trace_rec *r;
	uint32_t n = 0;

	w->whole = true;
	while (w->whole && (r = trace_iter_next(it))) {
		model_feed(m, r);
		if (++n % LOOK_EVERY == 0)
			w->whole = goes_on(w, j, r->ts);
	}
	trace_iter_free(it);
	model_end(m);
}

static void add_lines(struct lanes_work *w, struct timeline *t)
{
	struct timeline_look look = { w->width, false, w->ascii };

	timeline_collect(t, NULL, NULL, NULL);
	timeline_sort_tasks(t, w->sort);
	w->column = timeline_add_text(t, &look, &w->text);
	w->columns = lanes_width(t->lanes);
	timeline_release(t);
}

static void make_lines(struct lanes_work *w, struct job *j, struct trace *const *views)
{
	struct model_opts o = { .cpus = true };
	struct timeline t = {
		.traces = views, .nr_traces = w->nr_traces, .from = w->from, .to = w->to,
	};
	struct ftr_error err;

	t.lanes = lanes_new(w->from, w->to, timeline_text_room(w->width));
	t.model = model_new(views, w->nr_traces, &o, timeline_span_ops(&t), &t, &err);
	if (t.model) {
		lanes_bind(t.lanes, t.model);
		read_records(w, j, views, t.model);
		lanes_end(t.lanes);
		w->known = model_met_switch(t.model);
		if (w->whole)
			add_lines(w, &t);
	}
	lanes_free(t.lanes);
	model_free(t.model);
}

void lanes_work_run(struct job *j, void *ctx)
{
	struct lanes_work *w = ctx;
	struct trace **views = xcalloc(w->nr_traces + 1, sizeof(*views));
	size_t n = 0;

	while (n < w->nr_traces && (views[n] = trace_view(w->traces[n])))
		n++;
	if (n == w->nr_traces)
		make_lines(w, j, views);
	while (n)
		trace_close(views[--n]);
	free(views);
}

void lanes_work_release(struct lanes_work *w)
{
	buf_release(&w->text);
	*w = (struct lanes_work){0};
}
