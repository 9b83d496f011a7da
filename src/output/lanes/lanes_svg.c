/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A timeline as a picture: a bar for each lane, what stays the same over columns is one piece. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/lanes/lanes_view.h"
#include "output/svg.h"

#define MARGIN	12.0
#define LABEL	190.0
#define PLOT	1000.0
#define SUM	82.0
#define SUMS	4		/* the last one of CPUs alone */
#define ROW	20.0
#define BAR	14.0
#define THIN	4.0		/* of what does not run */
#define BELOW	4.0		/* the line of a text is above the end of its row */
#define TICKS	8
#define WIDTH	(MARGIN * 2 + LABEL + PLOT + SUMS * SUM)

static const char style[] =
	".unknown{fill:none;stroke:var(--dim);stroke-dasharray:2 3}\n"
	".loss{fill:#e53935;fill-opacity:.6}\n"
	".lost{fill:#e53935;font-weight:bold}\n";

struct picture {
	const struct timeline *t;
	struct buf *svg;
	double y;			/* of the row that is drawn */
};

/* What a state looks like; all states that have no row are as the last one. */
static const struct look {
	const char *state, *class, *legend;
	double height;
} looks[] = {
	{ "running", "c2", "running", BAR },
	{ "runnable", "c3", "runnable", BAR },
	{ "preempted", "c0", "preempted", BAR },
	{ "new", "c1", "new", BAR },
	{ "D", "c5", "asleep (D)", THIN * 2 },
	{ "S", "c8", "asleep (S)", THIN },
	{ "unknown", "unknown", "unknown", THIN },
	{ NULL, "c4", "other sleep", THIN },
};
#define NR_LOOKS (sizeof(looks) / sizeof(*looks))

static const struct look *look_of(const char *state)
{
	const struct look *look = looks;

	while (look->state && strcmp(look->state, state))
		look++;
	return look;
}

/* --- where things are */

static double column_x(const struct picture *p, uint32_t column)
{
	return MARGIN + LABEL + PLOT * column / lanes_width(p->t->lanes);
}

static struct svg_box box_of(const struct picture *p, uint32_t from, uint32_t to, double height)
{
	double x = column_x(p, from);

	return (struct svg_box){ x, p->y + (ROW - height) / 2, column_x(p, to) - x, height };
}

/* --- lanes */

static void draw_label(struct picture *p, const char *text, const char *class)
{
	svg_text(p->svg, MARGIN, p->y + ROW - BELOW, LABEL - SVG_CHAR, class, text);
}

static void draw_sum(struct picture *p, size_t nr, const char *text, const char *class)
{
	svg_text(p->svg, MARGIN + LABEL + PLOT + SUM * (nr + 1), p->y + ROW - BELOW, 0, class,
		 text);
}

static void draw_time(struct picture *p, size_t nr, uint64_t time)
{
	struct buf text = {0};

	timeline_add_duration(p->t, &text, time);
	draw_sum(p, nr, text.data, "right");
	buf_release(&text);
}

/* "16.25 to 16.30: WHAT" */
static void draw_piece(struct picture *p, uint32_t from, uint32_t to, double height,
		       const char *class, const char *what)
{
	struct svg_box box = box_of(p, from, to, height);
	struct buf tip = {0};

	timeline_add_time(p->t, &tip, lanes_begin(p->t->lanes, from));
	buf_addstr(&tip, " to ");
	timeline_add_time(p->t, &tip, lanes_begin(p->t->lanes, to));
	buf_printf(&tip, ": %s", what);
	svg_rect(p->svg, &box, class, tip.data);
	buf_release(&tip);
}

static void draw_losses(struct picture *p, const struct lane *lane)
{
	uint32_t width = lanes_width(p->t->lanes), to;

	for (uint32_t i = 0; lane->losses && i < width; i = to) {
		for (to = i + 1; to < width && lane->losses[to] == lane->losses[i];)
			to++;
		if (!lane->losses[i])
			continue;
		draw_piece(p, i, to, ROW - 2, "loss", "records were lost");
		svg_text(p->svg, column_x(p, to) + 1, p->y + ROW - BELOW, 0, "lost", "!");
	}
}

/* The end of the columns that are as @from is. */
static uint32_t end_of_run(const struct picture *p, const struct lane *lane, uint32_t from)
{
	uint32_t to = from + 1;

	while (to < lanes_width(p->t->lanes) && lane->states[to] == lane->states[from] &&
	       (!lane->tasks || lane->tasks[to] == lane->tasks[from]))
		to++;
	return to;
}

static void draw_task_lane(struct picture *p, const struct lane *lane)
{
	uint32_t to;

	for (uint32_t i = 0; i < lanes_width(p->t->lanes); i = to) {
		const char *state = timeline_task_state(p->t, lane, i);

		to = end_of_run(p, lane, i);
		if (state)
			draw_piece(p, i, to, look_of(state)->height, look_of(state)->class,
				   state);
	}
	draw_losses(p, lane);
}

/* Tasks have colours by their numbers, as there are more of them than colours. */
static void draw_busy(struct picture *p, const struct lane *lane, uint32_t from, uint32_t to)
{
	char *who = timeline_task_text(p->t, lane->tasks[from]);
	char class[8];

	snprintf(class, sizeof(class), "c%u", lane->tasks[from]->id % SVG_COLOURS);
	draw_piece(p, from, to, BAR, class, who);
	free(who);
}

static void draw_cpu_lane(struct picture *p, const struct lane *lane)
{
	uint32_t to;

	for (uint32_t i = 0; i < lanes_width(p->t->lanes); i = to) {
		const char *state = timeline_cpu_state(lane, i);

		to = end_of_run(p, lane, i);
		if (!state)
			continue;
		if (!strcmp(state, "busy"))
			draw_busy(p, lane, i, to);
		else
			draw_piece(p, i, to, THIN / 2, *state == 'u' ? "unknown" : "c8", state);
	}
	draw_losses(p, lane);
}

static void add_file(const struct timeline *t, struct buf *b, uint32_t file)
{
	if (t->nr_traces > 1)
		buf_printf(b, "%" PRIu32 ":", file);
}

static void draw_cpu(struct picture *p, const struct model_cpu *c)
{
	const struct lane *lane = lanes_of_cpu(p->t->lanes, c);
	struct buf label = {0};

	add_file(p->t, &label, c->file);
	buf_printf(&label, "CPU %" PRId32, c->cpu);
	draw_label(p, label.data, NULL);
	if (lane)
		draw_cpu_lane(p, lane);
	draw_time(p, 0, c->busy);
	draw_time(p, 1, c->idle);
	draw_time(p, 2, c->unknown);
	if (timeline_has_irqs(p->t))
		draw_time(p, 3, c->irq + c->softirq);
	buf_release(&label);
	p->y += ROW;
}

static void draw_task(struct picture *p, const struct task *task)
{
	const struct lane *lane = lanes_of_task(p->t->lanes, task);
	struct timeline_sums sums = timeline_sums_of(p->t, task);
	char *text = timeline_task_text(p->t, task);
	struct buf label = {0};

	add_file(p->t, &label, task->file);
	buf_addstr(&label, text);
	draw_label(p, label.data, NULL);
	if (lane)
		draw_task_lane(p, lane);
	draw_time(p, 0, sums.run);
	draw_time(p, 1, sums.wait);
	draw_time(p, 2, sums.sleep);
	buf_release(&label);
	free(text);
	p->y += ROW;
}

static uint64_t most_events(const struct picture *p, const struct timeline_event *e)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < lanes_width(p->t->lanes); i++)
		most = e->counts[i] > most ? e->counts[i] : most;
	return most;
}

static void draw_event(struct picture *p, const struct timeline_event *e)
{
	uint64_t most = most_events(p, e);
	char text[48], class[8];

	draw_label(p, e->text, NULL);
	for (uint32_t i = 0; i < lanes_width(p->t->lanes); i++) {
		if (!e->counts[i])
			continue;
		snprintf(text, sizeof(text), "%" PRIu64 " events", e->counts[i]);
		snprintf(class, sizeof(class), "h%d",
			 (int)((double)e->counts[i] / most * (SVG_HEAT - 1)));
		draw_piece(p, i, i + 1, BAR, class, text);
	}
	snprintf(text, sizeof(text), "%" PRIu64, e->total);
	draw_sum(p, 0, text, "right");
	p->y += ROW;
}

/* --- the page */

static void draw_axis(struct picture *p, double bottom)
{
	uint32_t width = lanes_width(p->t->lanes), step = (width + TICKS - 1) / TICKS;
	struct buf text = {0};

	for (uint32_t i = 0; i < width; i += step) {
		double x = column_x(p, i);

		buf_reset(&text);
		timeline_add_time(p->t, &text, lanes_begin(p->t->lanes, i));
		svg_line(p->svg, x, p->y + BELOW, x, bottom, "grid");
		svg_text(p->svg, x + 3, p->y + ROW - BELOW, 0, "dim", text.data);
	}
	buf_release(&text);
}

static void draw_head(struct picture *p, const char *what, const char *const *sums)
{
	draw_label(p, what, "head");
	for (size_t i = 0; sums[i]; i++)
		draw_sum(p, i, sums[i], "right head");
	p->y += ROW;
}

static void draw_legend(struct picture *p)
{
	double x = MARGIN + LABEL;

	for (size_t i = 0; i < NR_LOOKS; i++, x += PLOT / (NR_LOOKS + 1)) {
		svg_rect(p->svg, &(struct svg_box){ x, p->y + (ROW - looks[i].height) / 2, 14,
						    looks[i].height }, looks[i].class, NULL);
		svg_text(p->svg, x + 18, p->y + ROW - BELOW, 0, "dim", looks[i].legend);
	}
	svg_rect(p->svg, &(struct svg_box){ x, p->y + 3, 14, BAR }, "loss", NULL);
	svg_text(p->svg, x + 18, p->y + ROW - BELOW, 0, "dim", "lost");
	p->y += ROW;
}

static void draw_files(struct picture *p)
{
	const struct timeline *s = p->t;
	struct buf text = {0};

	for (size_t i = 0; i < s->nr_traces; i++) {
		buf_reset(&text);
		add_file(p->t, &text, i);
		buf_addstr(&text, s->traces[i]->dat->path);
		svg_text(p->svg, MARGIN, p->y + ROW - BELOW, WIDTH - 2 * MARGIN, "dim",
			 text.data);
		p->y += ROW;
	}
	buf_release(&text);
}

void timeline_add_svg(const struct timeline *t, struct buf *svg)
{
	static const char *const task_sums[] = { "run", "wait", "sleep", NULL };
	const char *const cpu_sums[] = { "busy", "idle", "unknown",
					 timeline_has_irqs(t) ? "irq" : NULL, NULL };
	size_t files = t->nr_traces;
	size_t rows = files + t->nr_cpus + t->nr_events + t->nr_tasks + 5;
	double bottom = MARGIN + ROW * (rows - 2);
	struct picture p = { .t = t, .svg = svg, .y = MARGIN };

	svg_begin(svg, &(struct svg_head){ .width = WIDTH, .height = MARGIN * 2 + ROW * rows,
					   .title = "ftr timeline", .style = style });
	draw_files(&p);
	draw_axis(&p, bottom);
	draw_head(&p, "CPU", cpu_sums);
	for (size_t i = 0; i < t->nr_cpus; i++)
		draw_cpu(&p, t->cpus[i]);
	for (size_t i = 0; i < t->nr_events; i++)
		draw_event(&p, &t->events[i]);
	p.y += ROW / 2;
	draw_head(&p, "Task", task_sums);
	for (size_t i = 0; i < t->nr_tasks; i++)
		draw_task(&p, t->tasks[i]);
	p.y = bottom + ROW;
	draw_legend(&p);
	svg_end(svg);
}
