/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An event's fields: its format found, the text of each record cut into pieces and checked. */
#include "oops/fields/field_solver.h"

#include <stdlib.h>
#include <string.h>

#include "oops/fields/field_solver_priv.h"

/* Ways of cutting one text; failures in a row before an event is given up. */
#define SPLITS_MAX 256
#define TRIES_MAX  8
#define BAD_MAX	   50

struct oops_solver *oops_solver_new(const struct oops_syms *syms, const struct formats *formats)
{
	struct oops_solver *s = xcalloc(1, sizeof(*s));

	s->syms = syms;
	s->formats = formats;
	oops_syms_print(syms, &s->kallsyms);
	buf_addstr(&s->kallsyms, "");
	s->symbols = ev_syms_new(s->kallsyms.data, s->kallsyms.len);
	return s;
}

void oops_solver_free(struct oops_solver *s)
{
	if (!s)
		return;
	ev_syms_free(s->symbols);
	buf_release(&s->kallsyms);
	free(s);
}

/* --- an event */

static const struct format *find_format(const struct oops_solver *s, const char *name)
{
	for (size_t i = s->formats->n; i-- > 0;)
		if (!strcmp(s->formats->v[i].event, name) &&
		    strcmp(s->formats->v[i].system, "ftrace"))
			return &s->formats->v[i];
	return NULL;
}

static void use_format(struct oops_fields *f, const struct format *from)
{
	f->text = from->text;
	if (ev_format_parse(&f->from, f->system, from->text, from->len, NULL)) {
		memset(&f->from, 0, sizeof(f->from));
		return;
	}
	f->p = xcalloc(1, sizeof(*f->p));
	f->usable = pieces_parse(f->p, &f->from, f->text) && fields_prepare(f);
}

struct oops_fields *oops_fields_new(struct oops_solver *s, const char *name)
{
	struct oops_fields *f = xcalloc(1, sizeof(*f));
	const struct format *from = find_format(s, name);

	f->solver = s;
	f->name = xstrdup(name);
	f->is_enter = !strncmp(name, "sys_enter_", 10);
	f->is_exit = !strncmp(name, "sys_exit_", 9);
	f->system = xstrdup(f->is_enter || f->is_exit ? "syscalls" : from ? from->system : "dump");
	if (f->is_enter || f->is_exit)
		f->usable = true;
	else if (from)
		use_format(f, from);
	return f;
}

const char *oops_fields_system(const struct oops_fields *f)
{
	return f->system;
}

const char *oops_fields_name(const struct oops_fields *f)
{
	return f->name;
}

bool oops_fields_is(const struct oops_fields *f, const char *before, struct span_text name)
{
	size_t n = strlen(before);

	return strlen(f->name) == n + name.len && !memcmp(f->name, before, n) &&
	       !memcmp(f->name + n, name.p, name.len);
}

void oops_fields_format(const struct oops_fields *f, struct buf *out)
{
	if (f->is_enter || f->is_exit) {
		fields_call_format(f, out);
		return;
	}
	pieces_print_fields(f->p, out);
	buf_printf(out, "\nprint fmt: %s\n", f->from.print_fmt);
}

/* --- a record */

/* Whether @t may be what the conversions of @g show: a number, where there is but one. */
static bool is_likely(const struct oops_fields *f, const struct group *g, struct span_text t)
{
	const struct conv *c = &f->p->convs[g->first];
	size_t i = 0;

	if (g->n > 1 || !strchr("diuxXo", c->spec[strlen(c->spec) - 1]))
		return true;
	while (i < t.len && t.p[i] == ' ')
		i++;
	if (i == t.len)
		return false;
	for (; i < t.len; i++)
		if (!strchr("0123456789abcdefABCDEFx+- ", t.p[i]) || !t.p[i])
			return false;
	return true;
}

static bool take_pieces(struct oops_fields *f, struct span_text text)
{
	if (!fields_find_values(f))
		return false;
	fields_build(f);
	return fields_shows(f, 0, text.p, text.len);
}

/* Groups from @g on, the first of which begins at @at. */
static bool split(struct oops_fields *f, size_t g, const char *at, struct span_text text)
{
	const char *end = text.p + text.len, *to = at;
	const struct buf *next;

	if (g == f->p->nr_groups)
		return at == end && f->tries++ < TRIES_MAX && take_pieces(f, text);
	next = g + 1 < f->p->nr_groups ? &f->p->groups[g + 1].literal : &f->p->tail;
	if (g + 1 == f->p->nr_groups) {
		if ((size_t)(end - at) < next->len ||
		    (next->len && memcmp(end - next->len, next->data, next->len)))
			return false;
		f->solver->pieces[g] = (struct span_text){ at, end - next->len - at };
		return is_likely(f, &f->p->groups[g], f->solver->pieces[g]) &&
		       split(f, g + 1, end, text);
	}
	for (; f->splits < SPLITS_MAX && (to = memmem(to, end - to, next->data, next->len)); to++) {
		f->solver->pieces[g] = (struct span_text){ at, to - at };
		f->splits++;
		if (is_likely(f, &f->p->groups[g], f->solver->pieces[g]) &&
		    split(f, g + 1, to + next->len, text))
			return true;
	}
	return false;
}

static bool solve_event(struct oops_fields *f, struct span_text text)
{
	const struct buf *first = f->p->nr_groups ? &f->p->groups[0].literal : &f->p->tail;

	f->splits = f->tries = 0;
	if (text.len < first->len || (first->len && memcmp(text.p, first->data, first->len)))
		return false;
	return split(f, 0, text.p + first->len, text);
}

bool oops_fields_solve(struct oops_fields *f, const struct dump_rec *r, struct buf *out)
{
	bool ok;

	if (!f->usable || (f->bad > BAD_MAX && f->bad > 4 * f->good))
		return false;
	ok = f->is_enter || f->is_exit ? fields_solve_call(f, r->text) : solve_event(f, r->text);
	f->good += ok;
	f->bad += !ok;
	if (ok)
		buf_add(out, f->bytes.data + 8, f->bytes.len - 8);
	return ok;
}

static void release_cache(struct cached *cache)
{
	for (size_t i = 0; cache && i < CACHE_SLOTS; i++)
		free(cache[i].text);
	free(cache);
}

void oops_fields_free(struct oops_fields *f)
{
	size_t n = f && f->formats ? f->world.nr_formats : 0;

	if (!f)
		return;
	ev_engine_free(f->engine);
	for (size_t i = 0; i < n; i++)
		ev_format_release(&f->formats[i]);
	free(f->formats);
	for (size_t i = 0; i < PIECES_VARS; i++)
		release_cache(f->cache[i]);
	for (size_t i = 0; i < f->nr_params; i++)
		free(f->params[i]);
	if (f->p)
		pieces_release(f->p);
	free(f->p);
	ev_format_release(&f->from);
	buf_release(&f->bytes);
	buf_release(&f->shown);
	free(f->system);
	free(f->name);
	free(f);
}
