/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A timeline as text: a line for each lane, a character for each column. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/lanes/lanes_view.h"

#define USUAL_WIDTH	80	/* without a terminal */
#define LABEL_MOST	24
#define LABEL_LEAST	6
#define SUM_WIDTH	9
#define SUMS		4
#define SUMS_FROM	60	/* narrower terminals have lanes alone */
#define IRQ_FROM	100	/* narrower terminals lack the last sum, which only CPUs have */
#define TICKS_APART	10	/* columns between ticks, or a multiple of this */

/* --- widths */

static uint32_t label_width(unsigned int width)
{
	uint32_t room = (width ? width : USUAL_WIDTH) / 4;

	return room > LABEL_MOST ? LABEL_MOST : room < LABEL_LEAST ? LABEL_LEAST : room;
}

/* Returns the number of sums after a lane. */
static size_t nr_sums(unsigned int width)
{
	if (width && width < SUMS_FROM)
		return 0;
	return width < IRQ_FROM ? SUMS - 1 : SUMS;
}

uint32_t timeline_text_room(unsigned int width)
{
	uint32_t taken = label_width(width) + 1;

	taken += nr_sums(width) * SUM_WIDTH;
	if (!width)
		width = USUAL_WIDTH;
	return width > taken ? width - taken : 1;
}

static size_t count_chars(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

static void add_blanks(struct buf *b, size_t n)
{
	buf_printf(b, "%*s", (int)n, "");
}

/* Adds the first @chars characters. */
static void add_chars(struct buf *b, const char *text, size_t chars)
{
	for (; *text; text++) {
		if ((*text & 0xc0) != 0x80 && !chars--)
			return;
		buf_addch(b, *text);
	}
}

/* Adds a label of @room characters. A long name keeps the pid at its end: "kworker/u8~-1234". */
static void add_label(struct buf *b, const char *text, size_t room)
{
	size_t chars = count_chars(text);
	const char *id = strrchr(text, '-');
	size_t id_chars = id ? count_chars(id) : 0;

	if (chars <= room) {
		buf_addstr(b, text);
		add_blanks(b, room - chars);
	} else if (id_chars + 1 < room) {
		add_chars(b, text, room - id_chars - 1);
		buf_printf(b, "~%s", id);
	} else {
		add_chars(b, text, room - 1);
		buf_addch(b, '~');
	}
}

/* --- lines */

struct lanes_text {
	const struct timeline *t;
	const struct timeline_look *how;
	size_t label;			/* characters of the widest label */
	size_t sums;
	bool ascii, irqs;		/* ->irqs: interrupts were recorded */
	bool used[256];			/* ASCII characters of the states in the lanes */
	struct buf scratch;		/* a label, a duration */
};

/* The form of a state. */
struct state_glyph {
	char ascii;
	const char *utf8;
	const char *state;
	const char *legend;		/* NULL: another row has it */
};

static const struct state_glyph glyphs[] = {
	{ '#', "\u2588", "running", "running" },	/* full block */
	{ '+', "\u2591", "runnable", "runnable" },	/* light shade */
	{ '%', "\u2592", "preempted", "preempted" },	/* medium shade */
	{ '*', "*", "new", "new" },
	{ '.', "\u00b7", "S", "asleep S or idle" },	/* middle dot */
	{ '?', "?", "unknown", "unknown" },
	{ '#', "\u2588", "busy", NULL },
	{ '.', "\u00b7", "idle", NULL },
};
#define NR_GLYPHS (sizeof(glyphs) / sizeof(*glyphs))


/* Adds @n equal columns. */
static void add_cells(struct buf *b, struct lanes_text *view, const char *state, bool lost,
		      uint32_t n)
{
	struct state_glyph g = { .ascii = ' ' };

	if (lost) {
		g.ascii = '!';
	} else if (state) {
		/* states without a glyph are letters: the first one is shown */
		g.ascii = *state;
		for (size_t i = 0; i < NR_GLYPHS; i++)
			if (!strcmp(glyphs[i].state, state)) {
				g = glyphs[i];
				break;
			}
	}
	view->used[(uint8_t)g.ascii] = true;
	while (n--) {
		if (g.utf8 && !view->ascii)
			buf_addstr(b, g.utf8);
		else
			buf_addch(b, g.ascii);
	}
}

static bool is_lost(const struct state_lane *lane, uint32_t column)
{
	return lane->losses && lane->losses[column];
}

/* Adds the columns of a lane; blanks if @lane is NULL. */
static void add_lane(struct buf *b, struct lanes_text *view, const struct state_lane *lane,
		     bool is_cpu)
{
	uint32_t width = lanes_width(view->t->lanes), to;
	const char *state;

	if (!lane)
		add_blanks(b, width);
	for (uint32_t i = 0; lane && i < width; i = to) {
		to = i + 1;
		while (to < width && lane->states[to] == lane->states[i] &&
		       is_lost(lane, to) == is_lost(lane, i))
			to++;
		state = is_cpu ? timeline_cpu_state(lane, i) :
			timeline_task_state(view->t, lane, i);
		add_cells(b, view, state, is_lost(lane, i), to - i);
	}
}

/* Adds the text in ->scratch, right-aligned in its column. */
static void add_sum(struct buf *b, const struct lanes_text *view)
{
	for (size_t len = view->scratch.len; len < SUM_WIDTH; len++)
		buf_addch(b, ' ');
	buf_add(b, view->scratch.data, view->scratch.len);
}

static void add_sums(struct buf *b, struct lanes_text *view, const uint64_t *times, size_t n)
{
	for (size_t i = 0; i < n && i < view->sums; i++) {
		buf_reset(&view->scratch);
		timeline_add_duration(view->t, &view->scratch, times[i]);
		add_sum(b, view);
	}
}

static void end_line(struct buf *b)
{
	while (b->len && b->data[b->len - 1] == ' ')
		b->len--;
	buf_addch(b, '\n');
}


/* Adds a head: ticks at equal distances, with their times if there is room; names of the sums. */
static void add_head(struct buf *b, const struct lanes_text *view, const char *what,
		     const char *const *sums)
{
	const struct timeline *t = view->t;
	uint32_t width = lanes_width(t->lanes), at = 0, step;
	char title[LABEL_MOST + 8];
	struct buf time = {0};

	snprintf(title, sizeof(title), "# %s", what);
	add_label(b, title, view->label);
	buf_addch(b, ' ');
	timeline_add_time(t, &time, t->to);
	step = (time.len + 2 + TICKS_APART - 1) / TICKS_APART * TICKS_APART;
	for (uint32_t column = 0; column < width; column += step) {
		add_blanks(b, column - at);
		buf_addch(b, '|');
		at = column + 1;
		buf_reset(&time);
		timeline_add_time(t, &time, lanes_begin(t->lanes, column));
		if (at + time.len > width)
			break;
		buf_add(b, time.data, time.len);
		at += time.len;
	}
	add_blanks(b, width - at);
	buf_release(&time);
	for (size_t i = 0; i < view->sums && sums[i]; i++)
		buf_printf(b, "%*s", SUM_WIDTH, sums[i]);
	end_line(b);
}

/* --- labels, which are borrowed until the next one */

static void start_label(struct lanes_text *view, uint32_t file)
{
	buf_reset(&view->scratch);
	if (view->t->nr_traces != 1)
		buf_printf(&view->scratch, "%" PRIu32 ":", file);
}

static const char *cpu_label(struct lanes_text *view, const struct model_cpu *c)
{
	start_label(view, c->file);
	buf_printf(&view->scratch, "CPU %" PRId32, c->cpu);
	return view->scratch.data;
}

static const char *task_label(struct lanes_text *view, const struct task *task)
{
	start_label(view, task->file);
	timeline_add_task(view->t, task, &view->scratch);
	return view->scratch.data;
}


static void add_cpu(struct buf *b, struct lanes_text *view, const struct model_cpu *c)
{
	uint64_t times[SUMS] = { c->busy, c->idle, c->unknown, c->irq + c->softirq };

	add_label(b, cpu_label(view, c), view->label);
	buf_addch(b, ' ');
	add_lane(b, view, lanes_of_cpu(view->t->lanes, c), true);
	add_sums(b, view, times, view->irqs ? SUMS : SUMS - 1);
	end_line(b);
}

static void add_task(struct buf *b, struct lanes_text *view, const struct task *task)
{
	struct timeline_sums sums = timeline_sums_of(view->t, task);
	uint64_t times[] = { sums.run, sums.wait, sums.sleep };

	add_label(b, task_label(view, task), view->label);
	buf_addch(b, ' ');
	add_lane(b, view, lanes_of_task(view->t->lanes, task), false);
	add_sums(b, view, times, SUMS - 1);
	end_line(b);
}

/* Adds the counts of an event: 1 to 9, and 'x' for more. */
static void add_event(struct buf *b, struct lanes_text *view, const struct timeline_event *e)
{
	add_label(b, e->text, view->label);
	buf_addch(b, ' ');
	for (uint32_t i = 0; i < lanes_width(view->t->lanes); i++)
		buf_addch(b, !e->counts[i] ? ' ' : e->counts[i] < 10 ? '0' + e->counts[i] : 'x');
	if (view->sums) {
		buf_reset(&view->scratch);
		timeline_add_number(&view->scratch, e->total);
		add_sum(b, view);
	}
	end_line(b);
}

static void widen_label(struct lanes_text *view, const char *text)
{
	size_t chars = count_chars(text), most = label_width(view->how->width);

	if (view->how->given)
		most = LABEL_MOST;
	if (chars > view->label)
		view->label = chars < most ? chars : most;
}

/* --- the whole */

/* Adds the legend of the characters that are in the lanes. */
static void add_legend(struct buf *b, struct lanes_text *view)
{
	const char *before = "# ";

	for (size_t i = 0; i < NR_GLYPHS; i++) {
		const struct state_glyph *g = &glyphs[i];
		char ascii[2] = { g->ascii };

		if (!view->used[(uint8_t)g->ascii] || !g->legend)
			continue;
		buf_printf(b, "%s%s %s", before, g->legend, view->ascii ? ascii : g->utf8);
		before = ", ";
	}
	before = before[0] == ',' ? ", asleep" : "# asleep";
	for (int c = '0'; c <= 'z'; c++) {
		if (!view->used[c] || c == '?')
			continue;
		buf_printf(b, "%s %c", before, c);
		before = "";
	}
	if (view->used['!'])
		buf_printf(b, "%slost !", b->data[b->len - 1] == '\n' ? "# " : ", ");
	if (b->data[b->len - 1] != '\n')
		buf_addch(b, '\n');
}

/* Notes that the lines after *@from are of @kind, and moves *@from to the end. */
static void note_lines(struct timeline_lines *lines, const struct buf *b, size_t *from,
		       struct timeline_line kind)
{
	const char *end;

	while (lines && (end = memchr(b->data + *from, '\n', b->len - *from))) {
		lines->v = xgrow(lines->v, &lines->cap, lines->n + 1, sizeof(*lines->v));
		lines->v[lines->n++] = kind;
		*from = end + 1 - b->data;
	}
}

void timeline_add_text(const struct timeline *t, const struct timeline_look *how, struct buf *b,
		       struct timeline_lines *lines)
{
	static const char *const task_sums[] = { "run", "wait", "sleep", NULL };
	struct lanes_text view = { .t = t, .how = how, .ascii = how->ascii,
			     .irqs = timeline_has_irqs(t),
			     .sums = how->given ? SUMS : nr_sums(how->width) };
	const char *const cpu_sums[] = { "busy", "idle", "unknown", view.irqs ? "irq" : NULL,
					 NULL };
	size_t noted = b->len, all = view.irqs ? SUMS : SUMS - 1, i;

	for (i = 0; i < t->nr_cpus; i++)
		widen_label(&view, cpu_label(&view, t->cpus[i]));
	for (i = 0; i < t->nr_tasks; i++)
		widen_label(&view, task_label(&view, t->tasks[i]));
	for (i = 0; i < t->nr_events; i++)
		widen_label(&view, t->events[i].text);
	widen_label(&view, "# Task");
	for (i = 0; t->nr_traces > 1 && i < t->nr_traces; i++) {
		buf_printf(b, "# %zu: ", i);
		text_sanitise(b, t->traces[i]->dat->path, strlen(t->traces[i]->dat->path), false);
		buf_addch(b, '\n');
	}
	buf_addstr(b, "# ");
	timeline_add_time(t, b, t->from);
	buf_addstr(b, " to ");
	timeline_add_time(t, b, t->to);
	buf_printf(b, ", %" PRIu32 " columns of ", lanes_width(t->lanes));
	timeline_add_duration(t, b, (t->to - t->from) / lanes_width(t->lanes));
	buf_addch(b, '\n');
	add_head(b, &view, "CPU", cpu_sums);
	note_lines(lines, b, &noted, (struct timeline_line){0});
	for (i = 0; i < t->nr_cpus; i++) {
		add_cpu(b, &view, t->cpus[i]);
		note_lines(lines, b, &noted, (struct timeline_line){
			TIMELINE_LINE_CPU, t->cpus[i]->file, t->cpus[i]->cpu });
	}
	for (i = 0; i < t->nr_events; i++) {
		add_event(b, &view, &t->events[i]);
		note_lines(lines, b, &noted, (struct timeline_line){ TIMELINE_LINE_EVENT, 0, i });
	}
	add_head(b, &view, "Task", task_sums);
	note_lines(lines, b, &noted, (struct timeline_line){0});
	for (i = 0; i < t->nr_tasks; i++) {
		add_task(b, &view, t->tasks[i]);
		note_lines(lines, b, &noted, (struct timeline_line){
			TIMELINE_LINE_TASK, t->tasks[i]->file, t->tasks[i]->pid });
	}
	model_add_filters(t->model, b);
	note_lines(lines, b, &noted, (struct timeline_line){0});
	add_legend(b, &view);
	buf_release(&view.scratch);
	note_lines(lines, b, &noted, (struct timeline_line){0});
	if (!lines)
		return;
	lines->column = view.label + 1;
	lines->hidden = view.sums < all ? all - view.sums : 0;
}

void timeline_lines_copy(struct timeline_lines *to, const struct timeline_lines *from)
{
	*to = *from;
	to->v = xmalloc((from->n + 1) * sizeof(*to->v));
	to->cap = from->n + 1;
	if (from->n)
		memcpy(to->v, from->v, from->n * sizeof(*to->v));
}

void timeline_lines_release(struct timeline_lines *lines)
{
	free(lines->v);
	*lines = (struct timeline_lines){0};
}
