/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Durations of spans, in groups. */
#include "model/span_latency.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"

/* The kind of the first number of a key. */
enum key_kind { KEY_TASK, KEY_CPU, KEY_TEXT, KEY_NAME };

struct span_latency {
	struct latency_opts opts;
	const struct model *model;
	struct latency_group *groups;	/* group 0 is the only one of LATENCY_ALL */
	size_t n, cap;
	struct slots slots;
	struct latency_group **sorted;
	struct latency_span worst[LATENCY_WORST];
	size_t nr_worst;
	uint64_t marks[SPAN_MARKS], below_0;
	const struct ev_format *fmt;	/* format of the last record */
	const struct ev_field *field;	/* its opts.field, or NULL */
	bool met_field;
	struct buf scratch;
};

struct span_latency *latency_new(const struct latency_opts *o)
{
	struct span_latency *l = xcalloc(1, sizeof(*l));

	l->opts = *o;
	slots_init(&l->slots);
	l->groups = xgrow(NULL, &l->cap, 1, sizeof(*l->groups));
	l->groups[0] = (struct latency_group){0};
	l->n = 1;
	return l;
}

void latency_bind(struct span_latency *l, const struct model *m)
{
	l->model = m;
}

void latency_free(struct span_latency *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n; i++) {
		dist_release(&l->groups[i].d);
		free(l->groups[i].text);
	}
	for (size_t i = 0; i < l->nr_worst; i++)
		latency_span_release(&l->worst[i]);
	free(l->groups);
	free(l->sorted);
	slots_release(&l->slots);
	buf_release(&l->scratch);
	free(l);
}

/* --- groups by key */

static uint32_t group_new(struct span_latency *l, uint64_t a, uint64_t b)
{
	slots_add(&l->slots, a, b, l->n);
	l->groups = xgrow(l->groups, &l->cap, l->n + 1, sizeof(*l->groups));
	l->groups[l->n] = (struct latency_group){0};
	return l->n++;
}

/* Returns the group of the text in ->scratch. Texts with the same hash have neighbouring keys. */
static uint32_t group_of_text(struct span_latency *l)
{
	const char *text = l->scratch.len ? l->scratch.data : "";
	uint64_t hash = hash_bytes(text, strlen(text));
	uint32_t g;

	while ((g = slots_find(&l->slots, hash, KEY_TEXT)) && strcmp(l->groups[g].text, text))
		hash++;
	if (g)
		return g;
	g = group_new(l, hash, KEY_TEXT);
	l->groups[g].text = xstrdup(text);
	return g;
}

static const char *context_name(unsigned int context)
{
	static const char *const names[] = { "", "<softirq>", "<hardirq>", "<nmi>" };

	return names[context];
}

/* Calls in interrupts belong to no task. The task's name is looked up at the end. */
static uint32_t group_of_task(struct span_latency *l, const struct span *s)
{
	uint64_t key = s->context ? s->context : (uintptr_t)s->task;
	uint32_t g = slots_find(&l->slots, key, KEY_TASK);

	if (g)
		return g;
	g = group_new(l, key, KEY_TASK);
	if (s->context)
		l->groups[g].text = xstrdup(context_name(s->context));
	else
		l->groups[g].task = s->task;
	return g;
}

static uint32_t group_of_cpu(struct span_latency *l, const struct span *s)
{
	uint32_t g = slots_find(&l->slots, s->cpu_begin, KEY_CPU);

	if (g)
		return g;
	g = group_new(l, s->cpu_begin, KEY_CPU);
	l->groups[g].text = xasprintf("%d", s->cpu_begin);
	return g;
}

/* The name of an address is looked up once. */
static uint32_t group_of_name(struct span_latency *l, const struct span *s)
{
	uint64_t b = KEY_NAME | (uint64_t)s->how << 8 | (uint64_t)s->file << 16;
	uint32_t g = slots_find(&l->slots, s->name, b);

	if (g)
		return g;
	buf_reset(&l->scratch);
	model_add_name(l->model, s, &l->scratch);
	g = group_of_text(l);
	slots_add(&l->slots, s->name, b, g);
	return g;
}

static uint32_t group_of_field(struct span_latency *l, const struct trace_rec *r)
{
	if (r->rec.fmt != l->fmt) {
		l->fmt = r->rec.fmt;
		l->field = l->fmt ? ev_field(l->fmt, l->opts.field) : NULL;
		l->met_field |= l->field != NULL;
	}
	buf_reset(&l->scratch);
	if (l->field)
		ev_render_field(&r->rec, l->field, &l->scratch);
	else
		buf_addch(&l->scratch, '-');
	return group_of_text(l);
}

void latency_begin(struct span_latency *l, struct span *s, const struct trace_rec *r)
{
	switch (l->opts.by) {
	case LATENCY_ALL:
		break;
	case LATENCY_TASK:
		s->user = group_of_task(l, s);
		break;
	case LATENCY_CPU:
		s->user = group_of_cpu(l, s);
		break;
	case LATENCY_NAME:
		s->user = group_of_name(l, s);
		break;
	case LATENCY_FIELD:
		s->user = r ? group_of_field(l, r) : 0;
		break;
	}
}

/* --- values */

void latency_span_fill(struct latency_span *out, const struct model *m, const struct span *s)
{
	struct buf task = {0}, name = {0};

	if (s->context)
		buf_addstr(&task, context_name(s->context));
	else
		model_add_task(m, s->task, &task);
	buf_addstr(&name, "");
	model_add_name(m, s, &name);
	*out = (struct latency_span){
		.begin = s->begin, .end = s->end, .duration = s->duration,
		.cpu = s->cpu_begin, .file = s->file, .pid = s->context ? 0 : s->task->pid,
		.task = buf_take(&task), .name = buf_take(&name),
	};
}

void latency_span_release(struct latency_span *s)
{
	free(s->task);
	free(s->name);
}

/* Among spans of equal duration the one that ended first comes first. */
static void latency_add_worst(struct span_latency *l, const struct span *s)
{
	size_t at = l->nr_worst;

	if (at == LATENCY_WORST) {
		if (s->duration <= l->worst[--at].duration)
			return;
		latency_span_release(&l->worst[at]);
	} else {
		l->nr_worst++;
	}
	for (; at && l->worst[at - 1].duration < s->duration; at--)
		l->worst[at] = l->worst[at - 1];
	latency_span_fill(&l->worst[at], l->model, s);
}

bool latency_end(struct span_latency *l, const struct span *s)
{
	struct latency_group *g = &l->groups[s->user];

	if (__builtin_expect(s->marks | s->below_0, 0)) {
		for (size_t i = 0; i < SPAN_MARKS; i++)
			l->marks[i] += s->marks >> i & 1;
		l->below_0 += s->below_0;
	}
	if (!span_counts(s))
		return false;
	dist_add_bucket(&g->d, s->duration);
	g->rows[latency_row(s->duration, l->opts.unit)]++;
	if (l->nr_worst < LATENCY_WORST || s->duration > l->worst[LATENCY_WORST - 1].duration)
		latency_add_worst(l, s);
	return true;
}

/* --- results */

static int compare_counts(const void *a, const void *b)
{
	const struct latency_group *x = *(struct latency_group *const *)a;
	const struct latency_group *y = *(struct latency_group *const *)b;
	int order;

	if (x->d.count != y->d.count)
		return x->d.count < y->d.count ? 1 : -1;
	order = x->text && y->text ? strcmp(x->text, y->text) : 0;
	return order ? order : (x > y) - (x < y);
}

struct latency_group *const *latency_groups(struct span_latency *l, size_t *n)
{
	struct buf name = {0};

	l->sorted = xrealloc(l->sorted, l->n * sizeof(*l->sorted));
	*n = 0;
	for (size_t i = 0; i < l->n; i++) {
		struct latency_group *g = &l->groups[i];

		if (!g->d.count)
			continue;
		if (!g->text && g->task) {
			model_add_task(l->model, g->task, &name);
			g->text = buf_take(&name);
		}
		l->sorted[(*n)++] = g;
	}
	qsort(l->sorted, *n, sizeof(*l->sorted), compare_counts);
	return l->sorted;
}

const struct latency_span *latency_worst(const struct span_latency *l, size_t *n)
{
	*n = l->nr_worst;
	return l->worst;
}

const uint64_t *latency_marks(const struct span_latency *l)
{
	return l->marks;
}

uint64_t latency_below_0(const struct span_latency *l)
{
	return l->below_0;
}

bool latency_met_field(const struct span_latency *l)
{
	return l->met_field;
}
