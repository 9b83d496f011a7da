/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each task and each CPU does all the time, by the events of the scheduler. */
#include <stdlib.h>

#include "model/model_priv.h"

#define SEEN_MAX	16	/* longest text of a state that is kept */

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

/* Is this a state in which a task is known to be off the CPU? */
static bool is_off(unsigned int state)
{
	return state == TASK_NEW || state == TASK_RUNNABLE || state == TASK_PREEMPTED ||
	       state >= TASK_ASLEEP;
}

static uint64_t span_of_time(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

uint64_t model_off(const struct model *m, const struct task *t)
{
	uint64_t now = m->s.times[t->file].last;

	return t->off_sum + (is_off(t->state) ? span_of_time(t->since, now) : 0);
}

/* The time up to @ts belongs to the state that is there. */
static void count_state(struct model *m, struct task *t, uint64_t ts)
{
	uint64_t passed = span_of_time(t->since, ts);

	if (passed && m->ops->stayed)
		m->ops->stayed(m->ctx, t, t->since, ts);
	state_time_of(m, t, t->state)->time += passed;
	if (is_off(t->state))
		t->off_sum += passed;
	t->since = ts;
}

static bool is_unseen(const struct task *t, unsigned int state)
{
	return (t->unseen & UNSEEN_RUNS && state == TASK_RUNNING) ||
	       (t->unseen & UNSEEN_WAITS && is_off(state));
}

/* In a gap of another CPU a task that does not run may have come to run there. */
static bool is_hidden(const struct model *m, const struct task *t, unsigned int state)
{
	return is_unseen(t, state) || (m->s.times[t->file].gaps && t->pid && is_off(state));
}

void state_is_off(struct model *m, struct task *t)
{
	struct task **off = &m->s.times[t->file].off;

	if (!is_off(t->state) || t->is_listed || !t->pid)
		return;
	t->is_listed = true;
	t->next_off = *off;
	*off = t;
}

static void enter_state(struct model *m, struct task *t, unsigned int state, uint64_t ts)
{
	bool goes_on = false;

	if (__builtin_expect(t->unseen || m->s.times[t->file].gaps, 0) &&
	    is_hidden(m, t, state)) {
		state = TASK_UNKNOWN;
		goes_on = t->state == TASK_UNKNOWN;
		t->missed_at = ts;
	}
	count_state(m, t, ts);
	if (goes_on)
		return;
	t->state = state;
	state_is_off(m, t);
	t->was_runnable = false;
	state_time_of(m, t, state)->count++;
}

static void state_begin(struct model *m, struct task *t, enum task_state state,
			const struct at *at)
{
	enter_state(m, t, state, at ? at->r->ts : m->s.times[t->file].last);
}

/* The task waits for a CPU from now on. */
static void state_wait(struct task *t, const struct at *at)
{
	if (t->unseen)
		return;
	t->waits = true;
	t->waiting_since = at->r->ts;
}

void state_new(struct model *m, struct task *t, const struct at *at)
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

/* Did any CPU lose records since? It may have run there. */
static bool waited_over_loss(const struct model *m, const struct task *t, uint64_t begin)
{
	const struct file_time *f = &m->s.times[t->file];

	return f->gaps || f->gap_end > begin;
}

static void count_delay(const struct model *m, struct task *t, const struct at *at)
{
	uint64_t ts = at->r->ts, delay = span_of_time(t->waiting_since, ts);

	if (waited_over_loss(m, t, t->waiting_since)) {
		t->lost_delays++;
		return;
	}
	t->delays++;
	t->delay_sum += delay;
	if (delay >= t->delay_max) {
		t->delay_max = delay;
		t->delay_max_at = ts;
	}
}

/* How long it waited; @at is NULL at the end of all records. */
static void tell_waited(struct model *m, struct task *t, unsigned int marks, const struct at *at)
{
	uint64_t now = at ? at->r->ts : m->s.times[t->file].last;
	uint64_t begin = marks & SPAN_NO_BEGIN ? now : t->waiting_since;
	struct span s;

	if (!m->ops->waited)
		return;
	if (waited_over_loss(m, t, begin))
		marks |= SPAN_LOSS;
	s = (struct span){
		.kind = SPAN_WAKEUP, .task = t, .file = t->file, .marks = marks,
		.name = (uintptr_t)"wakeup", .how = SPAN_NAME_TEXT, .begin = begin, .end = now,
		.cpu_begin = t->cpu, .cpu_end = t->cpu, .by_task = true,
		.duration = marks & ~SPAN_LOSS ? SPAN_UNKNOWN : span_of_time(begin, now),
		.self = SPAN_UNKNOWN, .off = SPAN_UNKNOWN,
	};
	m->ops->waited(m->ctx, &s, at ? at->r : NULL);
}

/* --- CPUs */

static void count_cpu(struct model *m, struct model_cpu *c, uint64_t ts)
{
	uint64_t passed = span_of_time(c->since, ts);

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

static void cpu_runs(struct model *m, struct model_cpu *c, struct task *t, uint64_t ts)
{
	count_cpu(m, c, ts);
	cpu_count_top(m, c, ts);
	c->task = t->unseen & UNSEEN_PLACE ? NULL : t;
	c->proved = ts;
	c->lost = false;
}

/* --- what is missing */

/* The last moment at which the running task of @c is known to run there. */
static uint64_t proved_until(const struct model_cpu *c, const struct task *t)
{
	return c->proved > t->since ? c->proved : t->since;
}

/*
 * What CPUs do that were thought to run @t is not known from its last record there on. What ran on
 * top of it goes on until a record of the CPU itself tells, which may be a loss that began earlier.
 * Only the softirqs of the task (PREEMPT_RT) leave with it.
 */
static void forget_cpus(struct model *m, const struct task *t)
{
	for (struct model_cpu *c = m->s.cpus; c; c = c->next) {
		if (c->task != t)
			continue;
		count_cpu(m, c, proved_until(c, t));
		if (t->softirqs)
			cpu_count_top(m, c, proved_until(c, t));
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
	enter_state(m, t, TASK_UNKNOWN, c ? proved_until(c, t) : t->since);
	forget_cpus(m, t);
}

void state_forget_cpu(struct model *m, struct model_cpu *c)
{
	if (!c->task || c->lost)
		return;
	count_cpu(m, c, proved_until(c, c->task));
	c->task = NULL;
}

/* It is not known how long @t waits. */
static void end_wait(struct model *m, struct task *t, const struct at *at)
{
	if (!t->waits)
		return;
	t->broken_delays++;
	tell_waited(m, t, SPAN_NO_END, at);
	t->waits = false;
}

/*
 * A record shows that one before it is missing, by which @t came to run or left a CPU. What it did
 * since the last that is known of it is unknown: of a running task since its last record, of others
 * since their state began.
 */
static void miss(struct model *m, struct task *t, const struct at *at)
{
	if (t->state == TASK_UNKNOWN || t->state == TASK_DEAD)
		return;
	/* behind a loss on this CPU that is no news; one record tells of one place */
	if (m->s.times[t->file].switched && !at->stream->cpu->lost &&
	    (m->s.missed_at != at->r->ts || !m->s.missed))
		m->s.missed++;
	m->s.missed_at = at->r->ts;
	t->missed_at = at->r->ts;
	end_wait(m, t, at);
	state_forget(m, t);
}

/* --- switches */

/* The letters of prev_state, as the print fmt of this kernel has them: its bits have moved. */
static void state_text(struct model *m, const struct bind *b, const struct at *at, char *text)
{
	const char *from, *to;
	size_t len = 0;

	buf_reset(&m->scratch);
	ev_render_alone(at->r->trace->engine, &at->r->rec, b->f[1], at->r->cpu, at->r->ts,
			&m->scratch);
	from = m->scratch.len ? strstr(m->scratch.data, "prev_state=") : NULL;
	if (from) {
		from += strlen("prev_state=");
		to = strchrnul(from, ' ');
		len = (size_t)(to - from) < SEEN_MAX ? (size_t)(to - from) : SEEN_MAX - 1;
		memcpy(text, from, len);
	}
	for (size_t i = 0; i < len; i++)
		text[i] = text[i] > ' ' && text[i] <= '~' ? text[i] : '?';
	text[len] = '\0';
}

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

/* "R+" is on a runqueue; "X", "Z", before 4.14 "x", and what has them ran for the last time. */
static unsigned int read_state(struct model *m, const struct bind *b, const struct at *at)
{
	char text[SEEN_MAX];

	state_text(m, b, at, text);
	if (text[0] && text[strlen(text) - 1] == '+')
		text[strlen(text) - 1] = '\0';
	if (!strcmp(text, "R"))
		return TASK_PREEMPTED;
	if (strpbrk(text, "XZx"))
		return TASK_DEAD;
	return text[0] ? state_named(m, text) : TASK_UNKNOWN;
}

static unsigned int state_of(struct model *m, const struct bind *b, const struct at *at)
{
	struct map *known = &m->files[b->file].states;
	uint64_t value;
	void *found;

	if (!at_num(at, b->f[1], &value))
		return TASK_UNKNOWN;
	found = map_get(known, value + 1);
	if (!found) {
		found = (void *)(uintptr_t)(read_state(m, b, at) + 1);
		map_put(known, value + 1, found);
	}
	return (uintptr_t)found - 1;
}

/* Behind a gap its task may have come to run elsewhere. */
static bool runs_there(const struct model_cpu *c)
{
	const struct task *t = c->task;

	return t && t->state == TASK_RUNNING && (!t->pid || t->cpu == c->cpu);
}

void state_dies(struct model *m, struct task *t, const struct at *at)
{
	forget_cpus(m, t);
	if (t->state != TASK_DEAD)
		state_begin(m, t, TASK_DEAD, at);
}

static void switch_out(struct model *m, const struct bind *b, const struct at *at, struct task *t)
{
	unsigned int state = t->pid ? state_of(m, b, at) : TASK_PREEMPTED;

	t->left_at = at->r->ts;
	t->has_left = true;
	t->woken_at = 0;
	t->waits = false;
	if (t->state == TASK_DEAD)
		return;
	state_begin(m, t, state, at);
	if (state == TASK_PREEMPTED && t->pid)
		state_wait(t, at);
}

static void come_to_run(struct model *m, const struct at *at, struct task *t)
{
	if (t->state == TASK_RUNNING && t->pid && t->cpu != at->r->cpu)
		miss(m, t, at);
	if (t->pid)
		t->cpu = at->r->cpu;
	if (t->state == TASK_DEAD)
		return;
	if (t->waits) {
		count_delay(m, t, at);
		tell_waited(m, t, 0, at);
	} else if (t->state >= TASK_ASLEEP) {
		t->unwoken++;
		tell_waited(m, t, SPAN_NO_BEGIN, at);
	}
	state_begin(m, t, TASK_RUNNING, at);
	t->waits = false;
}

/*
 * perf sched timehist counts the delay from the last waking alone: a task that was preempted has
 * none, unless it was on its way to sleep and was woken (ttwu_runnable()).
 */
static void note_delay(struct model *m, struct task *t, uint64_t ts)
{
	bool is_preempted = t->state == TASK_PREEMPTED;
	uint64_t waited = t->waits ? span_of_time(t->waiting_since, ts) : 0;

	t->was_preempted = is_preempted ? waited : 0;
	t->was_delayed = !is_preempted ? waited : t->woken_at ? span_of_time(t->woken_at, ts) : 0;
	if (t->waits ? waited_over_loss(m, t, t->waiting_since) : t->was_off == SPAN_UNKNOWN)
		t->was_delayed = t->was_preempted = SPAN_UNKNOWN;
}

static void switch_in(struct model *m, const struct at *at, struct task *t)
{
	uint64_t ts = at->r->ts;

	t->came_at = ts;
	t->has_come = true;
	t->was_off = t->has_left ? span_of_time(t->left_at, ts) : 0;
	if (t->has_left && (t->state == TASK_UNKNOWN || t->missed_at > t->left_at))
		t->was_off = SPAN_UNKNOWN;
	note_delay(m, t, ts);
	come_to_run(m, at, t);
}

static void name_task(struct task *t, const struct ev_field *f, const struct at *at)
{
	const char *name;
	size_t len;

	if (f && at_text(at, f, &name, &len))
		task_set_name(t, name, len);
}

/* Fields: prev_pid, prev_state, next_pid; prev_comm, next_comm */
void state_switch(struct model *m, const struct bind *b, const struct at *at)
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
	if (c->task != prev && runs_there(c))
		miss(m, c->task, at);
	/* no interrupt switches, and a softirq only with PREEMPT_RT */
	wakers_left(c);
	name_task(prev, b->f[3], at);
	name_task(next, b->f[4], at);
	/* a CPU behind a gap keeps its task, which may run elsewhere since */
	prev->is_known = prev->state == TASK_RUNNING && c->task == prev && !c->lost;
	if (!prev->is_known)
		miss(m, prev, at);
	switch_out(m, b, at, prev);
	if (m->ops->switched)
		m->ops->switched(m->ctx, prev, next, at->r);
	switch_in(m, at, next);
	cpu_runs(m, c, next, at->r->ts);
}

/* --- wakings. Field: pid */

static bool can_be_woken(const struct task *t)
{
	return t->state >= TASK_ASLEEP || t->state == TASK_NEW;
}

/* What it did is unknown, but somebody wakes it: it waits no longer than from there on. */
static bool is_woken_in_gap(const struct model *m, const struct task *t)
{
	return t->state == TASK_UNKNOWN && m->s.times[t->file].gaps && t->missed_at && !t->waits;
}

/* A sched_wakeup follows the sched_waking. */
static bool is_same_waking(const struct task *t, const struct bind *b)
{
	return t->woken_by == WAKING && b->form != WAKING;
}

/* The kernel wakes only what sleeps (ttwu_state_match()): a task that waits has run meanwhile. */
static void miss_run(struct model *m, struct task *t, const struct at *at)
{
	miss(m, t, at);
	count_state(m, t, at->r->ts);
}

/* Are there records of @cpu in the buffer of @r? Of a trace that goes on nobody knows. */
static bool is_recorded(const struct trace_rec *r, int cpu)
{
	const struct dat_buffer *b = &r->trace->dat->buffers[r->buffer];

	/* as a rule all CPUs are there, in order */
	size_t i = cpu >= 0 && (size_t)cpu < b->nr_cpus && b->cpus[cpu].cpu == cpu ? cpu : 0;

	while (i < b->nr_cpus && b->cpus[i].cpu != cpu)
		i++;
	return i < b->nr_cpus && (b->cpus[i].nr_pages || b->cpus[i].source);
}

/* @t, which waits, will run on @cpu. What it does where nothing is recorded is unknown. */
static void goes_to(struct model *m, struct task *t, int cpu, const struct at *at)
{
	if (is_recorded(at->r, cpu))
		return;
	end_wait(m, t, at);
	t->missed_at = at->r->ts;
	enter_state(m, t, TASK_UNKNOWN, at->r->ts);
}

void state_waking(struct model *m, const struct bind *b, const struct at *at)
{
	struct task *t;
	uint64_t pid;

	if (!at_num(at, b->f[0], &pid) || !(int32_t)pid)
		return;
	t = task_of(m, at->r->file, (int32_t)pid, at->r->cpu);
	if (t->state == TASK_PREEMPTED && !t->woken_at)
		t->woken_at = at->r->ts;
	if (t->state == TASK_RUNNABLE && !is_same_waking(t, b))
		miss_run(m, t, at);
	else if (!can_be_woken(t) && !is_woken_in_gap(m, t))
		return;
	t->woken_by = b->form;
	t->waker = waker_of(b, at);
	if (t->state != TASK_UNKNOWN || !m->s.times[t->file].gaps)
		state_begin(m, t, TASK_RUNNABLE, at);
	state_wait(t, at);
}

/* Field: target_cpu. That of a sched_waking is where it ran last: a new one is not chosen yet. */
void state_wakeup(struct model *m, const struct bind *b, const struct at *at)
{
	uint64_t pid, cpu;
	struct task *t;

	state_waking(m, b, at);
	if (!b->f[1] || !at_num(at, b->f[0], &pid) || !at_num(at, b->f[1], &cpu) || !(int32_t)pid)
		return;
	t = task_of(m, at->r->file, (int32_t)pid, at->r->cpu);
	if (t->state == TASK_RUNNABLE)
		goes_to(m, t, (int32_t)cpu, at);
}

/* Fields: pid, dest_cpu */
void state_migrate(struct model *m, const struct bind *b, const struct at *at)
{
	uint64_t pid, cpu;
	struct task *t;

	if (!at_num(at, b->f[0], &pid) || !at_num(at, b->f[1], &cpu) || !(int32_t)pid)
		return;
	t = task_of(m, at->r->file, (int32_t)pid, at->r->cpu);
	if (t->state != TASK_RUNNABLE && t->state != TASK_PREEMPTED)
		return;
	t->cpu = (int32_t)cpu;
	goes_to(m, t, t->cpu, at);
}

/* --- what is not told by a switch */

void state_take_over(struct model *m, struct task *from, struct task *to, const struct at *at)
{
	struct model_cpu *c = at->stream->cpu;

	state_begin(m, from, TASK_DEAD, at);
	if (to->state != TASK_RUNNING)
		state_begin(m, to, TASK_RUNNING, at);
	to->cpu = at->r->cpu;
	to->waits = from->waits = false;
	if (!c->lost)
		cpu_runs(m, c, to, at->r->ts);
}

void state_seen(struct model *m, const struct at *at)
{
	struct model_cpu *c = at->stream->cpu;
	struct task *t = at->task;

	if (c->task != t && runs_there(c))
		miss(m, c->task, at);
	if (t->state != TASK_RUNNING)
		miss(m, t, at);
	come_to_run(m, at, t);
	cpu_runs(m, c, t, at->r->ts);
}

/* The CPU is unknown from @ts on. Returns the task that ran there, NULL if that is not known. */
static struct task *lose_cpu(struct model *m, struct model_cpu *c, uint64_t ts)
{
	struct task *t = c->task;

	if (c->lost)
		return NULL;
	count_cpu(m, c, ts);
	c->lost = true;
	return t && t->state == TASK_RUNNING && (!t->pid || t->cpu == c->cpu) ? t : NULL;
}

/* From @ts on those that do not run may come to run on a CPU whose records are lost. */
static void forget_off(struct model *m, uint32_t file, uint64_t ts)
{
	struct task *t = m->s.times[file].off, *next;

	m->s.times[file].off = NULL;
	for (; t; t = next) {
		next = t->next_off;
		t->is_listed = false;
		if (!is_off(t->state))
			continue;
		t->missed_at = ts > t->since ? ts : t->since;
		enter_state(m, t, TASK_UNKNOWN, t->missed_at);
	}
}

void state_lose(struct model *m, struct model_cpu *c, uint64_t ts)
{
	struct task *t = lose_cpu(m, c, ts);

	if (t)
		enter_state(m, t, TASK_UNKNOWN, ts > t->since ? ts : t->since);
	forget_off(m, c->file, ts);
}

static bool has_switches(const struct model *m, uint32_t file, uint16_t buffer)
{
	uint16_t known = m->s.buffers[file][MODEL_KIND_SCHED];

	return !known || known == buffer + 1u;
}

/* What was lost may be switches: from the record before it on nothing is known. */
void state_gap_begins(struct model *m, struct stream_at *st, const struct trace_rec *r)
{
	struct file_time *f = &m->s.times[r->file];
	uint64_t since = st->known ? st->last : f->first;
	struct task *t;

	if (st->in_gap || !has_switches(m, r->file, r->buffer))
		return;
	st->in_gap = true;
	st->lost_first |= !st->known;
	f->gaps++;
	m->s.all_gaps++;
	st->lost = t = st->known ? lose_cpu(m, st->cpu, since) : NULL;
	if (t)
		enter_state(m, t, TASK_UNKNOWN, since > t->since ? since : t->since);
	forget_off(m, r->file, since);
}

void state_gap(struct model *m, struct stream_at *st, const struct at *at)
{
	struct file_time *f = &m->s.times[at->r->file];

	if (!st->in_gap && !has_switches(m, at->r->file, at->r->buffer))
		return;
	state_gap_begins(m, st, at->r);
	lose_cpu(m, st->cpu, st->last);
	if (m->ops->gap)
		m->ops->gap(m->ctx, st->cpu, st->lost, st->last, at->r->ts);
	/* behind a loss at the end there is nothing */
	st->in_gap = !at->r->rec.data;
	f->gaps -= !st->in_gap;
	f->gap_end = at->r->ts;
}

static bool waits_at_end(const struct model *m, const struct task *t)
{
	return t->waits && m->s.times[t->file].switched &&
	       (t->state == TASK_RUNNABLE || t->state == TASK_PREEMPTED || t->state == TASK_NEW);
}

void states_end(struct model *m)
{
	for (struct task *t = m->s.first_task; t; t = t->next) {
		count_state(m, t, m->s.times[t->file].last);
		if (waits_at_end(m, t))
			tell_waited(m, t, SPAN_OPEN, NULL);
	}
	for (struct model_cpu *c = m->s.cpus; c; c = c->next)
		count_cpu(m, c, m->s.times[c->file].last);
}

void states_count(struct model *m, uint64_t ts)
{
	for (struct task *t = m->s.first_task; t; t = t->next)
		count_state(m, t, ts);
	for (struct model_cpu *c = m->s.cpus; c; c = c->next) {
		count_cpu(m, c, ts);
		cpu_count_top(m, c, ts);
	}
}
