/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rewriting of a format file for libtraceevent: fields from the parsed ones, the print fmt in the
 * part of its language that is safe.
 */
#include "event/tep/tep_vet.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRINT_FMT_MAX	(64 * 1024)
#define SKIP_MAX	8000	/* most tokens of arguments that are skipped */

/* --- fields */

static bool plain_name(const char *s)
{
	if (!*s)
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && *s != '_')
			return false;
	return true;
}

/* Writes the words and stars of a type, without brackets, attributes and other text. */
static void write_type(struct buf *out, const char *type)
{
	static const char attr[] = "__attribute__((";
	size_t start = out->len;

	for (; *type && *type != '['; type++) {
		if (!strncmp(type, attr, sizeof(attr) - 1)) {
			type = strstr(type, "))");
			if (!type)
				break;
			type++;
		} else if (isalnum((unsigned char)*type) || *type == '_' || *type == '*') {
			buf_addch(out, *type);
		} else if (out->len > start && out->data[out->len - 1] != ' ') {
			buf_addch(out, ' ');
		}
	}
	while (out->len > start && out->data[out->len - 1] == ' ')
		out->len--;
	if (out->len == start || isdigit((unsigned char)out->data[start]) ||
	    out->data[start] == '*') {
		out->len = start;
		buf_addstr(out, "int");
	}
}

static bool has_field(const struct ev_format *f, const char *name, uint32_t offset, uint32_t size)
{
	const struct ev_field *fd = ev_field(f, name);

	return fd && fd->common && fd->offset == offset && fd->size == size;
}

static int write_fields(struct tep_vet *v)
{
	const struct ev_format *f = v->fmt;
	const char *name, *dot;
	bool common = true;

	/* libtraceevent uses the offsets of these in one event for all events. */
	if (!has_field(f, "common_type", 0, 2) || !has_field(f, "common_pid", 4, 4))
		return vet_fail(v, "its common fields are not where they should be");
	if (!plain_name(f->name))
		return vet_fail(v, "its name is odd");
	buf_printf(&v->text, "name: %s\nID: %u\nformat:\n", f->name, f->id);
	for (const struct ev_field *fd = f->fields; fd < f->fields + f->nr_fields; fd++) {
		if (common && !fd->common)
			buf_addch(&v->text, '\n');
		common = fd->common;
		dot = strrchr(fd->name, '.');
		name = dot ? dot + 1 : fd->name;
		if (!plain_name(name) || isdigit((unsigned char)*name))
			return vet_fail(v, "a field has an odd name");
		buf_addstr(&v->text, "\tfield:");
		write_type(&v->text, fd->type);
		if (fd->kind == EV_DATA_LOC || fd->kind == EV_REL_LOC)
			buf_addstr(&v->text, "[]");
		buf_printf(&v->text, " %s", name);
		if (fd->kind == EV_ARRAY)
			buf_printf(&v->text, "[%u]", fd->elem_size ? fd->size / fd->elem_size : 1);
		else if (fd->kind == EV_REST)
			buf_addstr(&v->text, "[]");
		buf_printf(&v->text, ";\toffset:%u;\tsize:%u;\tsigned:%d;\n", fd->offset, fd->size,
			   fd->is_signed);
	}
	buf_addstr(&v->text, common ? "\n\n" : "\n");
	return 0;
}

/* --- conversions */

/* Letters after %p that libtraceevent knows; the kernel skips all letters and digits after it. */
static const struct {
	const char *kernel, *write;
	char sub[3];
} pointers[] = {
	{ "SR", "%pS", "f" }, { "sR", "%ps", "f" }, { "S", "%pS", "f" }, { "B", "%pS", "f" },
	{ "F", "%pS", "f" }, { "s", "%ps", "f" }, { "f", "%ps", "f" },
	{ "MF", "%pMF", "M" }, { "MR", "%pMR", "M" }, { "mR", "%pmR", "M" }, { "M", "%pM", "M" },
	{ "m", "%pm", "M" },
	{ "I4h", "%pI4h", "4" }, { "I4n", "%pI4n", "4" }, { "I4b", "%pI4b", "4" },
	{ "I4l", "%pI4l", "4" }, { "I4", "%pI4", "4" }, { "i4", "%pi4", "4" },
	{ "I6c", "%pI6c", "6" }, { "I6", "%pI6", "6" }, { "i6", "%pi6", "6" },
	{ "ISpc", "%pISpc", "S" }, { "ISp", "%pISp", "S" }, { "ISc", "%pISc", "S" },
		{ "IS", "%pIS", "S" },
	{ "UB", "%pUB", "U" }, { "Ub", "%pUb", "U" }, { "UL", "%pUL", "U" }, { "Ul", "%pUl", "U" },
	{ "U", "%pU", "U" },
	{ "hC", "%*phC", "h" }, { "hD", "%*phD", "h" }, { "hN", "%*phN", "h" },
		{ "h", "%*ph", "h" },
};

static int add_wanted_arg(struct tep_vet *v, char conv, const char *sub)
{
	if (v->nr_want == VET_ARGS_MAX)
		return vet_fail(v, "print fmt has more than %d conversions", VET_ARGS_MAX);
	v->want[v->nr_want].conv = conv;
	snprintf(v->want[v->nr_want++].sub, sizeof(v->want->sub), "%s", sub);
	return 0;
}

static int vet_pointer(struct tep_vet *v, const char **p, const char *end, bool star)
{
	char ext[16] = "", *from, *to;
	size_t n = 0;

	for (; *p < end && isalnum((unsigned char)**p); ++*p)
		if (n + 1 < sizeof(ext))
			ext[n++] = **p;
	/* "pISpsfc": libtraceevent lacks flow info and scope; neither changes an address. */
	if (!strncmp(ext, "IS", 2)) {
		for (from = to = ext + 2; *from; from++)
			if (*from != 's' && *from != 'f')
				*to++ = *from;
		*to = 0;
	}
	for (size_t i = 0; i < sizeof(pointers) / sizeof(*pointers); i++) {
		if (strncmp(ext, pointers[i].kernel, strlen(pointers[i].kernel)))
			continue;
		if (star != (*pointers[i].sub == 'h') || !strncmp(ext, "fw", 2))
			break;
		v->offsets |= !strcmp(pointers[i].write, "%pS");
		buf_addstr(&v->text, pointers[i].write);
		return add_wanted_arg(v, 'p', pointers[i].sub);
	}
	if (star)
		return vet_fail(v, "libtraceevent has no %%*p%s", ext);
	if (!*ext) {
		buf_addstr(&v->text, "%p");
		return add_wanted_arg(v, 'd', "");
	}
	if (*ext == 'x' || *ext == 'K') {
		buf_addstr(&v->text, v->long_size == 8 ? "%016lx" : "%08lx");
		return add_wanted_arg(v, 'd', "");
	}
	/* %pa, %pad, %pap: a physical or bus address by reference. */
	if (*ext == 'a') {
		buf_addstr(&v->text, "0x%016llx");
		return add_wanted_arg(v, 'p', "a");
	}
	return vet_fail(v, "libtraceevent has no %%p%s", ext);
}

/* The parts of a conversion. */
struct printf_spec {
	char flags[8], width[4], prec[5], length[3];
	bool star;
};

static int spec_number(struct tep_vet *v, const char **p, const char *end, char *to,
		       struct printf_spec *s)
{
	int n = 0;

	if (*p < end && **p == '*') {
		++*p;
		if (s->star)
			return vet_fail(v, "print fmt has a conversion with two stars");
		s->star = true;
		strcpy(to, "*");
		return add_wanted_arg(v, '*', "");
	}
	for (; *p < end && isdigit((unsigned char)**p); ++*p) {
		if (n == 3)
			return vet_fail(v, "print fmt has a width beyond 999");
		to[n++] = **p;
	}
	to[n] = 0;
	return 0;
}

static int parse_spec(struct tep_vet *v, const char **p, const char *end, struct printf_spec *s)
{
	size_t n = 0;
	char c;

	memset(s, 0, sizeof(*s));
	/* A blank or a plus makes libtraceevent 1.7.1 print the conversion itself. */
	for (; *p < end && strchr("-+ #0", **p); ++*p)
		if (strchr("-#0", **p) && !strchr(s->flags, **p) && n < sizeof(s->flags) - 1)
			s->flags[n++] = **p;
	if (spec_number(v, p, end, s->width, s))
		return -1;
	if (*p < end && **p == '.') {
		++*p;
		s->prec[0] = '.';
		if (spec_number(v, p, end, s->prec + 1, s))
			return -1;
	}
	for (n = 0; *p < end && strchr("hlLqjzZt", **p); ++*p) {
		c = strchr("jzZt", **p) ? 'l' : **p;
		if (c == 'L' || c == 'q') {
			strcpy(s->length, "ll");
			n = 2;
		} else if (n < 2) {
			s->length[n++] = c;
		}
	}
	return 0;
}

static void write_spec(struct tep_vet *v, const struct printf_spec *s, char conv)
{
	buf_printf(&v->text, "%%%s%s%s%s%c", s->flags, s->width, s->prec, s->length, conv);
}

/* Rewrites one conversion; *p is after the '%'. */
static int vet_conversion(struct tep_vet *v, const char **p, const char *end)
{
	struct printf_spec s;
	char c;

	if (parse_spec(v, p, end, &s))
		return -1;
	c = *p < end ? *(*p)++ : 0;
	v->dry |= s.star;
	if (c && strchr("diuxXo", c)) {
		write_spec(v, &s, c);
		return add_wanted_arg(v, 'd', "");
	}
	if (c == 's' || c == 'c') {
		/* 1.7.1 has no %c: the character is passed as a string. */
		s.length[0] = 0;
		write_spec(v, &s, 's');
		return add_wanted_arg(v, c, "");
	}
	if (c == 'p')
		return vet_pointer(v, p, end, s.star);
	return vet_fail(v, "print fmt has an unknown conversion");
}

static int write_conversions(struct tep_vet *v, const char *p, const char *end)
{
	size_t at;

	while (p < end) {
		if (*p != '%') {
			buf_addch(&v->text, *p++);
		} else if (p + 1 < end && p[1] == '%') {
			buf_addstr(&v->text, "%%");
			p += 2;
		} else {
			p++;
			at = v->text.len;
			if (vet_conversion(v, &p, end))
				return -1;
			v->want[v->nr_want - 1].at = at;
			v->want[v->nr_want - 1].len = v->text.len - at;
		}
	}
	return 0;
}

/* --- arguments */

/* Checks that the argument of %pM and the like is a field of the right size. */
static int check_bytes(struct tep_vet *v, const struct vet_expr *e, uint32_t size)
{
	if (e->kind == VET_FIELD && e->field->size == size && e->field->kind <= EV_ARRAY)
		return 0;
	return vet_fail(v, "libtraceevent prints addresses and UUIDs of fields of their size only");
}

static int check_pointer(struct tep_vet *v, char sub, const struct vet_expr *e)
{
	switch (sub) {
	case 'M':
		return check_bytes(v, e, 6);
	case '4':
		return check_bytes(v, e, 4);
	case '6':
	case 'U':
		return check_bytes(v, e, 16);
	case 'S':
		if (e->kind == VET_DYN || (e->kind == VET_FIELD && e->field->kind == EV_ARRAY))
			return 0;
		return vet_fail(v, "print fmt has a socket address that is not an array");
	case 'h':
		if (e->kind == VET_DYN)
			return 0;
		return vet_fail(v, "libtraceevent prints %%ph of dynamic arrays only");
	case 'a':
		if (e->kind == VET_FIELD && e->address && e->field->kind == EV_FIXED)
			return 0;
		return vet_fail(v, "print fmt has a %%pa that is not the address of a field");
	}
	if (e->kind == VET_TEXT || e->kind == VET_DYN || e->address)
		return vet_fail(v, "print fmt prints a pointer that is not a number");
	return 0;
}

static int check_arg(struct tep_vet *v, const struct vet_arg *a, const struct vet_expr *e)
{
	if (a->conv == 'p')
		return check_pointer(v, a->sub[0], e);
	if (e->address || e->kind == VET_DYN)
		return vet_fail(v, "print fmt prints the address of data");
	if (a->conv == 'c')
		return e->kind == VET_TEXT || (e->kind == VET_FIELD && e->field->size == 1) ? 0 :
		       vet_fail(v, "libtraceevent has no %%c");
	if (a->conv == 's') {
		if (e->kind == VET_TEXT)
			return 0;
		if (e->kind != VET_FIELD || e->field->kind == EV_DATA_LOC ||
		    e->field->kind == EV_REL_LOC)
			return vet_fail(v, "print fmt prints as a string a value that is not one");
		return 0;
	}
	return e->kind == VET_TEXT ? vet_fail(v, "print fmt prints a string as a number") : 0;
}

/*
 * Writes the argument of conversion @i. Returns 1 if its value depends on something that only the
 * kernel knows: such an argument is skipped up to its comma and not written.
 */
static int write_wanted_arg(struct tep_vet *v, size_t i)
{
	unsigned int depth = v->depth;
	size_t start = v->args.len;
	struct expr_lexer before = v->lex;
	struct vet_expr e;
	int nested = 0;

	v->unknown = false;
	v->chars = v->want[i].conv == 'c';
	buf_addstr(&v->args, ", ");
	if (!vet_expr(v, &e))
		return check_arg(v, &v->want[i], &e);
	if (!v->unknown || v->want[i].conv == '*' || (i && v->want[i - 1].conv == '*'))
		return -1;
	v->args.len = start;
	v->args.data[start] = 0;
	v->depth = depth;
	v->lex = before;
	for (; v->lex.kind != LEX_END; lex_next(&v->lex)) {
		if (v->lex.kind == LEX_BAD || ++v->nodes > SKIP_MAX)
			return vet_fail(v, "print fmt has a broken argument");
		if (!nested && lex_is(&v->lex, ","))
			break;
		nested += lex_is(&v->lex, "(") || lex_is(&v->lex, "{");
		nested -= lex_is(&v->lex, ")") || lex_is(&v->lex, "}");
	}
	return 1;
}

static int write_args(struct tep_vet *v)
{
	size_t known = 0, all = v->nr_want, cut;
	struct vet_arg *arg;
	char *at;
	int ret;

	while (known < v->nr_want) {
		if (!lex_accept(&v->lex, ","))
			return v->lex.kind == LEX_END ?
				vet_fail(v, "print fmt has fewer arguments than conversions") :
				vet_expect(v, ",");
		ret = write_wanted_arg(v, known);
		if (ret < 0)
			return -1;
		if (!ret) {
			known++;
			continue;
		}
		/* a '?' replaces the conversion */
		arg = &v->want[known];
		at = v->text.data + arg->at;
		cut = arg->len - 1;
		*at = '?';
		memmove(at + 1, at + 1 + cut, v->text.len - arg->at - cut);
		v->text.len -= cut;
		for (; arg + 1 < v->want + v->nr_want; arg++) {
			arg[0] = arg[1];
			arg->at -= cut;
		}
		v->nr_want--;
	}
	if (all && !known)
		return -1;	/* the fields have more information */
	if (v->lex.kind != LEX_END && !lex_is(&v->lex, ","))
		return vet_fail(v, "print fmt has text after an argument");
	return 0;
}

int vet_format(struct tep_vet *v)
{
	const char *text = v->fmt->print_fmt;
	struct buf literal = { 0 };
	int ret = -1;

	if (write_fields(v))
		return -1;
	if (v->fields_only) {
		buf_addstr(&v->text, "print fmt: \"\"\n");
		return 0;
	}
	if (!*text)
		return vet_fail(v, "it has no print fmt");
	if (strlen(text) > PRINT_FMT_MAX)
		return vet_fail(v, "its print fmt is longer than 64 KiB");
	lex_start(&v->lex, text, strlen(text));
	if (v->lex.kind != LEX_STR)
		return vet_fail(v, "its print fmt does not start with a string");
	buf_addstr(&v->text, "print fmt: ");
	if (!vet_string(v, &literal))
		ret = write_conversions(v, literal.data, literal.data + literal.len);
	buf_release(&literal);
	if (ret || write_args(v))
		return -1;
	buf_add(&v->text, v->args.data, v->args.len);
	buf_addch(&v->text, '\n');
	return 0;
}

void vet_release(struct tep_vet *v)
{
	buf_release(&v->text);
	buf_release(&v->args);
}
