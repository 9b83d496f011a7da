/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks for the next row of some kind. */
#include "browse/work/row_search.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool find_is_exact(const char *text)
{
	for (; *text; text++)
		if (*text >= 'A' && *text <= 'Z')
			return true;
	return false;
}

/* A byte of the text looked for, and the bit in which its other case differs. */
struct letter {
	uint8_t byte, mask;
};

static struct letter letter_of(char c, bool exact)
{
	uint8_t mask = !exact && isascii(c) && isalpha(c) ? 'a' - 'A' : 0;

	return (struct letter){ c | mask, mask };
}

#define LOOK_BYTES 64u			/* a loop of constant length becomes vector instructions */

/* May the text begin at one of LOOK_BYTES places? By its first and its last byte, @n - 1 apart. */
static bool may_begin(const uint8_t *p, size_t n, struct letter first, struct letter last)
{
	uint8_t any = 0;

	for (size_t i = 0; i < LOOK_BYTES; i++)
		any |= ((p[i] | first.mask) == first.byte) &
		       ((p[i + n - 1] | last.mask) == last.byte);
	return any;
}

static bool begins_with(const char *p, const char *text, size_t n, bool exact)
{
	return exact ? !memcmp(p, text, n) : !strncasecmp(p, text, n);
}

const char *find_text(const char *p, size_t len, const char *text, bool exact)
{
	size_t n = strlen(text), i = 0, end;
	struct letter first = letter_of(*text, exact), last = letter_of(n ? text[n - 1] : 0, exact);

	while (n && i + n <= len) {
		end = i + LOOK_BYTES;
		if (end + n - 1 > len)
			end = len - n + 1;
		else if (!may_begin((const uint8_t *)p + i, n, first, last))
			i = end;
		for (; i < end; i++)
			if (((uint8_t)p[i] | first.mask) == first.byte &&
			    begins_with(p + i, text, n, exact))
				return p + i;
	}
	return NULL;
}

/* --- which rows */

static bool same_task(const struct row *a, const struct row *b)
{
	return a->file == b->file && a->pid == b->pid && (a->pid || a->cpu == b->cpu);
}

static struct index_want wanted(enum find_kind kind, const struct row *like)
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

void find_waking(struct find_waking *w, const struct row *like, const struct out_match *under,
		 struct out_match *out)
{
	*w = (struct find_waking){ .want = wanted(FIND_WAKER, like), .under = *under };
	*out = (struct out_match){ waking_match, w, waking_fork, waking_unfork };
}

static bool row_fits(const struct find *f, const struct rows_slice *s, const struct row *row)
{
	if (f->kind == FIND_TEXT)
		return find_text(s->text.data + row->text, row->len, f->text, f->exact);
	if (f->kind == FIND_LOSS)
		return row->is_loss;
	if (row->is_loss || row->at.line)
		return false;
	switch (f->kind) {
	case FIND_TASK:
		return same_task(row, &f->like);
	case FIND_CPU:
		return row->file == f->like.file && row->cpu == f->like.cpu;
	case FIND_EVENT:
		return row->file == f->like.file && row->type == f->like.type;
	default:
		return true;		/* there are no others */
	}
}

/* --- the way through the slices */

/* Rows end with a newline, which nobody looks for: of most slices no row has the text. */
static bool has_text(const struct find *f, const struct rows_slice *s, size_t from, size_t to)
{
	size_t start, end;

	if (from >= to)
		return false;
	start = s->v[from].text;
	end = s->v[to - 1].text + s->v[to - 1].len;
	return find_text(s->text.data + start, end - start, f->text, f->exact);
}

static bool look_forward(struct find *f, const struct rows_slice *s, size_t from)
{
	size_t i;

	if (f->kind == FIND_TEXT && !has_text(f, s, from, s->n))
		return false;
	for (i = from; i < s->n; i++)
		if (row_fits(f, s, &s->v[i])) {
			f->at = s->v[i].at;
			return true;
		}
	return false;
}

static bool look_backward(struct find *f, const struct rows_slice *s, size_t to)
{
	if (f->kind == FIND_TEXT && !has_text(f, s, 0, to))
		return false;
	while (to-- > 0)
		if (row_fits(f, s, &s->v[to])) {
			f->at = s->v[to].at;
			return true;
		}
	return false;
}

static void say_percent(struct find *f, struct job *j, uint64_t ts)
{
	uint64_t all = f->last - f->first, from = f->like.at.ts, way;

	if (f->backward)
		way = from - ts;		/* modulo the file, once it has begun anew */
	else
		way = ts - from;
	if (f->wrapped)
		way += all;
	atomic_store(&j->percent, all ? way / (all / 100 + 1) % 100 : 0);
}

static const struct rows_slice *next_slice(struct find *f, const struct rows_slice *s)
{
	return f->backward ? rows_slice_before(f->rows, s) : rows_slice_after(f->rows, s);
}

/* From the other end; the slice where it began is looked at once more, in full. */
static const struct rows_slice *wrap(struct find *f)
{
	if (!f->wraps || f->wrapped)
		return NULL;
	f->wrapped = true;
	return rows_slice_at(f->rows, f->backward ? f->last : f->first);
}

static bool is_past_start(const struct find *f, const struct rows_slice *s)
{
	return f->wrapped && (f->backward ? s->until <= f->like.at.ts : s->since > f->like.at.ts);
}

/* --- by the index: records first, in windows where there may be some, then rows at their time */

struct records {
	struct find *f;
	struct job *j;
	struct trace **views;
	struct out_match which;
	struct index_want want;
	struct index_blocks *blocks;
	size_t n;			/* blocks of a window */
};

static bool begin_records(struct records *k)
{
	struct find *f = k->f;

	k->views = trace_views(f->traces, f->nr_traces);
	if (!k->views)
		return false;
	k->want = wanted(f->kind, &f->like);
	k->blocks = index_blocks_new(f->index, &k->want);
	k->which = out_match_fork(f->which, k->views);
	return true;
}

static void end_records(struct records *k)
{
	out_match_unfork(k->f->which, &k->which);
	index_blocks_free(k->blocks);
	trace_views_close(k->views, k->f->nr_traces);
}

static bool record_fits(const struct records *k, const struct trace_rec *r)
{
	return index_fits(&k->want, r) &&
	       (k->want.what == INDEX_LOSS || !k->which.match || k->which.match(k->which.ctx, r));
}

/* The time of the first one in the window, or of the last one backwards; false: there is none. */
static bool read_window(struct records *k, const struct index_window *w, uint64_t *ts)
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
		if (!record_fits(k, r))
			continue;
		*ts = r->ts;
		any = true;
	}
	trace_iter_free(it);
	return any;
}

static bool next_window(const struct records *k, uint64_t at, struct index_window *w)
{
	return k->f->backward ? index_window_before(k->blocks, at, k->n, w) :
	       index_window_from(k->blocks, at, k->n, w);
}

/* Looks at the rows around @ts, and where to go on from. */
static bool look_at_rows(struct find *f, uint64_t ts, uint64_t *at)
{
	const struct rows_slice *s = rows_slice_at(f->rows, ts);
	struct place from = { .ts = ts }, to = { ts, UINT32_MAX, UINT32_MAX };

	*at = f->backward ? s->since : s->until;
	return f->backward ? look_backward(f, s, rows_find(s, &to)) :
	       look_forward(f, s, rows_find(s, &from));
}

/* Records may have no row. Windows without any become larger, so that they are few. */
static void look_by_index(struct records *k, uint64_t at)
{
	struct find *f = k->f;
	struct index_window w;
	uint64_t ts, end = f->backward ? 0 : UINT64_MAX;

	for (k->n = 1; at != end && !f->found && !job_stops(k->j) && next_window(k, at, &w);) {
		if (read_window(k, &w, &ts)) {
			f->found = look_at_rows(f, ts, &at);
			k->n = 1;
		} else {
			at = f->backward ? w.first : w.last == UINT64_MAX ? end : w.last + 1;
			k->n *= 2;
		}
		say_percent(f, k->j, w.first);
	}
	f->stopped = !f->found && job_stops(k->j);
}

/* False: it cannot be used. */
static bool found_by_index(struct find *f, struct job *j, const struct rows_slice *s)
{
	struct records k = { .f = f, .j = j };
	bool can = f->index && begin_records(&k);

	if (can)
		look_by_index(&k, f->backward ? s->since : s->until);
	if (f->index)
		end_records(&k);
	return can;
}

/* In the slice where it begins: from there on. */
static bool look_from_start(struct find *f, const struct rows_slice *s)
{
	const struct place *from = &f->like.at;
	struct place behind = { from->ts, from->seq, from->line + !f->here };

	return f->backward ? look_backward(f, s, rows_find(s, from)) :
	       look_forward(f, s, rows_find(s, &behind));
}

/* Where times turn out to be out of order on the way all is one slice, this one. */
static bool has_start(const struct find *f, const struct rows_slice *s)
{
	return !f->wrapped && s->since <= f->like.at.ts && f->like.at.ts < s->until;
}

static bool look_at_slice(struct find *f, const struct rows_slice *s)
{
	if (has_start(f, s))
		return look_from_start(f, s);
	return f->backward ? look_backward(f, s, s->n) : look_forward(f, s, 0);
}

void find_run(struct job *j, void *ctx)
{
	struct find *f = ctx;
	const struct rows_slice *s = rows_slice_at(f->rows, f->like.at.ts);

	f->found = look_from_start(f, s);
	if (!f->found && found_by_index(f, j, s))
		return;
	while (!f->found && !job_stops(j)) {
		s = next_slice(f, s);
		if (!s)
			s = wrap(f);
		if (!s || is_past_start(f, s))
			return;
		f->found = look_at_slice(f, s);
		say_percent(f, j, s->since);
	}
	f->stopped = !f->found;
}

void find_release(struct find *f)
{
	rows_free(f->rows);
	free(f->text);
	*f = (struct find){0};
}
