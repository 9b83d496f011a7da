/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace in a terminal: the state of the browser, from its start to its end. */
#include "browse/browser.h"

#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "browse/browser_priv.h"
#include "output/line_columns.h"

/* Decompressed data that is kept: chunks of each CPU, and bytes of all files. */
#define KEPT_CHUNKS 3
#define KEPT_LEAST  (16u << 20)
#define KEPT_MOST   (32u << 20)

const char *const browse_views[] = {
	"events", "details", "graph", "timeline", "info", "log", "help", "shown", "why",
	"query", NULL
};

/* --- state */

struct browse_pane *browse_pane(struct browser_state *b)
{
	return &b->panes[b->active];
}

void browse_message(struct browser_state *b, enum grid_attr attr, const char *fmt, ...)
{
	va_list ap;

	buf_reset(&b->message);
	va_start(ap, fmt);
	buf_vprintf(&b->message, fmt, ap);
	va_end(ap);
	b->message_attr = attr;
}

void browse_add_time(const struct browser_state *b, struct buf *out, uint64_t ts)
{
	trace_add_time(out, b->o->traces[0], ts, b->out.nanoseconds);
}

uint64_t browse_time(const struct browser_state *b)
{
	uint64_t ts = pane_time(&b->panes[b->active]);

	if (ts == NO_TIME && b->nr_panes > 1)
		ts = pane_time(&b->panes[!b->active]);
	return ts == NO_TIME ? b->left_ts : ts;
}

void browse_note_jump(struct browser_state *b)
{
	uint64_t was = browse_time(b);

	b->forward.n = 0;
	if (was == NO_TIME)
		return;
	b->back.v = xgrow(b->back.v, &b->back.cap, b->back.n + 1, sizeof(*b->back.v));
	b->back.v[b->back.n++] = was;
}

/* Returns the pane with the events, the active one first; NULL if no pane shows them. */
static struct browse_pane *events_pane(struct browser_state *b)
{
	if (b->kinds[b->active] == VIEW_EVENTS)
		return browse_pane(b);
	if (b->nr_panes > 1 && b->kinds[!b->active] == VIEW_EVENTS)
		return &b->panes[!b->active];
	return NULL;
}

/*
 * Returns the pane for going to a time, and shows the events if no pane does. If the log is active,
 * the events become active: the log has no rows at most times.
 */
static struct browse_pane *browse_events_pane(struct browser_state *b)
{
	if (!events_pane(b) || b->kinds[b->active] == VIEW_LOG)
		browse_show(b, VIEW_EVENTS);
	return events_pane(b);
}

static bool graph_is_active(const struct browser_state *b)
{
	return b->kinds[b->active] == VIEW_GRAPH;
}

/* --- the selection */

const struct text_row *browse_row(struct browser_state *b)
{
	struct browse_view *events = b->views[VIEW_EVENTS];
	const struct browse_pane *p = events_pane(b);
	uint64_t ts = browse_time(b);
	struct row_place at = p ? p->cursor : b->left;

	if (!p && (ts == NO_TIME || ts != b->left_ts) &&
	    !events->ops->at(events, ts == NO_TIME ? 0 : ts, &at))
		return NULL;
	return events_view_row(events, &at);
}

const struct timeline_line *browse_lane(const struct browser_state *b, const struct row_place *at)
{
	const struct timeline_lines *lines = &b->lanes_text;

	return at->seq < lines->n && lines->v[at->seq].kind != TIMELINE_LINE_OTHER ?
	       &lines->v[at->seq] : NULL;
}

static void browse_select_row(struct browser_state *b)
{
	const struct text_row *row = browse_row(b);

	if (row)
		b->selected = (struct browse_selection){
			true, row->file, row->pid, row->cpu, row->type,
		};
}

void browse_select(struct browser_state *b)
{
	bool on_lanes = b->kinds[b->active] == VIEW_TIMELINE;
	const struct timeline_line *lane;
	const struct calls_block *block;
	uint32_t row;

	if (graph_is_active(b)) {
		block = graph_view_block(b->views[VIEW_GRAPH], &browse_pane(b)->cursor, &row);
		if (!block)
			return;
		b->selected.any = true;
		b->selected.file = block->file;
		b->selected.pid = block->pid;
		b->selected.cpu = block->nodes[block->rows[row].node].cpu_begin;
		return;
	}
	if (!on_lanes && !events_pane(b))
		return;
	browse_select_row(b);
	lane = on_lanes ? browse_lane(b, &browse_pane(b)->cursor) : NULL;
	if (!lane)
		return;
	b->selected.any = true;
	b->selected.file = lane->file;
	if (lane->kind == TIMELINE_LINE_TASK)
		b->selected.pid = lane->id;
	else if (lane->kind == TIMELINE_LINE_CPU)
		b->selected.cpu = lane->id;
}

bool browse_lane_is_selected(const struct browser_state *b, const struct row_place *at)
{
	const struct browse_selection *s = &b->selected;
	const struct timeline_line *lane = browse_lane(b, at);

	if (!lane || !s->any || lane->file != s->file)
		return false;
	return lane->kind == TIMELINE_LINE_TASK ? lane->id == s->pid :
	       lane->kind == TIMELINE_LINE_CPU && lane->id == s->cpu;
}

bool browse_find_lane(const struct browser_state *b, struct row_place *at)
{
	for (*at = (struct row_place){0}; at->seq < b->lanes_text.n; at->seq++)
		if (b->lanes_text.v[at->seq].kind == TIMELINE_LINE_TASK &&
		    browse_lane_is_selected(b, at))
			return true;
	return false;
}

/* --- going */

/* Moves the other pane to the time of @p, if both have times. */
static void browse_follow_pane(struct browser_state *b, const struct browse_pane *p)
{
	int from = p - b->panes;
	uint64_t ts = pane_time(p);

	if (b->kinds[from] == VIEW_EVENTS) {
		browse_select_row(b);
		browse_set_calls_task(b, false);
	}
	for (int i = 0; i < b->nr_panes; i++) {
		/* rows of an account or a query are not in the order of time */
		if (i == from || ts == NO_TIME || b->kinds[i] == VIEW_WHY ||
		    b->kinds[i] == VIEW_QUERY)
			continue;
		if (b->kinds[i] == b->kinds[from])
			pane_go_to_place(&b->panes[i], &p->cursor);
		else if (pane_time(&b->panes[i]) != NO_TIME)
			pane_go(&b->panes[i], ts);
	}
}

void browse_follow(struct browser_state *b)
{
	browse_follow_pane(b, browse_pane(b));
}

void browse_go(struct browser_state *b, uint64_t ts, bool jump)
{
	struct browse_pane *p = graph_is_active(b) ? browse_pane(b) : browse_events_pane(b);

	if (graph_is_active(b)) {
		browse_select(b);
		browse_set_calls_task(b, false);
	}
	if (jump)
		browse_note_jump(b);
	pane_go(p, ts);
	browse_follow_pane(b, p);
}

void browse_set_time(struct browser_state *b, uint64_t ts)
{
	b->left = (struct row_place){ .ts = ts };
	b->left_ts = ts;
	for (int i = 0; i < b->nr_panes; i++)
		if (b->kinds[i] == VIEW_EVENTS)
			pane_go(&b->panes[i], ts);
}

uint64_t browse_time_before(struct browser_state *b, uint64_t ts)
{
	struct browse_view *events = b->views[VIEW_EVENTS];
	struct row_place at = { .ts = ts };

	if (!events_pane(b))
		return ts - 1;
	return events->ops->prev(events, &at) ? at.ts : NO_TIME;
}

void browse_go_to_place(struct browser_state *b, const struct row_place *at)
{
	struct browse_pane *p;

	if (graph_is_active(b) && (b->nr_panes == 1 || b->kinds[!b->active] != VIEW_EVENTS))
		return browse_go(b, at->ts, true);
	p = browse_events_pane(b);
	browse_note_jump(b);
	pane_go_to_place(p, at);
	browse_follow_pane(b, p);
}

void browse_show_here(struct browser_state *b, enum view_kind kind)
{
	uint64_t ts = browse_time(b);
	int i = b->active;

	if (b->kinds[i] == kind)
		return;
	if (kind == VIEW_GRAPH) {
		browse_select(b);
		browse_set_calls_task(b, true);
	}
	b->before[i] = kind == VIEW_EVENTS ? VIEW_EVENTS : b->kinds[i];
	if (b->kinds[i] == VIEW_EVENTS && b->panes[i].any) {
		b->left = b->panes[i].cursor;
		b->left_ts = b->left.ts;
	}
	if (b->kinds[i] == VIEW_QUERY)
		b->query_row = b->panes[i].cursor;
	b->kinds[i] = kind;
	pane_set(&b->panes[i], b->views[kind], ts);
	if (kind == VIEW_QUERY)
		pane_go_to_place(&b->panes[i], &b->query_row);
	if (kind == VIEW_EVENTS && b->nr_panes > 1 && b->kinds[!i] == VIEW_EVENTS)
		pane_go_to_place(&b->panes[i], &b->panes[!i].cursor);
	else if (kind == VIEW_EVENTS)
		pane_go_to_place(&b->panes[i], &b->left);
}

void browse_show(struct browser_state *b, enum view_kind kind)
{
	if (b->nr_panes == 1 || b->kinds[b->active] == kind || b->kinds[!b->active] != kind) {
		browse_show_here(b, kind);
		return;
	}
	b->active = !b->active;
	if (kind == VIEW_DETAIL)	/* it has the details of another record */
		pane_set(browse_pane(b), b->views[kind], NO_TIME);
}

/* --- two panes */

static void pane_copy(struct browser_state *b, int to, int from)
{
	b->panes[to] = b->panes[from];
	b->kinds[to] = b->kinds[from];
	b->before[to] = b->before[from];
}

static void close_other_pane(struct browser_state *b)
{
	int other = !b->active;

	b->closed = b->panes[other];
	b->closed_kind = b->kinds[other];
	b->closed_at = b->closed_kind == b->kinds[b->active] ? -1 : other;
	if (b->closed_kind == VIEW_EVENTS && b->closed_at >= 0 && b->closed.any) {
		b->left = b->closed.cursor;
		b->left_ts = b->left.ts;
	}
	pane_copy(b, 0, b->active);
	b->nr_panes = 1;
	b->active = 0;
}

/*
 * Opens the pane that was closed, at its old place. If its view is shown already, opens a copy of
 * the other pane.
 */
static void open_other_pane(struct browser_state *b)
{
	int at = b->closed_at;

	b->nr_panes = PANES;
	if (at < 0 || b->closed_kind == b->kinds[0]) {
		pane_copy(b, 1, 0);
		return;
	}
	pane_copy(b, !at, 0);
	b->active = !at;
	b->panes[at] = b->closed;
	b->kinds[at] = b->before[at] = b->closed_kind;
	if (b->closed_kind == VIEW_EVENTS)
		pane_go_to_place(&b->panes[at], &b->left);
	else
		pane_refresh(&b->panes[at]);
	browse_follow(b);
}

void browse_split(struct browser_state *b)
{
	b->usual = false;
	(b->nr_panes == PANES ? close_other_pane : open_other_pane)(b);
}

struct text_rows *browse_new_rows(struct browser_state *b)
{
	/* lines of text alone have only the plain forms of the time */
	bool has_columns = b->out.columns || b->out.time != OUT_TIME;
	struct rows_opts o = {
		.opts = b->out,
		.ops = has_columns ? columns_ops(b->out.columns, &b->out) : &out_text,
		.range = b->o->range, .which = &b->which,
	};

	return rows_new(b->o->traces, b->o->nr_traces, &o);
}

bool browse_renew_rows(struct browser_state *b)
{
	struct text_rows *rows = browse_new_rows(b);

	if (!rows) {
		browse_message(b, GRID_ERROR, "cannot open the files again");
		return false;
	}
	rows_set_deadline(rows, b->deadline);
	events_view_set(b->views[VIEW_EVENTS], rows);
	for (int i = 0; i < b->nr_panes; i++)
		if (b->kinds[i] == VIEW_EVENTS)
			pane_refresh(&b->panes[i]);
	return true;
}

/* --- the forms of times that the key t cycles through */

static const struct time_form {
	const char *words;
	enum out_time time;
	bool nanoseconds;
} forms[] = {
	{ "seconds, with microseconds", OUT_TIME, false },
	{ "seconds, with nanoseconds", OUT_TIME, true },
	{ "time of day, UTC", OUT_TIME_OF_DAY, false },
	{ "since marker A", OUT_TIME_SINCE, true },
	{ "since the row before", OUT_TIME_DIFF, true },
};
#define NR_FORMS (sizeof(forms) / sizeof(*forms))

/* Returns true if times of all files can be shown in this form. */
static bool time_form_fits(const struct browser_state *b, const struct time_form *f)
{
	uint64_t ns;

	for (size_t i = 0; i < b->o->nr_traces; i++) {
		const struct trace *t = b->o->traces[i];

		if (f->time == OUT_TIME_OF_DAY && !trace_time_of_day(t, b->first, &ns))
			return false;
		if (f->time == OUT_TIME && f->nanoseconds && !t->clock_is_ns)
			return false;
	}
	return true;
}

static uint64_t browse_time_zero(const struct browser_state *b)
{
	return b->marks[MARK_A] == NO_TIME ? b->first : b->marks[MARK_A];
}

void browse_next_times(struct browser_state *b)
{
	const struct time_form *f = forms;
	struct out_opts was = b->out;
	const char *words;

	while (f + 1 < forms + NR_FORMS &&
	       (f->time != b->out.time || (f == forms && b->out.nanoseconds)))
		f++;
	do {
		f = f + 1 < forms + NR_FORMS ? f + 1 : forms;
	} while (!time_form_fits(b, f));
	b->out.time = f->time;
	b->out.nanoseconds = f->nanoseconds;
	b->out.time_zero = browse_time_zero(b);
	if (!browse_renew_rows(b)) {
		b->out = was;
		return;
	}
	words = f->words;
	if (f->time == OUT_TIME_SINCE && b->marks[MARK_A] == NO_TIME)
		words = "since the first record (A sets another one)";
	else if (f->time == OUT_TIME && !b->o->traces[0]->clock_is_ns)
		words = "units of the clock";
	browse_message(b, GRID_STATUS, "times: %s", words);
}

void browse_renew_times(struct browser_state *b)
{
	uint64_t zero = browse_time_zero(b);

	if (b->out.time != OUT_TIME_SINCE || b->out.time_zero == zero)
		return;
	b->out.time_zero = zero;
	browse_renew_rows(b);
}

void browse_add_other_time(const struct browser_state *b, struct buf *out, uint64_t ts)
{
	const struct trace *t = b->o->traces[0];

	if (b->out.time == OUT_TIME_OF_DAY) {
		buf_addstr(out, "  ");
		times_add_day(out, t, ts, b->out.nanoseconds, true);
		buf_addstr(out, " UTC");
	} else if (b->out.time == OUT_TIME_SINCE) {
		buf_addstr(out, "  ");
		times_add_since(out, t, b->out.time_zero, ts, b->out.nanoseconds);
		buf_addstr(out, b->marks[MARK_A] == NO_TIME ? " since the first" : " since A");
	}
}

/* --- rows that are not ready in time */

bool browse_is_late(const struct browser_state *b)
{
	return view_is_late(b->views[VIEW_EVENTS]);
}

void browse_set_deadline(struct browser_state *b)
{
	b->deadline = now_ns() + QUICK_MS * 1000000ull;
	rows_set_deadline(events_view_rows(b->views[VIEW_EVENTS]), b->deadline);
}

void browse_retry_rows(struct browser_state *b)
{
	if (!browse_is_late(b))
		return;
	browse_set_deadline(b);
	for (int i = 0; i < b->nr_panes; i++)
		if (!b->panes[i].any || b->panes[i].is_cut)
			pane_refresh(&b->panes[i]);
}

/* --- start and end */

static int browse_init_views(struct browser_state *b, struct ftr_error *err)
{
	struct buf text = {0};
	struct text_rows *rows = browse_new_rows(b);
	size_t i;

	if (!rows)
		return err_set(err, FTR_FAILED, "cannot open the files again");
	b->views[VIEW_EVENTS] = events_view_new(rows);
	b->views[VIEW_GRAPH] = graph_view_new();
	for (i = VIEW_EVENTS + 1; i < VIEW_KINDS; i++) {
		if (b->views[i])
			continue;
		b->texts[i] = lines_view_new(browse_views[i]);
		b->views[i] = lines_view(b->texts[i]);
	}
	if (b->o->add_info)
		b->o->add_info(b->o->ctx, &text);
	lines_view_add_text(b->texts[VIEW_INFO], text.data, text.len);
	buf_reset(&text);
	browse_add_keys(&text);
	lines_view_add_text(b->texts[VIEW_HELP], text.data, text.len);
	buf_reset(&text);
	buf_addstr(&text, "the files are being read");
	lines_view_add_text(b->texts[VIEW_LOG], text.data, text.len);
	lines_view_add_text(b->texts[VIEW_SHOWN], text.data, text.len);
	lines_view_add_text(b->texts[VIEW_TIMELINE], text.data, text.len);
	buf_reset(&text);
	buf_addstr(&text, "Y accounts for the time of a call, a span, a task from A to B");
	lines_view_add_text(b->texts[VIEW_WHY], text.data, text.len);
	buf_reset(&text);
	buf_addstr(&text, "Q asks a query in SQL");
	lines_view_add_text(b->texts[VIEW_QUERY], text.data, text.len);
	buf_release(&text);
	return 0;
}

static int view_kind_of(const char *name, struct ftr_error *err)
{
	for (int i = 0; browse_views[i]; i++)
		if (!strcmp(browse_views[i], name))
			return i;
	err_set(err, FTR_USAGE, "unknown view '%s'", name);
	return err_hint(err, "there are: events, details, graph, timeline, info, log, help, shown, "
			"why, query");
}

/* Goes to the time @o->at, in the syntax of the key g, or to the first record. */
static int browse_init_time(struct browser_state *b, struct ftr_error *err)
{
	struct filter_spec spec = {0};
	uint64_t since = b->first, until;
	int ret = 0;

	if (b->o->at)
		ret = filter_when_parse(&spec.since, b->o->at, err) ||
		      filter_range(&spec, b->first, b->last, b->o->traces[0]->clock_is_ns, &since,
				   &until, err) ? -1 : 0;
	filter_spec_release(&spec);
	if (!ret)
		pane_set(browse_pane(b), b->views[VIEW_EVENTS], since);
	return ret;
}

static int browse_init(struct browser_state *b, const struct browse_opts *o, struct ftr_error *err)
{
	int kind = VIEW_EVENTS;
	uint64_t bytes;
	size_t i;

	b->o = o;
	b->out = o->out;
	b->which = *o->which;
	b->nr_panes = 1;
	b->closed_at = -1;
	/* without --view: the timeline, and below it the events, which are active */
	if (!o->view) {
		b->usual = true;
		b->nr_panes = PANES;
		b->active = 1;
		b->kinds[0] = b->before[0] = VIEW_TIMELINE;
	}
	grid_init(&b->grid, 0, 0, o->ascii);
	for (i = 0; i < NR_MARKS; i++)
		b->marks[i] = NO_TIME;
	b->left_ts = NO_TIME;
	b->first = UINT64_MAX;
	/* panes, jobs and the next key need the data around the cursor again */
	for (i = 0; i < o->nr_traces; i++) {
		bytes = KEPT_CHUNKS * dat_chunk_bytes(o->traces[i]->dat);
		bytes = bytes > KEPT_LEAST ? bytes : KEPT_LEAST;
		bytes = bytes < KEPT_MOST ? bytes : KEPT_MOST;
		dat_keep_unpacked(o->traces[i]->dat, bytes / o->nr_traces);
	}
	mem_keep();
	for (i = 0; i < o->nr_traces; i++)
		trace_bounds(o->traces[i], &b->first, &b->last);
	b->first = b->first > b->last ? b->last : b->first;
	b->lanes_from = b->first;
	b->lanes_to = b->last;
	b->lanes_shift = LANES_ALL;
	if (o->view && (kind = view_kind_of(o->view, err)) < 0)
		return -1;
	if (browse_init_views(b, err) || browse_init_time(b, err))
		return -1;
	if (b->usual)
		pane_set(&b->panes[0], b->views[VIEW_TIMELINE], NO_TIME);
	browse_show(b, kind);
	if (o->filter && *o->filter)
		return browse_set_filter(b, o->filter, err);
	return 0;
}

static void browse_release(struct browser_state *b)
{
	b->ended = true;
	browse_stop_jobs(b);
	calls_source_free(b->calls_source);
	ends_source_free(b->ends_source);
	pass_release(&b->pass);
	for (size_t i = 0; i < VIEW_KINDS; i++)
		view_free(b->views[i]);
	browse_filter_free(b->filter);
	query_work_release(&b->query);
	strv_release(&b->queries);
	strv_release(&b->filters);
	prompt_release(&b->prompt);
	buf_release(&b->message);
	buf_release(&b->no_calls);
	grid_release(&b->grid);
	free(b->search);
	free(b->ahead.v);
	free(b->counts);
	timeline_lines_release(&b->lanes_text);
	lanes_work_release(&b->lanes_all);
	index_free(b->index);
	free(b->back.v);
	free(b->forward.v);
}

int browse_run(const struct browse_opts *o, struct ftr_error *err)
{
	struct browser_state b = {0};
	int ret = browse_init(&b, o, err);

	if (!ret)
		ret = o->script.keys ? browse_script(&b, err) : browse_terminal(&b, err);
	browse_release(&b);
	return ret;
}
