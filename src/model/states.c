/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The states of tasks and CPUs over time, from the events of the scheduler. */
#include <stdlib.h>

#include "model/model_priv.h"

#define STATE_TEXT_MAX	16	/* bytes of the text of a state, with its NUL */

static const char *const state_names[TASK_ASLEEP] = {
	"unknown", "new", "running", "runnable", "preempted", "dead",
};

void states_init(struct model *m)
{
	for (size_t i = 0; i < TASK_ASLEEP; i++)
		m->states[i] = state_names[i];
	m->nr_states = TASK_ASLEEP;
}

/* --- tasks */

struct state_time *state_time_of(struct model *m, struct task *t, unsigned int state)
{
	struct state_more *more;

	if (state < TASK_TIMES)
		return &t->times[state];
	for (more = t->more; more; more = more->next)
		if (more->state == state)
			return &more->t;
	more = arena_alloc(&m->arena, sizeof(*more));
	more->state = state;
	more->next = t->more;
	t->more = more;
	return &more->t;
}

/* Returns true for the states in which a task is known to be off the CPU. */
static bool is_off_cpu(unsigned int state)
{
	return state == TASK_NEW || state == TASK_RUNNABLE || state == TASK_PREEMPTED ||
	       state >= TASK_ASLEEP;
}

static uint64_t time_passed(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

uint64_t model_off(const struct model *m, const struct task *t)
{
	uint64_t now = m->s.times[t->file].last;

	return t->off_sum + (is_off_cpu(t->state) ? time_passed(t->since, now) : 0);
}

/* Adds the time up to @ts to the present state. */
static void task_count(struct model *m, struct task *t, uint64_t ts)
{
	uint64_t passed = time_passed(t->since, ts);

	if (passed && m->ops->stayed)
		m->ops->stayed(m->ctx, t, t->since, ts);
	state_time_of(m, t, t->state)->time += passed;
	if (is_off_cpu(t->state))
		t->off_sum += passed;
	t->since = ts;
}

static bool is_unseen(const struct task *t, unsigned int state)
{
	return (t->unseen & UNSEEN_RUNS && state == TASK_RUNNING) ||
	       (t->unseen & UNSEEN_WAITS && is_off_cpu(state));
}

void state_note_off(struct model *m, struct task *t)
{
	struct task **off = &m->s.times[t->file].off;

	if (!is_off_cpu(t->state) || t->is_listed || !t->pid)
		return;
	t->is_listed = true;
	t->next_off = *off;
	*off = t;
}

static void enter_state(struct model *m, struct task *t, unsigned int state, uint64_t ts)
{
	bool goes_on = false;

	/* in a gap of another CPU a task that does not run may have come to run there */
	if (__builtin_expect(t->unseen || m->s.times[t->file].gaps, 0) &&
	    (is_unseen(t, state) ||
	     (m->s.times[t->file].gaps && t->pid && is_off_cpu(state)))) {
		state = TASK_UNKNOWN;
		goes_on = t->state == TASK_UNKNOWN;
		t->missed_at = ts;
	}
	task_count(m, t, ts);
	if (goes_on)
		return;
	t->state = state;
	state_note_off(m, t);
	t->was_runnable = false;
	state_time_of(m, t, state)->count++;
}

static void state_begin(struct model *m, struct task *t, enum task_state state,
			const struct model_rec *at)
{
	enter_state(m, t, state, at ? at->r->ts : m->s.times[t->file].last);
}

/* Notes that @t waits for a CPU from the time of @at on. */
static void state_wait(struct task *t, const struct model_rec *at)
{
	if (t->unseen)
		return;
	t->waits = true;
	t->waiting_since = at->r->ts;
}

void state_new(struct model *m, struct task *t, const struct model_rec *at)
{
	t->since = at->r->ts;
	t->is_forked = true;
	if (is_unseen(t, TASK_NEW))
		return;
	enter_state(m, t, TASK_NEW, at->r->ts);
	state_wait(t, at);
}

void state_hide(struct model *m, struct task *t)
{
	if (!is_unseen(t, t->state))
		return;
	state_time_of(m, t, t->state)->count--;
	t->state = TASK_UNKNOWN;
	t->waits = false;
	for (struct model_cpu *c = m->s.cpus; c && t->unseen & UNSEEN_PLACE; c = c->next)
		if (c->task == t)
			c->task = NULL;
}

/* Returns true if any CPU lost records since @begin: @t may have run there. */
static bool is_loss_since(const struct model *m, const struct task *t, uint64_t begin)
{
	const struct file_time *f = &m->s.times[t->file];

	return f->gaps || f->gap_end > begin;
}

/* Reports a SPAN_WAKEUP to the view. @at is NULL at the end of all records. */
static void report_wait(struct model *m, struct task *t, unsigned int marks,
			const struct model_rec *at)
{
	uint64_t now = at ? at->r->ts : m->s.times[t->file].last;
	uint64_t begin = marks & SPAN_NO_BEGIN ? now : t->waiting_since;
	struct span s;

	if (!m->ops->waited)
		return;
	if (is_loss_since(m, t, begin))
		marks |= SPAN_LOSS;
	s = (struct span){
		.kind = SPAN_WAKEUP, .task = t, .file = t->file, .marks = marks,
		.name = (uintptr_t)"wakeup", .how = SPAN_NAME_TEXT, .begin = begin, .end = now,
		.cpu_begin = t->cpu, .cpu_end = t->cpu, .by_task = true,
		.duration = marks & ~SPAN_LOSS ? SPAN_UNKNOWN : time_passed(begin, now),
		.self = SPAN_UNKNOWN, .off = SPAN_UNKNOWN,
	};
	m->ops->waited(m->ctx, &s, at ? at->r : NULL);
}

/* --- CPUs */

static void cpu_count(struct model *m, struct model_cpu *c, uint64_t ts)
{
	uint64_t passed = time_passed(c->since, ts);

	if (passed && m->ops->cpu_stayed)
		m->ops->cpu_stayed(m->ctx, c, c->since, ts);
	if (!c->task || c->lost)
		c->unknown += passed;
	else if (c->task->pid)
		c->busy += passed;
	else
		c->idle += passed;
	c->since = ts > c->since ? ts : c->since;
}

static void cpu_set_task(struct model *m, struct model_cpu *c, struct task *t, uint64_t ts)
{
	cpu_count(m, c, ts);
	cpu_count_top(m, c, ts);
	c->task = t->unseen & UNSEEN_PLACE ? NULL : t;
	c->proved = ts;
	c->lost = false;
}

/* --- missing records */

/* Returns the last time at which @t, the running task of @c, is known to run there. */
static uint64_t cpu_proved_until(const struct model_cpu *c, const struct task *t)
{
	return c->proved > t->since ? c->proved : t->since;
}

/*
 * Makes CPUs that were thought to run @t unknown from its last record there on. Interrupts on top
 * of it go on until a record of that CPU ends them, which may report a loss that started earlier.
 * Only the softirqs of the task itself (PREEMPT_RT) leave with it.
 */
static void task_forget_cpus(struct model *m, const struct task *t)
{
	for (struct model_cpu *c = m->s.cpus; c; c = c->next) {
		if (c->task != t)
			continue;
		cpu_count(m, c, cpu_proved_until(c, t));
		if (t->softirqs)
			cpu_count_top(m, c, cpu_proved_until(c, t));
		c->task = NULL;
	}
}

void state_forget(struct model *m, struct task *t)
{
	struct model_cpu *c = m->s.cpus;

	if (t->state == TASK_DEAD)
		return;
	if (t->state != TASK_RUNNING) {
		t->was_runnable = t->state == TASK_RUNNABLE;
		t->state = TASK_UNKNOWN;
		return;
	}
	while (c && (c->task != t || c->lost))
		c = c->next;
	enter_state(m, t, TASK_UNKNOWN, c ? cpu_proved_until(c, t) : t->since);
	task_forget_cpus(m, t);
}

void state_forget_cpu(struct model *m, struct model_cpu *c)
{
	if (!c->task || c->lost)
		return;
	cpu_count(m, c, cpu_proved_until(c, c->task));
	c->task = NULL;
}

/* Ends the wait of @t, whose length is not known. */
static void state_break_wait(struct model *m, struct task *t, const struct model_rec *at)
{
	if (!t->waits)
		return;
	t->broken_delays++;
	report_wait(m, t, SPAN_NO_END, at);
	t->waits = false;
}

/*
 * Notes that a switch of @t is missing before the record @at. The state of @t becomes unknown: that
 * of a running task since its last record, other states since they were entered.
 */
static void note_missed(struct model *m, struct task *t, const struct model_rec *at)
{
	if (t->state == TASK_UNKNOWN || t->state == TASK_DEAD)
		return;
	/* counts once for a record, and not after a known loss on this CPU */
	if (m->s.times[t->file].switched && !at->stream->cpu->lost &&
	    (m->s.missed_at != at->r->ts || !m->s.missed))
		m->s.missed++;
	m->s.missed_at = at->r->ts;
	t->missed_at = at->r->ts;
	state_break_wait(m, t, at);
	state_forget(m, t);
}

/* --- switches */

unsigned int state_named(struct model *m, const char *name)
{
	for (unsigned int i = TASK_ASLEEP; i < m->nr_states; i++)
		if (!strcmp(m->states[i], name))
			return i;
	if (m->nr_states == TASK_STATES_MAX)
		return TASK_STATES_MAX - 1;
	m->states[m->nr_states] = model_text(m, name, strlen(name));
	return m->nr_states++;
}

/*
 * Returns the state by the letters that the print fmt has for prev_state. "R+" is on a runqueue;
 * a task with "X", "Z", or before 4.14 "x", ran for the last time.
 */
static unsigned int render_state(struct model *m, const struct model_bind *b,
				 const struct model_rec *at)
{
	char *text;
	size_t len;

	buf_reset(&m->scratch);
	ev_render_word(at->r->trace->engine, &at->r->rec, b->f[1], at->r->cpu, at->r->ts,
		       &m->scratch);
	len = m->scratch.len < STATE_TEXT_MAX ? m->scratch.len : STATE_TEXT_MAX - 1;
	buf_addstr(&m->scratch, "");
	text = m->scratch.data;
	for (size_t i = 0; i < len; i++)
		text[i] = text[i] > ' ' && text[i] <= '~' ? text[i] : '?';
	if (len && text[len - 1] == '+')
		len--;
	text[len] = '\0';
	if (!strcmp(text, "R"))
		return TASK_PREEMPTED;
	if (strpbrk(text, "XZx"))
		return TASK_DEAD;
	return text[0] ? state_named(m, text) : TASK_UNKNOWN;
}

/*
 * Returns the state of @prev_state in @at. Each value is rendered once by the print fmt of the
 * recorded kernel, as the bits differ between versions.
 */
static unsigned int read_state(struct model *m, const struct model_bind *b,
			       const struct model_rec *at)
{
	struct map *known = &m->files[b->file].states;
	uint64_t value;
	void *found;

	if (!at_num(at, b->f[1], &value))
		return TASK_UNKNOWN;
	found = map_get(known, value + 1);
	if (!found) {
		found = (void *)(uintptr_t)(render_state(m, b, at) + 1);
		map_put(known, value + 1, found);
	}
	return (uintptr_t)found - 1;
}

/* Returns true if the task of @c runs there; after a gap it may run elsewhere. */
static bool cpu_has_task(const struct model_cpu *c)
{
	const struct task *t = c->task;

	return t && t->state == TASK_RUNNING && (!t->pid || t->cpu == c->cpu);
}

bool state_buffer_has_switches(const struct model *m, uint32_t file, uint16_t buffer)
{
	uint16_t known = m->s.buffers[file][MODEL_KIND_SCHED];

	return !known || known == buffer + 1u;
}

void state_end_task(struct model *m, struct task *t, const struct model_rec *at)
{
	task_forget_cpus(m, t);
	if (t->state != TASK_DEAD)
		state_begin(m, t, TASK_DEAD, at);
}

static void switch_out(struct model *m, const struct model_bind *b, const struct model_rec *at,
		       struct task *t)
{
	unsigned int state = t->pid ? read_state(m, b, at) : TASK_PREEMPTED;

	t->left_at = at->r->ts;
	t->has_left = true;
	t->woken_at = 0;
	t->waits = t->is_woken = false;
	if (t->state == TASK_DEAD)
		return;
	state_begin(m, t, state, at);
	if (state == TASK_PREEMPTED && t->pid)
		state_wait(t, at);
}

static void state_run(struct model *m, const struct model_rec *at, struct task *t)
{
	uint64_t delay;

	if (t->state == TASK_RUNNING && t->pid && t->cpu != at->r->cpu)
		note_missed(m, t, at);
	/* a dead task, whose pid another one has by now, is on one CPU at a time, too */
	if (t->state == TASK_DEAD && t->cpu != at->r->cpu)
		task_forget_cpus(m, t);
	if (t->pid)
		t->cpu = at->r->cpu;
	if (t->state == TASK_DEAD)
		return;
	if (t->waits && is_loss_since(m, t, t->waiting_since)) {
		t->lost_delays++;
	} else if (t->waits) {
		delay = time_passed(t->waiting_since, at->r->ts);
		t->delays++;
		t->delay_sum += delay;
		if (delay >= t->delay_max) {
			t->delay_max = delay;
			t->delay_max_at = at->r->ts;
		}
	}
	if (t->waits) {
		report_wait(m, t, 0, at);
	} else if (t->state >= TASK_ASLEEP) {
		t->unwoken++;
		report_wait(m, t, SPAN_NO_BEGIN, at);
	}
	state_begin(m, t, TASK_RUNNING, at);
	t->waits = false;
}

/* Returns how long a task that comes to run at @ts was off the CPU; a new task was not. */
static uint64_t time_off(const struct task *t, uint64_t ts)
{
	if (!t->has_left)
		return t->is_forked ? 0 : SPAN_UNKNOWN;
	if (t->state == TASK_UNKNOWN || t->missed_at > t->left_at)
		return SPAN_UNKNOWN;
	return time_passed(t->left_at, ts);
}

/*
 * perf sched timehist counts the delay from the last waking alone: a task that was preempted has
 * none, unless it was about to sleep and was woken (ttwu_runnable()).
 */
static void switch_in(struct model *m, const struct model_rec *at, struct task *t)
{
	uint64_t ts = at->r->ts;
	bool is_preempted = t->state == TASK_PREEMPTED;
	uint64_t waited = t->waits ? time_passed(t->waiting_since, ts) : 0;

	t->came_at = ts;
	t->has_come = true;
	t->early.kind = WAKER_UNKNOWN;
	t->was_off = time_off(t, ts);
	t->was_preempted = is_preempted ? waited : 0;
	t->was_delayed = !is_preempted ? waited : t->woken_at ? time_passed(t->woken_at, ts) : 0;
	/* an idle task is ready at all times */
	if (t->waits ? is_loss_since(m, t, t->waiting_since) :
	    t->pid && t->was_off == SPAN_UNKNOWN) {
		t->was_delayed = t->was_preempted = SPAN_UNKNOWN;
		if (!t->has_left && t->woken_at && !is_loss_since(m, t, t->woken_at))
			t->was_delayed = time_passed(t->woken_at, ts);
	}
	state_run(m, at, t);
}

static void task_read_name(struct task *t, const struct ev_field *f, const struct model_rec *at)
{
	const char *name;
	size_t len;

	if (f && at_text(at, f, &name, &len))
		task_set_name(t, name, len);
}

/* Fields: prev_pid, prev_state, next_pid; prev_comm, next_comm */
void state_switch(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	struct model_cpu *c = at->stream->cpu;
	struct task *prev, *next;
	uint64_t pid[2];

	if (!at_num(at, b->f[0], &pid[0]) || !at_num(at, b->f[2], &pid[1]))
		return;
	m->s.times[at->r->file].switched = true;
	if (!c->switched)
		c->switched_at = at->r->ts;
	c->switched = true;
	prev = task_of(m, at->r->file, (int32_t)pid[0], at->r->cpu);
	next = task_of(m, at->r->file, (int32_t)pid[1], at->r->cpu);
	task_see(prev, at->r->ts);
	task_see(next, at->r->ts);
	state_check_leader(m, prev, at);
	if (c->task != prev && cpu_has_task(c))
		note_missed(m, c->task, at);
	/* no interrupt switches, and a softirq only with PREEMPT_RT */
	wakers_clear(m, c, at->r->ts);
	task_read_name(prev, b->f[3], at);
	task_read_name(next, b->f[4], at);
	/* after a gap a CPU keeps its task, which may run elsewhere since */
	prev->is_known = prev->state == TASK_RUNNING && c->task == prev && !c->lost;
	if (!prev->is_known)
		note_missed(m, prev, at);
	switch_out(m, b, at, prev);
	if (m->ops->switched)
		m->ops->switched(m->ctx, prev, next, at->r);
	switch_in(m, at, next);
	cpu_set_task(m, c, next, at->r->ts);
}

/* --- wakings. Field: pid */

/* Notes that @t will run on @cpu. Its state is unknown where nothing is recorded. */
static void state_set_target(struct model *m, struct task *t, int cpu, const struct model_rec *at)
{
	const struct dat_buffer *b = &at->r->trace->dat->buffers[at->r->buffer];
	/* as a rule all CPUs are there, in order */
	size_t i = cpu >= 0 && (size_t)cpu < b->nr_cpus && b->cpus[cpu].cpu == cpu ? cpu : 0;

	while (i < b->nr_cpus && b->cpus[i].cpu != cpu)
		i++;
	/* a CPU of a live trace may get records at any time */
	if (i < b->nr_cpus && (b->cpus[i].nr_pages || b->cpus[i].source))
		return;
	state_break_wait(m, t, at);
	t->missed_at = at->r->ts;
	enter_state(m, t, TASK_UNKNOWN, at->r->ts);
}

void state_waking(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	struct task *t;
	uint64_t pid;
	bool in_gap;

	if (!at_num(at, b->f[0], &pid) || !(int32_t)pid)
		return;
	t = task_of(m, at->r->file, (int32_t)pid, at->r->cpu);
	in_gap = m->s.times[t->file].gaps;
	if (t->state == TASK_RUNNING && b->form == WAKING) {
		t->early = waker_of(m, b, at);
		t->early.cpu = (int16_t)at->r->cpu;
		if (m->ops->woken_early)
			m->ops->woken_early(m->ctx, t, at->r);
	}
	if (t->state == TASK_PREEMPTED ? !t->woken_at : t->state == TASK_UNKNOWN &&
	    !t->missed_at && (!t->woken_at || b->form == WAKING))
		t->woken_at = at->r->ts;
	/* a sched_wakeup follows the sched_waking; otherwise a waiting task is not woken again */
	if (t->state == TASK_RUNNABLE && (t->woken_by != WAKING || b->form == WAKING)) {
		/* the kernel wakes only sleeping tasks (ttwu_state_match()): it ran meanwhile */
		note_missed(m, t, at);
		task_count(m, t, at->r->ts);
	} else if (t->state == TASK_UNKNOWN && in_gap) {
		/* its state is unknown, but it waits no longer than from this waking on */
		if (!t->missed_at || t->waits)
			return;
	} else if (t->state < TASK_ASLEEP && t->state != TASK_NEW) {
		return;
	}
	t->woken_by = b->form;
	t->is_woken = true;
	t->waker = waker_of(m, b, at);
	/* it was woken before it had left its CPU, so only the sched_wakeup comes now */
	t->woken_early = t->waker.kind == WAKER_UNKNOWN && b->form == WAKEUP &&
			 t->early.kind != WAKER_UNKNOWN;
	if (t->woken_early)
		t->waker = t->early;
	t->waker.cpu = (int16_t)at->r->cpu;
	if (t->state != TASK_UNKNOWN || !in_gap)
		state_begin(m, t, TASK_RUNNABLE, at);
	state_wait(t, at);
}

/* Field: target_cpu. In a sched_waking it is the last CPU, as the next one is not chosen yet. */
void state_wakeup(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	uint64_t pid, cpu;
	struct task *t;

	state_waking(m, b, at);
	if (!b->f[1] || !at_num(at, b->f[0], &pid) || !at_num(at, b->f[1], &cpu) || !(int32_t)pid)
		return;
	t = task_of(m, at->r->file, (int32_t)pid, at->r->cpu);
	if (t->state == TASK_RUNNABLE)
		state_set_target(m, t, (int32_t)cpu, at);
}

/* Fields: pid, dest_cpu */
void state_migrate(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	uint64_t pid, cpu;
	struct task *t;

	if (!at_num(at, b->f[0], &pid) || !at_num(at, b->f[1], &cpu) || !(int32_t)pid)
		return;
	t = task_of(m, at->r->file, (int32_t)pid, at->r->cpu);
	if (t->state != TASK_RUNNABLE && t->state != TASK_PREEMPTED)
		return;
	t->cpu = (int32_t)cpu;
	state_set_target(m, t, t->cpu, at);
}

/* --- states without a switch: exec, first records, gaps, the end */

void state_take_over(struct model *m, struct task *from, struct task *to,
		     const struct model_rec *at)
{
	struct model_cpu *c = at->stream->cpu;

	state_begin(m, from, TASK_DEAD, at);
	if (to->state != TASK_RUNNING)
		state_begin(m, to, TASK_RUNNING, at);
	to->cpu = at->r->cpu;
	to->waits = from->waits = false;
	to->came_at = from->came_at;
	to->has_come = from->has_come;
	to->was_off = from->was_off;
	to->was_delayed = from->was_delayed;
	to->was_preempted = from->was_preempted;
	if (!c->lost)
		cpu_set_task(m, c, to, at->r->ts);
}

void state_check_leader(struct model *m, struct task *t, const struct model_rec *at)
{
	struct model_cpu *c = at->stream->cpu;

	if (t->state == TASK_DEAD && c->task && c->task != t && c->task->pid && !c->lost &&
	    cpu_has_task(c))
		task_take_over(m, c->task, t, at);
}

void state_note_running(struct model *m, const struct model_rec *at)
{
	struct model_cpu *c = at->stream->cpu;
	struct task *t = at->task;

	if (c->task != t && cpu_has_task(c))
		note_missed(m, c->task, at);
	if (t->state != TASK_RUNNING)
		note_missed(m, t, at);
	state_run(m, at, t);
	cpu_set_task(m, c, t, at->r->ts);
}

/*
 * Makes the CPU unknown from @ts on. Returns the task that ran there, or NULL if that is not known.
 */
static struct task *cpu_lose(struct model *m, struct model_cpu *c, uint64_t ts)
{
	if (c->lost)
		return NULL;
	cpu_count(m, c, ts);
	c->lost = true;
	return cpu_has_task(c) ? c->task : NULL;
}

/* Makes tasks off the CPU unknown from @ts on: they may run on a CPU whose records are lost. */
static void tasks_forget_off(struct model *m, uint32_t file, uint64_t ts)
{
	struct task *t = m->s.times[file].off, *next;

	m->s.times[file].off = NULL;
	for (; t; t = next) {
		next = t->next_off;
		t->is_listed = false;
		if (!is_off_cpu(t->state))
			continue;
		t->missed_at = ts > t->since ? ts : t->since;
		enter_state(m, t, TASK_UNKNOWN, t->missed_at);
	}
}

void state_lose(struct model *m, struct model_cpu *c, uint64_t ts)
{
	struct task *t = cpu_lose(m, c, ts);

	if (t)
		enter_state(m, t, TASK_UNKNOWN, ts > t->since ? ts : t->since);
	tasks_forget_off(m, c->file, ts);
}

/* The lost records may be switches: nothing is known from the record before them on. */
void state_begin_gap(struct model *m, struct stream_at *st, const struct trace_rec *r)
{
	struct file_time *f = &m->s.times[r->file];
	uint64_t since = st->known ? st->last : f->first;
	struct task *t;

	if (st->in_gap || !state_buffer_has_switches(m, r->file, r->buffer))
		return;
	st->in_gap = true;
	st->lost_first |= !st->known;
	f->gaps++;
	m->s.all_gaps++;
	st->lost = t = st->known ? cpu_lose(m, st->cpu, since) : NULL;
	if (t)
		enter_state(m, t, TASK_UNKNOWN, since > t->since ? since : t->since);
	tasks_forget_off(m, r->file, since);
}

void state_end_gap(struct model *m, struct stream_at *st, const struct model_rec *at)
{
	struct file_time *f = &m->s.times[at->r->file];

	if (!st->in_gap && !state_buffer_has_switches(m, at->r->file, at->r->buffer))
		return;
	state_begin_gap(m, st, at->r);
	cpu_lose(m, st->cpu, st->last);
	if (m->ops->gap)
		m->ops->gap(m->ctx, st->cpu, st->lost, st->last, at->r->ts);
	/* after a loss at the end of the file there are no records */
	st->in_gap = !at->r->rec.data;
	f->gaps -= !st->in_gap;
	f->gap_end = at->r->ts;
}

void states_end(struct model *m)
{
	for (struct task *t = m->s.first_task; t; t = t->next) {
		const struct file_time *f = &m->s.times[t->file];

		task_count(m, t, f->last);
		if (t->waits && f->switched &&
		    (t->state == TASK_RUNNABLE || t->state == TASK_PREEMPTED ||
		     t->state == TASK_NEW))
			report_wait(m, t, SPAN_OPEN, NULL);
	}
	for (struct model_cpu *c = m->s.cpus; c; c = c->next)
		cpu_count(m, c, m->s.times[c->file].last);
}

void states_count(struct model *m, uint64_t ts)
{
	for (struct task *t = m->s.first_task; t; t = t->next)
		task_count(m, t, ts);
	for (struct model_cpu *c = m->s.cpus; c; c = c->next) {
		cpu_count(m, c, ts);
		cpu_count_top(m, c, ts);
	}
}
