/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a CPU does on top of its task: interrupts, softirqs; how deep it idles, how fast it is. */
#include "model/model_priv.h"

#define LEVELS_MAX 256		/* of one CPU; what is more is damage */
#define IDLE_LEFT UINT32_MAX	/* cpu_idle: PWR_EVENT_EXIT, include/trace/events/power.h */

/* With PREEMPT_RT a softirq is its task's, which may be preempted or moved meanwhile. */
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

void cpu_irq_entry(struct model *m, const struct bind *b, const struct at *at)
{
	(void)b;
	cpu_count_top(m, at->stream->cpu, at->r->ts);
	at->stream->cpu->irqs++;
}

void cpu_irq_exit(struct model *m, const struct bind *b, const struct at *at)
{
	struct model_cpu *c = at->stream->cpu;

	(void)b;
	cpu_count_top(m, c, at->r->ts);
	c->irqs -= c->irqs > 0;
}

static uint32_t *softirqs_of(const struct model *m, const struct at *at)
{
	bool rt = m->files[at->r->file].trace->world.rt;

	return rt ? &at->task->softirqs : &at->stream->cpu->softirqs;
}

void cpu_softirq_entry(struct model *m, const struct bind *b, const struct at *at)
{
	(void)b;
	cpu_count_top(m, at->stream->cpu, at->r->ts);
	++*softirqs_of(m, at);
}

void cpu_softirq_exit(struct model *m, const struct bind *b, const struct at *at)
{
	uint32_t *softirqs = softirqs_of(m, at);

	(void)b;
	cpu_count_top(m, at->stream->cpu, at->r->ts);
	*softirqs -= *softirqs > 0;
}

/* --- power: fields cpu_id, state */

static struct cpu_value *value_of(struct model *m, struct cpu_levels *l, uint64_t value)
{
	struct cpu_value **at = &l->first, *v;

	while (*at && (*at)->value < value)
		at = &(*at)->next;
	if (*at && (*at)->value == value)
		return *at;
	if (l->n == LEVELS_MAX)
		return NULL;
	l->n++;
	v = arena_alloc(&m->arena, sizeof(*v));
	v->value = value;
	v->next = *at;
	*at = v;
	return v;
}

static void leave_level(struct cpu_levels *l, uint64_t ts)
{
	if (l->now && ts > l->since)
		l->now->t.time += ts - l->since;
	l->now = NULL;
}

static void enter_level(struct model *m, struct cpu_levels *l, uint64_t value, uint64_t ts)
{
	leave_level(l, ts);
	l->now = value_of(m, l, value);
	if (l->now)
		l->now->t.count++;
	l->since = ts;
}

/* The CPU that the record names; it need not be the one that made it. NULL: there is no such. */
static struct model_cpu *named_cpu(struct model *m, const struct bind *b, const struct at *at,
				   uint64_t *state)
{
	uint64_t cpu;

	if (!at_num(at, b->f[0], &cpu) || !at_num(at, b->f[1], state))
		return NULL;
	if ((int32_t)cpu == at->r->cpu)
		return at->stream->cpu;
	return cpu < m->nr_streams ? model_cpu_of(m, at->r->file, (int32_t)cpu) : NULL;
}

void cpu_idles(struct model *m, const struct bind *b, const struct at *at)
{
	uint64_t state;
	struct model_cpu *c = named_cpu(m, b, at, &state);

	if (!c)
		return;
	if ((uint32_t)state == IDLE_LEFT)
		leave_level(&c->idle_state, at->r->ts);
	else
		enter_level(m, &c->idle_state, (uint32_t)state, at->r->ts);
}

void cpu_gets_frequency(struct model *m, const struct bind *b, const struct at *at)
{
	uint64_t khz;
	struct model_cpu *c = named_cpu(m, b, at, &khz);

	if (c)
		enter_level(m, &c->frequency, (uint32_t)khz, at->r->ts);
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

void cpu_gap(struct model *m, const struct stream_at *st, const struct at *at)
{
	uint16_t buffer = m->s.buffers[at->r->file][MODEL_KIND_CPU];
	struct model_cpu *c = st->cpu;
	uint64_t from = st->last > c->top_since ? st->last : c->top_since;

	if (buffer && buffer != st->buffer + 1u)
		return;
	cpu_lose_top(m, c, from, at->r->ts);
	if (m->ops->top_gap)
		m->ops->top_gap(m->ctx, c, from, at->r->ts);
	leave_level(&c->idle_state, st->last);
	leave_level(&c->frequency, st->last);
}

void cpus_end(struct model *m)
{
	for (struct model_cpu *c = m->s.cpus; c; c = c->next) {
		uint64_t last = m->s.times[c->file].last;

		cpu_count_top(m, c, last);
		leave_level(&c->idle_state, last);
		leave_level(&c->frequency, last);
	}
}
