/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the other end of a span. */
#include "browse/work/row_search.h"

#include <stdlib.h>
#include <string.h>

#include "model/index/model_replay.h"

struct ends_source {
	struct trace **views;
	size_t nr_views;
	struct model *model;
	struct replay *replay;
	struct place now;		/* place of the record that is fed */
	/* of the present work */
	struct ends_work *work;
	bool is_there, was_there;	/* the wanted record is being fed; was fed */
	const struct span *span;	/* the open span that starts with it, or NULL */
	bool awaits;			/* it woke a task; the switch to that task is the end */
};

/* --- the view of the model */

static void ends_set_place(struct ends_work *w, const struct place *at)
{
	w->found = true;
	w->at = *at;
}

/* Keeps the number of the record among those of its time in ->user, for the place of the start. */
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
		ends_set_place(w, &(struct place){ .ts = span->begin, .seq = span->user });
	} else if (span == s->span) {
		ends_set_place(w, &s->now);
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
		ends_set_place(w, &(struct place){ .ts = span->begin });
	else if (s->awaits && span->begin == w->from.ts)
		ends_set_place(w, &s->now);
}

static const struct span_ops ends_ops = {
	.begin = note_begin, .end = note_end, .waited = note_waiting,
};

/* --- the work */

/* Counts the records of one time as rows do. */
static void ends_feed(void *ctx, const struct trace_rec *r)
{
	struct ends_source *s = ctx;

	s->now.seq = r->ts <= s->now.ts ? s->now.seq + 1 : 0;
	s->now.ts = r->ts > s->now.ts ? r->ts : s->now.ts;
	s->is_there = !place_compare(&s->now, &s->work->from);
	if (!s->is_there)
		return;
	s->was_there = true;
	s->awaits = r->rec.fmt && (!strncmp(r->rec.fmt->name, "sched_wakeup", 12) ||
				   !strcmp(r->rec.fmt->name, "sched_waking"));
}

void ends_work_run(struct job *j, void *ctx)
{
	struct ends_work *w = ctx;
	struct ends_source *s = w->source;
	uint64_t n = 0;

	s->work = w;
	s->span = NULL;
	s->awaits = s->was_there = false;
	s->now = (struct place){0};
	w->from.line = 0;
	w->why = "the record is neither begin nor end of a span";
	replay_go(s->replay, w->from.ts);
	/* reads to the record, and on until its span ends */
	while (replay_next(s->replay) && !w->found) {
		if (++n % JOB_LOOK_EVERY == 0)
			w->stopped = !job_goes_on(j, w->first, w->last, replay_time(s->replay));
		if (w->stopped || (s->was_there && !s->span && !s->awaits))
			break;
	}
	trace_views_forget_damages(s->views, s->nr_views);
	s->work = NULL;
}

/* --- the source */

struct ends_source *ends_source_new(struct trace *const *traces, size_t n,
				    const struct out_range *range)
{
	struct ends_source *s = xcalloc(1, sizeof(*s));
	struct model_opts o = { .kinds = UINT32_MAX >> (32 - SPAN_PAIR) };
	struct replay_opts replay = {
		.cpus = range->cpus, .since = range->since, .until = range->until,
		.comes = ends_feed, .ctx = s,
	};
	struct ftr_error err;

	s->views = trace_views(traces, n);
	s->nr_views = s->views ? n : 0;
	s->model = s->views ? model_new(s->views, n, &o, &ends_ops, s, &err) : NULL;
	if (!s->model) {
		ends_source_free(s);
		return NULL;
	}
	s->replay = replay_new(s->views, n, &replay);
	replay_add_model(s->replay, s->model);
	return s;
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
