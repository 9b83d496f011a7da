/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filters, and the jobs that run while keys are handled: searching, counting. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "browse/browser_priv.h"

#define LOGGED_LOSSES_MAX 10000	/* rows of the log; further losses are counted in its last row */

/* --- filters */

static bool filter_match_record(void *ctx, const struct trace_rec *r)
{
	const struct browse_filter *f = ctx;

	return (!f->under->match || f->under->match(f->under->ctx, r)) &&
	       !hidden_record(&f->hidden, r) &&
	       (!f->filters ||
		filter_match(f->filters[r->file], r->type, r->pid, r->cpu, r->ts, &r->rec));
}

/* Filters are immutable: all threads use the same one. */
static void *filter_fork(void *ctx, struct trace *const *views)
{
	(void)views;
	return ctx;
}

void browse_filter_free(struct browse_filter *f)
{
	if (!f)
		return;
	for (size_t i = 0; f->filters && i < f->nr; i++)
		filter_free(f->filters[i]);
	free(f->filters);
	filter_spec_release(&f->spec);
	hidden_release(&f->hidden);
	free(f->text);
	free(f);
}

static int filter_compile_spec(struct browser_state *b, struct browse_filter *f,
			       struct ftr_error *err)
{
	const struct event_meta **metas = xcalloc(b->o->nr_traces + 1, sizeof(*metas));
	size_t i;
	int ret;

	for (i = 0; i < b->o->nr_traces; i++)
		metas[i] = &b->o->traces[i]->meta;
	f->nr = b->o->nr_traces;
	f->filters = xcalloc(f->nr + 1, sizeof(struct filter *));
	ret = filter_compile(&f->spec, metas, f->nr, f->filters, err);
	for (i = 0; !ret && i < f->nr; i++)
		filter_set_range(f->filters[i], 0, UINT64_MAX);
	free(metas);
	return ret;
}

/* Returns NULL with @err if @text is no filter. Hidden records stay hidden. */
static struct browse_filter *filter_new(struct browser_state *b, const char *text,
					struct ftr_error *err)
{
	struct browse_filter *f = xcalloc(1, sizeof(*f));

	f->text = xstrdup(text);
	f->under = b->o->which;
	if (b->filter)
		hidden_copy(&f->hidden, &b->filter->hidden);
	if (!*text || (!filter_add(&f->spec, text, false, err) && !filter_compile_spec(b, f, err)))
		return f;
	browse_filter_free(f);
	return NULL;
}

static void start_scan(struct browser_state *b)
{
	if (!b->begun)
		return;
	b->counted = false;
	scan_release(&b->scan);		/* it was kept until the log could be filled */
	b->scan = (struct record_scan){
		.traces = b->o->traces, .nr_traces = b->o->nr_traces, .range = &b->o->range,
		.which = &b->which, .first = b->first, .last = b->last, .counts = !b->counts,
		.index_pages = b->index ? 0 : INDEX_PAGES, .losses_max = LOGGED_LOSSES_MAX,
	};
	/* a typed filter is a known reason: it is in the status line */
	if (!browse_has_filter(b)) {
		b->scan.add_none = b->o->add_none;
		b->scan.ctx = b->o->ctx;
	}
	job_start(&b->scan_job, "counting", scan_run, &b->scan);
}

static void use_filter(struct browser_state *b, struct browse_filter *f)
{
	struct browse_filter *was = b->filter;
	struct out_match before = b->which;

	browse_stop_jobs(b);
	b->filter = f;
	b->which = (struct out_match){ .match = filter_match_record, .ctx = f,
				      .fork = filter_fork };
	if (browse_renew_rows(b)) {
		browse_filter_free(was);
	} else {
		b->filter = was;
		b->which = before;
		browse_filter_free(f);
	}
	start_scan(b);
	browse_start_between(b);
}

int browse_set_filter(struct browser_state *b, const char *text, struct ftr_error *err)
{
	struct browse_filter *f = filter_new(b, text, err);

	if (!f)
		return -1;
	use_filter(b, f);
	return 0;
}

/* --- hidden records */

static void refresh_panes(struct browser_state *b, enum view_kind kind)
{
	for (int i = 0; i < b->nr_panes; i++)
		if (b->kinds[i] == kind)
			pane_refresh(&b->panes[i]);
}

static void view_show_text(struct browser_state *b, enum view_kind kind, const char *line)
{
	lines_view_clear(b->texts[kind]);
	lines_view_add_text(b->texts[kind], line, strlen(line));
	refresh_panes(b, kind);
}

/* Lines: "[x]   1,234  sched:sched_switch" */
static void fill_shown(struct browser_state *b)
{
	struct buf line = {0}, n = {0};

	lines_view_clear(b->texts[VIEW_SHOWN]);
	for (size_t i = 0; i < b->nr_counts; i++) {
		const struct hide_count *c = &b->counts[i];
		bool hidden = b->filter && hidden_has(&b->filter->hidden, c->kind, c->key);

		buf_reset(&line);
		buf_reset(&n);
		text_grouped(&n, c->records);
		buf_printf(&line, "[%c] %14s  ", hidden ? ' ' : 'x', n.data);
		hide_add_name(c, b->o->traces, b->o->nr_traces, &line);
		lines_view_add(b->texts[VIEW_SHOWN], line.data, line.len, NO_TIME,
			       hidden ? GRID_DIM : GRID_PLAIN);
	}
	refresh_panes(b, VIEW_SHOWN);
	buf_release(&line);
	buf_release(&n);
}

void browse_toggle_hidden(struct browser_state *b, size_t row)
{
	struct browse_filter *f;
	struct ftr_error err = {0};

	if (row >= b->nr_counts)
		return;
	f = filter_new(b, b->filter ? b->filter->text : "", &err);
	if (!f)
		return browse_message(b, GRID_ERROR, "%s", err.msg);
	hidden_toggle(&f->hidden, b->counts[row].kind, b->counts[row].key);
	use_filter(b, f);
	fill_shown(b);
}

/* --- searching */

static const char *const find_words[] = {
	[FIND_TEXT] = NULL, [FIND_TASK] = "record of this task", [FIND_CPU] = "record of this CPU",
	[FIND_EVENT] = "record of this event", [FIND_LOSS] = "loss",
	[FIND_WAKER] = "waking of this task",
};

static void start_find(struct browser_state *b, enum find_kind kind, bool backward, bool here)
{
	const struct text_row *row = browse_row(b);
	struct out_match which;
	struct rows_opts waking = { .ops = &out_text, .range = b->o->range, .which = &which };
	struct text_row like;

	if (!row)
		return browse_message(b, GRID_STATUS, "no records are shown");
	like = *row;
	if (b->selected.any) {
		like.file = b->selected.file;
		like.pid = b->selected.pid;
		like.cpu = b->selected.cpu;
	}
	b->find = (struct row_search){
		.kind = kind, .backward = backward, .wraps = kind == FIND_TEXT, .here = here,
		.like = like, .first = b->first, .last = b->last,
		.index = kind != FIND_TEXT && b->index && index_is_ordered(b->index) ?
			 b->index : NULL,
		.traces = b->o->traces, .nr_traces = b->o->nr_traces, .range = &b->o->range,
		.which = &b->which, .text = kind == FIND_TEXT ? xstrdup(b->search) : NULL,
		.exact = b->search_exact,
	};
	/* wakings are found even if a filter hides them */
	if (kind == FIND_WAKER) {
		b->find.which = b->o->which;
		find_waking(&b->waking, &like, b->o->which, &which);
		b->find.rows = rows_new(b->o->traces, b->o->nr_traces, &waking);
	} else {
		b->find.rows = browse_new_rows(b);
	}
	if (b->find.rows)
		job_start(&b->find_job, "searching", find_run, &b->find);
}

void browse_start_find(struct browser_state *b, enum find_kind kind, bool backward)
{
	browse_select(b);
	start_find(b, kind, backward, false);
}

void browse_enter_lane(struct browser_state *b)
{
	const struct timeline_line *lane = browse_lane(b, &browse_pane(b)->cursor);

	browse_select(b);
	browse_show(b, VIEW_EVENTS);
	if (lane && lane->kind != TIMELINE_LINE_EVENT)
		start_find(b, lane->kind == TIMELINE_LINE_TASK ? FIND_TASK : FIND_CPU, false, true);
}

/* --- the key M: the other end of the span of the selected record */

static void browse_stop_ends(struct browser_state *b)
{
	job_stop(&b->ends_job);
	job_end(&b->ends_job);
}

void browse_start_ends(struct browser_state *b, bool accounts)
{
	const struct text_row *row = browse_row(b);

	if (!row)
		return browse_message(b, GRID_STATUS, "no records are shown");
	browse_stop_ends(b);
	if (!b->ends_source)
		b->ends_source = ends_source_new(b->o->traces, b->o->nr_traces, &b->o->range);
	if (!b->ends_source)
		return browse_message(b, GRID_ERROR, "cannot open the files again");
	b->ends = (struct ends_work){
		.source = b->ends_source, .from = row->at, .first = b->first, .last = b->last,
	};
	b->ends_why = accounts;
	job_start(&b->ends_job, "looking for the other end", ends_work_run, &b->ends);
}

void browse_finish_ends(struct browser_state *b)
{
	const struct row_place *at = &b->ends.at;
	const struct text_row *row;

	job_end(&b->ends_job);
	if (!b->ends.found) {
		browse_message(b, GRID_STATUS, "%s", b->ends.stopped ? "the search was stopped" :
			       b->ends.why);
		return;
	}
	if (b->ends_why)
		return browse_start_why(b, b->ends.file, b->ends.pid, b->ends.begin, b->ends.end);
	/* the next row is selected if the record is hidden, or shown in the row of another */
	browse_go_to_place(b, at);
	row = browse_row(b);
	if (!row || row->at.ts != at->ts || row->at.seq != at->seq)
		browse_message(b, GRID_STATUS, "the other end has no separate row here");
}

/* --- counting, losses, damage */

void browse_start_between(struct browser_state *b)
{
	uint64_t a = b->marks[MARK_A], z = b->marks[MARK_B];

	if (b->between_job.run) {
		job_stop(&b->between_job);
		job_end(&b->between_job);
		scan_release(&b->between);
	}
	b->between_counted = false;
	if (a == NO_TIME || z == NO_TIME)
		return;
	b->between_range = b->o->range;
	b->between_range.since = a < z ? a : z;
	b->between_range.until = (a < z ? z : a) + 1;
	b->between = (struct record_scan){
		.traces = b->o->traces, .nr_traces = b->o->nr_traces,
		.range = &b->between_range, .which = &b->which, .first = b->between_range.since,
		.last = b->between_range.until,
	};
	job_start(&b->between_job, "counting from A to B", scan_run, &b->between);
}

static void log_losses(struct browser_state *b)
{
	const struct record_scan *s = &b->scan;
	struct buf line = {0};
	size_t i;

	for (i = 0; i < s->nr_losses; i++) {
		const struct scan_loss *l = &s->losses[i];

		browse_add_time(b, &line, l->ts);
		buf_printf(&line, "  CPU %d: ", l->cpu);
		if (l->lost == RING_LOST_UNKNOWN)
			buf_addstr(&line, "an unknown number of events was lost");
		else
			buf_printf(&line, "%llu events were lost", (unsigned long long)l->lost);
		lines_view_add(b->texts[VIEW_LOG], line.data, line.len, l->ts, GRID_LOSS);
		buf_reset(&line);
	}
	if (s->all_losses > s->nr_losses) {
		buf_printf(&line, "and %llu more losses",
			   (unsigned long long)(s->all_losses - s->nr_losses));
		lines_view_add(b->texts[VIEW_LOG], line.data, line.len, NO_TIME, GRID_LOSS);
	}
	buf_release(&line);
}

/* Adds damage that the pass has found to the files': it is reported at the end of the program. */
static void note_damages(struct browser_state *b)
{
	for (size_t i = 0; i < b->o->nr_traces; i++)
		damages_merge(&b->o->traces[i]->damages, &b->scan.damages[i]);
}

static void fill_log(struct browser_state *b)
{
	static const char nothing[] = "nothing was lost, nothing is damaged";
	struct lines_view *log = b->texts[VIEW_LOG];
	struct buf line = {0};

	if (b->logged)
		return;
	b->logged = true;
	lines_view_clear(log);
	note_damages(b);
	for (size_t i = 0; i < b->o->nr_traces; i++) {
		const struct damage_list *d = trace_damages(b->o->traces[i]);

		for (size_t k = 0; k < d->n; k++) {
			buf_addstr(&line, "damaged: ");
			damage_describe(&d->v[k], &line);
			lines_view_add(log, line.data, line.len, NO_TIME, GRID_ERROR);
			buf_reset(&line);
		}
	}
	buf_release(&line);
	log_losses(b);
	if (!lines_view_count(log))
		lines_view_add_text(log, nothing, sizeof(nothing) - 1);
	if (b->scan.none.len)
		lines_view_add_text(log, b->scan.none.data, b->scan.none.len);
	refresh_panes(b, VIEW_LOG);
}

/* Takes the results of a pass when no job reads the files: their damage is complete then. */
static void log_scan(struct browser_state *b)
{
	if (browse_is_busy(b) || !b->scan.damages)
		return;
	if (b->scan.whole)
		fill_log(b);
	else if (b->ended && !b->logged)
		note_damages(b);	/* those found so far */
	scan_release(&b->scan);
}

static void end_scan(struct browser_state *b)
{
	struct record_scan *s = &b->scan;

	job_end(&b->scan_job);
	if (!s->whole)
		return;
	b->counted = true;
	b->records = s->records;
	if (s->index) {
		b->index = s->index;
		s->index = NULL;
	}
	if (s->counts) {
		b->counts = hide_counts_finish(&s->by, &b->nr_counts);
		fill_shown(b);
	}
	if (b->no_calls.len)
		browse_show_no_calls(b);
	if (s->none.len)
		browse_message(b, GRID_STATUS, "%s", s->none.data);
}

static void finish_scan(struct browser_state *b)
{
	static const char stopped[] = "the counting was stopped: F begins it anew";

	end_scan(b);
	if (b->scan.whole)
		return;
	browse_message(b, GRID_STATUS, "%s", stopped);
	if (!b->counts)
		view_show_text(b, VIEW_SHOWN, stopped);
	if (!b->logged)
		view_show_text(b, VIEW_LOG, stopped);
}

static void finish_between(struct browser_state *b)
{
	job_end(&b->between_job);
	b->between_counted = b->between.whole;
	b->between_records = b->between.records;
	scan_release(&b->between);
}

/* --- all jobs */

static void finish_find(struct browser_state *b)
{
	struct row_search *f = &b->find;

	job_end(&b->find_job);
	if (f->found) {
		browse_go_to_place(b, &f->at);
		if (f->wrapped)
			browse_message(b, GRID_STATUS,
				       f->backward ? "the search went on from the end" :
				       "the search went on from the beginning");
	} else if (f->stopped) {
		browse_message(b, GRID_STATUS, "the search was stopped");
	} else if (f->kind == FIND_TEXT) {
		browse_message(b, GRID_STATUS, "not found: %s", f->text);
	} else {
		browse_message(b, GRID_STATUS, "no %s %s", f->backward ? "earlier" : "later",
			       find_words[f->kind]);
	}
	find_release(f);
}

/* All jobs. Those that the user waits for come first. */
static const struct browser_work {
	size_t job;		/* offset in struct browser_state */
	void (*finish)(struct browser_state *b);
} works[] = {
	{ offsetof(struct browser_state, find_job), finish_find },
	{ offsetof(struct browser_state, ends_job), browse_finish_ends },
	{ offsetof(struct browser_state, query_job), browse_finish_query },
	{ offsetof(struct browser_state, why_job), browse_finish_why },
	{ offsetof(struct browser_state, lanes_job), browse_finish_lanes },
	{ offsetof(struct browser_state, calls_job), browse_finish_calls },
	{ offsetof(struct browser_state, scan_job), finish_scan },
	{ offsetof(struct browser_state, pass_job), browse_finish_pass },
	{ offsetof(struct browser_state, between_job), finish_between },
};
#define NR_WORKS (sizeof(works) / sizeof(*works))

static struct background_job *work_job(const struct browser_state *b, size_t i)
{
	return (struct background_job *)((char *)b + works[i].job);
}

void browse_allow_jobs(struct browser_state *b)
{
	b->begun = true;
	start_scan(b);
	browse_start_wanted(b);
}

void browse_start_wanted(struct browser_state *b)
{
	if (!b->begun)
		return;
	for (int i = 0; i < b->nr_panes; i++) {
		if (b->kinds[i] == VIEW_TIMELINE)
			browse_start_lanes(b, false);
		if (b->kinds[i] == VIEW_GRAPH)
			browse_start_calls(b);
	}
}

void browse_finish_key_jobs(struct browser_state *b)
{
	bool is_wanted;

	browse_start_wanted(b);
	is_wanted = b->find_job.run || b->ends_job.run || b->why_job.run || b->lanes_job.run ||
		    b->query_job.run ||
		    (b->calls_job.run && b->calls.goal.kind != CALLS_AHEAD);
	browse_finish_jobs(b, is_wanted ? QUICK_MS : 0);
}

void browse_finish_jobs(struct browser_state *b, unsigned int wait_ms)
{
	for (size_t i = 0; i < NR_WORKS; i++) {
		struct background_job *j = work_job(b, i);
		bool is_done;

		if (!j->run)
			continue;
		is_done = job_done(j, wait_ms);
		wait_ms = 0;
		if (is_done)
			works[i].finish(b);
	}
	log_scan(b);
}

bool browse_is_busy(const struct browser_state *b)
{
	for (size_t i = 0; i < NR_WORKS; i++)
		if (work_job(b, i)->run)
			return true;
	return false;
}

bool browse_is_asked(const struct browser_state *b)
{
	return b->find_job.run || b->ends_job.run || browse_searches_calls(b);
}

/* Asks a job to stop. Returns false if it does not run, or was asked before. */
static bool job_interrupt(struct background_job *j)
{
	if (!j->run || job_stops(j))
		return false;
	job_stop(j);
	return true;
}

bool browse_interrupt(struct browser_state *b)
{
	bool any = job_interrupt(&b->find_job);

	any |= job_interrupt(&b->ends_job);
	any |= job_interrupt(&b->query_job);
	any |= browse_searches_calls(b) && job_interrupt(&b->calls_job);
	if (any)
		return true;
	for (size_t i = 0; i < NR_WORKS; i++)
		any |= job_interrupt(work_job(b, i));
	return any;
}

void browse_stop_jobs(struct browser_state *b)
{
	job_stop(&b->find_job);
	job_stop(&b->scan_job);
	job_stop(&b->between_job);
	if (b->find_job.run) {
		job_end(&b->find_job);
		find_release(&b->find);
	}
	if (b->scan_job.run)
		end_scan(b);
	if (b->between_job.run)
		finish_between(b);
	browse_stop_lanes(b);
	browse_stop_calls(b);
	browse_stop_ends(b);
	browse_stop_why(b);
	/* a query reads all records, whatever the filter */
	if (b->ended)
		browse_stop_query(b);
	log_scan(b);
}

void browse_add_jobs(struct browser_state *b, struct buf *out)
{
	for (size_t i = 0; i < NR_WORKS; i++) {
		struct background_job *j = work_job(b, i);
		unsigned int percent = atomic_load(&j->percent);

		if (!j->run)
			continue;
		buf_printf(out, "%s%s", out->len ? ", " : "", j->name);
		if (percent != JOB_NO_PERCENT)
			buf_printf(out, " %u %%", percent);
	}
	if (b->ahead.n)
		buf_printf(out, "%s%zu key%s wait%s", out->len ? ", " : "", b->ahead.n,
			   b->ahead.n > 1 ? "s" : "", b->ahead.n > 1 ? "" : "s");
}
