/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filters, and what goes on beside the keys: searching, counting. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tui/priv.h"

/* --- filters */

static bool match_both(void *ctx, const struct trace_rec *r)
{
	const struct browse_filter *f = ctx;

	return (!f->under->match || f->under->match(f->under->ctx, r)) &&
	       !hidden_record(&f->hidden, r) &&
	       (!f->filters ||
		filter_match(f->filters[r->file], r->type, r->pid, r->cpu, r->ts, &r->rec));
}

/* Filters are immutable: all threads use the same. */
static void *fork_both(void *ctx, struct trace *const *views)
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

static int compile(struct browse *b, struct browse_filter *f, struct ftr_error *err)
{
	const struct ev_world **worlds = xcalloc(b->o->nr_traces + 1, sizeof(*worlds));
	size_t i;
	int ret;

	for (i = 0; i < b->o->nr_traces; i++)
		worlds[i] = &b->o->traces[i]->world;
	f->nr = b->o->nr_traces;
	f->filters = xcalloc(f->nr + 1, sizeof(struct filter *));
	ret = filter_compile(&f->spec, worlds, f->nr, f->filters, err);
	for (i = 0; !ret && i < f->nr; i++)
		filter_set_range(f->filters[i], 0, UINT64_MAX);
	free(worlds);
	return ret;
}

/* NULL with @err. */
static struct browse_filter *new_filter(struct browse *b, const char *text, struct ftr_error *err)
{
	struct browse_filter *f = xcalloc(1, sizeof(*f));

	f->text = xstrdup(text);
	f->under = b->o->which;
	if (b->filter)
		hidden_copy(&f->hidden, &b->filter->hidden);
	if (!*text || (!filter_add(&f->spec, text, false, err) && !compile(b, f, err)))
		return f;
	browse_filter_free(f);
	return NULL;
}

static void use_filter(struct browse *b, struct browse_filter *f)
{
	struct browse_filter *was = b->filter;
	struct out_match before = b->which;

	browse_stop_jobs(b);
	b->filter = f;
	b->which = (struct out_match){ .match = match_both, .ctx = f, .fork = fork_both };
	if (browse_renew_rows(b)) {
		browse_filter_free(was);
	} else {
		b->filter = was;
		b->which = before;
		browse_filter_free(f);
	}
	browse_start_scan(b);
	browse_start_between(b);
}

int browse_set_filter(struct browse *b, const char *text, struct ftr_error *err)
{
	struct browse_filter *f = new_filter(b, text, err);

	if (!f)
		return -1;
	use_filter(b, f);
	return 0;
}

/* --- what is hidden */

/* "[x]   1,234  sched:sched_switch" */
static void add_shown_row(struct browse *b, const struct hide_count *c, struct buf *line)
{
	bool hidden = b->filter && hidden_has(&b->filter->hidden, c->kind, c->key);
	struct buf n = {0};

	text_grouped(&n, c->records);
	buf_printf(line, "[%c] %14s  ", hidden ? ' ' : 'x', n.data);
	hide_add_name(c, b->o->traces, b->o->nr_traces, line);
	lines_view_add(b->texts[VIEW_SHOWN], line->data, line->len, NO_TIME,
		       hidden ? GRID_DIM : GRID_PLAIN);
	buf_reset(line);
	buf_release(&n);
}

static void fill_shown(struct browse *b)
{
	struct buf line = {0};
	int pane;

	lines_view_clear(b->texts[VIEW_SHOWN]);
	for (size_t i = 0; i < b->nr_counts; i++)
		add_shown_row(b, &b->counts[i], &line);
	for (pane = 0; pane < b->nr_panes; pane++)
		if (b->kinds[pane] == VIEW_SHOWN)
			pane_refresh(&b->panes[pane]);
	buf_release(&line);
}

void browse_toggle(struct browse *b, size_t row)
{
	struct browse_filter *f;
	struct ftr_error err = {0};

	if (row >= b->nr_counts)
		return;
	f = new_filter(b, b->filter ? b->filter->text : "", &err);
	if (!f)
		return browse_say(b, GRID_ERROR, "%s", err.msg);
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

/* Where it begins: the selected row of the events, even if another view has the keys. */
static const struct row *find_begin(struct browse *b)
{
	struct view *events = b->views[VIEW_EVENTS];
	struct place at = { .ts = 0 };
	uint64_t ts = browse_time(b);
	int i;

	for (i = 0; i < b->nr_panes; i++)
		if (b->kinds[i] == VIEW_EVENTS && (i == b->active || !at.ts))
			at = b->panes[i].cursor;
	if (!at.ts && !events->ops->at(events, ts == NO_TIME ? 0 : ts, &at))
		return NULL;
	return events_view_row(events, &at);
}

/* Wakings are found even where they are not shown. */
static struct rows *waking_rows(struct browse *b, const struct row *row)
{
	struct out_match which;
	struct rows_opts o = { .ops = &out_text, .range = b->o->range, .which = &which };

	find_waking(&b->waking, row, b->o->which, &which);
	return rows_new(b->o->traces, b->o->nr_traces, &o);
}

void browse_start_find(struct browse *b, enum find_kind kind, bool backward)
{
	const struct row *row;

	if (b->find_job.run)
		return browse_say(b, GRID_STATUS, "a search is going on: Esc stops it");
	row = find_begin(b);
	if (!row)
		return browse_say(b, GRID_STATUS, "no records are shown");
	b->find = (struct find){
		.kind = kind, .backward = backward, .wraps = kind == FIND_TEXT, .like = *row,
		.first = b->first, .last = b->last,
		.index = kind != FIND_TEXT && b->index && index_is_ordered(b->index) ?
			 b->index : NULL,
		.traces = b->o->traces, .nr_traces = b->o->nr_traces, .range = &b->o->range,
		.which = kind == FIND_WAKER ? b->o->which : &b->which,
		.rows = kind == FIND_WAKER ? waking_rows(b, row) : browse_new_rows(b),
		.text = kind == FIND_TEXT ? xstrdup(b->search) : NULL, .exact = b->search_exact,
	};
	if (b->find.rows)
		job_start(&b->find_job, "searching", find_run, &b->find);
}

static void say_not_found(struct browse *b, const struct find *f)
{
	if (f->stopped)
		browse_say(b, GRID_STATUS, "the search was stopped");
	else if (f->kind == FIND_TEXT)
		browse_say(b, GRID_STATUS, "not found: %s", f->text);
	else
		browse_say(b, GRID_STATUS, "no %s %s", f->backward ? "earlier" : "later",
			   find_words[f->kind]);
}

/* --- counting, losses, damage */

void browse_start_scan(struct browse *b)
{
	b->counted = false;
	b->scan = (struct scan){
		.traces = b->o->traces, .nr_traces = b->o->nr_traces, .range = &b->o->range,
		.which = &b->which, .first = b->first, .last = b->last, .counts = !b->counts,
		.index_pages = b->index ? 0 : INDEX_PAGES,
	};
	job_start(&b->scan_job, "counting", scan_run, &b->scan);
}

void browse_start_between(struct browse *b)
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
	b->between = (struct scan){
		.traces = b->o->traces, .nr_traces = b->o->nr_traces,
		.range = &b->between_range, .which = &b->which, .first = b->between_range.since,
		.last = b->between_range.until,
	};
	job_start(&b->between_job, "counting from A to B", scan_run, &b->between);
}

static void log_losses(struct browse *b)
{
	const struct scan *s = &b->scan;
	struct buf line = {0};
	size_t i;

	for (i = 0; i < s->nr_losses; i++) {
		const struct scan_loss *l = &s->losses[i];

		browse_add_time(b, &line, l->ts);
		buf_printf(&line, "  CPU %d: ", l->cpu);
		if (l->lost == RING_LOST_UNKNOWN)
			buf_addstr(&line, "events were lost, nobody knows how many");
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

static void log_damages(struct browse *b, const struct damages *d)
{
	struct buf line = {0};
	size_t i;

	for (i = 0; i < d->n; i++) {
		buf_addstr(&line, "damaged: ");
		damage_describe(&d->v[i], &line);
		lines_view_add(b->texts[VIEW_LOG], line.data, line.len, NO_TIME, GRID_ERROR);
		buf_reset(&line);
	}
	buf_release(&line);
}

/* What a pass has found is the files' own from now on: it is said at the end as well. */
static void note_damages(struct browse *b)
{
	for (size_t i = 0; i < b->o->nr_traces; i++)
		damages_merge(&b->o->traces[i]->damages, &b->scan.damages[i]);
}

static void fill_log(struct browse *b)
{
	static const char nothing[] = "nothing was lost, nothing is damaged";
	size_t i;

	if (b->logged)
		return;
	b->logged = true;
	lines_view_clear(b->texts[VIEW_LOG]);
	note_damages(b);
	for (i = 0; i < b->o->nr_traces; i++)
		log_damages(b, trace_damages(b->o->traces[i]));
	log_losses(b);
	if (!lines_view_count(b->texts[VIEW_LOG]))
		lines_view_add_text(b->texts[VIEW_LOG], nothing, sizeof(nothing) - 1);
	for (i = 0; (int)i < b->nr_panes; i++)
		if (b->kinds[i] == VIEW_LOG)
			pane_refresh(&b->panes[i]);
}

/* What a pass has found is noted when no search reads the files: their damages are settled then. */
static void log_scan(struct browse *b)
{
	if (browse_is_busy(b) || !b->scan.damages)
		return;
	if (b->scan.whole)
		fill_log(b);
	else if (b->ended && !b->logged)
		note_damages(b);	/* what was met so far */
	scan_release(&b->scan);
}

static void take_scan(struct browse *b)
{
	job_end(&b->scan_job);
	if (b->scan.whole) {
		b->counted = true;
		b->records = b->scan.records;
		if (b->scan.index) {
			b->index = b->scan.index;
			b->scan.index = NULL;
		}
		if (b->scan.counts) {
			b->counts = hide_counts_take(&b->scan.by, &b->nr_counts);
			fill_shown(b);
		}
	}
	log_scan(b);
}

static void take_between(struct browse *b)
{
	job_end(&b->between_job);
	b->between_counted = b->between.whole;
	b->between_records = b->between.records;
	scan_release(&b->between);
	log_scan(b);
}

/* --- the timeline */

void browse_start_lanes(struct browse *b, bool anew)
{
	unsigned int width = b->grid.w > 2 ? b->grid.w - 2 : 1;	/* without the marks */

	if (!anew && width == b->lanes_width)
		return;
	if (b->lanes_job.run) {
		job_stop(&b->lanes_job);
		job_end(&b->lanes_job);
		lanes_work_release(&b->lanes);
	}
	b->lanes_width = width;
	b->lanes = (struct lanes_work){
		.traces = b->o->traces, .nr_traces = b->o->nr_traces, .from = b->lanes_from,
		.to = b->lanes_to, .width = width, .sort = b->lanes_sort, .ascii = b->o->ascii,
	};
	job_start(&b->lanes_job, "timeline", lanes_work_run, &b->lanes);
}

static void take_lanes(struct browse *b)
{
	static const char none[] = "no sched_switch: 'ftr record -e sched' records when tasks run";
	struct lanes_work *w = &b->lanes;
	struct lines *l = b->texts[VIEW_TIMELINE];

	job_end(&b->lanes_job);
	if (w->whole) {
		lines_view_clear(l);
		if (w->known)
			lines_view_add_text(l, w->text.data, w->text.len);
		else
			lines_view_add_text(l, none, sizeof(none) - 1);
		b->lanes_column = w->column;
		b->lanes_columns = w->known ? w->columns : 0;
		for (int i = 0; i < b->nr_panes; i++)
			if (b->kinds[i] == VIEW_TIMELINE)
				pane_refresh(&b->panes[i]);
	}
	lanes_work_release(w);
	log_scan(b);
}

/* The time of a column; as lanes_begin() has it. */
static uint64_t column_time(const struct browse *b, uint32_t column)
{
	unsigned __int128 range = b->lanes_to - b->lanes_from;

	return b->lanes_from + (uint64_t)(range * column / b->lanes_columns);
}

int browse_time_column(const struct browse *b)
{
	uint64_t ts = browse_time(b);
	uint32_t i;

	if (!b->lanes_columns || ts == NO_TIME || ts < b->lanes_from || ts > b->lanes_to)
		return -1;
	for (i = 0; i + 1 < b->lanes_columns && column_time(b, i + 1) <= ts; i++)
		;
	return b->lanes_column + i;
}

void browse_move_column(struct browse *b, bool back)
{
	int column = browse_time_column(b);

	if (!b->lanes_columns)
		return;
	column = column < 0 ? 0 : column - (int)b->lanes_column + (back ? -1 : 1);
	if (column >= 0 && column < (int)b->lanes_columns)
		browse_set_time(b, column_time(b, column));
}

void browse_zoom(struct browse *b, bool in)
{
	uint64_t range = b->lanes_to - b->lanes_from, at = browse_time(b), all = b->last - b->first;

	range = in ? range / 2 : range > all / 2 ? all : range * 2;
	if (at == NO_TIME || at < b->lanes_from || at > b->lanes_to)
		at = b->lanes_from + (b->lanes_to - b->lanes_from) / 2;
	if (in && !range)
		return browse_say(b, GRID_STATUS, "there is no shorter time");
	b->lanes_from = at - b->first > range / 2 ? at - range / 2 : b->first;
	if (b->last - b->lanes_from < range)
		b->lanes_from = b->last - range;
	b->lanes_to = b->lanes_from + range;
	browse_start_lanes(b, true);
}

/* --- all of them */

static void take_find(struct browse *b)
{
	struct find *f = &b->find;

	job_end(&b->find_job);
	if (f->found) {
		browse_go_to_place(b, &f->at);
		if (f->wrapped)
			browse_say(b, GRID_STATUS, f->backward ? "the search went on from the end" :
				   "the search went on from the beginning");
	} else {
		say_not_found(b, f);
	}
	find_release(f);
	log_scan(b);
}

/* Has it ended? The first one that runs is waited for, the others are not. */
static bool has_ended(struct job *j, unsigned int *wait_ms)
{
	bool ended;

	if (!j->run)
		return false;
	ended = job_done(j, *wait_ms);
	*wait_ms = 0;
	return ended;
}

void browse_take_results(struct browse *b, unsigned int wait_ms)
{
	if (has_ended(&b->find_job, &wait_ms))
		take_find(b);
	if (has_ended(&b->scan_job, &wait_ms))
		take_scan(b);
	if (has_ended(&b->lanes_job, &wait_ms))
		take_lanes(b);
	if (has_ended(&b->between_job, &wait_ms))
		take_between(b);
}

bool browse_is_busy(const struct browse *b)
{
	return b->find_job.run || b->scan_job.run || b->between_job.run || b->lanes_job.run;
}

void browse_stop_jobs(struct browse *b)
{
	job_stop(&b->find_job);
	job_stop(&b->scan_job);
	job_stop(&b->between_job);
	job_stop(&b->lanes_job);
	if (b->find_job.run) {
		job_end(&b->find_job);
		find_release(&b->find);
	}
	if (b->scan_job.run)
		take_scan(b);
	if (b->between_job.run)
		take_between(b);
	if (b->lanes_job.run) {
		take_lanes(b);
		b->lanes_width = 0;	/* it is asked for again when it is drawn */
	}
	log_scan(b);
}

static void add_job(struct job *j, struct buf *out)
{
	if (j->run)
		buf_printf(out, "%s%s %u %%", out->len ? ", " : "", j->name,
			   atomic_load(&j->percent));
}

void browse_add_work(struct browse *b, struct buf *out)
{
	add_job(&b->find_job, out);
	add_job(&b->scan_job, out);
	add_job(&b->between_job, out);
	add_job(&b->lanes_job, out);
}
