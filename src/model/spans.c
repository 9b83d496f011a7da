/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Open spans: their lists by key, how they start and end. Their memory is reused. */
#include "model/model_priv.h"

#define LISTS_FIRST	256u

/* --- lists */

static size_t list_slot(const struct model *m, uint64_t kind, uint64_t a, uint64_t b)
{
	uint64_t h = (a ^ b * 0x9e3779b97f4a7c15u ^ kind << 56) * 0xd6e8feb86659fd93u;

	return (h ^ h >> 32) & (m->s.lists_cap - 1);
}

static void lists_grow(struct model *m)
{
	struct span_list **old = m->s.lists, *l, *next;
	size_t n = m->s.lists_cap, at;

	m->s.lists_cap = n ? n * 2 : LISTS_FIRST;
	m->s.lists = arena_alloc(&m->arena, m->s.lists_cap * sizeof(*m->s.lists));
	for (size_t i = 0; i < n; i++) {
		for (l = old[i]; l; l = next) {
			next = l->next;
			at = list_slot(m, l->kind, l->a, l->b);
			l->next = m->s.lists[at];
			m->s.lists[at] = l;
		}
	}
}

void spans_init(struct model *m)
{
	lists_grow(m);
}

struct span_list *span_list_of(struct model *m, uint64_t kind, uint64_t a, uint64_t b, bool make)
{
	struct span_list *l = m->s.lists[list_slot(m, kind, a, b)];
	size_t at;

	while (l && (l->a != a || l->b != b || l->kind != kind))
		l = l->next;
	if (l || !make)
		return l;
	if (m->s.nr_lists++ == m->s.lists_cap)
		lists_grow(m);
	l = m->s.free_lists;
	if (l)
		m->s.free_lists = l->next;
	else
		l = arena_alloc(&m->arena, sizeof(*l));
	at = list_slot(m, kind, a, b);
	*l = (struct span_list){ .kind = kind, .a = a, .b = b, .next = m->s.lists[at] };
	m->s.lists[at] = l;
	return l;
}

static void list_free(struct model *m, struct span_list *l)
{
	struct span_list **at = &m->s.lists[list_slot(m, l->kind, l->a, l->b)];

	while (*at != l)
		at = &(*at)->next;
	*at = l->next;
	l->next = m->s.free_lists;
	m->s.free_lists = l;
	m->s.nr_lists--;
}

static void list_push(struct span_list *l, struct span *s)
{
	s->list = l;
	s->below = l->young;
	s->above = NULL;
	if (l->young)
		l->young->above = s;
	else
		l->old = s;
	l->young = s;
	s->depth = l->n++;
}

static void list_remove(struct model *m, struct span *s)
{
	struct span_list *l = s->list;

	if (s->above)
		s->above->below = s->below;
	else
		l->young = s->below;
	if (s->below)
		s->below->above = s->above;
	else
		l->old = s->above;
	if (!--l->n)
		list_free(m, l);
}

/* --- the spans of a task, or of none */

static void span_link(struct model *m, struct span *s)
{
	struct span **head = s->by_task ? &s->task->spans : &m->s.cpu_spans;

	s->task_next = *head;
	if (*head)
		(*head)->task_link = &s->task_next;
	s->task_link = head;
	*head = s;
}

static struct span *span_alloc(struct model *m)
{
	struct span *s = m->s.free_spans;
	size_t size = sizeof(*s);
	uint8_t *args;
	uint32_t cap;

	m->s.live++;
	if (!s)
		return arena_alloc(&m->arena, sizeof(*s));
	m->s.free_spans = s->below;
	args = s->args;
	cap = s->args_cap;
	/* gcc makes rep stos of a constant size, which takes longer than all else here */
	__asm__("" : "+r" (size));
	memset(s, 0, size);
	s->args = args;
	s->args_cap = cap;
	return s;
}

/* --- start */

/* open_names has a bit for each name around; most bits are clear, so few names are compared. */
void span_note_name(struct span *s)
{
	uint64_t bit = 1ull << ((s->name * 0x9e3779b97f4a7c15u) >> 58);
	const struct span *around = span_around(s);
	uint64_t names = around ? around->open_names : 0;

	s->open_names = names | bit;
	s->is_recursive = false;
	if (!(names & bit))
		return;
	while (around && (around->name != s->name || around->how != s->how))
		around = span_around(around);
	s->is_recursive = around != NULL;
}

bool span_refuse(struct model *m, const struct span_list *list)
{
	if (m->s.live < MODEL_LIVE_MAX && (!list || list->n < MODEL_LIST_MAX))
		return false;
	m->s.refused++;
	return true;
}

struct span *span_begin(struct model *m, struct span_list *list, unsigned int kind, uint64_t name,
			enum span_name how, bool by_task, const struct model_rec *at)
{
	struct span *s;

	if (span_refuse(m, list)) {
		if (list && !list->n)
			list_free(m, list);
		return NULL;
	}
	s = span_alloc(m);
	s->kind = kind;
	s->name = name;
	s->how = how;
	s->task = at->task;
	s->file = at->r->file;
	s->begin = at->r->ts;
	s->cpu_begin = s->cpu_end = at->r->cpu;
	s->stream_begin = at->r->stream;
	s->off_begin = model_off(m, at->task);
	s->by_task = by_task;
	if (!list) {
		s->below = at->task->calls;
		at->task->calls = s;
		return s;
	}
	s->is_beside = kind == SPAN_BLOCK || kind == SPAN_ASYNC;
	list_push(list, s);
	span_note_name(s);
	span_link(m, s);
	return s;
}

void span_begun(struct model *m, struct span *s, const struct model_rec *at)
{
	if (m->ops->begin)
		m->ops->begin(m->ctx, s, at->r);
}

/* --- end */

/*
 * Returns true if records are lost between the ends of @s. A mark has no identity, so the loss of
 * any CPU may have taken the end of @s and the begin of another span.
 */
static bool span_has_loss(const struct model *m, const struct span *s, const struct model_rec *at)
{
	if (stream_lost_since(&m->s.streams[s->stream_begin], s->begin) ||
	    (at && stream_lost_since(at->stream, s->begin)))
		return true;
	return (s->kind == SPAN_MARKER || s->kind == SPAN_ASYNC) &&
	       m->s.gap_until[s->file][m->s.buffers[s->file][s->kind] - 1] > s->begin;
}

/*
 * Adds the duration of @s, which ends, to that of the span that it interrupted. An interrupt at the
 * depth of the call that it hit came while the kernel recorded the exit: call_begin().
 */
static void span_add_irq(struct span *hit, const struct span *s)
{
	if (s->list || s->depth > hit->depth) {
		hit->irq += s->duration;
		return;
	}
	if (!hit->late_irq)
		hit->late_begin = s->begin;
	hit->late_irq += s->duration;
}

/*
 * Adds the interrupts of the exit of @s to it if the kernel had not yet read the clock for its
 * duration; else they are part of the caller's duration alone.
 */
static void span_place_late_irq(struct span *s)
{
	bool is_after = s->duration != SPAN_UNKNOWN && s->late_begin >= s->begin + s->duration;

	if (!is_after)
		s->irq += s->late_irq;
	else if (s->below)
		s->below->irq += s->late_irq;
}

/* @at is NULL at the end of all records. */
void span_end(struct model *m, struct span *s, unsigned int marks, uint64_t duration,
	      const struct model_rec *at)
{
	struct span *parent = s->is_beside ? NULL : s->below;
	const struct task *t = s->task;
	uint64_t inside;

	s->end = at ? at->r->ts : m->s.times[s->file].last;
	s->marks |= marks;
	s->duration = duration;
	if (s->late_irq)
		span_place_late_irq(s);
	inside = s->children + s->irq;
	if (at && at->r->file == s->file)
		s->cpu_end = at->r->cpu;
	if (span_has_loss(m, s, at))
		s->marks |= SPAN_LOSS;
	s->self = SPAN_UNKNOWN;
	if (duration != SPAN_UNKNOWN && !(s->marks & SPAN_NO_BEGIN)) {
		s->self = duration > inside ? duration - inside : 0;
		s->below_0 |= inside > duration;
	}
	s->off = SPAN_UNKNOWN;
	if (s->by_task && m->s.times[s->file].switched && !(s->marks & SPAN_NO_BEGIN) &&
	    s->off_begin != SPAN_UNKNOWN && !t->unseen &&
	    (!t->missed_at || t->missed_at < s->begin))
		s->off = t->pid ? model_off(m, t) - s->off_begin : 0;
	if (parent && duration != SPAN_UNKNOWN) {
		if (s->is_interrupt)
			span_add_irq(parent, s);
		else
			parent->children += duration;
	}
	if (parent && !s->is_interrupt)
		parent->marks |= s->marks & SPAN_LOSS;
	if (m->ops->end)
		m->ops->end(m->ctx, s, at ? at->r : NULL);
	if (s->list) {
		*s->task_link = s->task_next;
		if (s->task_next)
			s->task_next->task_link = s->task_link;
		list_remove(m, s);
	} else {
		s->task->calls = s->below;
	}
	s->below = m->s.free_spans;
	m->s.free_spans = s;
	m->s.live--;
}

void span_end_now(struct model *m, struct span *s, unsigned int marks, const struct model_rec *at)
{
	uint64_t now = at ? at->r->ts : m->s.times[s->file].last, duration = SPAN_UNKNOWN;

	if (!((marks | s->marks) & (SPAN_NO_BEGIN | SPAN_NO_END | SPAN_BY_EXIT | SPAN_OPEN))) {
		if (now >= s->begin)
			duration = now - s->begin;
		else
			s->below_0 = true;
	}
	span_end(m, s, marks, duration, at);
}

void spans_cut(struct model *m, struct span_list *list, const struct span *s,
	       const struct model_rec *at)
{
	struct span *young, *next;

	for (young = list->young; young && young != s; young = next) {
		next = young->below;
		span_end_now(m, young, SPAN_NO_END, at);
	}
}

void span_lone_end(struct model *m, struct span_list *list, unsigned int kind, uint64_t name,
		   enum span_name how, bool by_task, const struct model_rec *at)
{
	struct span *s = span_begin(m, list, kind, name, how, by_task, at);

	if (!s)
		return;
	s->marks = SPAN_NO_BEGIN;
	span_begun(m, s, at);
	span_end_now(m, s, 0, at);
}

/* --- tasks that end or exec, keys that change */

void span_rekey(struct model *m, struct span *s, uint64_t a, uint64_t b)
{
	uint64_t kind = s->list->kind;

	list_remove(m, s);
	list_push(span_list_of(m, kind, a, b, true), s);
}

/* Ends all spans of @calls (may be NULL) and @others, which have no record of their end. */
static void spans_end_lists(struct model *m, struct span **calls, struct span **others,
			    unsigned int marks, const struct model_rec *at)
{
	while (calls && *calls)
		span_end_now(m, *calls, marks, at);
	while (*others)
		span_end_now(m, *others, marks, at);
}

void spans_of_task_end(struct model *m, struct task *t, unsigned int marks,
		       const struct model_rec *at)
{
	spans_end_lists(m, &t->calls, &t->spans, marks, at);
}

void spans_of_task_move(struct model *m, struct task *from, struct task *to,
			const struct model_rec *at)
{
	struct span *s, *next, *turned = NULL;

	if (from == to)
		return;
	spans_of_task_end(m, to, SPAN_BY_EXIT, at);
	to->calls = from->calls;
	from->calls = NULL;
	for (s = to->calls; s; s = s->below) {
		if (s->off_begin != SPAN_UNKNOWN)
			s->off_begin += model_off(m, to) - model_off(m, from);
		s->task = to;
	}
	/* turn the list around: the oldest is moved first, so they keep their order */
	for (s = from->spans; s; s = next) {
		s->off_begin += model_off(m, to) - model_off(m, from);
		next = s->task_next;
		s->task_next = turned;
		turned = s;
	}
	from->spans = NULL;
	for (s = turned; s; s = next) {
		next = s->task_next;
		span_rekey(m, s, (uintptr_t)to, s->list->b);
		s->task = to;
		span_link(m, s);
	}
}

void spans_end(struct model *m)
{
	for (struct task *t = m->s.first_task; t; t = t->next)
		spans_of_task_end(m, t, t->state == TASK_DEAD ? SPAN_BY_EXIT : SPAN_OPEN, NULL);
	spans_end_lists(m, NULL, &m->s.cpu_spans, SPAN_OPEN, NULL);
}
