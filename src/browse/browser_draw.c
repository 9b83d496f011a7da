/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is on the screen. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "browse/browser_priv.h"

#define WIDTH_MIN	40
#define HEIGHT_MIN	8
#define FILES_LEAST	8	/* columns for the names of files */
#define SPLIT_HEIGHT	16	/* lower screens begin with one pane */

static char letter_at(void *ctx, uint64_t ts)
{
	const struct browse *b = ctx;

	for (int i = NR_MARKS; i-- > 0;)
		if (b->marks[i] == ts)
			return i < 26 ? 'a' + i : 'A' + i - 26;
	return ' ';
}

static void add_files(const struct browse *b, struct buf *out)
{
	for (size_t i = 0; i < b->o->nr_traces; i++)
		buf_printf(out, "%s%s", i ? " " : "", b->o->traces[i]->dat->path);
}

static void draw_title(struct browse *b)
{
	struct buf line = {0}, right = {0};
	int width, x;

	add_files(b, &line);
	for (size_t i = 0; i < NR_NUMBERED; i++)
		buf_printf(&right, " %zu %s", i + 1, browse_views[i]);
	width = grid_text_width(right.data, right.len, b->grid.ascii);
	grid_fill(&b->grid, 0, 0, b->grid.w, GRID_STATUS);
	x = b->grid.w - width - 1;
	x = x < FILES_LEAST ? -1 : x;	/* where both have no room the views are more use */
	grid_put(&b->grid, 0, x, b->grid.w, right.data, right.len, GRID_STATUS);
	grid_put(&b->grid, 0, 0, x - 1, line.data, line.len, GRID_STATUS);
	buf_release(&line);
	buf_release(&right);
}

/* The distance of the two markers. */
static void add_distance(const struct browse *b, struct buf *out)
{
	uint64_t from = b->marks[MARK_A], to = b->marks[MARK_B];
	bool back = from > to;

	if (from == NO_TIME || to == NO_TIME)
		return;
	buf_printf(out, "  A to B: %s", back ? "-" : "");
	browse_add_time(b, out, back ? from - to : to - from);
	buf_addstr(out, b->o->traces[0]->clock_is_ns ? " s" : "");
	if (!b->between_counted)
		return;
	buf_addstr(out, ", ");
	text_grouped(out, b->between_records);
	buf_addstr(out, " records");
}

bool browse_has_filter(const struct browse *b)
{
	return b->filter && (*b->filter->text || hidden_any(&b->filter->hidden));
}

static void add_status(struct browse *b, struct buf *out)
{
	uint64_t ts = browse_time(b);
	struct buf work = {0};

	if (ts != NO_TIME) {
		browse_add_time(b, out, ts);
		browse_add_other_time(b, out, ts);
	} else {
		buf_addstr(out, "no records");
	}
	browse_add_work(b, &work);
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
	add_distance(b, out);
	buf_release(&work);
}

static void draw_status(struct browse *b, int y)
{
	struct buf line = {0};

	add_status(b, &line);
	buf_addstr(&line, "");
	grid_fill(&b->grid, y, 0, b->grid.w, GRID_STATUS);
	grid_put(&b->grid, y, 0, b->grid.w, line.data, line.len, GRID_STATUS);
	buf_release(&line);
}

/* The lines that a message takes: that of a filter has its text and a caret below. */
static int message_lines(const struct browse *b)
{
	int n = 1;

	for (size_t i = 0; i < b->message.len; i++)
		n += b->message.data[i] == '\n';
	return n;
}

static void draw_message(struct browse *b, int y)
{
	const char *p = b->message.data, *end = p + b->message.len, *nl;

	for (; p < end; p = nl + 1, y++) {
		nl = memchr(p, '\n', end - p);
		nl = nl ? nl : end;
		grid_fill(&b->grid, y, 0, b->grid.w, GRID_PLAIN);
		grid_put(&b->grid, y, 0, b->grid.w, p, nl - p, b->message_attr);
	}
}

static void draw_small(struct browse *b)
{
	char text[64];
	int n = snprintf(text, sizeof(text), "the terminal is smaller than %dx%d",
			 WIDTH_MIN, HEIGHT_MIN);

	if (b->grid.w < n)	/* the size comes first where not all fits */
		n = snprintf(text, sizeof(text), "smaller than %dx%d", WIDTH_MIN, HEIGHT_MIN);
	grid_put(&b->grid, 0, 0, b->grid.w, text, n, GRID_ERROR);
}

/* --- panes */

/* Lanes that are in sight. */
static size_t count_lanes(const struct browse *b, const struct pane *p)
{
	size_t end = (size_t)p->top.seq + p->rows, n = 0;

	for (size_t i = p->top.seq; i < end && i < b->lanes_text.n; i++)
		n += b->lanes_text.v[i].kind != TIMELINE_LINE_OTHER;
	for (int i = 0; i < p->nr_pinned; i++)
		n += browse_lane(b, &p->pinned[i]) != NULL;
	return n;
}

/* What has no room: "12 of 5,003 lanes, 1 column hidden". */
static void add_hidden(const struct browse *b, const struct pane *p, struct buf *out)
{
	size_t shown = count_lanes(b, p), hidden = b->lanes_text.hidden;
	const char *before = "  ";

	if (shown < b->lanes_count) {
		buf_printf(out, "  %zu of ", shown);
		text_grouped(out, b->lanes_count);
		buf_addstr(out, " lanes");
		before = ", ";
	}
	if (hidden)
		buf_printf(out, "%s%zu column%s hidden", before, hidden, hidden > 1 ? "s" : "");
}

/* What the characters mean, where the line that says it, the last one, is out of sight. */
static void add_legend(const struct browse *b, const struct pane *p, struct buf *out)
{
	struct place last = { .seq = b->lanes_text.n - 1 };
	struct view_row row = {0};

	if (!b->lanes_text.n || (size_t)p->top.seq + p->rows >= b->lanes_text.n)
		return;
	p->view->ops->row(p->view, &last, &row);
	if (row.text.len > 2)
		buf_printf(out, "  %s", row.text.data + 2);
	buf_release(&row.text);
}

/* What a pane says of itself behind the name of its view. */
static void add_head(void *ctx, const struct pane *p, struct buf *out)
{
	const struct browse *b = ctx;

	if (p->view != b->views[VIEW_TIMELINE])
		return;
	if (b->lanes_none && !p->rows)
		buf_addstr(out, "  " BROWSE_NO_LANES);
	add_hidden(b, p, out);
	add_legend(b, p, out);
}

static bool is_marked(void *ctx, const struct place *at)
{
	return browse_lane_is_selected(ctx, at);
}

/* A state by its character, of which ftr timeline has those of ASCII and those beyond. */
static enum grid_attr look_of(const char *text)
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

/* Is the lane of the selected CPU above a place, where it would be out of sight? */
static bool find_cpu_above(const struct browse *b, const struct place *top, struct place *cpu)
{
	const struct timeline_line *lane;

	for (*cpu = (struct place){0}; cpu->seq < top->seq; cpu->seq++) {
		lane = browse_lane(b, cpu);
		if (lane && lane->kind == TIMELINE_LINE_CPU && browse_lane_is_selected(b, cpu))
			return true;
	}
	return false;
}

/* Above lanes that are scrolled stay the axis and, if there is room, the CPU of the record. */
static int find_pinned(void *ctx, const struct place *top, struct place *rows, int most)
{
	const struct browse *b = ctx;
	struct place axis = *top, cpu;
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

static size_t max_size(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* How many lines a timeline will have, about: heads, legend, CPUs, tasks with names. */
static size_t lanes_expected(const struct browse *b)
{
	size_t n = 4 + trace_nr_streams(b->o->traces, b->o->nr_traces);

	for (size_t i = 0; i < b->o->nr_traces; i++)
		n += trace_nr_comms(b->o->traces[i]);
	return n;
}

/* Of a timeline beside another view: with its head, and all lines if that is no more than half. */
static int timeline_height(const struct browse *b, int room)
{
	size_t lines = b->lanes_lines ? b->lanes_lines : lanes_expected(b);

	if (b->lanes_none)
		return 1;
	return max_size(lines + 1, 2) < (size_t)room / 2 ? (int)lines + 1 : room / 2;
}

static int upper_height(const struct browse *b, int room)
{
	bool above = b->kinds[0] == VIEW_TIMELINE, below = b->kinds[1] == VIEW_TIMELINE;

	if (above == below)
		return room / 2;
	return above ? timeline_height(b, room) : room - timeline_height(b, room);
}

static void draw_pane(struct browse *b, int i, int y, int end)
{
	struct pane_marks marks = { .found = b->search, .exact = b->search_exact,
				    .letter = letter_at, .column = -1, .ctx = b,
				    .add_head = add_head };
	struct place lane;

	if (b->kinds[i] == VIEW_TIMELINE) {
		if (i != b->active && browse_find_lane(b, &lane))
			b->panes[i].cursor = lane;
		marks.column = browse_time_column(b);
		marks.label = b->lanes_text.column;
		marks.is_marked = is_marked;
		marks.pinned = find_pinned;
		marks.look = look_of;
		marks.look_from = b->lanes_text.column;
		marks.look_to = marks.look_from + b->lanes_columns;
	}
	pane_draw(&b->panes[i], &b->grid, y, end, i == b->active, &marks);
}

static void draw_panes(struct browse *b, int y, int end)
{
	int upper;

	if (b->nr_panes == 1 || (b->usual && b->grid.h < SPLIT_HEIGHT)) {
		draw_pane(b, b->active, y, end);
		return;
	}
	upper = upper_height(b, end - y);
	draw_pane(b, 0, y, y + upper);
	draw_pane(b, 1, y + upper, end);
}

void browse_draw(struct browse *b)
{
	int h = b->grid.h;

	grid_clear(&b->grid);
	browse_select(b);
	if (b->grid.w < WIDTH_MIN || h < HEIGHT_MIN) {
		draw_small(b);
		return;
	}
	browse_start_wanted(b);
	draw_title(b);
	draw_panes(b, 1, h - 1);
	draw_status(b, h - 1);
	if (b->asking && b->asking != ASK_MARK && b->asking != ASK_GO_MARK)
		prompt_draw(&b->prompt, &b->grid, h - 1);
	else if (b->message.len)
		draw_message(b, h - message_lines(b));
}
