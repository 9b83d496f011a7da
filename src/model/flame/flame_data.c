/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data of flame graphs, added to folded stacks: self times of spans, kernel stacks and the
 * records that they belong to, times off the CPU.
 */
#include "model/flame/flame_data.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "model/kernel_stack.h"

#define NOT_COUNTED	UINT64_MAX

enum stack_kind {
	STACK_NONE,			/* the record is no stack */
	STACK_KERNEL,
	STACK_OTHER,			/* a user stack, or one in a buffer that is not read */
};

/* The last record of a CPU in a buffer: a stack that follows belongs to it. */
struct stack_owner {
	bool     is_there;
	int      pid;
	uint64_t user;			/* its weight, or the number of its period */
};

/* A time off the CPU: [0] in the state after the switch, [1] waiting to run after that. */
struct off_cpu_period {
	uint32_t frame[2];
	uint64_t time[2];
	bool is_closed;			/* the task runs again, or its state is unknown */
	bool is_owner;			/* its stack may come yet */
	uint32_t next;			/* in the list of free periods */
};

struct flame_data {
	struct flame_opts opts;
	struct model *model;
	struct folded_stacks *folded;
	struct slots names;		/* name, file -> its number in ->folded */
	struct buf scratch;
	uint64_t marks[SPAN_MARKS], below_0;
	struct map weights;		/* format -> its field, or &no_field */
	bool met_weight, met_stack;
	struct stack_owner *owners;	/* per stream */
	const struct ev_format *fmt;	/* format of the last record, and its kind */
	enum stack_kind kind;
	struct stack_words words;
	struct off_cpu_period *periods;		/* number 0 is none */
	size_t nr_periods, cap_periods;
	uint32_t free_period;
	uint32_t switched;		/* number of the period that the current record starts */
};

struct flame_data *flame_new(const struct flame_opts *o, struct folded_stacks *w)
{
	struct flame_data *f = xcalloc(1, sizeof(*f));

	f->opts = *o;
	f->folded = w;
	slots_init(&f->names);
	f->periods = xgrow(NULL, &f->cap_periods, 1, sizeof(*f->periods));
	f->nr_periods = 1;
	return f;
}

void flame_bind(struct flame_data *f, struct model *m)
{
	f->model = m;
	f->owners = xcalloc(model_nr_streams(m) + 1, sizeof(*f->owners));
}

void flame_free(struct flame_data *f)
{
	if (!f)
		return;
	slots_release(&f->names);
	buf_release(&f->scratch);
	map_release(&f->weights);
	stack_words_release(&f->words);
	free(f->owners);
	free(f->periods);
	free(f);
}

bool flame_met_stack(const struct flame_data *f)
{
	return f->met_stack;
}

bool flame_met_weight(const struct flame_data *f)
{
	return f->met_weight;
}

const uint64_t *flame_marks(const struct flame_data *f)
{
	return f->marks;
}

uint64_t flame_below_0(const struct flame_data *f)
{
	return f->below_0;
}

static bool is_selected(const struct flame_data *f, const struct trace_rec *r)
{
	return f->opts.is_selected(f->opts.ctx, r);
}

/* --- names of frames: numbers in ->folded */

static uint32_t frame_text(struct flame_data *f, const char *text)
{
	return folded_add_name(f->folded, text, strlen(text));
}

static uint32_t frame_task(struct flame_data *f, const struct task *t)
{
	return frame_text(f, model_task_name(f->model, t));
}

/* Returns the frame of a span's name, a new one if the name is met for the first time. */
static uint32_t frame_name(struct flame_data *f, unsigned int file, uint64_t name,
			   enum span_name how)
{
	uint64_t key = (uint64_t)file << 8 | how;
	uint32_t frame = slots_find(&f->names, name, key);

	if (frame)
		return frame;
	buf_reset(&f->scratch);
	buf_addstr(&f->scratch, "");
	model_add_named(f->model, file, name, how, &f->scratch);
	frame = folded_add_name(f->folded, f->scratch.data, f->scratch.len);
	slots_add(&f->names, name, key, frame);
	return frame;
}

/* --- self times */

static void begin_span(void *ctx, struct span *s, const struct trace_rec *r)
{
	static const char *const contexts[] = { NULL, "<softirq>", "<hardirq>", "<nmi>" };
	const struct span *parent = span_parent(s);
	struct flame_data *f = ctx;
	uint32_t from;

	if (parent)
		from = parent->user;
	else if (s->context)
		from = folded_add_frame(f->folded, 0, frame_text(f, contexts[s->context]));
	else
		from = folded_add_frame(f->folded, 0, frame_task(f, s->task));
	s->user = folded_add_frame(f->folded, from, frame_name(f, s->file, s->name, s->how));
	s->is_shown = is_selected(f, r);
}

static void end_span(void *ctx, struct span *s, const struct trace_rec *r)
{
	struct flame_data *f = ctx;

	(void)r;
	if (!s->is_shown)
		return;
	for (size_t i = 0; i < SPAN_MARKS && s->marks; i++)
		f->marks[i] += s->marks >> i & 1;
	f->below_0 += s->below_0;
	if (span_counts(s) && s->self != SPAN_UNKNOWN)
		folded_add(f->folded, s->user, f->opts.column, s->self);
}

/* --- kernel stacks */

/* Formats are compared by name once: mostly a CPU's record has that of the one before. */
static enum stack_kind stack_kind(struct flame_data *f, const struct trace_rec *r)
{
	const struct ev_format *fmt = r->rec.fmt;

	if (fmt != f->fmt) {
		f->fmt = fmt;
		f->kind = STACK_NONE;
		if (fmt && !strcmp(fmt->system, "ftrace")) {
			if (!strcmp(fmt->name, "kernel_stack"))
				f->kind = STACK_KERNEL;
			else if (!strcmp(fmt->name, "user_stack"))
				f->kind = STACK_OTHER;
		}
	}
	if (f->kind != STACK_KERNEL)
		return f->kind;
	if (!model_reads_stack(f->model, r))
		return STACK_OTHER;
	f->met_stack = true;
	return STACK_KERNEL;
}

/*
 * Returns the path from @from on through the functions of the stack @r, the outermost first.
 * Returns @from if the record has no stack.
 */
static uint32_t stack_walk(struct flame_data *f, const struct trace_rec *r, uint32_t from)
{
	uint32_t first, i, name;
	struct kernel_stack s;
	uint64_t addr;

	if (!kernel_stack_read(r, &s))
		return from;
	first = kernel_stack_skip_tracer(&f->words, f->model, &s);
	for (i = s.n; i-- > first;) {
		addr = kernel_stack_addr(&s, i);
		name = addr == STACK_TRAMPOLINE ? frame_text(f, "[FTRACE TRAMPOLINE]") :
		       frame_name(f, r->file, addr, SPAN_NAME_SYMBOL);
		from = folded_add_frame(f->folded, from, name);
	}
	return from;
}

/*
 * Returns the weight of the record's stack: 1, or the field to sum up. NOT_COUNTED if the record is
 * not selected, or if it lacks the field.
 */
static uint64_t weigh_record(struct flame_data *f, const struct trace_rec *r)
{
	static struct ev_field no_field;
	const struct ev_format *fmt = r->rec.fmt;
	const struct ev_field *field;
	uint64_t v;

	if (!is_selected(f, r))
		return NOT_COUNTED;
	if (!f->opts.weight)
		return 1;
	if (!fmt)
		return NOT_COUNTED;
	/* ev_field() compares names: it is called once for each format */
	field = map_get(&f->weights, (uintptr_t)fmt);
	if (!field) {
		field = ev_format_ready(fmt) ? NULL : ev_field(fmt, f->opts.weight);
		field = field ? field : &no_field;
		map_put(&f->weights, (uintptr_t)fmt, (void *)field);
	}
	if (field == &no_field || !ev_get_num(&r->rec, field, &v) ||
	    (field->is_signed && (int64_t)v < 0))
		return NOT_COUNTED;
	return v == NOT_COUNTED ? v - 1 : v;
}

static bool is_owner(const struct stack_owner *o, const struct trace_rec *r)
{
	return o->is_there && o->pid == r->pid;
}

static void count_record(void *ctx, struct task *t, const struct trace_rec *r)
{
	struct flame_data *f = ctx;
	enum stack_kind kind = stack_kind(f, r);
	struct stack_owner *o = &f->owners[r->stream];
	uint64_t weight = NOT_COUNTED;
	uint32_t from;

	if (kind == STACK_NONE) {
		*o = (struct stack_owner){ true, r->pid, weigh_record(f, r) };
		return;
	}
	if (kind == STACK_KERNEL) {
		if (is_owner(o, r))
			weight = o->user;
		else if (!f->opts.weight && is_selected(f, r))
			weight = 1;
	}
	if (weight != NOT_COUNTED) {
		f->met_weight = true;
		from = folded_add_frame(f->folded, 0, frame_task(f, t));
		folded_add(f->folded, stack_walk(f, r, from), f->opts.column, weight);
	}
	o->is_there = false;
}

static void lose_records(void *ctx, const struct trace_rec *r)
{
	struct flame_data *f = ctx;

	f->owners[r->stream].is_there = false;
}

/* --- off the CPU */

/* Adds the times of a period and frees it, if it is closed and no stack of it can follow. */
static void period_settle(struct flame_data *f, uint32_t nr)
{
	struct off_cpu_period *p = &f->periods[nr];

	if (!p->is_closed || p->is_owner)
		return;
	for (size_t i = 0; i < 2; i++)
		folded_add(f->folded, p->frame[i], f->opts.column, p->time[i]);
	p->next = f->free_period;
	f->free_period = nr;
}

static void period_close(struct flame_data *f, struct task *t)
{
	uint32_t nr = t->user;

	if (!nr)
		return;
	t->user = 0;
	f->periods[nr].is_closed = true;
	period_settle(f, nr);
}

static uint32_t frame_state(struct flame_data *f, unsigned int state)
{
	struct buf name = {0};
	uint32_t frame;

	buf_printf(&name, "[%s]", model_state_name(f->model, state));
	frame = frame_text(f, name.data);
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
	struct flame_data *f = ctx;
	struct off_cpu_period *p;
	uint32_t who;

	(void)next;
	period_close(f, prev);
	if (!prev->pid || !is_switched_off(prev->state) || !is_selected(f, r))
		return;
	prev->user = f->free_period;
	if (prev->user) {
		f->free_period = f->periods[prev->user].next;
	} else {
		f->periods = xgrow(f->periods, &f->cap_periods, f->nr_periods + 1,
				   sizeof(*f->periods));
		prev->user = f->nr_periods++;
	}
	p = &f->periods[prev->user];
	*p = (struct off_cpu_period){ .is_owner = true };
	who = folded_add_frame(f->folded, 0, frame_task(f, prev));
	p->frame[0] = folded_add_frame(f->folded, who, frame_state(f, prev->state));
	p->frame[1] = folded_add_frame(f->folded, who, frame_state(f, TASK_RUNNABLE));
	f->switched = prev->user;
}

static void stay_in_state(void *ctx, struct task *t, uint64_t from, uint64_t to)
{
	struct flame_data *f = ctx;

	if (!t->user)
		return;
	if (is_switched_off(t->state))
		f->periods[t->user].time[0] += to - from;
	else if (t->state == TASK_RUNNABLE)
		f->periods[t->user].time[1] += to - from;
	else
		period_close(f, t);
}

/* Settles the period of the last record of a CPU: its stack will not come any more. */
static void period_disown(struct flame_data *f, struct stack_owner *o)
{
	if (o->is_there && o->user) {
		f->periods[o->user].is_owner = false;
		period_settle(f, o->user);
	}
	o->is_there = false;
}

static void count_switch(void *ctx, struct task *t, const struct trace_rec *r)
{
	struct flame_data *f = ctx;
	enum stack_kind kind = stack_kind(f, r);
	struct stack_owner *o = &f->owners[r->stream];

	(void)t;
	if (kind == STACK_KERNEL && is_owner(o, r) && o->user) {
		struct off_cpu_period *p = &f->periods[o->user];

		for (size_t i = 0; i < 2; i++)
			p->frame[i] = stack_walk(f, r, p->frame[i]);
	}
	period_disown(f, o);
	if (kind == STACK_NONE)
		*o = (struct stack_owner){ true, r->pid, f->switched };
	f->switched = 0;
}

static void lose_switches(void *ctx, const struct trace_rec *r)
{
	struct flame_data *f = ctx;

	period_disown(f, &f->owners[r->stream]);
}

/* --- the views */

static const struct span_ops ops_of[] = {
	[FLAME_SELF] = { .begin = begin_span, .end = end_span },
	[FLAME_STACKS] = { .event = count_record, .lost = lose_records },
	[FLAME_OFF_CPU] = { .event = count_switch, .lost = lose_switches,
			    .switched = switch_tasks, .stayed = stay_in_state },
};

const struct span_ops *flame_ops(const struct flame_data *f)
{
	return &ops_of[f->opts.of];
}

/* Settles the periods of tasks that are still off the CPU. Other periods are free. */
void flame_end(struct flame_data *f)
{
	for (size_t i = 1; i < f->nr_periods; i++) {
		struct off_cpu_period *p = &f->periods[i];

		if (p->is_closed && !p->is_owner)
			continue;
		p->is_closed = true;
		p->is_owner = false;
		period_settle(f, i);
	}
}
