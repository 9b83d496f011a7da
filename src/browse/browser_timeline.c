/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The timeline: the time that it shows, its columns, and the jobs that make it. */
#include <string.h>

#include "browse/browser_priv.h"

/* --- jobs */

static void end_lanes(struct browser_state *b)
{
	job_end(&b->lanes_job);
	b->lanes_records += b->lanes.records;
}

static void stop_lanes(struct browser_state *b)
{
	if (!b->lanes_job.run)
		return;
	job_stop(&b->lanes_job);
	end_lanes(b);
	lanes_work_release(&b->lanes);
}

static void start_lanes(struct browser_state *b)
{
	stop_lanes(b);
	b->lanes = (struct lanes_work){
		.traces = b->o->traces, .nr_traces = b->o->nr_traces,
		.lod = b->pass_job.run ? NULL : b->pass.lod, .from = b->lanes_from,
		.to = b->lanes_to, .width = b->lanes_width, .sort = b->lanes_sort,
		.ascii = b->o->ascii,
	};
	job_start(&b->lanes_job, "timeline", lanes_work_run, &b->lanes);
}

/* --- lines */

static void timeline_show_text(struct browser_state *b, const char *text, size_t len)
{
	lines_view_clear(b->texts[VIEW_TIMELINE]);
	lines_view_add_text(b->texts[VIEW_TIMELINE], text, len);
	for (int i = 0; i < b->nr_panes; i++)
		if (b->kinds[i] == VIEW_TIMELINE)
			pane_refresh(&b->panes[i]);
}

/* Selects the lane that was selected in a pane before, in lines of another order or range. */
static void pane_keep_lane(struct browser_state *b, struct browse_pane *p,
			   const struct timeline_lines *was)
{
	const struct timeline_line *lane, *now;
	struct row_place at = {0};

	if (p->view != b->views[VIEW_TIMELINE] || p->cursor.seq >= was->n)
		return;
	lane = &was->v[p->cursor.seq];
	for (; lane->kind != TIMELINE_LINE_OTHER && at.seq < b->lanes_text.n; at.seq++) {
		now = &b->lanes_text.v[at.seq];
		if (now->kind == lane->kind && now->file == lane->file && now->id == lane->id)
			p->cursor = at;
	}
}

static void show_lanes(struct browser_state *b, const struct lanes_work *w)
{
	struct timeline_lines was = b->lanes_text;
	size_t lines;

	b->lanes_text = (struct timeline_lines){0};
	b->lanes_count = 0;
	if (w->known)
		timeline_lines_copy(&b->lanes_text, &w->lines);
	for (size_t i = 0; i < b->lanes_text.n; i++)
		b->lanes_count += b->lanes_text.v[i].kind != TIMELINE_LINE_OTHER;
	for (int i = 0; i < b->nr_panes; i++)
		pane_keep_lane(b, &b->panes[i], &was);
	timeline_lines_release(&was);
	b->lanes_columns = w->known ? w->columns : 0;
	if (!w->known) {
		b->lanes_none = true;
		return timeline_show_text(b, BROWSE_NO_LANES, strlen(BROWSE_NO_LANES));
	}
	timeline_show_text(b, w->text.data, w->text.len);
	lines = lines_view_count(b->texts[VIEW_TIMELINE]);
	if (w->lod && lines > b->lanes_lines)
		b->lanes_lines = lines;
}

/* The lines that stay on the screen are of another time than the wanted one: no column is valid. */
static void timeline_given_up(struct browser_state *b)
{
	b->lanes_columns = 0;
	browse_message(b, GRID_STATUS, "the timeline was given up: + - 0 o begin it anew");
}

void browse_finish_lanes(struct browser_state *b)
{
	struct lanes_work *w = &b->lanes;

	end_lanes(b);
	if (w->whole)
		show_lanes(b, w);
	else
		timeline_given_up(b);
	/* the lanes of all of the time take longest to make, and are shown again most often */
	if (w->whole && w->lod && b->lanes_shift == LANES_ALL) {
		lanes_work_release(&b->lanes_all);
		b->lanes_all = *w;
		*w = (struct lanes_work){0};
	}
	lanes_work_release(w);
}

void browse_finish_pass(struct browser_state *b)
{
	job_end(&b->pass_job);
	if (b->pass.lod)
		start_lanes(b);
	else
		timeline_given_up(b);
}

void browse_stop_lanes(struct browser_state *b)
{
	if (b->lanes_job.run) {
		stop_lanes(b);
		b->lanes_width = 0;	/* it is made again when it is drawn */
	}
	if (!b->ended || !b->pass_job.run)
		return;
	job_stop(&b->pass_job);
	job_end(&b->pass_job);
}

/* --- the time that is shown */

static unsigned int timeline_width(const struct browser_state *b)
{
	return b->grid.w > 2 ? b->grid.w - 2 : 1;	/* without the marks */
}

/* Returns true if all columns of 2^@shift fit at least twice into all of the time. */
static bool shift_fits(const struct browser_state *b, unsigned int shift)
{
	uint64_t columns = timeline_text_room(timeline_width(b));

	return shift < LANES_ALL && columns <= (b->last - b->first) / 2 >> shift;
}

/*
 * Sets the shown time to a range around @at. It starts a multiple of a column's length after the
 * first time of all, so that a column has whole buckets of the index, or a bucket whole columns.
 */
static void timeline_place(struct browser_state *b, uint64_t at)
{
	uint64_t all = b->last - b->first, column, range, from, most;

	b->lanes_from = b->first;
	b->lanes_to = b->last;
	if (!shift_fits(b, b->lanes_shift)) {
		b->lanes_shift = LANES_ALL;
		return;
	}
	at = at > b->first ? at : b->first;
	column = (uint64_t)1 << b->lanes_shift;
	range = column * timeline_text_room(timeline_width(b));
	most = (all - range + column - 1) / column * column;
	from = at - b->first > range / 2 ? at - b->first - range / 2 : 0;
	from = from / column * column;
	b->lanes_from += from < most ? from : most;
	b->lanes_to = b->lanes_from + range > b->lanes_from ? b->lanes_from + range : UINT64_MAX;
}

static uint64_t timeline_middle(const struct browser_state *b)
{
	return b->lanes_from + (b->lanes_to - b->lanes_from) / 2;
}

/* Moves the shown time to the selected one. Returns false if it is in view already. */
static bool timeline_follow_time(struct browser_state *b)
{
	uint64_t ts = browse_time(b);

	if (ts == NO_TIME || browse_is_late(b))
		return false;
	ts = ts > b->first ? ts : b->first;
	/* the end of a column belongs to the next one, if there is one */
	if (ts >= b->lanes_from && (ts < b->lanes_to || b->lanes_to >= b->last))
		return false;
	timeline_place(b, ts);
	return true;
}

void browse_start_lanes(struct browser_state *b, bool anew)
{
	unsigned int width = timeline_width(b);
	const struct lanes_work *all = &b->lanes_all;
	bool moved, possible = false;

	if (width != b->lanes_width) {
		timeline_place(b, timeline_middle(b));
		anew = true;
	}
	moved = timeline_follow_time(b);
	if (!anew && !moved)
		return;
	b->lanes_width = width;
	for (size_t i = 0; i < b->o->nr_traces; i++)
		possible |= event_meta_find_name(&b->o->traces[i]->meta, "sched", "sched_switch") !=
			    NULL;
	if (!possible) {
		b->lanes_none = true;
		return timeline_show_text(b, BROWSE_NO_LANES, strlen(BROWSE_NO_LANES));
	}
	if (all->whole && b->lanes_shift == LANES_ALL && all->width == width &&
	    all->sort == b->lanes_sort) {
		stop_lanes(b);
		return show_lanes(b, all);
	}
	/* the pass belongs to its job while it runs; a user who stopped it has only moved */
	if (anew && !b->pass_job.run && !b->pass.lod) {
		b->pass = (struct lod_pass){
			.traces = b->o->traces, .nr_traces = b->o->nr_traces, .first = b->first,
			.last = b->last,
		};
		job_start(&b->pass_job, "reading for the timeline", pass_run, &b->pass);
	}
	start_lanes(b);
}

void browse_zoom(struct browser_state *b, bool in)
{
	unsigned int shift = b->lanes_shift;
	uint64_t at = browse_time(b);

	if (in) {
		while (shift && !shift_fits(b, shift - 1))
			shift--;
		if (!shift)
			return browse_message(b, GRID_STATUS, "there is no shorter time");
		shift--;
	} else if (shift < LANES_ALL) {
		shift++;
	}
	if (at == NO_TIME)
		at = timeline_middle(b);
	b->lanes_shift = shift;
	timeline_place(b, at);
	browse_start_lanes(b, true);
}

void browse_zoom_all(struct browser_state *b)
{
	b->lanes_shift = LANES_ALL;
	timeline_place(b, b->first);
	browse_start_lanes(b, true);
}

/* --- columns */

/* Returns the start time of a column, as lanes_begin(). */
static uint64_t column_time(const struct browser_state *b, uint32_t column)
{
	unsigned __int128 range = b->lanes_to - b->lanes_from;

	return b->lanes_from + (uint64_t)(range * column / b->lanes_columns);
}

/* Returns the column of a time that is not before the range. */
static uint32_t column_at(const struct browser_state *b, uint64_t ts)
{
	uint32_t i;

	for (i = 0; i + 1 < b->lanes_columns && column_time(b, i + 1) <= ts; i++)
		;
	return i;
}

int browse_time_column(const struct browser_state *b)
{
	uint64_t ts = browse_time(b);

	if (!b->lanes_columns || ts == NO_TIME || ts < b->lanes_from || ts > b->lanes_to)
		return -1;
	return b->lanes_text.column + column_at(b, ts);
}

/*
 * Selects the start of the next column, or back the start of the last earlier column with records.
 * A selected time after the range counts as in the last column.
 */
void browse_move_column(struct browser_state *b, bool back)
{
	int column = browse_time_column(b) - (int)b->lanes_text.column;
	uint64_t ts, length;

	if (!b->lanes_columns)
		return;
	if (column < 0)
		return browse_set_time(b, b->lanes_from);
	if (!back) {
		ts = column_time(b, column + 1);
		if (ts < b->last)
			browse_set_time(b, ts);
		return;
	}
	ts = browse_time_before(b, column_time(b, column));
	if (ts == NO_TIME || ts < b->first)
		return;
	length = (b->lanes_to - b->lanes_from) / b->lanes_columns;
	if (ts >= b->lanes_from)
		ts = column_time(b, column_at(b, ts));
	else	/* columns before the range */
		ts = b->lanes_from - (b->lanes_from - ts + length - 1) / length * length;
	browse_set_time(b, ts);
}
