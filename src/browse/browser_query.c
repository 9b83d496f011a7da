/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The key Q: a query in SQL, whose rows are a view. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "browse/browser_priv.h"

#define QUERY_LABEL "sql: "

/* --- the prompt */

void browse_ask_query(struct browser_state *b)
{
	b->query_at = b->queries.n;
	browse_ask(b, ASK_QUERY, QUERY_LABEL, "");
}

void browse_recall_query(struct browser_state *b, bool back)
{
	if (back && b->query_at)
		b->query_at--;
	else if (!back && b->query_at < b->queries.n)
		b->query_at++;
	browse_ask(b, ASK_QUERY, QUERY_LABEL,
		   b->query_at < b->queries.n ? b->queries.v[b->query_at] : "");
}

/* --- the view */

static void go_to_row(struct browser_state *b, const struct row_place *at)
{
	for (int i = 0; i < b->nr_panes; i++)
		if (b->kinds[i] == VIEW_QUERY)
			pane_go_to_place(&b->panes[i], at);
}

static void show_text(struct browser_state *b, const char *text)
{
	struct lines_view *lines = b->texts[VIEW_QUERY];

	lines_view_clear(lines);
	lines_view_add_text(lines, text, strlen(text));
	go_to_row(b, &(struct row_place){0});
}

void browse_start_query(struct browser_state *b, const char *text)
{
	struct query_work *w = &b->query;

	if (!text[strspn(text, " ")]) {
		browse_note_jump(b);
		return browse_show(b, VIEW_QUERY);
	}
	browse_stop_query(b);
	if (!b->queries.n || strcmp(b->queries.v[b->queries.n - 1], text))
		strv_add(&b->queries, text);
	query_work_clear(w);
	w->traces = b->o->traces;
	w->nr_traces = b->o->nr_traces;
	w->first = b->first;
	w->last = b->last;
	w->ascii = b->grid.ascii;
	w->info = b->o->info_object;
	w->query = xstrdup(text);
	browse_note_jump(b);
	browse_show(b, VIEW_QUERY);
	show_text(b, "the query runs: Esc ends it");
	job_start(&b->query_job, "querying", query_work_run, w);
	atomic_store(&b->query_job.percent, JOB_NO_PERCENT);
}

/* --- the result */

/* Appends "12 rows", "the first 10,000 rows". */
static void add_count(const struct query_work *w, struct buf *out)
{
	buf_addstr(out, w->more ? "the first " : "");
	text_grouped(out, w->nr_rows);
	buf_printf(out, " row%s%s", w->nr_rows == 1 ? "" : "s", w->stopped ? " so far" : "");
}

void browse_add_query(const struct browser_state *b, struct buf *out)
{
	if (b->query_job.run || !b->query.nr_lines)
		return;
	buf_addstr(out, "  ");
	add_count(&b->query, out);
	buf_printf(out, "  %s", b->query.query);
}

/* Shows the error, and its first line above the query, which stays for editing. */
static void show_error(struct browser_state *b)
{
	const struct ftr_error *err = &b->query.err;
	struct buf text = {0};

	buf_printf(&text, "%s\n%s%s", err->msg, *err->hint ? "hint: " : "", err->hint);
	show_text(b, text.data);
	buf_reset(&text);
	buf_printf(&text, "%.*s%s%s", (int)strcspn(err->msg, "\n"), err->msg,
		   *err->hint ? "; " : "", err->hint);
	browse_message(b, GRID_ERROR, "%s", text.data);
	buf_release(&text);
	if (b->asking || b->kinds[b->active] != VIEW_QUERY)
		return;
	/* keys that waited were for the rows */
	b->ahead.n = 0;
	b->query_at = b->queries.n;
	browse_ask(b, ASK_QUERY, QUERY_LABEL, b->query.query);
}

static void show_rows(struct browser_state *b)
{
	struct lines_view *lines = b->texts[VIEW_QUERY];
	const struct query_work *w = &b->query;
	struct buf count = {0};

	lines_view_clear(lines);
	for (size_t i = 0; i < w->nr_lines; i++)
		lines_view_add(lines, w->text.data + w->lines[i].at, w->lines[i].len,
			       w->lines[i].ts, i ? GRID_PLAIN : GRID_HEAD);
	if (!w->nr_lines)
		show_text(b, w->stopped ? "the query was stopped" : "the query has no rows");
	b->query_row = (struct row_place){ .seq = w->nr_lines > 1 };
	go_to_row(b, &b->query_row);
	add_count(w, &count);
	browse_message(b, GRID_STATUS, "%s%s%s", w->stopped ? "the query was stopped: " : "",
		       count.data, w->more ? " are shown, there are more" : "");
	buf_release(&count);
}

void browse_finish_query(struct browser_state *b)
{
	job_end(&b->query_job);
	if (b->query.failed && !b->query.stopped)
		show_error(b);
	else
		show_rows(b);
	if (b->kinds[b->active] == VIEW_QUERY)
		browse_follow(b);
}

void browse_stop_query(struct browser_state *b)
{
	if (!b->query_job.run)
		return;
	job_stop(&b->query_job);
	job_end(&b->query_job);
}

int browse_pin_names(const struct browser_state *b, const struct row_place *top,
		     struct row_place *rows)
{
	if (!top->seq || !b->query.nr_lines)
		return 0;
	rows[0] = (struct row_place){0};
	return 1;
}
