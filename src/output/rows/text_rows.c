/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of text of the records around any time.
 *
 * The first screen of any file is to cost the same, so rows are made, not kept: the sink of ftr
 * report renders a slice of 64 KiB of raw data when a row of it is requested, which makes each row
 * the report's line. Up to 64 slices, or 8 MiB, are kept. The open calls of function_graph at the
 * start of a slice are those at the end of the previous slice if that was made just before.
 * Otherwise the records before are read backward until the calls are known.
 */
#include "output/rows/text_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "base/search.h"
#include "output/open_calls.h"
#include "output/pipeline_priv.h"

/* Bytes of raw data that are searched, in steps, for the calls open at the start of a slice. */
#define CALLS_BACK_MIN (256u << 10)
#define CALLS_BACK_MAX (64u << 20)
#define ROWS_SLICE_MAX (4u << 20)	/* raw data of a slice, if none of it is shown */
#define ROWS_PACKED_MAX (1u << 20)	/* if it is compressed and shown */
#define ROWS_TEXT_MIN (1u << 20)	/* a slice with more text, and than twice its data, ends */
#define BORDER_SHARE 4			/* divisor of the bytes decompressed at a border */

struct text_rows {
	struct rows_opts o;
	struct trace **views;
	size_t nr_views;
	struct trace_iter *it;
	struct out_state out;
	struct out_match which, given;	/* the forked one, and the caller's */
	struct rows_slice *kept[ROWS_KEPT];
	size_t nr_kept;
	struct rows_slice *spare;	/* the last one forgotten: the next one gets its memory */
	bool whole;			/* times are of no use: all is one slice */
	struct call_tracker *carried;		/* the calls open at ->carried_at, or NULL */
	uint64_t carried_at;
	/* if a line depends on the one before: the last line before a slice, and at ->last_at */
	struct last_line { bool any; uint64_t ts; } before, last;
	uint64_t last_at;
	uint64_t clock;
	uint64_t deadline;		/* 0: none */
	bool late;
	uint32_t slice_bytes;		/* raw data of a slice, about */
	uint32_t next_bytes;		/* the same, larger after slices without rows */
	/* the last place in the slice that is being made */
	uint64_t ts;
	uint32_t seq;
	bool any;
};

int place_compare(const struct row_place *a, const struct row_place *b)
{
	if (a->ts != b->ts)
		return a->ts < b->ts ? -1 : 1;
	if (a->seq != b->seq)
		return a->seq < b->seq ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

size_t rows_find(const struct rows_slice *s, const struct row_place *p)
{
	return SEARCH_ABOVE(i, 0, s->n, place_compare(&s->v[i].at, p) < 0);
}

/* --- rendering */

/* Moves on to the place of a record: one that is late follows the record before it. */
static void go_to_place(struct text_rows *r, const struct trace_rec *rec)
{
	if (r->any && rec->ts <= r->ts) {
		r->seq++;
		return;
	}
	r->ts = rec->ts > r->ts ? rec->ts : r->ts;
	r->seq = 0;
	r->any = true;
}

/* Adds a row for each line that was added to the text after @from. */
static void add_rows(struct text_rows *r, struct rows_slice *s, const struct trace_rec *rec,
		     size_t from, uint32_t *line, bool is_loss)
{
	const char *p = r->out.buf.data, *nl;
	struct text_row *row;

	while (from < r->out.buf.len && (nl = memchr(p + from, '\n', r->out.buf.len - from))) {
		s->v = xgrow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
		row = &s->v[s->n++];
		*row = (struct text_row){
			.at = { r->ts, r->seq, (*line)++ }, .pid = rec->pid, .cpu = rec->cpu,
			.file = rec->file, .type = rec->type,
			.is_loss = is_loss, .text = from, .len = (size_t)(nl - p) - from,
		};
		from = nl + 1 - p;
	}
}

static bool record_matches(const struct text_rows *r, const struct trace_rec *rec)
{
	return rec->rec.data && r->out.ops->event &&
	       (!r->which.match || r->which.match(r->which.ctx, rec));
}

/* Works as out_record(), and adds rows for the lines to @s, which may be NULL. */
static void add_record(struct text_rows *r, struct rows_slice *s, const struct trace_rec *rec)
{
	/* the sink may consume the next record, which then overwrites *rec */
	struct trace_rec me = *rec;
	size_t from = r->out.buf.len;
	uint32_t line = 0;

	go_to_place(r, rec);
	if (rec->lost)
		out_loss(&r->out, rec);
	if (s)
		add_rows(r, s, &me, from, &line, true);
	from = r->out.buf.len;
	if (record_matches(r, rec))
		r->out.ops->event(&r->out, rec, r->it);
	if (s)
		add_rows(r, s, &me, from, &line, false);
}

static void render_before(void *ctx, const struct trace_rec *rec, struct trace_iter *it)
{
	struct text_rows *r = ctx;
	size_t len = r->out.buf.len;

	if (record_matches(r, rec))
		r->out.ops->event(&r->out, rec, it);
	r->out.buf.len = len;
}

/* Moves the iterator to the first record at or after ->since. */
static void go_to_slice(struct text_rows *r, struct trace_slice *slice)
{
	slice->first = slice->since <= r->o.range.since;
	calls_free(r->out.calls);
	r->out.calls = out_calls(&r->out);	/* for the records before, whose text is dropped */
	trace_iter_slice(r->it, slice, render_before, r);
	calls_free(r->out.calls);
	if (r->carried && r->carried_at == slice->since) {
		/* the slice before was made last: its end is known */
		r->out.calls = r->carried;
		r->carried = NULL;
	} else {
		r->out.calls = out_calls(&r->out);
		if (!slice->first)
			calls_forget(r->out.calls);
	}
	r->ts = slice->since;
	r->any = false;
	r->out.any_line = r->before.any;
	r->out.last_ts = r->before.ts;
}

/* Cuts the slice of about @bytes that starts at @since and ends at @until at the latest. */
static void cut_slice(struct text_rows *r, uint64_t since, uint64_t until, uint32_t bytes,
		      struct trace_slice *slice)
{
	struct trace_slicer *slicer = NULL;

	*slice = (struct trace_slice){0};
	if (!r->whole)
		slicer = trace_slicer_new(r->views, r->nr_views, r->o.range.cpus, since, until);
	r->whole = !slicer;
	if (slicer) {
		trace_slicer_size(slicer, bytes);
		trace_slicer_next(slicer, slice);
	} else {
		slice->since = r->o.range.since;
		slice->until = r->o.range.until;
	}
	trace_slicer_free(slicer);
}

static uint64_t start_before(const struct text_rows *r, uint64_t until, uint32_t bytes)
{
	return trace_slice_start(r->views, r->nr_views, r->o.range.cpus, until, bytes);
}

/* Adds the rows of the slice to @s, which may be NULL, and sets its end. */
static void render_slice(struct text_rows *r, struct rows_slice *s, struct trace_slice *slice)
{
	const struct trace_rec *rec;
	const struct buf *text = &r->out.buf;
	uint64_t until = slice->until;

	go_to_slice(r, slice);
	while (until == slice->until && (rec = trace_iter_next(r->it))) {
		/*
		 * The slice was cut where a chunk of some CPU starts: if all CPUs start at the same
		 * time it has the first chunks of all. It ends early if that is too much text.
		 */
		if (s && text->len > ROWS_TEXT_MIN && text->len > 2 * (size_t)r->slice_bytes &&
		    r->any && rec->ts > r->ts && !r->whole)
			until = rec->ts;
		else
			add_record(r, s, rec);
	}
	if (s)
		s->until = until;
	trace_views_forget_damages(r->views, r->nr_views);
}

/* --- calls that are open at the start of a slice */

static bool are_calls_known(const struct call_tracker *open, const struct call_tracker *slice)
{
	const struct calls_guess *g;

	for (g = slice->guesses; g < slice->guesses + slice->nr_guesses; g++)
		if (open->cpus[g->stream].func[g->depth] == CALLS_UNKNOWN)
			return false;
	return true;
}

/* Reads the records before the slice until the calls that end in it are known. */
static struct call_tracker *find_open_calls(struct text_rows *r, uint64_t since,
					    const struct call_tracker *slice)
{
	struct buf text = r->out.buf;
	struct call_tracker *carried = r->carried;
	uint32_t bytes = r->slice_bytes > CALLS_BACK_MIN ? r->slice_bytes : CALLS_BACK_MIN;
	struct trace_slice before;
	struct call_tracker *open = NULL;
	bool done = false;

	r->out.buf = (struct buf){0};
	r->carried = NULL;
	for (; !done; bytes *= 4) {
		calls_free(open);
		cut_slice(r, start_before(r, since, bytes), since, UINT32_MAX, &before);
		render_slice(r, NULL, &before);
		open = r->out.calls;
		r->out.calls = NULL;
		done = before.first || bytes >= CALLS_BACK_MAX || are_calls_known(open, slice);
		trace_slice_release(&before);
		buf_reset(&r->out.buf);
	}
	buf_release(&r->out.buf);
	r->out.buf = text;
	r->carried = carried;
	return open;
}

/*
 * Inserts the names into the text of the slice that depend on the calls open before it. Returns
 * false if there are none.
 */
static bool settle_calls(struct text_rows *r, uint64_t since)
{
	struct call_tracker *slice = r->out.calls, *open;
	uint64_t *func;
	size_t i, depth;

	if (!slice->nr_guesses)
		return false;
	r->out.calls = NULL;
	open = find_open_calls(r, since, slice);
	calls_settle(slice, open, &r->out.buf);
	/* guesses of the text before the slice, and calls that were not found, are given up */
	open->nr_guesses = 0;
	buf_reset(&open->names);
	for (i = 0; i < open->nr_cpus; i++)
		for (depth = 0; depth < CALLS_DEPTH; depth++) {
			func = &open->cpus[i].func[depth];
			if (*func == CALLS_UNKNOWN)
				*func = CALLS_NONE;
		}
	calls_join(open, slice);
	calls_free(slice);
	r->out.calls = open;
	return true;
}

/* --- the line before a slice */

/* Returns the last line before @since, unless it is too far away to wait for. */
static struct last_line last_line_before(struct text_rows *r, uint64_t since)
{
	uint32_t bytes = r->slice_bytes;
	struct call_tracker *carried = r->carried;
	struct trace_slice slice = { .first = since <= r->o.range.since };

	r->before = (struct last_line){0};
	if (r->out.ops->parallel)
		return r->before;
	if (r->last_at == since)
		return r->last;
	r->carried = NULL;
	for (r->out.any_line = false; !slice.first && !r->out.any_line; bytes *= 4) {
		cut_slice(r, start_before(r, since, bytes), since, UINT32_MAX, &slice);
		render_slice(r, NULL, &slice);
		trace_slice_release(&slice);
		buf_release(&r->out.buf);
		if (bytes >= CALLS_BACK_MAX)
			break;
	}
	r->carried = carried;
	return (struct last_line){ r->out.any_line, r->out.last_ts };
}

/* --- slices that are kept */

static void free_slice(struct rows_slice *s)
{
	if (!s)
		return;
	buf_release(&s->text);
	free(s->v);
	free(s);
}

static void forget_slices(struct text_rows *r)
{
	while (r->nr_kept)
		free_slice(r->kept[--r->nr_kept]);
}

/* Sets the offsets of the rows after names were inserted into the text. */
static void set_row_offsets(struct rows_slice *s)
{
	const char *p = s->text.data, *nl;
	size_t i, at = 0;

	for (i = 0; i < s->n; i++) {
		nl = memchr(p + at, '\n', s->text.len - at);
		s->v[i].text = at;
		s->v[i].len = nl ? (size_t)(nl - p) - at : s->text.len - at;
		at += s->v[i].len + !!nl;
	}
}

static size_t kept_bytes(const struct rows_slice *s)
{
	return s->text.cap + s->cap * sizeof(*s->v);
}

/*
 * Keeps the memory of @s for the next slice: else a pass over all rows would get the memory of each
 * slice from the kernel, and return it. A slice larger than all kept ones would be counted with
 * each later one: it is freed.
 */
static void make_spare(struct text_rows *r, struct rows_slice *s)
{
	free_slice(r->spare);
	r->spare = NULL;
	if (kept_bytes(s) > ROWS_KEPT_BYTES)
		free_slice(s);
	else
		r->spare = s;
}

/* Joins a slice without rows with a neighbour that has none. Returns that, or NULL. */
static struct rows_slice *join_empty(struct text_rows *r, struct rows_slice *s)
{
	struct rows_slice *to;

	for (size_t i = 0; i < r->nr_kept && !s->n; i++) {
		to = r->kept[i];
		if (to->n || (to->until != s->since && to->since != s->until))
			continue;
		to->since = to->since < s->since ? to->since : s->since;
		to->until = to->until > s->until ? to->until : s->until;
		to->used = ++r->clock;
		make_spare(r, s);
		return to;
	}
	return NULL;
}

/* Keeps @s, and forgets the slices that were unused for the longest time. */
static const struct rows_slice *keep_slice(struct text_rows *r, struct rows_slice *s)
{
	struct rows_slice *joined;
	size_t bytes = kept_bytes(s), i, oldest;

	if (s->n)
		r->next_bytes = r->slice_bytes;
	else if (r->next_bytes < ROWS_SLICE_MAX)
		r->next_bytes *= 2;
	joined = join_empty(r, s);
	if (joined)
		return joined;
	for (i = 0; i < r->nr_kept; i++)
		bytes += kept_bytes(r->kept[i]);
	while (r->nr_kept == ROWS_KEPT ||
	       (r->nr_kept >= ROWS_BORROWED && bytes > ROWS_KEPT_BYTES)) {
		for (oldest = 0, i = 1; i < r->nr_kept; i++)
			if (r->kept[i]->used < r->kept[oldest]->used)
				oldest = i;
		bytes -= kept_bytes(r->kept[oldest]);
		make_spare(r, r->kept[oldest]);
		r->kept[oldest] = r->kept[--r->nr_kept];
	}
	s->used = ++r->clock;
	r->kept[r->nr_kept++] = s;
	return s;
}

static const struct rows_slice *make_slice(struct text_rows *r, uint64_t since, uint64_t until,
					   uint32_t bytes)
{
	struct rows_slice *s = r->spare;
	struct trace_slice slice;
	bool renamed;

	r->spare = NULL;
	if (!s)
		s = xcalloc(1, sizeof(*s));
	s->n = 0;
	buf_reset(&s->text);
	cut_slice(r, since, until, bytes, &slice);
	if (r->whole)
		forget_slices(r);	/* they were made as if times were in order */
	r->before = last_line_before(r, slice.since);
	s->since = slice.since;
	r->out.buf = s->text;
	render_slice(r, s, &slice);
	r->last = (struct last_line){ r->out.any_line, r->out.last_ts };
	r->last_at = s->until;
	renamed = settle_calls(r, s->since);
	calls_free(r->carried);
	r->carried = r->out.calls;
	r->carried_at = s->until;
	r->out.calls = NULL;
	s->text = r->out.buf;
	r->out.buf = (struct buf){0};
	if (renamed)
		set_row_offsets(s);
	trace_iter_rest(r->it);
	trace_slice_release(&slice);
	return keep_slice(r, s);
}

static const struct rows_slice *kept_slice(struct text_rows *r, uint64_t ts)
{
	for (size_t i = 0; i < r->nr_kept; i++)
		if (r->kept[i]->since <= ts && ts < r->kept[i]->until) {
			r->kept[i]->used = ++r->clock;
			return r->kept[i];
		}
	return NULL;
}

/* Returns the start of the next kept slice: a new one ends there, as slices do not overlap. */
static uint64_t next_border(const struct text_rows *r, uint64_t since)
{
	uint64_t border = r->o.range.until;

	for (size_t i = 0; i < r->nr_kept; i++)
		if (r->kept[i]->since > since && r->kept[i]->since < border)
			border = r->kept[i]->since;
	return border;
}

const struct rows_slice *rows_slice_at(struct text_rows *r, uint64_t ts)
{
	const struct rows_slice *s;

	if (ts < r->o.range.since)
		ts = r->o.range.since;
	else if (ts >= r->o.range.until)
		ts = r->o.range.until - 1;
	s = kept_slice(r, ts);
	return s ? s : make_slice(r, ts, next_border(r, ts), r->slice_bytes);
}

void rows_set_deadline(struct text_rows *r, uint64_t ns)
{
	r->deadline = ns;
	r->late = false;
}

bool rows_are_late(const struct text_rows *r)
{
	return r->late;
}

static bool is_in_time(struct text_rows *r)
{
	if (r->deadline && !r->late)
		r->late = now_ns() > r->deadline;
	return !r->late;
}

const struct rows_slice *rows_slice_after(struct text_rows *r, const struct rows_slice *s)
{
	const struct rows_slice *kept;
	uint64_t since = s->until;

	if (since >= r->o.range.until)
		return NULL;
	kept = kept_slice(r, since);
	if (kept || !is_in_time(r))
		return kept;
	return make_slice(r, since, next_border(r, since), r->next_bytes);
}

const struct rows_slice *rows_slice_before(struct text_rows *r, const struct rows_slice *s)
{
	const struct rows_slice *kept;
	uint64_t until = s->since, since, border = r->o.range.since;

	if (until <= r->o.range.since)
		return NULL;
	kept = kept_slice(r, until - 1);
	if (kept || !is_in_time(r))
		return kept;
	since = start_before(r, until, r->next_bytes);
	for (size_t i = 0; i < r->nr_kept; i++)
		if (r->kept[i]->until <= until && r->kept[i]->until > border)
			border = r->kept[i]->until;
	s = make_slice(r, since > border ? since : border, until, UINT32_MAX);
	while (s->until < until)
		s = make_slice(r, s->until, until, UINT32_MAX);
	return s;
}

/* --- one record */

bool rows_record(struct text_rows *r, const struct row_place *p,
		 void (*fn)(void *ctx, const struct trace_rec *rec, struct trace_iter *it),
		 void *ctx)
{
	const struct rows_slice *s = rows_slice_at(r, p->ts);
	const struct trace_rec *rec;
	struct trace_slice slice;
	bool found = false;

	cut_slice(r, s->since, s->until, UINT32_MAX, &slice);
	go_to_slice(r, &slice);
	while (!found && (rec = trace_iter_next(r->it))) {
		go_to_place(r, rec);
		found = r->ts == p->ts && r->seq == p->seq && rec->rec.data;
		if (found)
			fn(ctx, rec, r->it);
		else if (record_matches(r, rec))	/* may consume the next one */
			r->out.ops->event(&r->out, rec, r->it);
		buf_reset(&r->out.buf);
	}
	buf_release(&r->out.buf);
	trace_slice_release(&slice);
	trace_views_forget_damages(r->views, r->nr_views);
	return found;
}

/* --- life */

struct text_rows *rows_new(struct trace *const *traces, size_t n, const struct rows_opts *o)
{
	struct text_rows *r = xcalloc(1, sizeof(*r));
	uint64_t bytes = 0;

	r->o = *o;
	/* if chunks are compressed, one of each CPU is decompressed at the start of a slice */
	for (size_t i = 0; i < n; i++)
		bytes += dat_chunk_bytes(traces[i]->dat);
	bytes /= BORDER_SHARE;
	bytes = bytes < ROWS_PACKED_MAX ? bytes : ROWS_PACKED_MAX;
	r->slice_bytes = bytes > ROWS_SLICE_BYTES ? bytes : ROWS_SLICE_BYTES;
	r->next_bytes = r->slice_bytes;
	r->views = trace_views(traces, n);
	if (!r->views) {
		rows_free(r);
		return NULL;
	}
	r->nr_views = n;
	r->it = trace_iter_new_slices(r->views, n, o->range.cpus, o->range.since, o->range.until);
	r->out = (struct out_state){ .ops = o->ops, .opts = o->opts, .traces = r->views,
		  .nr_traces = n };
	if (o->which)
		r->given = *o->which;
	r->which = out_match_fork(&r->given, r->views);
	out_begin(&r->out);
	buf_release(&r->out.buf);
	return r;
}

void rows_free(struct text_rows *r)
{
	if (!r)
		return;
	forget_slices(r);
	free_slice(r->spare);
	if (r->it && r->out.ops->end)
		r->out.ops->end(&r->out);
	calls_free(r->out.calls);
	calls_free(r->carried);
	buf_release(&r->out.buf);
	trace_iter_free(r->it);
	out_match_unfork(&r->given, &r->which);
	trace_views_close(r->views, r->nr_views);
	free(r);
}
