/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The activity of a CPU besides its task: times in interrupts and softirqs, idle states and
 * frequencies, and the open interrupts, which may wake tasks.
 */
#include <inttypes.h>

#include "base/text.h"
#include "model/model_priv.h"

#define LEVELS_MAX 256		/* idle states or frequencies of one CPU; more are damage */
#define IDLE_LEFT UINT32_MAX	/* cpu_idle: PWR_EVENT_EXIT, include/trace/events/power.h */

/* With PREEMPT_RT a softirq belongs to its task, which may be preempted or migrated meanwhile. */
static bool is_in_softirq(const struct model_cpu *c)
{
	return c->softirqs || (c->task && !c->lost && c->task->softirqs);
}

void cpu_count_top(const struct model *m, struct model_cpu *c, uint64_t ts)
{
	uint64_t passed = ts > c->top_since ? ts - c->top_since : 0;

	if (passed && m->ops->topped && (c->irqs || is_in_softirq(c)))
		m->ops->topped(m->ctx, c, c->top_since, ts);
	if (c->irqs)
		c->irq += passed;
	else if (is_in_softirq(c))
		c->softirq += passed;
	c->top_since += passed;
}

/* --- irq, softirq */

void cpu_irq_entry(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	(void)b;
	cpu_count_top(m, at->stream->cpu, at->r->ts);
	at->stream->cpu->irqs++;
}

void cpu_irq_exit(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	struct model_cpu *c = at->stream->cpu;

	(void)b;
	cpu_count_top(m, c, at->r->ts);
	c->irqs -= c->irqs > 0;
}

static uint32_t *softirqs_of(const struct model *m, const struct model_rec *at)
{
	bool rt = m->files[at->r->file].trace->meta.rt;

	return rt ? &at->task->softirqs : &at->stream->cpu->softirqs;
}

void cpu_softirq_entry(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	(void)b;
	cpu_count_top(m, at->stream->cpu, at->r->ts);
	++*softirqs_of(m, at);
}

void cpu_softirq_exit(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	uint32_t *softirqs = softirqs_of(m, at);

	(void)b;
	cpu_count_top(m, at->stream->cpu, at->r->ts);
	*softirqs -= *softirqs > 0;
}

/* --- power: fields cpu_id, state */

static void level_leave(struct cpu_levels *l, uint64_t ts)
{
	if (l->now && ts > l->since)
		l->now->t.time += ts - l->since;
	l->now = NULL;
}

static void level_enter(struct model *m, struct cpu_levels *l, uint64_t value, uint64_t ts)
{
	struct cpu_value **at = &l->first, *v;

	level_leave(l, ts);
	l->since = ts;
	while (*at && (*at)->value < value)
		at = &(*at)->next;
	if (!*at || (*at)->value != value) {
		if (l->n == LEVELS_MAX)
			return;
		l->n++;
		v = arena_alloc(&m->arena, sizeof(*v));
		v->value = value;
		v->next = *at;
		*at = v;
	}
	l->now = *at;
	l->now->t.count++;
}

/*
 * Returns the CPU in the record's field, which need not be the one that wrote the record, and sets
 * *state. Returns NULL if the record is too short or the CPU does not exist.
 */
static struct model_cpu *record_cpu(struct model *m, const struct model_bind *b,
				    const struct model_rec *at, uint64_t *state)
{
	uint64_t cpu;

	if (!at_num(at, b->f[0], &cpu) || !at_num(at, b->f[1], state))
		return NULL;
	if ((int32_t)cpu == at->r->cpu)
		return at->stream->cpu;
	return cpu < m->nr_streams ? model_cpu_of(m, at->r->file, (int32_t)cpu) : NULL;
}

void cpu_enter_idle(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	uint64_t state;
	struct model_cpu *c = record_cpu(m, b, at, &state);

	if (!c)
		return;
	if ((uint32_t)state == IDLE_LEFT)
		level_leave(&c->idle_state, at->r->ts);
	else
		level_enter(m, &c->idle_state, (uint32_t)state, at->r->ts);
}

void cpu_set_frequency(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	uint64_t khz;
	struct model_cpu *c = record_cpu(m, b, at, &khz);

	if (c)
		level_enter(m, &c->frequency, (uint32_t)khz, at->r->ts);
}

/* --- losses, the end */

void cpu_lose_top(const struct model *m, struct model_cpu *c, uint64_t from, uint64_t to)
{
	cpu_count_top(m, c, from);
	c->top_since = to;
	c->irqs = c->softirqs = 0;
	if (c->task)
		c->task->softirqs = 0;
}

void cpu_gap(struct model *m, const struct stream_at *st, const struct model_rec *at)
{
	uint16_t buffer = m->s.buffers[at->r->file][MODEL_KIND_CPU];
	struct model_cpu *c = st->cpu;
	uint64_t from = st->last > c->top_since ? st->last : c->top_since;

	if (buffer && buffer != st->buffer + 1u)
		return;
	cpu_lose_top(m, c, from, at->r->ts);
	if (m->ops->top_gap)
		m->ops->top_gap(m->ctx, c, from, at->r->ts);
	level_leave(&c->idle_state, st->last);
	level_leave(&c->frequency, st->last);
}

void cpus_end(struct model *m)
{
	for (struct model_cpu *c = m->s.cpus; c; c = c->next) {
		uint64_t last = m->s.times[c->file].last;

		cpu_count_top(m, c, last);
		level_leave(&c->idle_state, last);
		level_leave(&c->frequency, last);
	}
}

/*
 * --- wakers. In an interrupt the current task is not the waker: the flags of the waking's record
 * contain the context, and the interrupts that are open on the CPU show which one it is.
 */

static const char *const vectors[] = {
	[FORM_RESCHEDULE] = "reschedule", [FORM_CALL] = "call_function",
	[FORM_CALL_SINGLE] = "call_function_single", [FORM_IRQ_WORK] = "irq_work",
	[FORM_PLATFORM] = "x86_platform_ipi", [FORM_THERMAL] = "thermal_apic", [FORM_IPI] = "IPI",
};

static void note_tops(const struct model *m, const struct model_rec *at)
{
	if (m->ops->interrupted)
		m->ops->interrupted(m->ctx, at->stream->cpu, at->r->ts);
}

static void tops_push(const struct model *m, const struct model_rec *at, const struct waker *w)
{
	struct model_cpu *c = at->stream->cpu;

	if (c->nr_tops == MODEL_TOPS_MAX)
		return;
	c->tops[c->nr_tops++] = *w;
	note_tops(m, at);
}

/*
 * Closes the innermost interrupt like @w, and those nested in it, whose ends were not recorded. It
 * may be unknown.
 */
static void tops_pop(const struct model *m, const struct model_rec *at, const struct waker *w)
{
	struct model_cpu *c = at->stream->cpu;

	for (unsigned int i = c->nr_tops; i-- > 0;) {
		if (c->tops[i].form != w->form || c->tops[i].number != w->number)
			continue;
		c->nr_tops = i;
		note_tops(m, at);
		return;
	}
}


static void irq_begins(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	struct waker w = { .kind = WAKER_IRQ, .form = b->form };
	uint64_t irq;
	const char *name;
	size_t len;

	if (!at_num(at, b->f[0], &irq) || !at_text(at, b->f[1], &name, &len))
		return;
	w.number = (int32_t)irq;
	w.who = model_text(m, name, len);
	tops_push(m, at, &w);
}

static void softirq_begins(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	struct waker w = { .kind = WAKER_SOFTIRQ, .form = b->form };
	uint64_t vec;

	if (!at_num(at, b->f[0], &vec))
		return;
	w.number = (int32_t)vec;
	tops_push(m, at, &w);
}

static void numbered_ends(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	struct waker w = { .form = b->form };
	uint64_t number;

	if (!at_num(at, b->f[0], &number))
		return;
	w.number = (int32_t)number;
	tops_pop(m, at, &w);
}

/* Fields: function. The interrupt of the timer, or a timer that expires in it or in a softirq. */
static void timer_begins(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	struct waker w = { .kind = WAKER_TIMER, .form = b->form };

	if (b->f[0] && !at_num(at, b->f[0], &w.func))
		w.func = 0;
	if (b->form != FORM_TIMER_IRQ && record_context(b, at->r) == SPAN_IN_SOFTIRQ)
		w.kind = WAKER_SOFT_TIMER;
	tops_push(m, at, &w);
}

static void timer_ends(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	tops_pop(m, at, &(struct waker){ .form = b->form });
}

/* Fields: ?reason. x86 has an event for each vector, arm64 one with the reason. */
static void vector_begins(struct model *m, const struct model_bind *b,
			  const struct model_rec *at)
{
	struct waker w = { .kind = WAKER_VECTOR, .form = b->form, .who = vectors[b->form] };
	const char *reason;
	size_t len;

	if (b->form == FORM_IPI && at_text(at, b->f[0], &reason, &len))
		w.who = model_text(m, reason, len);
	tops_push(m, at, &w);
}

static void vector_ends(struct model *m, const struct model_bind *b,
			const struct model_rec *at)
{
	tops_pop(m, at, &(struct waker){ .form = b->form });
}

#define WAKER_EVENT(system, name, on, form, ...) \
	{ system, name, MODEL_KIND_WAKER, on, form, { __VA_ARGS__ } }

#define VECTOR_EVENTS(name, form) \
	WAKER_EVENT("irq_vectors", name "_entry", vector_begins, form, NULL), \
	WAKER_EVENT("irq_vectors", name "_exit", vector_ends, form, NULL)

const struct kind_event waker_events[] = {
	WAKER_EVENT("irq", "irq_handler_entry", irq_begins, FORM_IRQ, "irq", "name"),
	WAKER_EVENT("irq", "irq_handler_exit", numbered_ends, FORM_IRQ, "irq"),
	WAKER_EVENT("irq", "softirq_entry", softirq_begins, FORM_SOFTIRQ, "vec"),
	WAKER_EVENT("irq", "softirq_exit", numbered_ends, FORM_SOFTIRQ, "vec"),
	WAKER_EVENT("irq_vectors", "local_timer_entry", timer_begins, FORM_TIMER_IRQ, NULL),
	WAKER_EVENT("irq_vectors", "local_timer_exit", timer_ends, FORM_TIMER_IRQ, NULL),
	WAKER_EVENT("timer", "hrtimer_expire_entry", timer_begins, FORM_HRTIMER, "?function"),
	WAKER_EVENT("timer", "hrtimer_expire_exit", timer_ends, FORM_HRTIMER, NULL),
	WAKER_EVENT("timer", "timer_expire_entry", timer_begins, FORM_TIMER, "?function"),
	WAKER_EVENT("timer", "timer_expire_exit", timer_ends, FORM_TIMER, NULL),
	VECTOR_EVENTS("reschedule", FORM_RESCHEDULE),
	VECTOR_EVENTS("call_function", FORM_CALL),
	VECTOR_EVENTS("call_function_single", FORM_CALL_SINGLE),
	VECTOR_EVENTS("irq_work", FORM_IRQ_WORK),
	VECTOR_EVENTS("x86_platform_ipi", FORM_PLATFORM),
	VECTOR_EVENTS("thermal_apic", FORM_THERMAL),
	WAKER_EVENT("ipi", "ipi_entry", vector_begins, FORM_IPI, "reason"),
	WAKER_EVENT("ipi", "ipi_exit", vector_ends, FORM_IPI, NULL),
	{ 0 }
};

void wakers_clear(const struct model *m, struct model_cpu *c, uint64_t ts)
{
	if (!c->nr_tops)
		return;
	c->nr_tops = 0;
	if (m->ops->interrupted)
		m->ops->interrupted(m->ctx, c, ts);
}

/*
 * Returns the innermost open softirq, or with @softirq false the innermost other interrupt. If
 * there is none, returns a waker of kind @none.
 */
static struct waker tops_find(const struct model_cpu *c, bool softirq, enum waker_kind none)
{
	for (unsigned int i = c->nr_tops; i-- > 0;)
		if ((c->tops[i].kind == WAKER_SOFTIRQ ||
		     c->tops[i].kind == WAKER_SOFT_TIMER) == softirq)
			return c->tops[i];
	return (struct waker){ .kind = none };
}

struct waker waker_of(const struct model *m, const struct model_bind *b,
		      const struct model_rec *at)
{
	const struct model_cpu *c = at->stream->cpu;
	struct waker top;

	switch (record_context(b, at->r)) {
	case SPAN_IN_NMI:
		return (struct waker){ .kind = WAKER_NMI };
	case SPAN_IN_HARDIRQ:
		/* a wakeup requested by another CPU arrives in an IPI, which has a sched_wakeup */
		top = tops_find(c, false, b->form == WAKING ? WAKER_HARDIRQ : WAKER_UNKNOWN);
		return top.kind == WAKER_VECTOR && b->form != WAKING ? (struct waker){0} : top;
	case SPAN_IN_SOFTIRQ:
		return tops_find(c, true, WAKER_SOFTIRQ_ANY);
	case SPAN_IN_TASK:
		break;
	}
	if (!at->task->pid || m->files[at->r->file].lacks_contexts)
		return (struct waker){0};
	return (struct waker){ .kind = WAKER_TASK, .who = at->task };
}

/* Returns the number of the softirq; timers have TIMER_SOFTIRQ and HRTIMER_SOFTIRQ. */
static int32_t waker_softirq(const struct waker *w)
{
	if (w->kind == WAKER_SOFTIRQ)
		return w->number;
	return w->form == FORM_HRTIMER ? 8 : 1;
}

bool model_add_waker(const struct model *m, const struct waker *w, struct buf *out)
{
	static const char *const words[] = {
		[WAKER_TIMER] = "timer", [WAKER_HARDIRQ] = "hard interrupt",
		[WAKER_SOFTIRQ_ANY] = "soft interrupt", [WAKER_NMI] = "NMI",
	};
	const char *name = w->who;

	switch (w->kind) {
	case WAKER_UNKNOWN:
		return false;
	case WAKER_TASK:
		model_add_task(m, w->who, out);
		break;
	case WAKER_IRQ:
		buf_printf(out, "irq %" PRId32 " (", w->number);
		text_sanitise(out, name, strlen(name), false);
		buf_addch(out, ')');
		break;
	case WAKER_VECTOR:
		buf_addstr(out, "interrupt ");
		text_sanitise(out, name, strlen(name), false);
		break;
	case WAKER_SOFTIRQ:
	case WAKER_SOFT_TIMER:
		buf_addstr(out, "softirq ");
		model_add_named(m, 0, waker_softirq(w), SPAN_NAME_VEC, out);
		break;
	default:
		buf_addstr(out, words[w->kind]);
	}
	return true;
}
