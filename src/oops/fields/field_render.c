/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records that are made of values, and shown by ftr's own engine. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "file/ring/page.h"
#include "oops/fields/field_solver_priv.h"

#define COMMON_LINES \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static bool parse_format(struct oops_fields *f, size_t index, const char *system,
			 const struct buf *text)
{
	struct ev_format *to = &f->formats[index];

	if (!ev_format_parse(to, system, text->data, text->len, NULL))
		return true;
	memset(to, 0, sizeof(*to));
	return false;
}

static bool add_whole(struct oops_fields *f)
{
	struct buf b = {0};
	bool ok;

	buf_printf(&b, "name: %s\nID: 100\nformat:\n" COMMON_LINES, f->name);
	oops_fields_format(f, &b);
	ok = parse_format(f, 0, f->system, &b);
	buf_release(&b);
	return ok;
}

/* Its conversions and their arguments. */
static void print_group(const struct oops_fields *f, const struct group *g, struct buf *specs,
			struct buf *args)
{
	for (size_t i = g->first; i < g->first + g->n; i++) {
		const struct conv *c = &f->p->convs[i];

		buf_addstr(specs, c->spec);
		buf_printf(args, ", %s", c->args.v[0]);
	}
}

/* A format of the groups that @wanted says, with bars between them. */
static bool add_partial(struct oops_fields *f, size_t index, uint32_t vars, const struct group *one)
{
	struct buf specs = {0}, args = {0}, b = {0};
	bool ok = true;

	buf_addstr(&args, "");
	for (size_t i = 0; i < f->p->nr_groups; i++) {
		const struct group *g = &f->p->groups[i];

		if (one ? g != one : g->vars != vars)
			continue;
		if (specs.len)
			buf_addch(&specs, '|');
		print_group(f, g, &specs, &args);
	}
	if (specs.len) {
		buf_printf(&b, "name: part%zu\nID: %zu\nformat:\n" COMMON_LINES, index,
			   200 + index);
		pieces_print_fields(f->p, &b);
		buf_printf(&b, "\nprint fmt: \"%s\"%s\n", specs.data, args.data);
		ok = parse_format(f, index, "part", &b);
	}
	buf_release(&specs);
	buf_release(&args);
	buf_release(&b);
	return ok;
}

bool fields_prepare(struct oops_fields *f)
{
	struct pieces *p = f->p;
	bool ok;

	f->formats = xcalloc(1 + p->nr_vars + p->nr_groups, sizeof(*f->formats));
	f->world = (struct ev_world){
		.big = RING_HOST_BIG, .long_size = 8, .page_size = 4096, .formats = f->formats,
		.nr_formats = 1 + p->nr_vars + p->nr_groups, .syms = f->solver->symbols,
		.kallsyms = f->solver->kallsyms.data, .kallsyms_len = f->solver->kallsyms.len,
	};
	ok = add_whole(f);
	for (size_t i = 0; ok && i < p->nr_vars; i++)
		ok = add_partial(f, 1 + i, 1u << i, NULL);
	for (size_t i = 0; ok && i < p->nr_groups; i++)
		ok = add_partial(f, 1 + p->nr_vars + i, 0, &p->groups[i]);
	f->engine = ok ? ev_engine_new(&f->world, NULL, NULL) : NULL;
	return f->engine;
}

static void put_number(uint8_t *to, uint64_t v, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++)
		to[RING_HOST_BIG ? size - 1 - i : i] = v >> 8 * i;
}

/* Strings stand behind all fields. */
static void put_text(struct oops_fields *f, uint32_t at, struct span_text s)
{
	uint32_t loc = f->bytes.len | (uint32_t)(s.len + 1) << 16;

	buf_add(&f->bytes, s.p, s.len);
	buf_addch(&f->bytes, '\0');
	memcpy(f->bytes.data + at, &loc, 4);
}

void fields_build(struct oops_fields *f)
{
	buf_reset(&f->bytes);
	buf_reserve(&f->bytes, f->p->size + 1);
	memset(f->bytes.data, 0, f->p->size + 1);
	f->bytes.len = f->p->size;
	for (size_t i = 0; i < f->p->nr_vars; i++) {
		const struct var *v = &f->p->vars[i];
		uint32_t at = f->p->fields[v->field].offset + v->index * v->size;
		const struct value *known = &f->solver->values[i];
		struct span_text s = f->solved & 1u << i ? known->str
							 : (struct span_text){ "", 0 };

		if (v->kind == VAR_TEXT)
			put_text(f, at, s);
		else if (v->kind == VAR_CHARS)
			memcpy(f->bytes.data + at, s.p, s.len);
		else
			put_number((uint8_t *)f->bytes.data + at, known->num, v->size);
	}
}

bool fields_shows(struct oops_fields *f, size_t index, const char *want, size_t len)
{
	struct ev_rec r = {
		.fmt = &f->formats[index], .data = (const uint8_t *)f->bytes.data,
		.len = f->bytes.len, .big = RING_HOST_BIG, .long_size = 8,
	};

	buf_reset(&f->shown);
	if (!r.fmt->name)
		return false;
	ev_render(f->engine, &r, 0, 0, &f->shown);
	return f->shown.len == len && (!len || !memcmp(f->shown.data, want, len));
}

void fields_expect_var(const struct oops_fields *f, size_t v, struct buf *out)
{
	buf_reset(out);
	buf_addstr(out, "");
	for (size_t i = 0, n = 0; i < f->p->nr_groups; i++) {
		if (f->p->groups[i].vars != 1u << v)
			continue;
		if (n++)
			buf_addch(out, '|');
		buf_add(out, f->solver->pieces[i].p, f->solver->pieces[i].len);
	}
}
