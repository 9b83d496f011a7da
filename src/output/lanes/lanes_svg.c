/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A timeline as a picture: a bar for each lane; equal columns in a row are one box. */
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
#define SUMS	4		/* only CPUs have the last one */
#define ROW	20.0
#define BAR	14.0
#define THIN	4.0		/* height of states in which a task does not run */
#define BELOW	4.0		/* from the baseline of a text to the end of its row */
#define TICKS	8
#define WIDTH	(MARGIN * 2 + LABEL + PLOT + SUMS * SUM)

static const char style[] =
	".unknown{fill:none;stroke:var(--dim);stroke-dasharray:2 3}\n"
	".loss{fill:#e53935;fill-opacity:.6}\n"
	".lost{fill:#e53935;font-weight:bold}\n";

struct timeline_svg {
	const struct timeline *t;
	struct buf *svg;
	double y;			/* top of the row that is drawn */
};

/* The form of each state; states without a row have the last one. */
static const struct state_form {
	const char *state, *class, *legend;
	double height;
} forms[] = {
	{ "running", "c2", "running", BAR },
	{ "runnable", "c3", "runnable", BAR },
	{ "preempted", "c0", "preempted", BAR },
	{ "new", "c1", "new", BAR },
	{ "D", "c5", "asleep (D)", THIN * 2 },
	{ "S", "c8", "asleep (S)", THIN },
	{ "unknown", "unknown", "unknown", THIN },
	{ NULL, "c4", "other sleep", THIN },
};
#define NR_FORMS (sizeof(forms) / sizeof(*forms))

static const struct state_form *find_form(const char *state)
{
	const struct state_form *form = forms;

	while (form->state && strcmp(form->state, state))
		form++;
	return form;
}


static double column_x(const struct timeline_svg *p, uint32_t column)
{
	return MARGIN + LABEL + PLOT * column / lanes_width(p->t->lanes);
}

/* --- lanes */

static void draw_label(struct timeline_svg *p, const char *text, const char *class)
{
	svg_text(p->svg, MARGIN, p->y + ROW - BELOW, LABEL - SVG_CHAR, class, text);
}

static void draw_sum(struct timeline_svg *p, size_t nr, const char *text, const char *class)
{
	svg_text(p->svg, MARGIN + LABEL + PLOT + SUM * (nr + 1), p->y + ROW - BELOW, 0, class,
		 text);
}

static void draw_time(struct timeline_svg *p, size_t nr, uint64_t time)
{
	struct buf text = {0};

	timeline_add_duration(p->t, &text, time);
	draw_sum(p, nr, text.data, "right");
	buf_release(&text);
}

/* Draws columns [from, to) as a box, with the tip "16.25 to 16.30: WHAT". */
static void draw_box(struct timeline_svg *p, uint32_t from, uint32_t to, double height,
		     const char *class, const char *what)
{
	double x = column_x(p, from);
	struct svg_box box = { x, p->y + (ROW - height) / 2, column_x(p, to) - x, height };
	struct buf tip = {0};

	timeline_add_time(p->t, &tip, lanes_begin(p->t->lanes, from));
	buf_addstr(&tip, " to ");
	timeline_add_time(p->t, &tip, lanes_begin(p->t->lanes, to));
	buf_printf(&tip, ": %s", what);
	svg_rect(p->svg, &box, class, tip.data);
	buf_release(&tip);
}

static void draw_losses(struct timeline_svg *p, const struct state_lane *lane)
{
	uint32_t width = lanes_width(p->t->lanes), to;

	for (uint32_t i = 0; lane->losses && i < width; i = to) {
		for (to = i + 1; to < width && lane->losses[to] == lane->losses[i];)
			to++;
		if (!lane->losses[i])
			continue;
		draw_box(p, i, to, ROW - 2, "loss", "records were lost");
		svg_text(p->svg, column_x(p, to) + 1, p->y + ROW - BELOW, 0, "lost", "!");
	}
}

/* Returns the end of the columns that equal column @from. */
static uint32_t find_run_end(const struct timeline_svg *p, const struct state_lane *lane,
			     uint32_t from)
{
	uint32_t to = from + 1;

	while (to < lanes_width(p->t->lanes) && lane->states[to] == lane->states[from] &&
	       (!lane->tasks || lane->tasks[to] == lane->tasks[from]))
		to++;
	return to;
}

static void add_file(const struct timeline *t, struct buf *b, uint32_t file)
{
	if (t->nr_traces > 1)
		buf_printf(b, "%" PRIu32 ":", file);
}

static void draw_cpu(struct timeline_svg *p, const struct model_cpu *c)
{
	const struct state_lane *lane = lanes_of_cpu(p->t->lanes, c);
	uint32_t width = lanes_width(p->t->lanes), to;
	struct buf label = {0};
	const char *state;
	char class[16], *who;

	add_file(p->t, &label, c->file);
	buf_printf(&label, "CPU %" PRId32, c->cpu);
	draw_label(p, label.data, NULL);
	for (uint32_t i = 0; lane && i < width; i = to) {
		state = timeline_cpu_state(lane, i);
		to = find_run_end(p, lane, i);
		if (state && !strcmp(state, "busy")) {
			/* colours by the tasks' numbers, as there are more tasks than colours */
			who = timeline_task_text(p->t, lane->tasks[i]);
			snprintf(class, sizeof(class), "c%u", lane->tasks[i]->id % SVG_COLOURS);
			draw_box(p, i, to, BAR, class, who);
			free(who);
		} else if (state) {
			draw_box(p, i, to, THIN / 2, *state == 'u' ? "unknown" : "c8", state);
		}
	}
	if (lane)
		draw_losses(p, lane);
	draw_time(p, 0, c->busy);
	draw_time(p, 1, c->idle);
	draw_time(p, 2, c->unknown);
	if (timeline_has_irqs(p->t))
		draw_time(p, 3, c->irq + c->softirq);
	buf_release(&label);
	p->y += ROW;
}

static void draw_task(struct timeline_svg *p, const struct task *task)
{
	const struct state_lane *lane = lanes_of_task(p->t->lanes, task);
	struct timeline_sums sums = timeline_sums_of(p->t, task);
	uint32_t width = lanes_width(p->t->lanes), to;
	struct buf label = {0};
	const struct state_form *form;
	const char *state;

	add_file(p->t, &label, task->file);
	timeline_add_task(p->t, task, &label);
	draw_label(p, label.data, NULL);
	for (uint32_t i = 0; lane && i < width; i = to) {
		state = timeline_task_state(p->t, lane, i);
		to = find_run_end(p, lane, i);
		if (!state)
			continue;
		form = find_form(state);
		draw_box(p, i, to, form->height, form->class, state);
	}
	if (lane)
		draw_losses(p, lane);
	draw_time(p, 0, sums.run);
	draw_time(p, 1, sums.wait);
	draw_time(p, 2, sums.sleep);
	buf_release(&label);
	p->y += ROW;
}

static void draw_event(struct timeline_svg *p, const struct timeline_event *e)
{
	uint64_t most = 0;
	char text[48], class[8];

	for (uint32_t i = 0; i < lanes_width(p->t->lanes); i++)
		most = e->counts[i] > most ? e->counts[i] : most;
	draw_label(p, e->text, NULL);
	for (uint32_t i = 0; i < lanes_width(p->t->lanes); i++) {
		if (!e->counts[i])
			continue;
		snprintf(text, sizeof(text), "%" PRIu64 " events", e->counts[i]);
		snprintf(class, sizeof(class), "h%d",
			 (int)((double)e->counts[i] / most * (SVG_HEAT - 1)));
		draw_box(p, i, i + 1, BAR, class, text);
	}
	snprintf(text, sizeof(text), "%" PRIu64, e->total);
	draw_sum(p, 0, text, "right");
	p->y += ROW;
}

/* --- the page */

static void draw_axis(struct timeline_svg *p, double bottom)
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

static void draw_head(struct timeline_svg *p, const char *what, const char *const *sums)
{
	draw_label(p, what, "head");
	for (size_t i = 0; sums[i]; i++)
		draw_sum(p, i, sums[i], "right head");
	p->y += ROW;
}

static void draw_legend(struct timeline_svg *p)
{
	double x = MARGIN + LABEL;

	for (size_t i = 0; i < NR_FORMS; i++, x += PLOT / (NR_FORMS + 1)) {
		svg_rect(p->svg, &(struct svg_box){ x, p->y + (ROW - forms[i].height) / 2, 14,
						    forms[i].height }, forms[i].class, NULL);
		svg_text(p->svg, x + 18, p->y + ROW - BELOW, 0, "dim", forms[i].legend);
	}
	svg_rect(p->svg, &(struct svg_box){ x, p->y + 3, 14, BAR }, "loss", NULL);
	svg_text(p->svg, x + 18, p->y + ROW - BELOW, 0, "dim", "lost");
	p->y += ROW;
}

void timeline_add_svg(const struct timeline *t, struct buf *svg)
{
	static const char *const task_sums[] = { "run", "wait", "sleep", NULL };
	const char *const cpu_sums[] = { "busy", "idle", "unknown",
					 timeline_has_irqs(t) ? "irq" : NULL, NULL };
	size_t rows = t->nr_traces + t->nr_cpus + t->nr_events + t->nr_tasks + 5;
	double bottom = MARGIN + ROW * (rows - 2);
	struct timeline_svg p = { .t = t, .svg = svg, .y = MARGIN };
	struct buf text = {0};

	svg_begin(svg, &(struct svg_head){ .width = WIDTH, .height = MARGIN * 2 + ROW * rows,
					   .title = "ftr timeline", .style = style });
	for (size_t i = 0; i < t->nr_traces; i++) {
		buf_reset(&text);
		add_file(t, &text, i);
		buf_addstr(&text, t->traces[i]->dat->path);
		svg_text(svg, MARGIN, p.y + ROW - BELOW, WIDTH - 2 * MARGIN, "dim", text.data);
		p.y += ROW;
	}
	buf_release(&text);
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
