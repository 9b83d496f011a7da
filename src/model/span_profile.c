/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of spans in rows: by function, task, CPU, module or kind, or by call path. */
#include "model/span_profile.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/text.h"

struct span_profile {
	struct profile_opts opts;
	const struct model *model;
	struct profile_row *rows;
	size_t n, cap;
	struct slots slots;
	struct strv modules;
	uint64_t marks[SPAN_MARKS], below_0;
	struct buf scratch;
	struct slots wanted;		/* name -> is it ->opts.callers: enum wanted */
};

struct span_profile *profile_new(const struct profile_opts *o)
{
	struct span_profile *p = xcalloc(1, sizeof(*p));

	p->opts = *o;
	slots_init(&p->slots);
	slots_init(&p->wanted);
	p->rows = xgrow(NULL, &p->cap, 1, sizeof(*p->rows));
	p->rows[0] = (struct profile_row){0};
	p->n = 1;
	return p;
}

void profile_bind(struct span_profile *p, const struct model *m)
{
	p->model = m;
}

void profile_free(struct span_profile *p)
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

static struct profile_row *row_new(struct span_profile *p, uint64_t a, uint64_t b)
{
	slots_add(&p->slots, a, b, p->n);
	p->rows = xgrow(p->rows, &p->cap, p->n + 1, sizeof(*p->rows));
	p->rows[p->n] = (struct profile_row){0};
	return &p->rows[p->n++];
}

/* Returns the part of a row's key besides the name. Rows of other kinds have other keys. */
static uint64_t name_key(const struct span *s)
{
	return (uint64_t)s->kind << 32 | (uint64_t)s->how << 24 | (uint64_t)s->file;
}

static void row_set_name(struct profile_row *r, const struct span *s)
{
	r->name = s->name;
	r->how = s->how;
	r->file = s->file;
	r->id = s->kind;
}

static struct profile_row *row_of_id(struct span_profile *p, const struct span *s, uint64_t a,
				     uint32_t id)
{
	uint64_t b = (uint64_t)s->file << 8 | p->opts.by;
	uint32_t row = slots_find(&p->slots, a, b);
	struct profile_row *r;

	if (row)
		return &p->rows[row];
	r = row_new(p, a, b);
	row_set_name(r, s);
	r->id = id;
	return r;
}

/* Returns the row of the module. It is also stored under the function's key, for the next span. */
static struct profile_row *row_of_module(struct span_profile *p, const struct span *s)
{
	uint32_t row = slots_find(&p->slots, s->name, name_key(s));
	const char *mod;
	size_t len, nr;

	if (row)
		return &p->rows[row];
	mod = model_module_of(p->model, s, &len);
	if (!mod) {
		mod = "[unknown]";
		len = strlen(mod);
	}
	buf_reset(&p->scratch);
	buf_add(&p->scratch, mod, len);
	for (nr = 0; nr < p->modules.n; nr++)
		if (!strcmp(p->modules.v[nr], p->scratch.data))
			break;
	if (nr == p->modules.n)
		strv_add(&p->modules, p->scratch.data);
	row = row_of_id(p, s, nr, nr) - p->rows;
	slots_add(&p->slots, s->name, name_key(s), row);
	return &p->rows[row];
}

static struct profile_row *row_of(struct span_profile *p, const struct span *s)
{
	struct profile_row *r;
	uint32_t row;

	switch (p->opts.by) {
	case PROFILE_TASK:
		/* calls in interrupts belong to no task, but to <hardirq> or the like */
		r = row_of_id(p, s, s->context ? s->context : (uintptr_t)s->task, s->context);
		r->task = s->context ? NULL : s->task;
		return r;
	case PROFILE_CPU:
		return row_of_id(p, s, s->cpu_begin, s->cpu_begin);
	case PROFILE_MODULE:
		return row_of_module(p, s);
	case PROFILE_KIND:
		return row_of_id(p, s, s->kind, s->kind);
	case PROFILE_FUNCTION:
		break;
	}
	row = slots_find(&p->slots, s->name, name_key(s));
	if (__builtin_expect(row, 1))
		return &p->rows[row];
	r = row_new(p, s->name, name_key(s));
	row_set_name(r, s);
	return r;
}

/* --- sums */

static inline uint64_t span_time(const struct span_profile *p, const struct span *s)
{
	return p->opts.on_cpu ? span_on(s) : s->duration;
}

static inline uint64_t span_known_off(const struct span *s)
{
	return s->off == SPAN_UNKNOWN ? 0 : s->off;
}

/* Adds the count, the duration, self and irq time. row_add_total() adds the total and off time. */
static inline void row_add(const struct span_profile *p, struct profile_row *r,
			   const struct span *s)
{
	uint64_t v = span_time(p, s);

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
 * No time counts twice in a row: inside of @around, a span of the same row, it counts only if that
 * span does not count.
 */
static inline void row_add_total(const struct span_profile *p, struct profile_row *r,
				 const struct span *s, struct span *around)
{
	bool counts = span_counts(s);
	uint64_t total = counts ? span_time(p, s) : s->inside;
	uint64_t off = counts ? span_known_off(s) : s->inside_off;

	if (around) {
		around->inside += total;
		around->inside_off += off;
	} else {
		r->total += total;
		r->off += off;
	}
}

/* Returns true if @at is in the row of @s. Both are of the same kind, and of a task or a CPU. */
static bool span_in_row(struct span_profile *p, const struct span *at, const struct span *s,
			size_t row)
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

/* Returns the innermost span of the same row around @s, also if @s interrupted it; or NULL. */
static inline struct span *around_in_row(struct span_profile *p, const struct span *s, size_t row)
{
	struct span *at = span_around(s);

	if (p->opts.by == PROFILE_FUNCTION && !s->is_recursive)
		return NULL;
	while (at && !(at->is_shown && span_in_row(p, at, s, row)))
		at = span_around(at);
	return at;
}

/* --- trees */

static uint32_t child_row(struct span_profile *p, uint32_t parent, const struct span *s)
{
	uint64_t b = name_key(s) | (uint64_t)(parent + 1) << 40;
	uint32_t row = slots_find(&p->slots, s->name, b);
	struct profile_row *r;

	if (row)
		return row;
	r = row_new(p, s->name, b);
	row = r - p->rows;
	row_set_name(r, s);
	r->parent = parent;
	r->depth = parent ? p->rows[parent].depth + 1 : 0;
	r->next = p->rows[parent].first;
	p->rows[parent].first = row;
	return row;
}

void profile_begin(struct span_profile *p, struct span *s)
{
	const struct span *parent = span_parent(s);

	if (p->opts.tree)
		s->user = child_row(p, parent ? parent->user : 0, s);
}

enum wanted { WANTED_NOT = 1, WANTED = 2 };

/* Returns true for the function whose callers are wanted. Several functions may have its name. */
static bool is_callee(struct span_profile *p, const struct span *s)
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

/* Returns true if @row is on the call path up from @s. */
static bool path_has_row(struct span_profile *p, const struct span *s, uint32_t row)
{
	uint32_t path_row = 0;

	for (; s && path_row != row; s = span_parent(s))
		path_row = child_row(p, path_row, s);
	return path_row == row;
}

/* Returns true if the time of @s is already in that of an outer call of the function in @row. */
static bool is_inside_caller(struct span_profile *p, const struct span *s, uint32_t row)
{
	const struct span *at = span_around(s);

	while (at && !(at->is_shown && at->name == s->name && at->how == s->how &&
		       path_has_row(p, at, row)))
		at = span_around(at);
	return at != NULL;
}

static void add_callers(struct span_profile *p, const struct span *s)
{
	uint32_t row = 0;

	for (const struct span *at = s; at; at = span_parent(at)) {
		row = child_row(p, row, at);
		row_add(p, &p->rows[row], s);
		if (!span_counts(s) || (s->is_recursive && is_inside_caller(p, s, row)))
			continue;
		p->rows[row].total += span_time(p, s);
		p->rows[row].off += span_known_off(s);
	}
}

void profile_end(struct span_profile *p, const struct span *s)
{
	struct span *around;
	size_t row;

	if (__builtin_expect(s->marks | s->below_0, 0)) {
		for (size_t i = 0; i < SPAN_MARKS; i++)
			p->marks[i] += s->marks >> i & 1;
		p->below_0 += s->below_0;
	}
	if (p->opts.callers) {
		if (is_callee(p, s))
			add_callers(p, s);
		return;
	}
	if (p->opts.tree) {
		/* the same call path again: the outer call was interrupted */
		around = s->is_recursive ? span_around(s) : NULL;
		while (around && !(around->is_shown && around->user == s->user))
			around = span_around(around);
		row_add(p, &p->rows[s->user], s);
		row_add_total(p, &p->rows[s->user], s, around);
		return;
	}
	row = row_of(p, s) - p->rows;
	/* this may add rows, too, and move them */
	around = around_in_row(p, s, row);
	row_add(p, &p->rows[row], s);
	row_add_total(p, &p->rows[row], s, around);
}

/* --- results */

size_t profile_rows(const struct span_profile *p)
{
	return p->n;
}

const struct profile_row *profile_row(const struct span_profile *p, size_t i)
{
	return &p->rows[i];
}

const uint64_t *profile_marks(const struct span_profile *p)
{
	return p->marks;
}

uint64_t profile_below_0(const struct span_profile *p)
{
	return p->below_0;
}

void profile_add_name(const struct span_profile *p, const struct profile_row *r, struct buf *out)
{
	static const char *const contexts[] = { "", "<softirq>", "<hardirq>", "<nmi>" };
	enum profile_by by = p->opts.tree || p->opts.callers ? PROFILE_FUNCTION : p->opts.by;

	switch (by) {
	case PROFILE_FUNCTION:
		model_add_named(p->model, r->file, r->name, r->how, out);
		break;
	case PROFILE_TASK:
		if (r->task)
			model_add_task(p->model, r->task, out);
		else
			buf_addstr(out, contexts[r->id]);
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

const char *profile_module(const struct span_profile *p, const struct profile_row *r, size_t *len)
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
