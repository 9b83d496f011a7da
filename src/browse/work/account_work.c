/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accounts for the time of a task in an interval, in a job. */
#include "browse/work/account_work.h"

#include <stdlib.h>

#include "browse/work/model_pass.h"
#include "output/why_text.h"

#define NO_TIME	UINT64_MAX

static bool accounts_for_none(void *ctx, const struct task *t)
{
	(void)ctx;
	(void)t;
	return false;
}

/* Ends the line that was appended to ->text since the one before. */
static void end_line(struct account_work *w, uint64_t ts)
{
	struct account_line *last = w->nr_lines ? &w->lines[w->nr_lines - 1] : NULL;
	size_t at = last ? last->at + last->len + 1 : 0;

	if (w->text.len <= at)
		return;
	w->lines = xgrow(w->lines, &w->cap_lines, w->nr_lines + 1, sizeof(*w->lines));
	w->lines[w->nr_lines++] = (struct account_line){ at, w->text.len - at - 1, ts };
}

static void add_rows(struct account_work *w, const struct why_text *t, const struct why_account *a,
		     uint32_t first)
{
	for (uint32_t nr = first; nr; nr = why_row(t->why, nr)->next) {
		const struct why_row *r = why_row(t->why, nr);

		why_text_add_row(t, a, r, &w->text);
		end_line(w, r->longest_at);
		add_rows(w, t, a, r->first);
	}
}

/* Appends the hints and the remarks on the recording, each of which is a line. */
static void add_hints(struct account_work *w, const struct why_text *t, const struct why_account *a)
{
	struct buf hints = {0};
	size_t len;

	why_text_add_hints(t, a, &hints);
	model_add_filters(t->model, &hints);
	for (size_t at = 0; at < hints.len; at += len) {
		len = (char *)memchr(hints.data + at, '\n', hints.len - at) - hints.data - at + 1;
		buf_add(&w->text, hints.data + at, len);
		end_line(w, NO_TIME);
	}
	buf_release(&hints);
}

static void add_account(struct account_work *w, const struct why_text *t, struct why *why,
			struct why_account *a)
{
	a->first = why_sort(why, a->first);
	why_text_add_title(t, a, NULL, &w->text);
	buf_addch(&w->text, '\n');
	end_line(w, NO_TIME);
	why_text_add_heading(t, a, &w->text);
	end_line(w, NO_TIME);
	w->first_row = w->nr_lines;
	add_rows(w, t, a, a->first);
	add_hints(w, t, a);
}

void account_work_run(struct background_job *j, void *ctx)
{
	struct account_work *w = ctx;
	const struct why_opts o = { .depth = 1, .to = UINT64_MAX, .wants = accounts_for_none };
	const struct model_opts kinds = { .kinds = why_kinds() };
	struct trace **views = trace_views(w->traces, w->nr_traces);
	struct why *why = why_new(&o);
	size_t nr = why_add_account(why, w->file, w->pid, w->from, w->to), n;
	struct why_account *a;
	struct ftr_error err;
	struct model *m = views ? model_new(views, w->nr_traces, &kinds, why_ops(), why, &err) :
			  NULL;

	w->none = "cannot open the files again";
	if (m) {
		why_bind(why, m);
		/* a sleep may end after the interval, so all records are read */
		w->stopped = !model_pass(m, j, views, w->nr_traces, w->first, w->last);
		if (!w->stopped)
			model_end(m);
		w->none = w->stopped ? "the reading was stopped: Y begins it anew" :
			  !model_met_switch(m) ? "no sched_switch: 'ftr record --for why' records "
			  "when tasks run" : "nothing is known of the task there";
		a = why_accounts(why, &n);
		if (!w->stopped && model_met_switch(m) && a[nr].task && a[nr].time) {
			w->none = NULL;
			add_account(w, &(struct why_text){ why, m,
				    (const struct trace *const *)views }, why, &a[nr]);
		}
	}
	why_free(why);
	model_free(m);
	trace_views_close(views, w->nr_traces);
}

void account_work_release(struct account_work *w)
{
	buf_release(&w->text);
	free(w->lines);
	*w = (struct account_work){0};
}
