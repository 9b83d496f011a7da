/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who or what wakes a task. In an interrupt the task on the CPU is a bystander: the flags of the
 * waking's record tell the context, and the interrupt that is open on the CPU tells which.
 */
#include <inttypes.h>

#include "base/text.h"
#include "model/model_priv.h"

static void push(const struct at *at, enum waker_kind kind, const void *who, uint64_t number)
{
	struct model_cpu *c = at->stream->cpu;

	if (c->nr_tops < MODEL_TOPS_MAX)
		c->tops[c->nr_tops++] = (struct waker){ who, number, kind };
}

/* What is above it has no end. One that is not there began before the records. */
static void pop(const struct at *at, enum waker_kind kind, uint64_t number)
{
	struct model_cpu *c = at->stream->cpu;

	for (unsigned int i = c->nr_tops; i-- > 0;) {
		if (c->tops[i].kind != kind || c->tops[i].number != (int32_t)number)
			continue;
		c->nr_tops = i;
		return;
	}
}

static void irq_begins(struct model *m, const struct bind *b, const struct at *at)
{
	uint64_t irq;
	const char *name;
	size_t len;

	if (at_num(at, b->f[0], &irq) && at_text(at, b->f[1], &name, &len))
		push(at, WAKER_IRQ, model_text(m, name, len), irq);
}

static void irq_ends(struct model *m, const struct bind *b, const struct at *at)
{
	uint64_t irq;

	(void)m;
	if (at_num(at, b->f[0], &irq))
		pop(at, WAKER_IRQ, irq);
}

static void softirq_begins(struct model *m, const struct bind *b, const struct at *at)
{
	uint64_t vec;

	(void)m;
	if (at_num(at, b->f[0], &vec))
		push(at, WAKER_SOFTIRQ, NULL, vec);
}

static void softirq_ends(struct model *m, const struct bind *b, const struct at *at)
{
	uint64_t vec;

	(void)m;
	if (at_num(at, b->f[0], &vec))
		pop(at, WAKER_SOFTIRQ, vec);
}

/* ->form tells the interrupt of the timer from the timer that expires in it. */
static void timer_begins(struct model *m, const struct bind *b, const struct at *at)
{
	(void)m;
	push(at, WAKER_TIMER, NULL, b->form);
}

static void timer_ends(struct model *m, const struct bind *b, const struct at *at)
{
	(void)m;
	pop(at, WAKER_TIMER, b->form);
}

#define EVENT(system, name, on, form, ...) \
	{ system, name, MODEL_KIND_WAKER, on, form, { __VA_ARGS__ } }

const struct kind_event waker_events[] = {
	EVENT("irq", "irq_handler_entry", irq_begins, 0, "irq", "name"),
	EVENT("irq", "irq_handler_exit", irq_ends, 0, "irq"),
	EVENT("irq", "softirq_entry", softirq_begins, 0, "vec"),
	EVENT("irq", "softirq_exit", softirq_ends, 0, "vec"),
	EVENT("irq_vectors", "local_timer_entry", timer_begins, 0, NULL),
	EVENT("irq_vectors", "local_timer_exit", timer_ends, 0, NULL),
	EVENT("timer", "hrtimer_expire_entry", timer_begins, 1, NULL),
	EVENT("timer", "hrtimer_expire_exit", timer_ends, 1, NULL),
	{ 0 }
};

void wakers_left(struct model_cpu *c)
{
	c->nr_tops = 0;
}

/* The innermost that is open; softirqs are one context, all others the other. */
static struct waker innermost(const struct model_cpu *c, bool softirq, enum waker_kind none)
{
	for (unsigned int i = c->nr_tops; i-- > 0;)
		if ((c->tops[i].kind == WAKER_SOFTIRQ) == softirq)
			return c->tops[i];
	return (struct waker){ .kind = none };
}

struct waker waker_of(const struct bind *b, const struct at *at)
{
	const struct model_cpu *c = at->stream->cpu;

	switch (record_context(b, at->r)) {
	case SPAN_IN_NMI:
		return (struct waker){ .kind = WAKER_NMI };
	case SPAN_IN_HARDIRQ:
		/* another CPU's request to wake comes by an interrupt, which has a sched_wakeup */
		return innermost(c, false, b->form == WAKING ? WAKER_HARDIRQ : WAKER_UNKNOWN);
	case SPAN_IN_SOFTIRQ:
		return innermost(c, true, WAKER_SOFTIRQ_ANY);
	case SPAN_IN_TASK:
		break;
	}
	if (!at->task->pid)
		return (struct waker){0};
	return (struct waker){ .kind = WAKER_TASK, .who = at->task };
}

static void add_irq_waker(const struct waker *w, struct buf *out)
{
	const char *name = w->who;

	buf_printf(out, "irq %" PRId32 " (", w->number);
	text_sanitise(out, name, strlen(name), false);
	buf_addch(out, ')');
}

bool model_add_waker(const struct model *m, const struct waker *w, struct buf *out)
{
	static const char *const words[] = {
		[WAKER_TIMER] = "timer", [WAKER_HARDIRQ] = "hard interrupt",
		[WAKER_SOFTIRQ_ANY] = "soft interrupt", [WAKER_NMI] = "NMI",
	};

	switch (w->kind) {
	case WAKER_UNKNOWN:
		return false;
	case WAKER_TASK:
		model_add_task(m, w->who, out);
		break;
	case WAKER_IRQ:
		add_irq_waker(w, out);
		break;
	case WAKER_SOFTIRQ:
		buf_addstr(out, "softirq ");
		model_add_named(m, 0, w->number, SPAN_NAME_VEC, out);
		break;
	default:
		buf_addstr(out, words[w->kind]);
	}
	return true;
}
