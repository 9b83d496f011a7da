/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draws the screen: title, panes, status, messages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "browse/browser_priv.h"

#define WIDTH_MIN	40
#define HEIGHT_MIN	8
#define FILES_LEAST	8	/* columns for the names of files */
#define SPLIT_HEIGHT	16	/* rows; lower screens start with one pane */

static char mark_letter(void *ctx, uint64_t ts)
{
	const struct browser_state *b = ctx;

	for (int i = NR_MARKS; i-- > 0;)
		if (b->marks[i] == ts)
			return i < 26 ? 'a' + i : 'A' + i - 26;
	return ' ';
}

static void draw_title(struct browser_state *b)
{
	struct buf line = {0}, right = {0};
	int width, x;

	for (size_t i = 0; i < b->o->nr_traces; i++)
		buf_printf(&line, "%s%s", i ? " " : "", b->o->traces[i]->dat->path);
	for (size_t i = 0; i < NR_NUMBERED; i++)
		buf_printf(&right, " %zu %s", i + 1, browse_views[i]);
	width = grid_text_width(right.data, right.len, b->grid.ascii);
	grid_fill(&b->grid, 0, 0, b->grid.w, GRID_STATUS);
	x = b->grid.w - width - 1;
	/* the list of views is more useful if there is no room for both */
	x = x < FILES_LEAST ? -1 : x;
	grid_print(&b->grid, 0, x, b->grid.w, right.data, right.len, GRID_STATUS);
	grid_print(&b->grid, 0, 0, x - 1, line.data, line.len, GRID_STATUS);
	buf_release(&line);
	buf_release(&right);
}

bool browse_has_filter(const struct browser_state *b)
{
	return b->filter && (*b->filter->text || hidden_any(&b->filter->hidden));
}

static void add_status(struct browser_state *b, struct buf *out)
{
	uint64_t ts = browse_time(b), from = b->marks[MARK_A], to = b->marks[MARK_B];
	struct buf work = {0};

	if (ts != NO_TIME) {
		browse_add_time(b, out, ts);
		browse_add_other_time(b, out, ts);
	} else {
		buf_addstr(out, "no records");
	}
	browse_add_jobs(b, &work);
	if (browse_is_late(b))
		buf_printf(&work, "%slooking for rows", work.len ? ", " : "");
	if (work.len) {
		buf_printf(out, "  %s", work.data);
	} else if (b->counted) {
		buf_addstr(out, "  ");
		text_grouped(out, b->records);
		buf_printf(out, " records%s", browse_has_filter(b) ? " left" : "");
	}
	if (b->filter && hidden_any(&b->filter->hidden))
		buf_addstr(out, "  some hidden (V)");
	if (b->filter && *b->filter->text)
		buf_printf(out, "  filter: %s", b->filter->text);
	if (from != NO_TIME && to != NO_TIME) {
		buf_printf(out, "  A to B: %s", from > to ? "-" : "");
		browse_add_time(b, out, from > to ? from - to : to - from);
		buf_addstr(out, b->o->traces[0]->clock_is_ns ? " s" : "");
		if (b->between_counted) {
			buf_addstr(out, ", ");
			text_grouped(out, b->between_records);
			buf_addstr(out, " records");
		}
	}
	buf_release(&work);
}

/* Draws the message above row @end. The message of a filter has its text and a caret below. */
static void draw_message(struct browser_state *b, int end)
{
	const char *p = b->message.data, *stop = p + b->message.len, *nl;
	int y = end - 1;

	for (size_t i = 0; i < b->message.len; i++)
		y -= p[i] == '\n';
	for (; p < stop; p = nl + 1, y++) {
		nl = memchr(p, '\n', stop - p);
		nl = nl ? nl : stop;
		grid_fill(&b->grid, y, 0, b->grid.w, GRID_PLAIN);
		grid_print(&b->grid, y, 0, b->grid.w, p, nl - p, b->message_attr);
	}
}

/* --- panes */

/*
 * Appends to the head of a query or the timeline, after the name of the view; pane_marks.add_head.
 * In the timeline: the numbers of lanes and columns without room, and the legend if its line, the
 * last one, is out of sight: "12 of 5,003 lanes, 1 column hidden".
 */
static void add_view_head(void *ctx, const struct browse_pane *p, struct buf *out)
{
	const struct browser_state *b = ctx;
	size_t end = (size_t)p->top.seq + p->rows, shown = 0, n = b->lanes_text.n;
	size_t hidden = b->lanes_text.hidden;
	struct row_place last = { .seq = n - 1 };
	struct view_row row = {0};

	if (p->view == b->views[VIEW_QUERY])
		browse_add_query(b, out);
	if (p->view != b->views[VIEW_TIMELINE])
		return;
	if (b->lanes_none && !p->rows)
		buf_addstr(out, "  " BROWSE_NO_LANES);
	for (size_t i = p->top.seq; i < end && i < n; i++)
		shown += b->lanes_text.v[i].kind != TIMELINE_LINE_OTHER;
	for (int i = 0; i < p->nr_pinned; i++)
		shown += browse_lane(b, &p->pinned[i]) != NULL;
	if (shown < b->lanes_count) {
		buf_printf(out, "  %zu of ", shown);
		text_grouped(out, b->lanes_count);
		buf_addstr(out, " lanes");
	}
	if (hidden)
		buf_printf(out, "%s%zu column%s hidden", shown < b->lanes_count ? ", " : "  ",
			   hidden, hidden > 1 ? "s" : "");
	if (!n || end >= n)
		return;
	p->view->ops->row(p->view, &last, &row);
	if (row.text.len > 2)
		buf_printf(out, "  %s", row.text.data + 2);
	buf_release(&row.text);
}

static bool is_marked(void *ctx, const struct row_place *at)
{
	return browse_lane_is_selected(ctx, at);
}

/* Returns the attribute of a state by its character, in ASCII or beyond. */
static enum grid_attr state_attr(const char *text)
{
	static const struct { const char *text; enum grid_attr attr; } looks[] = {
		{ "\u2588", GRID_BUSY }, { "#", GRID_BUSY },
		{ "\u2591", GRID_WAIT }, { "+", GRID_WAIT },
		{ "\u2592", GRID_WAIT }, { "%", GRID_WAIT }, { "*", GRID_WAIT },
		{ "!", GRID_LOSS }, { "?", GRID_DIM }, { " ", GRID_PLAIN },
	};

	for (size_t i = 0; i < sizeof(looks) / sizeof(*looks); i++)
		if (!strncmp(text, looks[i].text, strlen(looks[i].text)))
			return looks[i].attr;
	return GRID_SLEEP;
}

/* Finds the lane of the selected CPU if it is above @top, out of sight. */
static bool find_cpu_above(const struct browser_state *b, const struct row_place *top,
			   struct row_place *cpu)
{
	const struct timeline_line *lane;

	for (*cpu = (struct row_place){0}; cpu->seq < top->seq; cpu->seq++) {
		lane = browse_lane(b, cpu);
		if (lane && lane->kind == TIMELINE_LINE_CPU && browse_lane_is_selected(b, cpu))
			return true;
	}
	return false;
}

/*
 * Keeps the axis and, if there is room, the selected CPU above scrolled lanes; pane_marks.pinned.
 */
static int find_pinned(void *ctx, const struct row_place *top, struct row_place *rows, int most)
{
	const struct browser_state *b = ctx;
	struct row_place axis = *top, cpu;
	int n = 0;

	while (axis.seq && browse_lane(b, &axis))
		axis.seq--;
	if (axis.seq != top->seq)
		rows[n++] = axis;
	if (n == most || !find_cpu_above(b, top, &cpu))
		return n;
	if (n && cpu.seq < axis.seq) {
		rows[0] = cpu;
		cpu = axis;
	}
	rows[n++] = cpu;
	return n;
}

/*
 * Returns the rows of a timeline next to another view: its head and all its lines, at most half of
 * @room. Before the lines are known they are estimated: heads, legend, CPUs, tasks with names.
 */
static int timeline_height(const struct browser_state *b, int room)
{
	size_t lines = b->lanes_lines;

	if (b->lanes_none)
		return 1;
	if (!lines) {
		lines = 4 + trace_nr_streams(b->o->traces, b->o->nr_traces);
		for (size_t i = 0; i < b->o->nr_traces; i++)
			lines += trace_nr_comms(b->o->traces[i]);
	}
	return lines + 1 < (size_t)room / 2 ? (int)lines + 1 : room / 2;
}

/* Keeps the names of columns above scrolled rows of a query; pane_marks.pinned. */
static int find_names(void *ctx, const struct row_place *top, struct row_place *rows, int most)
{
	return most > 0 ? browse_pin_names(ctx, top, rows) : 0;
}

static void draw_pane(struct browser_state *b, int i, int y, int end)
{
	struct pane_marks marks = { .found = b->search, .exact = b->search_exact,
				    .letter = mark_letter, .column = -1, .ctx = b,
				    .add_head = add_view_head };
	struct row_place lane;

	if (b->kinds[i] == VIEW_QUERY)
		marks.pinned = find_names;
	if (b->kinds[i] == VIEW_TIMELINE) {
		if (i != b->active && browse_find_lane(b, &lane))
			b->panes[i].cursor = lane;
		marks.column = browse_time_column(b);
		marks.label = b->lanes_text.column;
		marks.is_marked = is_marked;
		marks.pinned = find_pinned;
		marks.look = state_attr;
		marks.look_from = b->lanes_text.column;
		marks.look_to = marks.look_from + b->lanes_columns;
	}
	pane_draw(&b->panes[i], &b->grid, y, end, i == b->active, &marks);
}

void browse_draw(struct browser_state *b)
{
	int w = b->grid.w, end = b->grid.h - 1, upper = (end - 1) / 2;
	bool is_prompted = b->asking && b->asking != ASK_MARK && b->asking != ASK_GO_MARK;
	bool above = b->kinds[0] == VIEW_TIMELINE, below = b->kinds[1] == VIEW_TIMELINE;
	struct buf text = {0};

	grid_clear(&b->grid);
	browse_select(b);
	if (w < WIDTH_MIN || b->grid.h < HEIGHT_MIN) {
		buf_printf(&text, "the terminal is smaller than %dx%d", WIDTH_MIN, HEIGHT_MIN);
		/* the size is the part to show if there is no room for all of it */
		if ((size_t)w < text.len) {
			buf_reset(&text);
			buf_printf(&text, "smaller than %dx%d", WIDTH_MIN, HEIGHT_MIN);
		}
		grid_print(&b->grid, 0, 0, w, text.data, text.len, GRID_ERROR);
		buf_release(&text);
		return;
	}
	browse_start_wanted(b);
	draw_title(b);
	if (b->nr_panes == 1 || (b->usual && b->grid.h < SPLIT_HEIGHT)) {
		draw_pane(b, b->active, 1, end);
	} else {
		if (above != below)
			upper = above ? timeline_height(b, end - 1) :
				end - 1 - timeline_height(b, end - 1);
		draw_pane(b, 0, 1, 1 + upper);
		draw_pane(b, 1, 1 + upper, end);
	}
	add_status(b, &text);
	grid_fill(&b->grid, end, 0, w, GRID_STATUS);
	grid_print(&b->grid, end, 0, w, text.data, text.len, GRID_STATUS);
	buf_release(&text);
	if (is_prompted)
		prompt_draw(&b->prompt, &b->grid, end);
	/* the error of a query stands above the query */
	if (b->message.len && (!is_prompted || b->asking == ASK_QUERY))
		draw_message(b, is_prompted ? end : b->grid.h);
}
