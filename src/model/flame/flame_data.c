/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ways of flame graphs, from what the model tells. */
#include "model/flame/flame_data.h"

#include <stdlib.h>

#include "base/map.h"
#include "model/flame/kernel_stacks.h"

#define NOT_COUNTED	UINT64_MAX

/* A time off the CPU: in the state at the switch, and waiting to run behind it. */
struct period {
	uint32_t way[2];
	uint64_t time[2];
	bool is_closed;			/* the task runs again, or what it does is not known */
	bool is_owner;			/* its stack may come yet */
	uint32_t next;			/* of those that are free */
};

struct flame {
	struct flame_opts opts;
	struct model *model;
	struct ways *ways;
	struct frames *frames;
	struct stacks *stacks;
	uint64_t marks[SPAN_MARKS], below_0;
	struct map weights;		/* format -> its field, or &no_field */
	bool met_weight;
	struct period *periods;		/* number 0 is none */
	size_t nr_periods, cap_periods;
	uint32_t free_period;
	uint32_t switched;		/* the period that the record at hand has begun */
};

struct flame *flame_new(const struct flame_opts *o, struct ways *w)
{
	struct flame *f = xcalloc(1, sizeof(*f));

	f->opts = *o;
	f->ways = w;
	f->periods = xgrow(NULL, &f->cap_periods, 1, sizeof(*f->periods));
	f->nr_periods = 1;
	return f;
}

void flame_bind(struct flame *f, struct model *m)
{
	f->model = m;
	f->frames = frames_new(m, f->ways);
	f->stacks = stacks_new(m, f->frames, f->ways);
}

void flame_free(struct flame *f)
{
	if (!f)
		return;
	frames_free(f->frames);
	stacks_free(f->stacks);
	map_release(&f->weights);
	free(f->periods);
	free(f);
}

bool flame_met_stack(const struct flame *f)
{
	return stacks_met(f->stacks);
}

bool flame_met_weight(const struct flame *f)
{
	return f->met_weight;
}

const uint64_t *flame_marks(const struct flame *f)
{
	return f->marks;
}

uint64_t flame_below_0(const struct flame *f)
{
	return f->below_0;
}

static bool is_selected(const struct flame *f, const struct trace_rec *r)
{
	return f->opts.is_selected(f->opts.ctx, r);
}

/* --- self times */

static uint32_t who_begins(struct flame *f, const struct span *s)
{
	static const char *const contexts[] = { NULL, "<softirq>", "<hardirq>", "<nmi>" };

	if (s->context)
		return frame_text(f->frames, contexts[s->context]);
	return frame_task(f->frames, s->task);
}

static void begin_span(void *ctx, struct span *s, const struct trace_rec *r)
{
	const struct span *parent = span_parent(s);
	struct flame *f = ctx;
	uint32_t from = parent ? parent->user : ways_step(f->ways, 0, who_begins(f, s));

	s->user = ways_step(f->ways, from, frame_name(f->frames, s->file, s->name, s->how));
	s->is_shown = is_selected(f, r);
}

static void count_marks(struct flame *f, const struct span *s)
{
	for (size_t i = 0; i < SPAN_MARKS; i++)
		f->marks[i] += s->marks >> i & 1;
	f->below_0 += s->below_0;
}

static void end_span(void *ctx, struct span *s, const struct trace_rec *r)
{
	struct flame *f = ctx;

	(void)r;
	if (!s->is_shown)
		return;
	if (s->marks | s->below_0)
		count_marks(f, s);
	if (span_counts(s) && s->self != SPAN_UNKNOWN)
		ways_add(f->ways, s->user, f->opts.column, s->self);
}

/* --- stacks */

/* ev_field() compares names: each format is asked once. */
static const struct ev_field *find_weight(struct flame *f, const struct ev_format *fmt)
{
	static struct ev_field no_field;
	const struct ev_field *field = map_get(&f->weights, (uintptr_t)fmt);

	if (!field) {
		field = ev_format_ready(fmt) ? NULL : ev_field(fmt, f->opts.weight);
		map_put(&f->weights, (uintptr_t)fmt, field ? (void *)field : &no_field);
	}
	return field == &no_field ? NULL : field;
}

static uint64_t weigh_record(struct flame *f, const struct trace_rec *r)
{
	const struct ev_field *field;
	uint64_t v;

	if (!is_selected(f, r))
		return NOT_COUNTED;
	if (!f->opts.weight)
		return 1;
	field = r->rec.fmt ? find_weight(f, r->rec.fmt) : NULL;
	if (!field || !ev_get_num(&r->rec, field, &v) || (field->is_signed && (int64_t)v < 0))
		return NOT_COUNTED;
	return v == NOT_COUNTED ? v - 1 : v;
}

/* What a stack that belongs to no record counts. */
static uint64_t weigh_alone(const struct flame *f, const struct trace_rec *r)
{
	return !f->opts.weight && is_selected(f, r) ? 1 : NOT_COUNTED;
}

static void count_stack(struct flame *f, const struct task *t, const struct trace_rec *r,
			uint64_t weight)
{
	uint32_t from;

	if (weight == NOT_COUNTED)
		return;
	f->met_weight = true;
	from = ways_step(f->ways, 0, frame_task(f->frames, t));
	ways_add(f->ways, stacks_walk(f->stacks, r, from), f->opts.column, weight);
}

static bool owns(const struct stack_owner *o, const struct trace_rec *r)
{
	return o->is_there && o->pid == r->pid;
}

static void take_record(void *ctx, struct task *t, const struct trace_rec *r)
{
	struct flame *f = ctx;
	enum stack_kind kind = stacks_kind(f->stacks, r);
	struct stack_owner *o = stacks_owner(f->stacks, r);

	if (kind == STACK_NONE) {
		*o = (struct stack_owner){ true, r->pid, weigh_record(f, r) };
		return;
	}
	if (kind == STACK_KERNEL)
		count_stack(f, t, r, owns(o, r) ? o->user : weigh_alone(f, r));
	o->is_there = false;
}

static void lose_records(void *ctx, const struct trace_rec *r)
{
	struct flame *f = ctx;

	stacks_owner(f->stacks, r)->is_there = false;
}

/* --- off the CPU */

static uint32_t new_period(struct flame *f)
{
	uint32_t nr = f->free_period;

	if (nr) {
		f->free_period = f->periods[nr].next;
	} else {
		f->periods = xgrow(f->periods, &f->cap_periods, f->nr_periods + 1,
				   sizeof(*f->periods));
		nr = f->nr_periods++;
	}
	f->periods[nr] = (struct period){0};
	return nr;
}

static void settle_period(struct flame *f, uint32_t nr)
{
	struct period *p = &f->periods[nr];

	if (!p->is_closed || p->is_owner)
		return;
	for (size_t i = 0; i < 2; i++)
		ways_add(f->ways, p->way[i], f->opts.column, p->time[i]);
	p->next = f->free_period;
	f->free_period = nr;
}

static void close_period(struct flame *f, struct task *t)
{
	uint32_t nr = t->user;

	if (!nr)
		return;
	t->user = 0;
	f->periods[nr].is_closed = true;
	settle_period(f, nr);
}

static uint32_t frame_state(struct flame *f, unsigned int state)
{
	struct buf name = {0};
	uint32_t frame;

	buf_printf(&name, "[%s]", model_state_name(f->model, state));
	frame = frame_text(f->frames, name.data);
	buf_release(&name);
	return frame;
}

static bool is_switched_off(unsigned int state)
{
	return state == TASK_PREEMPTED || state >= TASK_ASLEEP;
}

static void switch_tasks(void *ctx, struct task *prev, struct task *next,
			 const struct trace_rec *r)
{
	struct flame *f = ctx;
	struct period *p;
	uint32_t who;

	(void)next;
	close_period(f, prev);
	if (!prev->pid || !is_switched_off(prev->state) || !is_selected(f, r))
		return;
	prev->user = new_period(f);
	p = &f->periods[prev->user];
	p->is_owner = true;
	who = ways_step(f->ways, 0, frame_task(f->frames, prev));
	p->way[0] = ways_step(f->ways, who, frame_state(f, prev->state));
	p->way[1] = ways_step(f->ways, who, frame_state(f, TASK_RUNNABLE));
	f->switched = prev->user;
}

static void stay_in_state(void *ctx, struct task *t, uint64_t from, uint64_t to)
{
	struct flame *f = ctx;

	if (!t->user)
		return;
	if (is_switched_off(t->state))
		f->periods[t->user].time[0] += to - from;
	else if (t->state == TASK_RUNNABLE)
		f->periods[t->user].time[1] += to - from;
	else
		close_period(f, t);
}

/* No stack comes any more for the record that was the last of its CPU. */
static void disown_period(struct flame *f, struct stack_owner *o)
{
	if (o->is_there && o->user) {
		f->periods[o->user].is_owner = false;
		settle_period(f, o->user);
	}
	o->is_there = false;
}

static void walk_period(struct flame *f, struct period *p, const struct trace_rec *r)
{
	for (size_t i = 0; i < 2; i++)
		p->way[i] = stacks_walk(f->stacks, r, p->way[i]);
}

static void take_switch_record(void *ctx, struct task *t, const struct trace_rec *r)
{
	struct flame *f = ctx;
	enum stack_kind kind = stacks_kind(f->stacks, r);
	struct stack_owner *o = stacks_owner(f->stacks, r);

	(void)t;
	if (kind == STACK_KERNEL && owns(o, r) && o->user)
		walk_period(f, &f->periods[o->user], r);
	disown_period(f, o);
	if (kind == STACK_NONE)
		*o = (struct stack_owner){ true, r->pid, f->switched };
	f->switched = 0;
}

static void lose_switches(void *ctx, const struct trace_rec *r)
{
	struct flame *f = ctx;

	disown_period(f, stacks_owner(f->stacks, r));
}

/* --- for outside */

static const struct span_ops ops_of[] = {
	[FLAME_SELF] = { .begin = begin_span, .end = end_span },
	[FLAME_STACKS] = { .event = take_record, .lost = lose_records },
	[FLAME_OFF_CPU] = { .event = take_switch_record, .lost = lose_switches,
			    .switched = switch_tasks, .stayed = stay_in_state },
};

const struct span_ops *flame_ops(const struct flame *f)
{
	return &ops_of[f->opts.of];
}

/* Tasks that are off the CPU still. What is closed, and owns no stack, is free. */
void flame_end(struct flame *f)
{
	for (size_t i = 1; i < f->nr_periods; i++) {
		struct period *p = &f->periods[i];

		if (p->is_closed && !p->is_owner)
			continue;
		p->is_closed = true;
		p->is_owner = false;
		settle_period(f, i);
	}
}
