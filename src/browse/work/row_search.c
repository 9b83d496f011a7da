/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Searches for the next row of some kind, and for the other end of a span. */
#include "browse/work/row_search.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/index/model_replay.h"

bool find_is_exact(const char *text)
{
	for (; *text; text++)
		if (*text >= 'A' && *text <= 'Z')
			return true;
	return false;
}

/* A byte of the wanted text, and the bit in which its other case differs. */
struct search_letter {
	uint8_t byte, mask;
};

static struct search_letter letter_of(char c, bool exact)
{
	uint8_t mask = !exact && isascii(c) && isalpha(c) ? 'a' - 'A' : 0;

	return (struct search_letter){ c | mask, mask };
}

#define LOOK_BYTES 64u			/* a loop of constant length becomes vector instructions */

/*
 * Returns true if the text may start at one of LOOK_BYTES places, by its first and its last byte,
 * which are @n - 1 apart.
 */
static bool may_have_text(const uint8_t *p, size_t n, struct search_letter first,
			  struct search_letter last)
{
	uint8_t any = 0;

	for (size_t i = 0; i < LOOK_BYTES; i++)
		any |= ((p[i] | first.mask) == first.byte) &
		       ((p[i + n - 1] | last.mask) == last.byte);
	return any;
}

const char *find_text(const char *p, size_t len, const char *text, bool exact)
{
	size_t n = strlen(text), i = 0, end;
	struct search_letter first = letter_of(*text, exact), last = letter_of(n ? text[n - 1] : 0,
					       exact);

	while (n && i + n <= len) {
		end = i + LOOK_BYTES;
		if (end + n - 1 > len)
			end = len - n + 1;
		else if (!may_have_text((const uint8_t *)p + i, n, first, last))
			i = end;
		for (; i < end; i++)
			if (((uint8_t)p[i] | first.mask) == first.byte &&
			    !(exact ? memcmp(p + i, text, n) : strncasecmp(p + i, text, n)))
				return p + i;
	}
	return NULL;
}

/* --- matches */

static struct index_want index_want_of(enum find_kind kind, const struct text_row *like)
{
	static const enum index_what whats[] = {
		[FIND_TASK] = INDEX_TASK, [FIND_CPU] = INDEX_CPU, [FIND_EVENT] = INDEX_EVENT,
		[FIND_LOSS] = INDEX_LOSS, [FIND_WAKER] = INDEX_WAKING,
	};

	return (struct index_want){
		.what = whats[kind], .file = like->file, .pid = like->pid, .cpu = like->cpu,
		.type = like->type,
	};
}

static bool waking_match(void *ctx, const struct trace_rec *r)
{
	const struct find_waking *w = ctx;

	return index_fits(&w->want, r) && (!w->under.match || w->under.match(w->under.ctx, r));
}

static void *waking_fork(void *ctx, struct trace *const *views)
{
	struct find_waking *w = xmalloc(sizeof(*w));

	*w = *(struct find_waking *)ctx;
	w->before = w->under.ctx;
	if (w->under.match)
		w->under.ctx = w->under.fork(w->before, views);
	return w;
}

static void waking_unfork(void *ctx, void *forked)
{
	struct find_waking *w = forked;

	(void)ctx;
	if (w->under.match && w->under.unfork)
		w->under.unfork(w->before, w->under.ctx);
	free(w);
}

void find_waking(struct find_waking *w, const struct text_row *like, const struct out_match *under,
		 struct out_match *out)
{
	*w = (struct find_waking){ .want = index_want_of(FIND_WAKER, like), .under = *under };
	*out = (struct out_match){ waking_match, w, waking_fork, waking_unfork };
}

static bool row_fits(const struct row_search *f, const struct rows_slice *s,
		     const struct text_row *row)
{
	const struct text_row *like = &f->like;

	if (f->kind == FIND_TEXT)
		return find_text(s->text.data + row->text, row->len, f->text, f->exact);
	if (f->kind == FIND_LOSS)
		return row->is_loss;
	if (row->is_loss || row->at.line)
		return false;
	switch (f->kind) {
	case FIND_TASK:
		return row->file == like->file && row->pid == like->pid &&
		       (row->pid || row->cpu == like->cpu);
	case FIND_CPU:
		return row->file == like->file && row->cpu == like->cpu;
	case FIND_EVENT:
		return row->file == like->file && row->type == like->type;
	default:
		return true;		/* all rows are wakings */
	}
}

/* --- searching in slices */

/*
 * Returns true if a row may have the text. Rows end with a newline, which no search contains, so
 * most slices are skipped as one text.
 */
static bool slice_has_text(const struct row_search *f, const struct rows_slice *s, size_t from,
			   size_t to)
{
	size_t start, end;

	if (from >= to)
		return false;
	start = s->v[from].text;
	end = s->v[to - 1].text + s->v[to - 1].len;
	return find_text(s->text.data + start, end - start, f->text, f->exact);
}

static bool slice_find_forward(struct row_search *f, const struct rows_slice *s, size_t from)
{
	size_t i;

	if (f->kind == FIND_TEXT && !slice_has_text(f, s, from, s->n))
		return false;
	for (i = from; i < s->n; i++)
		if (row_fits(f, s, &s->v[i])) {
			f->at = s->v[i].at;
			return true;
		}
	return false;
}

static bool slice_find_backward(struct row_search *f, const struct rows_slice *s, size_t to)
{
	if (f->kind == FIND_TEXT && !slice_has_text(f, s, 0, to))
		return false;
	while (to-- > 0)
		if (row_fits(f, s, &s->v[to])) {
			f->at = s->v[to].at;
			return true;
		}
	return false;
}

static void find_set_percent(struct row_search *f, struct background_job *j, uint64_t ts)
{
	uint64_t all = f->last - f->first, from = f->like.at.ts, distance;

	if (f->backward)
		distance = from - ts;		/* modulo the time of the files after wrapping */
	else
		distance = ts - from;
	if (f->wrapped)
		distance += all;
	atomic_store(&j->percent, all ? distance / (all / 100 + 1) % 100 : 0);
}

/* --- searching by the index: records in windows that may have matches, then rows at their times */

struct record_search {
	struct row_search *f;
	struct background_job *j;
	struct trace **views;
	struct out_match which;
	struct index_want want;
	struct index_blocks *blocks;
	size_t n;			/* number of blocks in a window */
};

/*
 * Sets the time of the first matching record in the window, backwards of the last one. Returns
 * false if there is none.
 */
static bool window_find_record(struct record_search *k, const struct index_window *w, uint64_t *ts)
{
	struct trace_iter *it = trace_iter_new_range(k->views, k->f->nr_traces,
						     w->all_cpus ? k->f->range->cpus : w->cpus,
						     w->first, UINT64_MAX);
	const struct trace_rec *r;
	bool any = false;
	uint64_t n = 0;

	while ((r = trace_iter_next(it)) && r->ts <= w->last && (!any || k->f->backward)) {
		if (++n % JOB_LOOK_EVERY == 0 && job_stops(k->j))
			break;
		if (!index_fits(&k->want, r))
			continue;
		if (k->want.what != INDEX_LOSS && k->which.match &&
		    !k->which.match(k->which.ctx, r))
			continue;
		*ts = r->ts;
		any = true;
	}
	trace_iter_free(it);
	return any;
}

/* Records may have no row. Windows without any become larger, so that they are few. */
static void find_in_windows(struct record_search *k, uint64_t at)
{
	struct row_search *f = k->f;
	struct index_window w;
	const struct rows_slice *s;
	uint64_t ts, end = f->backward ? 0 : UINT64_MAX;

	k->n = 1;
	while (at != end && !f->found && !job_stops(k->j)) {
		if (!(f->backward ? index_window_before : index_window_from)(k->blocks, at, k->n,
									     &w))
			break;
		if (window_find_record(k, &w, &ts)) {
			struct row_place from = { .ts = ts }, to = { ts, UINT32_MAX, UINT32_MAX };

			s = rows_slice_at(f->rows, ts);
			at = f->backward ? s->since : s->until;
			f->found = f->backward ? slice_find_backward(f, s, rows_find(s, &to)) :
				   slice_find_forward(f, s, rows_find(s, &from));
			k->n = 1;
		} else {
			at = f->backward ? w.first : w.last == UINT64_MAX ? end : w.last + 1;
			k->n *= 2;
		}
		find_set_percent(f, k->j, w.first);
	}
	f->stopped = !f->found && job_stops(k->j);
}

/* Searches by the index from slice @s on. Returns false if that is not possible. */
static bool find_by_index(struct row_search *f, struct background_job *j,
			  const struct rows_slice *s)
{
	struct record_search k = { .f = f, .j = j };

	if (!f->index)
		return false;
	k.views = trace_views(f->traces, f->nr_traces);
	if (!k.views)
		return false;
	k.want = index_want_of(f->kind, &f->like);
	k.blocks = index_blocks_new(f->index, &k.want);
	k.which = out_match_fork(f->which, k.views);
	find_in_windows(&k, f->backward ? s->since : s->until);
	out_match_unfork(f->which, &k.which);
	index_blocks_free(k.blocks);
	trace_views_close(k.views, f->nr_traces);
	return true;
}

/* Searches the slice of the start row, from that row on. */
static bool find_from_start(struct row_search *f, const struct rows_slice *s)
{
	const struct row_place *from = &f->like.at;
	struct row_place after = { from->ts, from->seq, from->line + !f->here };

	return f->backward ? slice_find_backward(f, s, rows_find(s, from)) :
	       slice_find_forward(f, s, rows_find(s, &after));
}

void find_run(struct background_job *j, void *ctx)
{
	struct row_search *f = ctx;
	uint64_t start = f->like.at.ts;
	const struct rows_slice *s = rows_slice_at(f->rows, start);

	f->found = find_from_start(f, s);
	if (!f->found && find_by_index(f, j, s))
		return;
	while (!f->found && !job_stops(j)) {
		s = f->backward ? rows_slice_before(f->rows, s) : rows_slice_after(f->rows, s);
		if (!s && f->wraps && !f->wrapped) {
			/* continues at the other end, up to all of the slice of the start row */
			f->wrapped = true;
			s = rows_slice_at(f->rows, f->backward ? f->last : f->first);
		}
		if (!s || (f->wrapped && (f->backward ? s->until <= start : s->since > start)))
			return;
		/* if times turn out to be out of order, one slice has all rows: also the start */
		if (!f->wrapped && s->since <= start && start < s->until)
			f->found = find_from_start(f, s);
		else
			f->found = f->backward ? slice_find_backward(f, s, s->n) :
				   slice_find_forward(f, s, 0);
		find_set_percent(f, j, s->since);
	}
	f->stopped = !f->found;
}

void find_release(struct row_search *f)
{
	rows_free(f->rows);
	free(f->text);
	*f = (struct row_search){0};
}

/* --- the other end of the span of a record */

struct ends_source {
	struct trace **views;
	size_t nr_views;
	struct model *model;
	struct model_replay *replay;
	struct row_place now;		/* place of the record that is fed */
	/* of the present work */
	struct ends_work *work;
	bool is_there, was_there;	/* the wanted record is being fed; was fed */
	const struct span *span;	/* the open span that starts with it, or NULL */
	bool awaits;			/* it woke a task; the switch to that task is the end */
};

/* --- the view of the model */

static void ends_set_place(struct ends_work *w, const struct span *span,
			   const struct row_place *at)
{
	w->found = true;
	w->at = *at;
	w->begin = span->begin;
	w->end = span->end;
	w->file = span->file;
	w->pid = span->task ? span->task->pid : -1;
}

/* Keeps the number of the record among those of its time in ->user, for the place of the start. */
static void note_begin(void *ctx, struct span *span, const struct trace_rec *r)
{
	struct ends_source *s = ctx;

	(void)r;
	span->user = s->now.seq;
	if (s->is_there && !s->span && !span->begin_computed)
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
	} else if ((span->marks & SPAN_NO_BEGIN || span->begin_computed) && s->is_there) {
		w->why = "where it begins was not recorded";
	} else if (s->is_there) {
		ends_set_place(w, span,
			       &(struct row_place){ .ts = span->begin, .seq = span->user });
	} else if (span == s->span) {
		ends_set_place(w, span, &s->now);
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
		ends_set_place(w, span, &(struct row_place){ .ts = span->begin });
	else if (s->awaits && span->begin == w->from.ts)
		ends_set_place(w, span, &s->now);
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

void ends_work_run(struct background_job *j, void *ctx)
{
	struct ends_work *w = ctx;
	struct ends_source *s = w->source;
	uint64_t n = 0;

	s->work = w;
	s->span = NULL;
	s->awaits = s->was_there = false;
	s->now = (struct row_place){0};
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
