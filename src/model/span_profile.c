/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Spans summed up. */
#include "model/span_profile.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/text.h"

struct profile {
	struct profile_opts opts;
	const struct model *model;
	struct profile_row *rows;
	size_t n, cap;
	struct slots slots;
	struct strv modules;
	uint64_t marks[SPAN_MARKS], below_0;
	struct buf scratch;
	struct slots wanted;		/* names: are they ->opts.callers? */
};

struct profile *profile_new(const struct profile_opts *o)
{
	struct profile *p = xcalloc(1, sizeof(*p));

	p->opts = *o;
	slots_init(&p->slots);
	slots_init(&p->wanted);
	p->rows = xgrow(NULL, &p->cap, 1, sizeof(*p->rows));
	p->rows[0] = (struct profile_row){0};
	p->n = 1;
	return p;
}

void profile_bind(struct profile *p, const struct model *m)
{
	p->model = m;
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		dist_release(&p->rows[i].d);
	free(p->rows);
	slots_release(&p->slots);
	slots_release(&p->wanted);
	strv_release(&p->modules);
	buf_release(&p->scratch);
	free(p);
}

/* --- rows by key */

static struct profile_row *row_new(struct profile *p, uint64_t a, uint64_t b)
{
	slots_add(&p->slots, a, b, p->n);
	p->rows = xgrow(p->rows, &p->cap, p->n + 1, sizeof(*p->rows));
	p->rows[p->n] = (struct profile_row){0};
	return &p->rows[p->n++];
}

/* What spans of a kind, a name, a file have in common; rows of other kinds have other keys. */
static uint64_t name_key(const struct span *s)
{
	return (uint64_t)s->kind << 32 | (uint64_t)s->how << 24 | (uint64_t)s->file;
}

static void name_row(struct profile_row *r, const struct span *s)
{
	r->name = s->name;
	r->how = s->how;
	r->file = s->file;
	r->id = s->kind;
}

static inline struct profile_row *row_of_name(struct profile *p, const struct span *s)
{
	uint64_t b = name_key(s);
	uint32_t row = slots_find(&p->slots, s->name, b);
	struct profile_row *r;

	if (__builtin_expect(row, 1))
		return &p->rows[row];
	r = row_new(p, s->name, b);
	name_row(r, s);
	return r;
}

static struct profile_row *row_of_id(struct profile *p, const struct span *s, uint64_t a,
				     uint32_t id)
{
	uint64_t b = (uint64_t)s->file << 8 | p->opts.by;
	uint32_t row = slots_find(&p->slots, a, b);
	struct profile_row *r;

	if (row)
		return &p->rows[row];
	r = row_new(p, a, b);
	name_row(r, s);
	r->id = id;
	return r;
}

/* Calls in interrupts are nobody's: <hardirq> has them, whatever the task. */
static struct profile_row *row_of_task(struct profile *p, const struct span *s)
{
	uint64_t key = s->context ? s->context : (uintptr_t)s->task;
	struct profile_row *r = row_of_id(p, s, key, s->context);

	r->task = s->context ? NULL : s->task;
	return r;
}

static uint32_t module_number(struct profile *p, const char *mod, size_t len)
{
	buf_reset(&p->scratch);
	buf_add(&p->scratch, mod, len);
	for (size_t i = 0; i < p->modules.n; i++)
		if (!strcmp(p->modules.v[i], p->scratch.data))
			return i;
	strv_add(&p->modules, p->scratch.data);
	return p->modules.n - 1;
}

/* A function's module is looked for once: what its row is, stands under its name. */
static struct profile_row *row_of_module(struct profile *p, const struct span *s)
{
	uint32_t row = slots_find(&p->slots, s->name, name_key(s));
	const char *mod;
	size_t len;

	if (row)
		return &p->rows[row];
	mod = model_module_of(p->model, s, &len);
	if (!mod) {
		mod = "[unknown]";
		len = strlen(mod);
	}
	row = row_of_id(p, s, module_number(p, mod, len), module_number(p, mod, len)) - p->rows;
	slots_add(&p->slots, s->name, name_key(s), row);
	return &p->rows[row];
}

static struct profile_row *row_of(struct profile *p, const struct span *s)
{
	switch (p->opts.by) {
	case PROFILE_TASK:
		return row_of_task(p, s);
	case PROFILE_CPU:
		return row_of_id(p, s, s->cpu_begin, s->cpu_begin);
	case PROFILE_MODULE:
		return row_of_module(p, s);
	case PROFILE_KIND:
		return row_of_id(p, s, s->kind, s->kind);
	case PROFILE_FUNCTION:
		break;
	}
	return row_of_name(p, s);
}

/* --- sums */

static inline uint64_t value_of(const struct profile *p, const struct span *s)
{
	return p->opts.on_cpu ? span_on(s) : s->duration;
}

static inline uint64_t known_off(const struct span *s)
{
	return s->off == SPAN_UNKNOWN ? 0 : s->off;
}

/* All but what add_total() adds. */
static inline void add_to_row(const struct profile *p, struct profile_row *r, const struct span *s)
{
	uint64_t v = value_of(p, s);

	r->count++;
	if (!span_counts(s))
		return;
	if (p->opts.buckets)
		dist_add_bucket(&r->d, v);
	else
		dist_add(&r->d, v);
	if (s->self != SPAN_UNKNOWN)
		r->self += s->self;
	r->irq += s->irq;
}

/*
 * No time counts twice in a row: what lies inside of @around, of the same row, counts only if that
 * one does not.
 */
static inline void add_total(const struct profile *p, struct profile_row *r, const struct span *s,
			     struct span *around)
{
	bool counts = span_counts(s);
	uint64_t total = counts ? value_of(p, s) : s->inside;
	uint64_t off = counts ? known_off(s) : s->inside_off;

	if (around) {
		around->inside += total;
		around->inside_off += off;
	} else {
		r->total += total;
		r->off += off;
	}
}

static void count_marks(struct profile *p, const struct span *s)
{
	for (size_t i = 0; i < SPAN_MARKS; i++)
		p->marks[i] += s->marks >> i & 1;
	p->below_0 += s->below_0;
}

/* Of spans of one list: of a task or a CPU, and of a kind. */
static bool is_of_row(struct profile *p, const struct span *at, const struct span *s, size_t row)
{
	switch (p->opts.by) {
	case PROFILE_FUNCTION:
		return at->name == s->name && at->how == s->how;
	case PROFILE_TASK:
		return at->context == s->context && (s->context || at->task == s->task);
	case PROFILE_CPU:
		return at->cpu_begin == s->cpu_begin;
	case PROFILE_MODULE:
		return row_of(p, at) == &p->rows[row];
	case PROFILE_KIND:
		break;
	}
	return true;
}

/* The next one of the same row in whose time it lies; also where it is an interrupt. */
static inline struct span *around_in_row(struct profile *p, const struct span *s, size_t row)
{
	struct span *at = span_around(s);

	if (p->opts.by == PROFILE_FUNCTION && !s->is_recursive)
		return NULL;
	while (at && !(at->is_shown && is_of_row(p, at, s, row)))
		at = span_around(at);
	return at;
}

/* --- trees */

static uint32_t child_row(struct profile *p, uint32_t parent, const struct span *s)
{
	uint64_t b = name_key(s) | (uint64_t)(parent + 1) << 40;
	uint32_t row = slots_find(&p->slots, s->name, b);
	struct profile_row *r;

	if (row)
		return row;
	r = row_new(p, s->name, b);
	row = r - p->rows;
	name_row(r, s);
	r->parent = parent;
	r->depth = parent ? p->rows[parent].depth + 1 : 0;
	r->next = p->rows[parent].first;
	p->rows[parent].first = row;
	return row;
}

void profile_begin(struct profile *p, struct span *s)
{
	const struct span *parent = span_parent(s);

	if (p->opts.tree)
		s->user = child_row(p, parent ? parent->user : 0, s);
}

enum { WANTED_NOT = 1, WANTED = 2 };

/*
 * Is it the function whose callers are wanted? Each name is looked at once: several functions may
 * be called so.
 */
static bool is_wanted(struct profile *p, const struct span *s)
{
	uint32_t verdict = slots_find(&p->wanted, s->name, name_key(s));

	if (verdict)
		return verdict == WANTED;
	buf_reset(&p->scratch);
	model_add_name(p->model, s, &p->scratch);
	buf_addstr(&p->scratch, "");
	verdict = strcmp(p->scratch.data, p->opts.callers) ? WANTED_NOT : WANTED;
	slots_add(&p->wanted, s->name, name_key(s), verdict);
	return verdict == WANTED;
}

/* Does the way up from @s lead over @row? */
static bool leads_over(struct profile *p, const struct span *s, uint32_t row)
{
	uint32_t way = 0;

	for (; s && way != row; s = span_parent(s))
		way = child_row(p, way, s);
	return way == row;
}

/* Is the time of @s in that of another call of the function, in the same row? */
static bool is_inside_caller(struct profile *p, const struct span *s, uint32_t row)
{
	const struct span *at = span_around(s);

	while (at && !(at->is_shown && at->name == s->name && at->how == s->how &&
		       leads_over(p, at, row)))
		at = span_around(at);
	return at != NULL;
}

static void add_callers(struct profile *p, const struct span *s)
{
	uint32_t row = 0;

	for (const struct span *at = s; at; at = span_parent(at)) {
		row = child_row(p, row, at);
		add_to_row(p, &p->rows[row], s);
		if (!span_counts(s) || (s->is_recursive && is_inside_caller(p, s, row)))
			continue;
		p->rows[row].total += value_of(p, s);
		p->rows[row].off += known_off(s);
	}
}

/* Of two calls of one way one interrupted the other. */
static struct span *around_on_way(const struct span *s)
{
	struct span *at = s->is_recursive ? span_around(s) : NULL;

	while (at && !(at->is_shown && at->user == s->user))
		at = span_around(at);
	return at;
}

void profile_end(struct profile *p, const struct span *s)
{
	struct span *around;
	size_t row;

	if (__builtin_expect(s->marks | s->below_0, 0))
		count_marks(p, s);
	if (p->opts.callers) {
		if (is_wanted(p, s))
			add_callers(p, s);
		return;
	}
	if (p->opts.tree) {
		add_to_row(p, &p->rows[s->user], s);
		add_total(p, &p->rows[s->user], s, around_on_way(s));
		return;
	}
	row = row_of(p, s) - p->rows;
	/* which may make rows, too */
	around = around_in_row(p, s, row);
	add_to_row(p, &p->rows[row], s);
	add_total(p, &p->rows[row], s, around);
}

/* --- for outside */

size_t profile_rows(const struct profile *p)
{
	return p->n;
}

const struct profile_row *profile_row(const struct profile *p, size_t i)
{
	return &p->rows[i];
}

const uint64_t *profile_marks(const struct profile *p)
{
	return p->marks;
}

uint64_t profile_below_0(const struct profile *p)
{
	return p->below_0;
}

static void add_task(const struct profile *p, const struct profile_row *r, struct buf *out)
{
	static const char *const contexts[] = { "", "<softirq>", "<hardirq>", "<nmi>" };
	const char *name;

	if (!r->task) {
		buf_addstr(out, contexts[r->id]);
		return;
	}
	name = model_task_name(p->model, r->task);
	text_sanitise(out, name, strlen(name), false);
	buf_addch(out, '-');
	model_add_task_id(r->task, out);
}

void profile_add_name(const struct profile *p, const struct profile_row *r, struct buf *out)
{
	enum profile_by by = p->opts.tree || p->opts.callers ? PROFILE_FUNCTION : p->opts.by;

	switch (by) {
	case PROFILE_FUNCTION:
		model_add_named(p->model, r->file, r->name, r->how, out);
		break;
	case PROFILE_TASK:
		add_task(p, r, out);
		break;
	case PROFILE_CPU:
		buf_printf(out, "CPU %d", (int)r->id);
		break;
	case PROFILE_MODULE:
		text_sanitise(out, p->modules.v[r->id], strlen(p->modules.v[r->id]), false);
		break;
	case PROFILE_KIND:
		buf_addstr(out, model_kind_name(p->model, r->id));
		break;
	}
}

const char *profile_module(const struct profile *p, const struct profile_row *r, size_t *len)
{
	struct span s = { .name = r->name, .how = r->how, .file = r->file };

	return model_module_of(p->model, &s, len);
}

void profile_row_merge(struct profile_row *r, const struct profile_row *from)
{
	dist_merge(&r->d, &from->d);
	r->count += from->count;
	r->total += from->total;
	r->off += from->off;
	r->self += from->self;
	r->irq += from->irq;
}
