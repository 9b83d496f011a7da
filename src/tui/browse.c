/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace in a terminal: the state of the browser, from its begin to its end. */
#include "tui/browse.h"

#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "out/columns.h"
#include "tui/priv.h"

const char *const browse_views[] = {
	"events", "details", "timeline", "info", "log", "help", "shown", NULL
};

/* --- state */

struct pane *browse_pane(struct browse *b)
{
	return &b->panes[b->active];
}

void browse_say(struct browse *b, enum grid_attr attr, const char *fmt, ...)
{
	va_list ap;

	buf_reset(&b->message);
	va_start(ap, fmt);
	buf_vprintf(&b->message, fmt, ap);
	va_end(ap);
	b->message_attr = attr;
}

void browse_add_time(const struct browse *b, struct buf *out, uint64_t ts)
{
	trace_add_time(out, b->o->traces[0], ts, b->out.nanoseconds);
}

uint64_t browse_time(const struct browse *b)
{
	uint64_t ts = pane_time(&b->panes[b->active]);

	if (ts == NO_TIME && b->nr_panes > 1)
		ts = pane_time(&b->panes[!b->active]);
	return ts == NO_TIME ? b->left_ts : ts;
}

void browse_follow(struct browse *b)
{
	uint64_t ts = pane_time(browse_pane(b));
	int i;

	for (i = 0; i < b->nr_panes; i++) {
		if (i == b->active || ts == NO_TIME)
			continue;
		if (b->kinds[i] == b->kinds[b->active])
			pane_go_to_place(&b->panes[i], &browse_pane(b)->cursor);
		else if (pane_time(&b->panes[i]) != NO_TIME)
			pane_go(&b->panes[i], ts);
	}
}

void browse_jumps(struct browse *b)
{
	uint64_t was = browse_time(b);

	b->forward.n = 0;
	if (was == NO_TIME)
		return;
	b->back.v = xgrow(b->back.v, &b->back.cap, b->back.n + 1, sizeof(*b->back.v));
	b->back.v[b->back.n++] = was;
}

/* The pane that goes: the one with the keys if it has times, else the other, else events come. */
static struct pane *pane_with_times(struct browse *b)
{
	if (b->kinds[b->active] == VIEW_EVENTS)
		return browse_pane(b);
	if (b->nr_panes > 1 && b->kinds[!b->active] == VIEW_EVENTS)
		return &b->panes[!b->active];
	browse_show(b, VIEW_EVENTS);
	return browse_pane(b);
}

void browse_go(struct browse *b, uint64_t ts, bool jump)
{
	struct pane *p = pane_with_times(b);

	if (jump)
		browse_jumps(b);
	pane_go(p, ts);
	browse_follow(b);
}

void browse_set_time(struct browse *b, uint64_t ts)
{
	b->left = (struct place){ .ts = ts };
	b->left_ts = ts;
	for (int i = 0; i < b->nr_panes; i++)
		if (b->kinds[i] == VIEW_EVENTS)
			pane_go(&b->panes[i], ts);
}

void browse_go_to_place(struct browse *b, const struct place *at)
{
	struct pane *p = pane_with_times(b);

	browse_jumps(b);
	pane_go_to_place(p, at);
	browse_follow(b);
}

void browse_show(struct browse *b, enum view_kind kind)
{
	uint64_t ts = browse_time(b);
	int i = b->active;

	if (b->kinds[i] == kind)
		return;
	b->before[i] = kind == VIEW_EVENTS ? VIEW_EVENTS : b->kinds[i];
	if (b->kinds[i] == VIEW_EVENTS && b->panes[i].any) {
		b->left = b->panes[i].cursor;
		b->left_ts = b->left.ts;
	}
	b->kinds[i] = kind;
	pane_set(&b->panes[i], b->views[kind], ts);
	if (kind == VIEW_EVENTS && b->nr_panes > 1 && b->kinds[!i] == VIEW_EVENTS)
		pane_go_to_place(&b->panes[i], &b->panes[!i].cursor);
	else if (kind == VIEW_EVENTS)
		pane_go_to_place(&b->panes[i], &b->left);
}

struct rows *browse_new_rows(struct browse *b)
{
	struct rows_opts o = {
		.opts = b->out, .ops = b->ops, .range = b->o->range, .which = &b->which,
	};

	return rows_new(b->o->traces, b->o->nr_traces, &o);
}

bool browse_renew_rows(struct browse *b)
{
	struct rows *rows = browse_new_rows(b);

	if (!rows) {
		browse_say(b, GRID_ERROR, "cannot open the files once more");
		return false;
	}
	rows_set_deadline(rows, b->deadline);
	events_view_set(b->views[VIEW_EVENTS], rows);
	for (int i = 0; i < b->nr_panes; i++)
		if (b->kinds[i] == VIEW_EVENTS)
			pane_refresh(&b->panes[i]);
	return true;
}

/* --- rows that take longer */

bool browse_is_late(const struct browse *b)
{
	return view_is_late(b->views[VIEW_EVENTS]);
}

void browse_begin_rows(struct browse *b)
{
	b->deadline = now_ns() + QUICK_MS * 1000000ull;
	rows_set_deadline(events_view_rows(b->views[VIEW_EVENTS]), b->deadline);
}

void browse_look_on(struct browse *b)
{
	if (!browse_is_late(b))
		return;
	browse_begin_rows(b);
	for (int i = 0; i < b->nr_panes; i++)
		if (!b->panes[i].any)
			pane_refresh(&b->panes[i]);
}

/* --- from the begin to the end */

static const struct out_ops *ops_of(const struct browse_opts *o)
{
	return o->out.columns ? columns_ops(o->out.columns, &o->out) : &out_text;
}

static int begin_views(struct browse *b, struct ftr_error *err)
{
	struct buf text = {0};
	struct rows *rows = browse_new_rows(b);
	size_t i;

	if (!rows)
		return err_set(err, FTR_FAILED, "cannot open the files once more");
	b->views[VIEW_EVENTS] = events_view_new(rows);
	for (i = VIEW_EVENTS + 1; i < VIEW_KINDS; i++) {
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
	buf_release(&text);
	return 0;
}

static int view_kind_of(const char *name, struct ftr_error *err)
{
	for (int i = 0; browse_views[i]; i++)
		if (!strcmp(browse_views[i], name))
			return i;
	err_set(err, FTR_USAGE, "unknown view '%s'", name);
	return err_hint(err, "there are: events, details, timeline, info, log, help, shown");
}

/* Where it begins: @o->at as g takes it. */
static int begin_at(struct browse *b, struct ftr_error *err)
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
		pane_set(&b->panes[0], b->views[VIEW_EVENTS], since);
	return ret;
}

static int begin(struct browse *b, const struct browse_opts *o, struct ftr_error *err)
{
	int kind = VIEW_EVENTS;
	size_t i;

	b->o = o;
	b->out = o->out;
	b->ops = ops_of(o);
	b->which = *o->which;
	b->nr_panes = 1;
	grid_init(&b->grid, 0, 0, o->ascii);
	for (i = 0; i < NR_MARKS; i++)
		b->marks[i] = NO_TIME;
	b->left_ts = NO_TIME;
	b->first = UINT64_MAX;
	for (i = 0; i < o->nr_traces; i++)
		trace_bounds(o->traces[i], &b->first, &b->last);
	b->first = b->first > b->last ? b->last : b->first;
	b->lanes_from = b->first;
	b->lanes_to = b->last;
	if (o->view && (kind = view_kind_of(o->view, err)) < 0)
		return -1;
	if (begin_views(b, err) || begin_at(b, err))
		return -1;
	if (o->filter && *o->filter)
		return browse_set_filter(b, o->filter, err);
	browse_start_scan(b);
	browse_show(b, kind);
	return 0;
}

static void release(struct browse *b)
{
	b->ended = true;
	browse_stop_jobs(b);
	for (size_t i = 0; i < VIEW_KINDS; i++)
		view_free(b->views[i]);
	browse_filter_free(b->filter);
	strv_release(&b->filters);
	prompt_release(&b->prompt);
	buf_release(&b->message);
	grid_release(&b->grid);
	free(b->search);
	free(b->counts);
	index_free(b->index);
	free(b->back.v);
	free(b->forward.v);
}

int browse_run(const struct browse_opts *o, struct ftr_error *err)
{
	struct browse b = {0};
	int ret = begin(&b, o, err);

	if (!ret)
		ret = o->script.keys ? browse_script(&b, err) : browse_terminal(&b, err);
	release(&b);
	return ret;
}
