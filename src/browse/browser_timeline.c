/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The timeline: which time it shows, and what is done for it beside the keys. */
#include <string.h>

#include "browse/browser_priv.h"

/* --- what goes on */

static void start_pass(struct browse *b)
{
	if (b->pass_job.run || b->pass.pyramid)		/* which is the job's while it runs */
		return;
	b->pass = (struct pass){
		.traces = b->o->traces, .nr_traces = b->o->nr_traces, .first = b->first,
		.last = b->last,
	};
	job_start(&b->pass_job, "reading for the timeline", pass_run, &b->pass);
}

static void end_lanes(struct browse *b)
{
	job_end(&b->lanes_job);
	b->lanes_records += b->lanes.records;
}

static void give_up_lanes(struct browse *b)
{
	if (!b->lanes_job.run)
		return;
	job_stop(&b->lanes_job);
	end_lanes(b);
	lanes_work_release(&b->lanes);
}

static void start_lanes(struct browse *b)
{
	give_up_lanes(b);
	b->lanes = (struct lanes_work){
		.traces = b->o->traces, .nr_traces = b->o->nr_traces,
		.pyramid = b->pass_job.run ? NULL : b->pass.pyramid, .from = b->lanes_from,
		.to = b->lanes_to, .width = b->lanes_width, .sort = b->lanes_sort,
		.ascii = b->o->ascii,
	};
	job_start(&b->lanes_job, "timeline", lanes_work_run, &b->lanes);
}

/* --- lines */

static void show_lines(struct browse *b, const char *text, size_t len)
{
	lines_view_clear(b->texts[VIEW_TIMELINE]);
	lines_view_add_text(b->texts[VIEW_TIMELINE], text, len);
	for (int i = 0; i < b->nr_panes; i++)
		if (b->kinds[i] == VIEW_TIMELINE)
			pane_refresh(&b->panes[i]);
}

/* Another order, another range: the lane that was selected in a pane is. */
static void keep_lane(struct browse *b, struct pane *p, const struct timeline_lines *was)
{
	const struct timeline_line *lane, *now;
	struct place at = {0};

	if (p->view != b->views[VIEW_TIMELINE] || p->cursor.seq >= was->n)
		return;
	lane = &was->v[p->cursor.seq];
	for (; lane->kind != TIMELINE_LINE_OTHER && at.seq < b->lanes_text.n; at.seq++) {
		now = &b->lanes_text.v[at.seq];
		if (now->kind == lane->kind && now->file == lane->file && now->id == lane->id)
			p->cursor = at;
	}
}

/* Takes what is known of the lines. */
static void take_lines(struct browse *b, const struct lanes_work *w)
{
	struct timeline_lines was = b->lanes_text;

	b->lanes_text = (struct timeline_lines){0};
	b->lanes_count = 0;
	if (w->known)
		timeline_lines_copy(&b->lanes_text, &w->lines);
	for (size_t i = 0; i < b->lanes_text.n; i++)
		b->lanes_count += b->lanes_text.v[i].kind != TIMELINE_LINE_OTHER;
	for (int i = 0; i < b->nr_panes; i++)
		keep_lane(b, &b->panes[i], &was);
	timeline_lines_release(&was);
}

static void show_lanes(struct browse *b, const struct lanes_work *w)
{
	size_t lines;

	take_lines(b, w);
	b->lanes_columns = w->known ? w->columns : 0;
	if (!w->known) {
		b->lanes_none = true;
		return show_lines(b, BROWSE_NO_LANES, strlen(BROWSE_NO_LANES));
	}
	show_lines(b, w->text.data, w->text.len);
	lines = lines_view_count(b->texts[VIEW_TIMELINE]);
	if (w->pyramid && lines > b->lanes_lines)
		b->lanes_lines = lines;
}

/* What is shown is of another time than what was wanted. */
static void say_given_up(struct browse *b)
{
	b->lanes_columns = 0;
	browse_say(b, GRID_STATUS, "the timeline was given up: + - 0 o begin it anew");
}

void browse_take_lanes(struct browse *b)
{
	struct lanes_work *w = &b->lanes;

	end_lanes(b);
	if (w->whole)
		show_lanes(b, w);
	else
		say_given_up(b);
	/* all of the time is what takes longest, and what is come back to most */
	if (w->whole && w->pyramid && b->lanes_shift == LANES_ALL) {
		lanes_work_release(&b->lanes_all);
		b->lanes_all = *w;
		*w = (struct lanes_work){0};
	}
	lanes_work_release(w);
}

static bool has_lanes_of_all(const struct browse *b)
{
	const struct lanes_work *w = &b->lanes_all;

	return w->whole && b->lanes_shift == LANES_ALL && w->width == b->lanes_width &&
	       w->sort == b->lanes_sort;
}

void browse_take_pass(struct browse *b)
{
	job_end(&b->pass_job);
	if (b->pass.pyramid)
		start_lanes(b);
	else
		say_given_up(b);
}

void browse_stop_lanes(struct browse *b)
{
	if (b->lanes_job.run) {
		give_up_lanes(b);
		b->lanes_width = 0;	/* it is asked for again when it is drawn */
	}
	if (!b->ended || !b->pass_job.run)
		return;
	job_stop(&b->pass_job);
	job_end(&b->pass_job);
}

/* --- which time */

static unsigned int screen_width(const struct browse *b)
{
	return b->grid.w > 2 ? b->grid.w - 2 : 1;	/* without the marks */
}

/* Do so many columns of 2^@shift fit at least twice into all of the time? */
static bool fits(const struct browse *b, unsigned int shift)
{
	uint64_t columns = timeline_text_room(screen_width(b));

	return shift < LANES_ALL && columns <= (b->last - b->first) / 2 >> shift;
}

/*
 * Around @at, from a multiple of a column's length behind the first time of all on, so that whole
 * leaves of the pyramid make a column, or whole columns a leaf.
 */
static void place_lanes(struct browse *b, uint64_t at)
{
	uint64_t all = b->last - b->first, column, range, from, most;

	b->lanes_from = b->first;
	b->lanes_to = b->last;
	if (!fits(b, b->lanes_shift)) {
		b->lanes_shift = LANES_ALL;
		return;
	}
	at = at > b->first ? at : b->first;
	column = (uint64_t)1 << b->lanes_shift;
	range = column * timeline_text_room(screen_width(b));
	most = (all - range + column - 1) / column * column;
	from = at - b->first > range / 2 ? at - b->first - range / 2 : 0;
	from = from / column * column;
	b->lanes_from += from < most ? from : most;
	b->lanes_to = b->lanes_from + range > b->lanes_from ? b->lanes_from + range : UINT64_MAX;
}

static uint64_t middle(const struct browse *b)
{
	return b->lanes_from + (b->lanes_to - b->lanes_from) / 2;
}

/* The end of a column is in the next one, which the last one of all has not. */
static bool shows_time(const struct browse *b, uint64_t ts)
{
	return ts >= b->lanes_from && (ts < b->lanes_to || b->lanes_to >= b->last);
}

/* Has the selected time in view, whoever moved it. True: it was not. */
static bool follow_time(struct browse *b)
{
	uint64_t ts = browse_time(b);

	if (ts == NO_TIME || browse_is_late(b))
		return false;
	ts = ts > b->first ? ts : b->first;
	if (shows_time(b, ts))
		return false;
	place_lanes(b, ts);
	return true;
}

static bool may_have_lanes(const struct browse *b)
{
	for (size_t i = 0; i < b->o->nr_traces; i++)
		if (ev_world_by_name(&b->o->traces[i]->world, "sched", "sched_switch"))
			return true;
	return false;
}

void browse_start_lanes(struct browse *b, bool anew)
{
	unsigned int width = screen_width(b);
	bool moved;

	if (width != b->lanes_width) {
		place_lanes(b, middle(b));
		anew = true;
	}
	moved = follow_time(b);
	if (!anew && !moved)
		return;
	b->lanes_width = width;
	if (!may_have_lanes(b)) {
		b->lanes_none = true;
		return show_lines(b, BROWSE_NO_LANES, strlen(BROWSE_NO_LANES));
	}
	if (has_lanes_of_all(b)) {
		give_up_lanes(b);
		return show_lanes(b, &b->lanes_all);
	}
	if (anew)	/* who gave it up has only moved */
		start_pass(b);
	start_lanes(b);
}

void browse_zoom(struct browse *b, bool in)
{
	unsigned int shift = b->lanes_shift;
	uint64_t at = browse_time(b);

	if (in) {
		while (shift && !fits(b, shift - 1))
			shift--;
		if (!shift)
			return browse_say(b, GRID_STATUS, "there is no shorter time");
		shift--;
	} else if (shift < LANES_ALL) {
		shift++;
	}
	if (at == NO_TIME)
		at = middle(b);
	b->lanes_shift = shift;
	place_lanes(b, at);
	browse_start_lanes(b, true);
}

void browse_zoom_all(struct browse *b)
{
	b->lanes_shift = LANES_ALL;
	place_lanes(b, b->first);
	browse_start_lanes(b, true);
}

/* --- columns */

/* The time of a column; as lanes_begin() has it. */
static uint64_t column_time(const struct browse *b, uint32_t column)
{
	unsigned __int128 range = b->lanes_to - b->lanes_from;

	return b->lanes_from + (uint64_t)(range * column / b->lanes_columns);
}

/* Of a time that is not before the range. */
static uint32_t column_at(const struct browse *b, uint64_t ts)
{
	uint32_t i;

	for (i = 0; i + 1 < b->lanes_columns && column_time(b, i + 1) <= ts; i++)
		;
	return i;
}

int browse_time_column(const struct browse *b)
{
	uint64_t ts = browse_time(b);

	if (!b->lanes_columns || ts == NO_TIME || ts < b->lanes_from || ts > b->lanes_to)
		return -1;
	return b->lanes_text.column + column_at(b, ts);
}

/* Where the column of a time begins, which may be before the range. */
static uint64_t column_begin(const struct browse *b, uint64_t ts)
{
	uint64_t length = (b->lanes_to - b->lanes_from) / b->lanes_columns;

	if (ts >= b->lanes_from)
		return column_time(b, column_at(b, ts));
	return b->lanes_from - (b->lanes_from - ts + length - 1) / length * length;
}

/* Back to the last column before that has records; the one behind the range is beside it. */
void browse_move_column(struct browse *b, bool back)
{
	int column = browse_time_column(b) - (int)b->lanes_text.column;
	uint64_t ts;

	if (!b->lanes_columns)
		return;
	if (column < 0)
		return browse_set_time(b, b->lanes_from);
	ts = back ? browse_time_before(b, column_time(b, column)) :
	     column_time(b, column + 1);
	if (back && ts != NO_TIME && ts >= b->first)
		browse_set_time(b, column_begin(b, ts));
	else if (!back && ts < b->last)
		browse_set_time(b, ts);
}
