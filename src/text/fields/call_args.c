/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the arguments of calls in a text: their numbers, and prototypes that print them. */
#include "text/fields/call_args.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "text/log/line_scan.h"

#define CONSTANTS_MAX 256		/* of one parameter; most enumerations have a few */
#define PROTOS_MAX    (1u << 20)
#define ENUMS_MAX     100000		/* numbers have five digits: btf_protos() */
/* Bytes of names: a line of prototypes has less than 64 KiB. KSYM_NAME_LEN is 512. */
#define WORD_MAX      128
#define FUNC_MAX      512

/* A constant of an enumeration. */
struct call_constant {
	struct span_text name;
	uint64_t value;
};

/* An argument of a call. Its kind is a letter of btf_protos(). */
struct call_arg {
	struct span_text name;
	struct span_text constant;	/* the name of the value, or empty */
	uint64_t value;
	uint32_t nr_regs;
	char     kind;
	bool     is_cut;		/* of a structure: it has more registers than there are */
};

struct call_param {
	struct call_arg is;		/* as in the first call */
	struct call_constant *v;
	size_t n, cap;
};

struct call_proto {
	struct call_proto *same;	/* the next one with the same hash */
	struct span_text func;
	bool     has_more;		/* more parameters than registers: "..." */
	uint32_t nr;
	struct call_param v[];
};

/* The arguments of one call. */
struct call_line {
	struct call_arg v[CALL_REGS_MAX];
	uint32_t nr, nr_regs;
	bool     has_more;
	uint64_t *regs;
};

/* Functions that were called last: most have their own slot. */
#define LAST_PROTOS 256

struct call_args {
	struct call_proto *last[LAST_PROTOS];
	struct map by_name;
	struct call_proto **v;
	size_t n, cap;
	size_t nr_enums;
	bool named;			/* parameters have names */
};

struct call_args *call_args_new(void)
{
	return xcalloc(1, sizeof(struct call_args));
}

void call_args_free(struct call_args *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++) {
		for (uint32_t k = 0; k < c->v[i]->nr; k++)
			free(c->v[i]->v[k].v);
		free(c->v[i]);
	}
	free(c->v);
	map_release(&c->by_name);
	free(c);
}

/* --- one call */

static bool add_reg(struct call_line *l, struct call_arg *p, uint64_t v)
{
	if (l->nr_regs == CALL_REGS_MAX)
		return false;
	l->regs[l->nr_regs++] = v;
	p->nr_regs++;
	return true;
}

static bool scan_0x(struct line_scanner *s, uint64_t *v)
{
	return scan_word(s, "0x") && scan_hex(s, v);
}

/* Parses a signed number of up to 64 bits. */
static bool scan_signed(struct line_scanner *s, int64_t *v)
{
	bool minus = scan_char(s, '-');
	const char *from = s->p;
	int digit;

	for (*v = 0; s->p < s->end && scan_is_digit(*s->p); s->p++) {
		digit = minus ? '0' - *s->p : *s->p - '0';
		if (__builtin_mul_overflow(*v, 10, v) || __builtin_add_overflow(*v, digit, v))
			return false;
	}
	return s->p > from;
}

/* Parses "STRUCT)[0x1:0x2]", which ends with "...]" where the registers do. */
static bool scan_complex(struct line_scanner *s, struct call_line *l, struct call_arg *p)
{
	static const struct { const char *word; char kind; } kinds[] = {
		{ "STRUCT)[", 's' }, { "UNION)[", 'n' }, { "FLOAT)[", 'f' }, { "ENUM64)[", 'E' },
	};
	uint64_t v;

	for (size_t i = 0; !p->kind && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (scan_word(s, kinds[i].word))
			p->kind = kinds[i].kind;
	if (!p->kind)
		return false;
	do {
		p->is_cut = scan_word(s, "...");
		if (!p->is_cut && (!scan_0x(s, &v) || !add_reg(l, p, v)))
			return false;
	} while (!p->is_cut && scan_char(s, ':'));
	return p->nr_regs && scan_char(s, ']');
}

/* Parses "-22" and "1 [NAME]". */
static bool scan_integer(struct line_scanner *s, struct call_line *l, struct call_arg *p)
{
	int64_t v;

	if (!scan_signed(s, &v) || !add_reg(l, p, v))
		return false;
	p->kind = 'i';
	p->value = v;
	if (!scan_word(s, " ["))
		return true;
	p->kind = 'e';
	p->constant = scan_name(s);
	return p->constant.len && p->constant.len <= WORD_MAX && scan_char(s, ']');
}

/* Parses "name=value"; without BTF there is the value alone. */
static bool scan_param(struct line_scanner *s, struct call_line *l, struct call_arg *p)
{
	struct line_scanner at = *s;
	uint64_t v;

	*p = (struct call_arg){ .name = scan_name(&at) };
	if (scan_char(&at, '='))
		*s = at;
	else
		p->name.len = 0;
	if (p->name.len > WORD_MAX)
		return false;
	if (scan_char(s, '('))
		return scan_complex(s, l, p);
	at = *s;
	p->kind = scan_char(&at, '?') ? '?' : 'p';
	if (scan_0x(&at, &v)) {
		*s = at;
		return add_reg(l, p, v);
	}
	return p->kind == 'p' && scan_integer(s, l, p);
}

static bool scan_params(struct line_scanner s, struct call_line *l)
{
	do {
		l->has_more = scan_word(&s, "...");
		if (l->has_more)
			break;
		if (l->nr == CALL_REGS_MAX || !scan_param(&s, l, &l->v[l->nr]))
			return false;
		l->nr++;
	} while (!l->v[l->nr - 1].is_cut && scan_word(&s, ", "));
	return l->nr && s.p == s.end;
}

/* --- prototypes */

/* Returns the function's name without its module, or an empty text if it cannot be in a line. */
static struct span_text plain_func(struct span_text func)
{
	const char *blank = memchr(func.p, ' ', func.len);
	size_t i;

	if (blank)
		func.len = blank - func.p;
	if (func.len > FUNC_MAX)
		func.len = 0;
	for (i = 0; i < func.len; i++)
		if (!scan_is_name[(unsigned char)func.p[i]] && !strchr(".$", func.p[i]))
			func.len = 0;
	return func;
}

/* Notes the name of a value. Returns false if it cannot be kept. */
static bool note_constant(struct call_args *c, struct call_param *to, const struct call_arg *p)
{
	for (size_t i = 0; i < to->n; i++)
		if (to->v[i].value == p->value)
			return span_same(to->v[i].name, p->constant);
	if (to->n == CONSTANTS_MAX || (!to->n && c->nr_enums == ENUMS_MAX))
		return false;
	c->nr_enums += !to->n;
	to->v = xgrow(to->v, &to->cap, to->n + 1, sizeof(*to->v));
	to->v[to->n++] = (struct call_constant){ p->constant, p->value };
	return true;
}

static bool is_integer(char kind)
{
	return kind == 'i' || kind == 'e';
}

/* Returns true if a call has the parameters of the prototype. */
static bool fits_proto(const struct call_proto *p, const struct call_line *l)
{
	if (p->nr != l->nr || p->has_more != l->has_more)
		return false;
	for (uint32_t i = 0; i < l->nr; i++) {
		const struct call_arg *a = &p->v[i].is, *b = &l->v[i];

		if (!span_same(a->name, b->name) || a->nr_regs != b->nr_regs ||
		    a->is_cut != b->is_cut ||
		    (a->kind != b->kind && !(is_integer(a->kind) && is_integer(b->kind))))
			return false;
	}
	return true;
}

/* Returns the prototype of a function, made of @l if it has none yet; or NULL. */
static struct call_proto *find_proto(struct call_args *c, struct span_text func,
				     const struct call_line *l)
{
	uint64_t hash = hash_bytes(func.p, func.len);
	struct call_proto *p = map_get(&c->by_name, hash);

	if (!func.len)
		return NULL;
	while (p && !span_same(p->func, func))
		p = p->same;
	if (p || c->n == PROTOS_MAX)
		return p;
	p = xcalloc(1, sizeof(*p) + l->nr * sizeof(*p->v));
	p->func = func;
	p->has_more = l->has_more;
	p->nr = l->nr;
	for (uint32_t i = 0; i < l->nr; i++)
		p->v[i].is = l->v[i];
	for (uint32_t i = 0; i < l->nr; i++)
		c->named |= l->v[i].name.len > 0;
	p->same = map_put(&c->by_name, hash, p);
	c->v = xgrow(c->v, &c->cap, c->n + 1, sizeof(*c->v));
	c->v[c->n++] = p;
	return p;
}

static struct call_proto *proto_of(struct call_args *c, struct span_text func,
				   const struct call_line *l)
{
	struct call_proto **last = &c->last[span_slot(func) % LAST_PROTOS];

	if (!*last || !span_same((*last)->func, func))
		*last = find_proto(c, plain_func(func), l);
	return *last;
}

uint32_t call_args_read(struct call_args *c, struct span_text func, struct span_text text,
			uint64_t regs[CALL_REGS_MAX])
{
	struct call_proto *p;
	struct call_line l;

	/* not all of it, which would be cleared */
	l.nr = l.nr_regs = 0;
	l.regs = regs;
	if (!scan_params((struct line_scanner){ text.p, text.p + text.len }, &l))
		return 0;
	p = proto_of(c, func, &l);
	if (!p || !fits_proto(p, &l))
		return 0;
	for (uint32_t i = 0; i < l.nr; i++)
		if (l.v[i].constant.len && !note_constant(c, &p->v[i], &l.v[i]))
			return 0;
	return l.nr_regs;
}

/* --- lines */

static void add_constants(const struct call_param *p, size_t number, struct buf *out)
{
	buf_printf(out, "#%05zu", number);
	for (size_t i = 0; i < p->n; i++)
		buf_printf(out, " %.*s:%lld", (int)p->v[i].name.len, p->v[i].name.p,
			   (long long)p->v[i].value);
	buf_addch(out, '\n');
}

static void add_param(const struct call_param *of, size_t *enums, struct buf *out)
{
	const struct call_arg *p = &of->is;

	buf_printf(out, " %.*s:%c", (int)p->name.len, p->name.p,
		   of->n ? 'e' : p->kind == 'e' ? 'i' : p->kind);
	if (of->n)
		buf_printf(out, "%zu", (*enums)++);
	else if (strchr("snfE", p->kind))
		buf_printf(out, "%zu", (p->nr_regs + p->is_cut) * sizeof(uint64_t));
}

static int compare_funcs(const void *a, const void *b)
{
	const struct span_text *x = &(*(struct call_proto *const *)a)->func;
	const struct span_text *y = &(*(struct call_proto *const *)b)->func;
	int order = memcmp(x->p, y->p, x->len < y->len ? x->len : y->len);

	return order ? order : (x->len > y->len) - (x->len < y->len);
}

void call_args_protos(const struct call_args *c, struct buf *out)
{
	size_t enums = 0, n = 0;

	if (!c->named)
		return;
	qsort(c->v, c->n, sizeof(*c->v), compare_funcs);
	for (size_t i = 0; i < c->n; i++)
		for (uint32_t k = 0; k < c->v[i]->nr; k++)
			if (c->v[i]->v[k].n)
				add_constants(&c->v[i]->v[k], enums++, out);
	for (size_t i = 0; i < c->n; i++) {
		buf_add(out, c->v[i]->func.p, c->v[i]->func.len);
		for (uint32_t k = 0; k < c->v[i]->nr; k++)
			add_param(&c->v[i]->v[k], &n, out);
		if (c->v[i]->has_more)
			buf_addstr(out, " :?");
		buf_addch(out, '\n');
	}
}
