/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks for the next row of some kind. */
#include "tui/work/find.h"

#include <ctype.h>
#include <stdio.h>
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

const char *find_text(const char *p, size_t len, const char *text, bool exact)
{
	size_t n = strlen(text), i;
	char both[3] = { tolower((unsigned char)*text), toupper((unsigned char)*text) };

	if (exact)
		return memmem(p, len, text, n);
	for (i = 0; n && i + n <= len; i++)
		if ((p[i] == both[0] || p[i] == both[1]) && !strncasecmp(p + i, text, n))
			return p + i;
	return NULL;
}

/* --- which rows */

static bool same_task(const struct row *a, const struct row *b)
{
	return a->file == b->file && a->pid == b->pid && (a->pid || a->cpu == b->cpu);
}

/* In lines of ftr report: "sched_waking: comm=x pid=12 prio=..." has the task that is woken. */
static bool wakes(const struct find *f, const struct rows_slice *s, const struct row *row)
{
	const char *text = s->text.data + row->text;
	char who[32];

	if (row->file != f->like.file || !find_text(text, row->len, " sched_waking: ", true))
		return false;
	snprintf(who, sizeof(who), " pid=%d ", f->like.pid);
	return find_text(text, row->len, who, true);
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
		return wakes(f, s, row);
	}
}

/* --- the way through the slices */

static bool look_forward(struct find *f, const struct rows_slice *s, size_t from)
{
	size_t i;

	for (i = from; i < s->n; i++)
		if (row_fits(f, s, &s->v[i])) {
			f->at = s->v[i].at;
			return true;
		}
	return false;
}

static bool look_backward(struct find *f, const struct rows_slice *s, size_t to)
{
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

void find_run(struct job *j, void *ctx)
{
	struct find *f = ctx;
	const struct place *from = &f->like.at;
	struct place behind = { from->ts, from->seq, from->line + !f->here };
	const struct rows_slice *s = rows_slice_at(f->rows, from->ts);

	f->found = f->backward ? look_backward(f, s, rows_find(s, from)) :
		   look_forward(f, s, rows_find(s, &behind));
	while (!f->found && !job_stops(j)) {
		s = next_slice(f, s);
		if (!s)
			s = wrap(f);
		if (!s || is_past_start(f, s))
			return;
		f->found = f->backward ? look_backward(f, s, s->n) : look_forward(f, s, 0);
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
