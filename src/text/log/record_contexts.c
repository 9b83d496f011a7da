/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the contexts of records that have no flags, by the events around them: an interrupt is
 * open on its CPU between its entry and its exit, a softirq in its task, which may be preempted
 * and migrated with PREEMPT_RT.
 *
 * Between those events a record may still be in an interrupt that has no event. Such a record is
 * known to be of its task only if the text has the events of all interrupts: those of devices,
 * the vectors of others, and softirqs.
 */
#include "text/log/flag_columns.h"

#include <stdlib.h>
#include <string.h>

#include "text/log/text_line.h"

/* common_flags, include/linux/trace_events.h */
enum { IN_HARDIRQ = 0x08, IN_SOFTIRQ = 0x10 };

/* The events that show a context, and those of a task alone, which no interrupt makes. */
enum context_kind {
	CONTEXT_NONE, CONTEXT_IRQ, CONTEXT_SOFTIRQ, CONTEXT_VECTOR, CONTEXT_HRTIMER, CONTEXT_TIMER,
	CONTEXT_TASK, CONTEXT_WAKING, CONTEXT_KINDS,
};

enum context_step { STEP_ENTRY, STEP_EXIT };

struct context_event {
	const char *name;
	uint8_t kind, step, len;
};

#define CONTEXT_EVENT(name, kind, step) { name, kind, step, sizeof(name) - 1 }
#define VECTOR(name) CONTEXT_EVENT(name "_entry", CONTEXT_VECTOR, STEP_ENTRY), \
	CONTEXT_EVENT(name "_exit", CONTEXT_VECTOR, STEP_EXIT)

static const struct context_event context_events[] = {
	CONTEXT_EVENT("irq_handler_entry", CONTEXT_IRQ, STEP_ENTRY),
	CONTEXT_EVENT("irq_handler_exit", CONTEXT_IRQ, STEP_EXIT),
	CONTEXT_EVENT("softirq_entry", CONTEXT_SOFTIRQ, STEP_ENTRY),
	CONTEXT_EVENT("softirq_exit", CONTEXT_SOFTIRQ, STEP_EXIT),
	CONTEXT_EVENT("hrtimer_expire_entry", CONTEXT_HRTIMER, STEP_ENTRY),
	CONTEXT_EVENT("hrtimer_expire_exit", CONTEXT_HRTIMER, STEP_EXIT),
	CONTEXT_EVENT("timer_expire_entry", CONTEXT_TIMER, STEP_ENTRY),
	CONTEXT_EVENT("timer_expire_exit", CONTEXT_TIMER, STEP_EXIT),
	VECTOR("local_timer"), VECTOR("reschedule"), VECTOR("call_function"),
	VECTOR("call_function_single"), VECTOR("irq_work"), VECTOR("x86_platform_ipi"),
	VECTOR("thermal_apic"), VECTOR("threshold_apic"), VECTOR("deferred_error_apic"),
	VECTOR("error_apic"), VECTOR("spurious_apic"), VECTOR("ipi"),
	CONTEXT_EVENT("sched_switch", CONTEXT_TASK, STEP_ENTRY),
	CONTEXT_EVENT("sys_enter", CONTEXT_TASK, STEP_ENTRY),
	CONTEXT_EVENT("sys_exit", CONTEXT_TASK, STEP_ENTRY),
	CONTEXT_EVENT("sched_waking", CONTEXT_WAKING, STEP_ENTRY),
	CONTEXT_EVENT("sched_wakeup", CONTEXT_WAKING, STEP_ENTRY),
	CONTEXT_EVENT("sched_wakeup_new", CONTEXT_WAKING, STEP_ENTRY),
};

/* Limit for nested interrupts; more are not in a text of a kernel. */
#define OPEN_MAX 8

/* Limit for records before a waking to which its context is extended. */
#define TAIL_MAX 64

struct cpu_contexts {
	size_t  tail_at;		/* index of the record after which ->tail holds */
	uint64_t irq;			/* number of the interrupt that has just ended */
	uint8_t open[OPEN_MAX];		/* enum context_kind of open hard interrupts */
	uint8_t nr_open;
	uint8_t tail;			/* the flag of the context that has just ended, or 0 */
	bool    seen;			/* there was a record */
};

/* The parts of a task in softirqs; bits. */
enum { OPEN_SOFTIRQ = 1, OPEN_HRTIMERS = 2, OPEN_HRTIMER = 4, OPEN_TIMER = 8 };

struct task_contexts {
	uint32_t loss;			/* number of the loss after which ->open holds */
	uint8_t  open;			/* OPEN_ */
};

struct context_scan {
	struct cpu_contexts *cpus;
	struct map by_task;		/* task_key() -> index into ->tasks + 1 */
	struct task_contexts *tasks;
	size_t nr_tasks, cap_tasks;
	uint64_t last_key;		/* the task of the last record */
	size_t last_task;
	uint32_t losses;
	bool has[CONTEXT_KINDS];	/* the text has such events */
	bool broken;			/* an entry or other records are missing */
};

static const struct context_event *find_event(const struct dump_rec *r)
{
	static const struct context_event call = { "", CONTEXT_TASK, STEP_ENTRY, 0 };

	if (r->kind == DUMP_SYSCALL || r->kind == DUMP_SYSRET)
		return &call;
	if (r->kind != DUMP_EVENT)
		return NULL;
	if (r->name.len > 9 && (!memcmp(r->name.p, "sys_enter_", 10) ||
				!memcmp(r->name.p, "sys_exit_", 9)))
		return &call;
	for (size_t i = 0; i < sizeof(context_events) / sizeof(*context_events); i++)
		if (context_events[i].len == r->name.len &&
		    !memcmp(context_events[i].name, r->name.p, r->name.len))
			return &context_events[i];
	return NULL;
}

/* Returns the softirqs of the task of @r. The idle tasks are one for each CPU. */
static struct task_contexts *task_of_record(struct context_scan *c, const struct dump_rec *r)
{
	uint64_t key = r->pid > 0 ? (uint64_t)r->pid : 1ull << 32 | r->cpu;
	size_t at;

	if (c->nr_tasks && key == c->last_key) {
		at = c->last_task;
	} else {
		at = (uintptr_t)map_get(&c->by_task, key);
		if (!at) {
			c->tasks = xgrow(c->tasks, &c->cap_tasks, c->nr_tasks + 1,
					 sizeof(*c->tasks));
			c->tasks[c->nr_tasks++] = (struct task_contexts){0};
			at = c->nr_tasks;
			map_put(&c->by_task, key, (void *)at);
		}
		c->last_key = key;
		c->last_task = at;
	}
	if (c->tasks[at - 1].loss != c->losses)
		c->tasks[at - 1] = (struct task_contexts){ .loss = c->losses };
	return &c->tasks[at - 1];
}

/* --- interrupts that start and end */

static void irq_begin(struct cpu_contexts *cpu, uint8_t kind)
{
	if (cpu->nr_open < OPEN_MAX)
		cpu->open[cpu->nr_open++] = kind;
}

/* Ends the innermost interrupt of this kind, and those nested in it, whose ends are missing. */
static bool irq_end(struct cpu_contexts *cpu, uint8_t kind)
{
	for (unsigned int i = cpu->nr_open; i-- > 0;) {
		if (cpu->open[i] != kind)
			continue;
		cpu->nr_open = i;
		return true;
	}
	return false;
}

/* Returns true if a softirq runs timers of high resolution: "vec=8 [action=HRTIMER]". */
static bool runs_hrtimers(const struct dump_rec *r)
{
	return memmem(r->text.p, r->text.len, "HRTIMER", 7) ||
	       (r->text.len >= 5 && !memcmp(r->text.p, "vec=8", 5));
}

/*
 * A timer of high resolution expires in the interrupt of the timer, or in the softirq for those;
 * an interrupt may come while that runs one.
 */
static void hrtimer_begin(struct context_scan *c, struct cpu_contexts *cpu, struct task_contexts *t)
{
	if (!cpu->nr_open && (t->open & (OPEN_HRTIMERS | OPEN_HRTIMER)) == OPEN_HRTIMERS)
		t->open |= OPEN_HRTIMER;
	else if (cpu->nr_open || c->has[CONTEXT_SOFTIRQ])
		irq_begin(cpu, CONTEXT_HRTIMER);
}

static void context_begin(struct context_scan *c, struct cpu_contexts *cpu, struct task_contexts *t,
			  const struct context_event *e, const struct dump_rec *r)
{
	if (e->kind == CONTEXT_HRTIMER)
		hrtimer_begin(c, cpu, t);
	else if (e->kind == CONTEXT_SOFTIRQ)
		t->open = OPEN_SOFTIRQ | (runs_hrtimers(r) ? OPEN_HRTIMERS : 0);
	else if (e->kind == CONTEXT_TIMER)
		t->open |= OPEN_TIMER;
	else
		irq_begin(cpu, e->kind);
}

static void context_end(struct context_scan *c, struct cpu_contexts *cpu, struct task_contexts *t,
			const struct context_event *e, const struct dump_rec *r)
{
	struct line_scanner s = { r->text.p, r->text.p + r->text.len };
	bool known = true;

	if (e->kind == CONTEXT_SOFTIRQ) {
		known = t->open & OPEN_SOFTIRQ;
		t->open = 0;
		cpu->tail = IN_SOFTIRQ;
	} else if (e->kind == CONTEXT_TIMER) {
		t->open &= ~OPEN_TIMER;
	} else if (e->kind == CONTEXT_HRTIMER) {
		if (!irq_end(cpu, e->kind))
			t->open &= ~OPEN_HRTIMER;
	} else {
		known = irq_end(cpu, e->kind);
		if (e->kind == CONTEXT_IRQ && scan_word(&s, "irq=") && scan_number(&s, &cpu->irq))
			cpu->tail = IN_HARDIRQ;
	}
	c->broken |= !known;
}

/* --- records */

/*
 * Returns the context of a waking after the exit of an interrupt that is still in it, or 0:
 * __handle_irq_event_percpu() wakes the thread of an interrupt after irq_handler_exit, and
 * handle_softirqs() wakes ksoftirqd after the last softirq_exit. The text starts with the name of
 * the woken task, or with "comm=" and the name.
 */
static uint8_t tail_context(const struct cpu_contexts *cpu, const struct dump_rec *r)
{
	struct line_scanner s = { r->text.p, r->text.p + r->text.len };
	uint64_t irq;

	scan_word(&s, "comm=");
	if (cpu->tail == IN_HARDIRQ)
		return scan_word(&s, "irq/") && scan_number(&s, &irq) && irq == cpu->irq ?
		       IN_HARDIRQ : 0;
	return cpu->tail == IN_SOFTIRQ && scan_word(&s, "ksoftirqd/") ? IN_SOFTIRQ : 0;
}

/* Sets the context of the functions that were called from the exit up to the waking @at. */
static void extend_tail(struct log_dump *d, const struct cpu_contexts *cpu, size_t at, uint8_t tail)
{
	size_t first = at > TAIL_MAX ? at - TAIL_MAX : 0;

	if (first <= cpu->tail_at)
		first = cpu->tail_at + 1;
	for (size_t i = first; i < at; i++)
		if (d->v[i].cpu == d->v[at].cpu && !d->v[i].has_flags)
			d->v[i].flags |= tail;
}

/* Forgets what is open on a CPU, and all softirqs: their ends may be among the lost records. */
static void note_loss(struct context_scan *c, struct cpu_contexts *cpu)
{
	c->losses++;
	c->broken |= cpu->seen;
	cpu->nr_open = cpu->tail = 0;
}

static void context_of_record(struct context_scan *c, struct log_dump *d, size_t at)
{
	struct dump_rec *r = &d->v[at];
	struct cpu_contexts *cpu = &c->cpus[r->cpu];
	const struct context_event *e = find_event(r);
	struct task_contexts *t;
	uint8_t tail = 0;

	if (r->lost)
		note_loss(c, cpu);
	cpu->seen = true;
	t = task_of_record(c, r);
	if (e && e->kind == CONTEXT_TASK) {
		cpu->nr_open = cpu->tail = 0;
		/* with PREEMPT_RT a task is switched out in a softirq, too */
		if (r->name.len != 12 || memcmp(r->name.p, "sched_switch", 12))
			t->open = 0;
	} else if (e && e->kind == CONTEXT_WAKING) {
		tail = cpu->tail = tail_context(cpu, r);
		if (tail)
			extend_tail(d, cpu, at, tail);
	} else if (r->kind == DUMP_EVENT) {
		cpu->tail = 0;
	}
	if (e && e->kind < CONTEXT_TASK && e->step == STEP_ENTRY)
		context_begin(c, cpu, t, e, r);
	if (!r->has_flags)
		r->flags = (cpu->nr_open ? IN_HARDIRQ : 0) | (t->open ? IN_SOFTIRQ : 0) | tail;
	if (e && e->kind < CONTEXT_TASK && e->step == STEP_EXIT) {
		context_end(c, cpu, t, e, r);
		cpu->tail_at = at;
	}
}

void contexts_infer(struct log_dump *d)
{
	struct context_scan c = {0};
	const struct context_event *e;

	for (size_t i = 0; i < d->n; i++) {
		e = find_event(&d->v[i]);
		if (e)
			c.has[e->kind] = true;
	}
	c.cpus = xcalloc(DUMP_CPUS, sizeof(*c.cpus));
	for (size_t i = 0; i < d->n; i++)
		context_of_record(&c, d, i);
	d->contexts_known = c.has[CONTEXT_IRQ] && c.has[CONTEXT_SOFTIRQ] &&
			    c.has[CONTEXT_VECTOR] && !c.broken;
	d->lacks_wakers = c.has[CONTEXT_WAKING] && !d->contexts_known;
	free(c.cpus);
	free(c.tasks);
	map_release(&c.by_task);
}
