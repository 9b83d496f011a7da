/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The other end of a span. */
#include "browse/work/row_search.h"

#include <stdlib.h>
#include <string.h>

#include "model/index/model_replay.h"


struct ends_source {
	struct trace **views;
	size_t nr_views;
	struct model *model;
	struct replay *replay;
	struct place now;		/* of the record that is fed */
	/* of the work that is done now */
	struct ends_work *work;
	bool is_there, was_there;	/* the record is fed, or was */
	const struct span *span;	/* that begins with it, and has not ended */
	bool awaits;			/* it woke a task: who waits for the switch to it? */
};

/* --- what the model tells */

static void find_at_place(struct ends_work *w, const struct place *at)
{
	w->found = true;
	w->at = *at;
}

/* The place of its begin is the time there, and which record of that time it was. */
static void note_begin(void *ctx, struct span *span, const struct trace_rec *r)
{
	struct ends_source *s = ctx;

	(void)r;
	span->user = s->now.seq;
	if (s->is_there && !s->span && !span->told_late)
		s->span = span;
}

static void note_end(void *ctx, struct span *span, const struct trace_rec *r)
{
	struct ends_source *s = ctx;
	struct ends_work *w = s->work;

	if (!w || w->found)
		return;
	if (span->marks & (SPAN_NO_END | SPAN_BY_EXIT | SPAN_OPEN) || !r) {
		if (span == s->span)
			w->why = "where it ends was not recorded";
	} else if ((span->marks & SPAN_NO_BEGIN || span->told_late) && s->is_there) {
		w->why = "where it begins was not recorded";
	} else if (s->is_there) {
		find_at_place(w, &(struct place){ .ts = span->begin, .seq = span->user });
	} else if (span == s->span) {
		find_at_place(w, &s->now);
	}
	s->span = span == s->span ? NULL : s->span;
}

static void note_waiting(void *ctx, struct span *span, const struct trace_rec *r)
{
	struct ends_source *s = ctx;
	struct ends_work *w = s->work;

	if (!w || w->found || !r)
		return;
	if (s->is_there && !s->span && !(span->marks & SPAN_NO_BEGIN))
		find_at_place(w, &(struct place){ .ts = span->begin });
	else if (s->awaits && span->begin == w->from.ts)
		find_at_place(w, &s->now);
}

static const struct span_ops ends_ops = {
	.begin = note_begin, .end = note_end, .waited = note_waiting,
};

/* --- the work */

static bool wakes_somebody(const struct trace_rec *r)
{
	return r->rec.fmt && (!strncmp(r->rec.fmt->name, "sched_wakeup", 12) ||
			      !strcmp(r->rec.fmt->name, "sched_waking"));
}

static bool search_goes_on(struct ends_source *s, struct job *j, uint64_t n)
{
	struct ends_work *w = s->work;

	if (n % JOB_LOOK_EVERY)
		return true;
	w->stopped = !job_goes_on(j, w->first, w->last, replay_time(s->replay));
	return !w->stopped;
}

/* As rows count the records of one time. */
static void record_comes(void *ctx, const struct trace_rec *r)
{
	struct ends_source *s = ctx;

	s->now.seq = r->ts <= s->now.ts ? s->now.seq + 1 : 0;
	s->now.ts = r->ts > s->now.ts ? r->ts : s->now.ts;
	s->is_there = !place_compare(&s->now, &s->work->from);
	if (!s->is_there)
		return;
	s->was_there = true;
	s->awaits = wakes_somebody(r);
}

/* Reads to the record, and on until its span ends. */
static void look_for_end(struct ends_source *s, struct job *j)
{
	struct ends_work *w = s->work;
	uint64_t n = 0;

	while (replay_next(s->replay) && !w->found && search_goes_on(s, j, ++n))
		if (s->was_there && !s->span && !s->awaits)
			break;
}

void ends_work_run(struct job *j, void *ctx)
{
	struct ends_work *w = ctx;
	struct ends_source *s = w->source;

	s->work = w;
	s->span = NULL;
	s->awaits = s->was_there = false;
	s->now = (struct place){0};
	w->from.line = 0;
	w->why = "the record is neither begin nor end of a span";
	replay_go(s->replay, w->from.ts);
	look_for_end(s, j);
	trace_views_forget_damages(s->views, s->nr_views);
	s->work = NULL;
}

/* --- the source */

static bool open_source(struct ends_source *s, struct trace *const *traces, size_t n,
			const struct out_range *range)
{
	struct model_opts o = { .kinds = UINT32_MAX >> (32 - SPAN_PAIR) };
	struct replay_opts replay = {
		.cpus = range->cpus, .since = range->since, .until = range->until,
		.comes = record_comes, .ctx = s,
	};
	struct ftr_error err;

	s->views = trace_views(traces, n);
	if (!s->views)
		return false;
	s->nr_views = n;
	s->model = model_new(s->views, n, &o, &ends_ops, s, &err);
	if (!s->model)
		return false;
	s->replay = replay_new(s->views, n, &replay);
	replay_add_model(s->replay, s->model);
	return true;
}

struct ends_source *ends_source_new(struct trace *const *traces, size_t n,
				    const struct out_range *range)
{
	struct ends_source *s = xcalloc(1, sizeof(*s));

	if (open_source(s, traces, n, range))
		return s;
	ends_source_free(s);
	return NULL;
}

void ends_source_free(struct ends_source *s)
{
	if (!s)
		return;
	replay_free(s->replay);
	model_free(s->model);
	trace_views_close(s->views, s->nr_views);
	free(s);
}
