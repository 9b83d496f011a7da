/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parser of C expressions in print fmts: precedence, casts, fields, members. */
#include "event/expr/expr.h"

#include <stdio.h>
#include <string.h>

static const struct expr_ctype type_int = { .size = 4, .sign = true };

static uint32_t x_unary(struct expr_parser *p);

/* --- literals */

static bool has_suffix(const struct expr_lexer *l, char c)
{
	for (size_t i = l->len; i && strchr("uUlL", l->tok[i - 1]); i--)
		if ((l->tok[i - 1] | 0x20) == c)
			return true;
	return false;
}

/*
 * Returns the first of int, unsigned, long, unsigned long, long long that can hold the value, by
 * C's rules.
 */
static struct expr_ctype literal_type(const struct expr_lexer *l, uint8_t long_size)
{
	bool is_unsigned = has_suffix(l, 'u'), is_long = has_suffix(l, 'l');
	bool decimal = l->tok[0] != '0';
	uint8_t size = is_long ? long_size : 4;

	if (is_long && l->len > 2 && (l->tok[l->len - 2] | 0x20) == 'l' &&
	    (l->tok[l->len - 1] | 0x20) != 'u')
		size = 8;
	if (size == 4 && l->num > UINT32_MAX)
		size = 8;
	if (size == 4 && l->num > INT32_MAX && !is_unsigned) {
		if (decimal)
			size = 8;
		else
			is_unsigned = true;
	}
	if (size == 8 && l->num > INT64_MAX)
		is_unsigned = true;
	return ctype_int(size, !is_unsigned);
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

static bool is_hex_digit(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/* Parses one escape at @s, after the backslash. Returns its end. */
static const char *unescape_one(const char *s, const char *end, char *c)
{
	static const char from[] = "ntrabfve", to[] = "\n\t\r\a\b\f\v\033";
	const char *at;
	unsigned int v = 0;

	if (is_octal(*s)) {
		for (int i = 0; i < 3 && s < end && is_octal(*s); i++)
			v = v * 8 + (*s++ - '0');
		*c = v;
		return s;
	}
	if (*s == 'x' && end - s > 1 && is_hex_digit(s[1])) {
		for (s++; s < end && is_hex_digit(*s); s++)
			v = v * 16 + (*s <= '9' ? *s - '0' : (*s | 0x20) - 'a' + 10);
		*c = v;
		return s;
	}
	at = strchr(from, *s);
	*c = at && *at ? to[at - from] : *s;
	return s + 1;
}

uint32_t x_string(struct expr_parser *p)
{
	struct expr_node n = { .op = X_STR, .kind = XK_PTR };
	struct buf raw = { 0 };
	const char *s, *end;
	char c;

	for (; p->lex.kind == LEX_STR; lex_next(&p->lex)) {
		end = p->lex.tok + p->lex.len;
		for (s = p->lex.tok; s < end; buf_addch(&raw, c)) {
			c = *s++;
			if (c == '\\' && s < end)
				s = unescape_one(s, end, &c);
		}
	}
	n.t = ctype_pointer(p->long_size, 1, true);
	n.a = x_text(p, raw.len ? raw.data : "", raw.len, &n.b);
	buf_addch(&p->code->text, 0);
	buf_release(&raw);
	return x_node(p, n);
}

/* --- fields */

uint32_t x_field_ptr(struct expr_parser *p, const struct ev_field *f)
{
	struct expr_node n = { .kind = XK_PTR, .a = f->offset, .b = f->size };
	uint8_t elem = f->elem_size;

	if (f->kind == EV_DATA_LOC || f->kind == EV_REL_LOC) {
		n.op = X_DYN;
		n.num = f - p->fmt->fields;
	} else {
		n.op = f->kind == EV_REST ? X_REST : X_FIELD;
	}
	if (!elem && strstr(f->type, "long"))
		elem = p->long_size;
	if (f->kind == EV_FIXED)
		elem = f->size <= 8 ? f->size : 0;
	n.t = ctype_pointer(p->long_size, elem > 8 ? 0 : elem, f->is_signed);
	if (!n.t.esize)
		n.t.tag = CTYPE_NO_TAG;
	return x_node(p, n);
}

static bool is_number_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* Returns a node for the value of a field in an expression: arrays are pointers. */
static uint32_t field_value(struct expr_parser *p, const struct ev_field *f)
{
	struct expr_node n = { .op = X_LOAD, .a = f->offset };
	struct expr_lexer l;

	if (f->kind != EV_FIXED || !is_number_size(f->size))
		return x_field_ptr(p, f);
	/* not is_bool: a byte that is not 0 or 1 is printed unchanged */
	n.t = ctype_int(f->size, f->is_signed);
	if (strchr(f->type, '*')) {
		lex_start(&l, f->type, strlen(f->type));
		if (!ctype_parse(&l, p->long_size, &n.t) || !n.t.ptr)
			n.t = ctype_pointer(p->long_size, 0, false);
		n.t.size = f->size;
	}
	return x_node(p, n);
}

/*
 * Returns the field called @name, or NULL. REC->ent is the head of the record, so "ent.pid" is
 * common_pid.
 */
static const struct ev_field *field_named(const struct expr_parser *p, const char *name)
{
	const struct ev_field *f = ev_field(p->fmt, name);
	char common[140];

	if (f || strncmp(name, "ent.", 4))
		return f;
	snprintf(common, sizeof(common), "common_%s", name + 4);
	return ev_field(p->fmt, common);
}

/* Parses the longest "a.b.c" that is a field's name. Returns NULL if there is none. */
static const struct ev_field *find_dotted_field(struct expr_parser *p)
{
	struct expr_lexer l = p->lex;
	const struct ev_field *f;
	char name[128];

	snprintf(name, sizeof(name), "%.*s", (int)l.len, l.tok);
	f = field_named(p, name);
	lex_next(&p->lex);
	l = p->lex;
	while (lex_accept(&l, ".") && l.kind == LEX_NAME) {
		const struct ev_field *more;
		size_t n = strlen(name);

		snprintf(name + n, sizeof(name) - n, ".%.*s", (int)l.len, l.tok);
		more = field_named(p, name);
		lex_next(&l);
		if (!more)
			continue;
		f = more;
		p->lex = l;
	}
	return f;
}

/*
 * Parses "__data_loc_NAME", the number with the offset and length of the field's data. Returns 0
 * with nothing parsed if the name is another.
 */
static uint32_t location_node(struct expr_parser *p)
{
	static const char *const prefixes[] = { "__data_loc_", "__rel_loc_" };
	const struct expr_lexer *l = &p->lex;
	const struct ev_field *f;
	char name[128];

	for (size_t i = 0, n; i < 2; i++) {
		n = strlen(prefixes[i]);
		if (l->len <= n || memcmp(l->tok, prefixes[i], n))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(l->len - n), l->tok + n);
		f = ev_field(p->fmt, name);
		if (!f || f->kind != (i ? EV_REL_LOC : EV_DATA_LOC) || f->size != 4)
			continue;
		lex_next(&p->lex);
		return x_node(p, (struct expr_node){ .op = X_LOAD, .a = f->offset,
						 .t = ctype_int(4, false) });
	}
	return 0;
}

static uint32_t parse_rec(struct expr_parser *p)
{
	struct expr_node all = { .op = X_REST, .kind = XK_PTR };
	const struct ev_field *f;
	struct expr_lexer name;
	uint32_t n;

	if (!lex_accept(&p->lex, "->")) {
		all.t = ctype_pointer(p->long_size, 0, false);
		all.t.tag = CTYPE_OTHER_TAG;
		return x_node(p, all);
	}
	if (p->lex.kind != LEX_NAME)
		return x_fail(p, "a field's name is missing");
	n = location_node(p);
	if (n)
		return n;
	name = p->lex;
	f = find_dotted_field(p);
	if (!f)
		return x_fail(p, "there is no field '%.*s'", (int)(name.len < 60 ? name.len : 60),
			      name.tok);
	return field_value(p, f);
}

/* --- names */

static struct expr_var *find_var(struct expr_parser *p, const char *name, size_t len)
{
	for (unsigned int i = p->nr_vars; i-- > 0;)
		if (p->vars[i].len == len && !memcmp(p->vars[i].name, name, len))
			return &p->vars[i];
	return NULL;
}

uint32_t x_table_variable(struct expr_parser *p)
{
	const struct expr_var *v = p->lex.kind != LEX_NAME ? NULL :
		find_var(p, p->lex.tok, p->lex.len);

	if (!v || !v->table)
		return x_fail(p, "a table is missing");
	lex_next(&p->lex);
	return v->table;
}

static uint32_t parse_var(struct expr_parser *p, const struct expr_var *v)
{
	struct expr_node pick = { .op = X_PICK, .kind = XK_TEXT };

	if (v->table) {
		if (!x_expect(p, "["))
			return 0;
		pick.a = x_expr(p);
		pick.b = v->table - 1;
		return x_expect(p, "]") ? x_node(p, pick) : 0;
	}
	if (!v->node)
		return x_fail(p, "a variable is used before it is set");
	return v->node;
}

static uint32_t parse_name(struct expr_parser *p)
{
	const char *name = p->lex.tok;
	size_t len = p->lex.len;
	const struct expr_var *v;

	if (lex_is(&p->lex, "REC") || lex_is(&p->lex, "__entry")) {
		lex_next(&p->lex);
		return parse_rec(p);
	}
	lex_next(&p->lex);
	if (lex_accept(&p->lex, "("))
		return x_call(p, name, len);
	v = find_var(p, name, len);
	if (v)
		return parse_var(p, v);
	if (len == 4 && !memcmp(name, "NULL", 4))
		return x_num(p, ctype_pointer(p->long_size, 0, false), 0);
	if (len == 4 && !memcmp(name, "true", 4))
		return x_num(p, type_int, 1);
	if (len == 5 && !memcmp(name, "false", 5))
		return x_num(p, type_int, 0);
	/*
	 * variables of the kernel's printer, with the values TRACE_TYPE_HANDLED and
	 * TRACE_ITER_SYM_MASK
	 */
	if (len == 3 && !memcmp(name, "ret", 3))
		return x_num(p, type_int, 1);
	if (len == 5 && !memcmp(name, "flags", 5))
		return x_node(p, (struct expr_node){ .op = X_OPTIONS, .t = type_int });
	return x_kernel_value(p, name, len);
}

/* --- parentheses and casts */

static bool starts_operand(const struct expr_lexer *l, const struct expr_ctype *t)
{
	if (l->kind == LEX_NAME || l->kind == LEX_NUM || l->kind == LEX_STR ||
	    l->kind == LEX_CHAR || lex_is(l, "(") || lex_is(l, "~") || lex_is(l, "!"))
		return true;
	return !t->named && (lex_is(l, "-") || lex_is(l, "&") || lex_is(l, "*") || lex_is(l, "+"));
}

static uint32_t parse_paren(struct expr_parser *p)
{
	struct expr_lexer saved = p->lex;
	struct expr_ctype t;
	uint32_t n;

	if (lex_accept(&p->lex, "{"))
		return x_statements(p);
	if (p->lex.kind == LEX_NAME && !find_var(p, p->lex.tok, p->lex.len) &&
	    ctype_parse(&p->lex, p->long_size, &t) && lex_accept(&p->lex, ")") &&
	    starts_operand(&p->lex, &t) && !lex_is(&p->lex, "{"))
		return x_cast(p, t, x_unary(p));
	p->lex = saved;
	if (p->lex.kind == LEX_NAME && x_literal(p, &n))
		return n;
	n = x_comma(p);
	return n && x_expect(p, ")") ? n : 0;
}

static uint32_t parse_primary(struct expr_parser *p)
{
	struct expr_ctype t;
	uint64_t v;

	switch (p->lex.kind) {
	case LEX_NUM:
		t = literal_type(&p->lex, p->long_size);
		v = p->lex.num;
		lex_next(&p->lex);
		return x_num(p, t, v);
	case LEX_CHAR:
		v = p->lex.num;
		lex_next(&p->lex);
		return x_num(p, type_int, (signed char)v);
	case LEX_STR:
		return x_string(p);
	case LEX_NAME:
		return parse_name(p);
	default:
		break;
	}
	if (lex_accept(&p->lex, "("))
		return parse_paren(p);
	if (p->lex.kind == LEX_BAD)
		return x_expect(p, "(");
	return x_fail(p, p->lex.kind == LEX_END ? "a value is missing at its end" :
		      "a value is missing before '%.*s'", (int)p->lex.len, p->lex.tok);
}

/* --- suffixes of an operand */

/* Returns a node for the value at @ptr, of the pointer's element type. */
static uint32_t deref_node(struct expr_parser *p, uint32_t ptr)
{
	struct expr_ctype t;

	if (!ptr)
		return 0;
	t = x_at(p, ptr)->t;
	if (x_lit_id(p, ptr))
		return ptr;
	if (x_at(p, ptr)->kind != XK_PTR)
		return x_foreign_why(p, X_WHY_MEMORY, "*", 1, &ptr, 1);
	if (!is_number_size(t.esize) || t.ptr > 1)
		return x_fail(p, "it reads a structure");
	return x_node(p, (struct expr_node){ .op = X_DEREF, .t = ctype_int(t.esize, t.esign),
					 .a = ptr });
}

static uint32_t parse_index(struct expr_parser *p, uint32_t base)
{
	uint32_t i = x_expr(p), n;

	if (!i || !x_expect(p, "]"))
		return 0;
	if (x_words(p, base))
		return x_word(p, base, i);
	p->why[0] = 0;
	n = x_lit_id(p, base) ? x_lit_index(p, base, i) : 0;
	if (n || *p->why)
		return n;
	if (x_at(p, base)->kind == XK_NUM)
		return x_foreign_why(p, X_WHY_MEMORY, "[]", 2, (uint32_t[]){ base, i }, 2);
	if (x_at(p, base)->kind != XK_PTR || !is_number_size(x_at(p, base)->t.esize))
		return x_fail(p, "it indexes a value that is not an array of known elements");
	return deref_node(p, x_binary(p, X_ADD, base, i));
}

/* Members with the same offset in all kernels. ->bits is set for bit fields. */
static const struct {
	enum ctype_tag tag;
	const char *name;
	uint8_t offset, size, bit, bits;
} members[] = {
	{ CTYPE_DRM_RECT, "x1", 0, 4, 0, 0 }, { CTYPE_DRM_RECT, "y1", 4, 4, 0, 0 },
	{ CTYPE_DRM_RECT, "x2", 8, 4, 0, 0 }, { CTYPE_DRM_RECT, "y2", 12, 4, 0, 0 },
	{ CTYPE_MMU_ROLE, "word", 0, 4, 0, 32 }, { CTYPE_MMU_ROLE, "level", 0, 4, 0, 4 },
	{ CTYPE_MMU_ROLE, "has_4_byte_gpte", 0, 4, 4, 1 },	/* since 5.18 */
	{ CTYPE_MMU_ROLE, "gpte_is_8_bytes", 0, 4, 4, 1 }, { CTYPE_MMU_ROLE, "nxe", 0, 4, 12, 1 },
	{ CTYPE_MMU_ROLE, "quadrant", 0, 4, 5, 2 }, { CTYPE_MMU_ROLE, "direct", 0, 4, 7, 1 },
	{ CTYPE_MMU_ROLE, "access", 0, 4, 8, 3 }, { CTYPE_MMU_ROLE, "invalid", 0, 4, 11, 1 },
	{ CTYPE_MMU_ROLE, "efer_nx", 0, 4, 12, 1 },
	{ CTYPE_MMU_ROLE, "ad_disabled", 0, 4, 16, 1 },
};

/* Parses the name after @base and "." or "->". */
static uint32_t parse_member(struct expr_parser *p, uint32_t base)
{
	struct expr_ctype t = x_at(p, base)->t;
	const char *name = p->lex.tok;
	size_t len = p->lex.len, i, nr = sizeof(members) / sizeof(*members);
	uint32_t n;

	if (p->lex.kind != LEX_NAME)
		return x_fail(p, "a member's name is missing");
	lex_next(&p->lex);
	p->why[0] = 0;
	n = x_lit_id(p, base) ? x_lit_member(p, base, name, len) : 0;
	if (n || *p->why)
		return n;
	for (i = 0; i < nr; i++)
		if (members[i].tag == t.tag && strlen(members[i].name) == len &&
		    !memcmp(members[i].name, name, len))
			break;
	if (i == nr)
		return x_foreign_why(p, X_WHY_MEMBER, name, len, &base, 1);
	if (members[i].bits) {
		n = x_binary(p, X_SHR, base, x_num(p, type_int, members[i].bit));
		return x_binary(p, X_AND, n, x_num(p, ctype_int(4, false), members[i].bits < 32 ?
						   (1u << members[i].bits) - 1 : UINT32_MAX));
	}
	t.tag = CTYPE_VOID;
	t.esize = 0;
	n = x_binary(p, X_ADD, x_cast(p, t, base), x_num(p, type_int, members[i].offset));
	t.esize = members[i].size;
	t.esign = true;
	t.tag = CTYPE_NO_TAG;
	return deref_node(p, x_cast(p, t, n));
}

/* --- prefixes */

/* Parses the operand of '&': "REC->field", "REC->array[i]". */
static uint32_t parse_addr_of(struct expr_parser *p)
{
	uint32_t n = x_unary(p);
	struct expr_node same;

	if (!n)
		return 0;
	same = *x_at(p, n);
	if (same.kind == XK_PTR || x_lit_id(p, n))
		return n;
	if (same.op == X_DEREF)
		return same.a;
	if (same.op == X_LOAD) {
		same.op = X_FIELD;
		same.kind = XK_PTR;
		same.b = same.t.size;
		same.t = ctype_pointer(p->long_size, same.t.size, same.t.sign);
		same.cost = same.height = 0;
		return x_node(p, same);
	}
	return x_foreign_why(p, X_WHY_ADDRESS, "&", 1, &n, 1);
}

static uint32_t parse_negated(struct expr_parser *p, enum xop op)
{
	uint32_t n = x_truth(p, x_unary(p));
	struct expr_ctype t;

	if (!n)
		return 0;
	t = op == X_NOT ? type_int : ctype_common(x_at(p, n)->t, x_at(p, n)->t);
	if (x_is_const(p, n) && op == X_NOT)
		return x_num(p, t, !x_at(p, n)->num);
	if (x_is_const(p, n))
		return x_num(p, t, x_apply(op, t, x_at(p, n)->num, 0));
	return x_node(p, (struct expr_node){ .op = op, .t = t, .a = n });
}

static uint32_t parse_unary(struct expr_parser *p)
{
	uint32_t n;

	if (lex_accept(&p->lex, "-"))
		return parse_negated(p, X_NEG);
	if (lex_accept(&p->lex, "~"))
		return parse_negated(p, X_COM);
	if (lex_accept(&p->lex, "!"))
		return parse_negated(p, X_NOT);
	if (lex_accept(&p->lex, "&"))
		return parse_addr_of(p);
	if (lex_accept(&p->lex, "*"))
		return deref_node(p, x_unary(p));
	if (lex_accept(&p->lex, "+")) {
		n = x_unary(p);
		return n ? x_cast(p, ctype_common(x_at(p, n)->t, x_at(p, n)->t), n) : 0;
	}
	n = parse_primary(p);
	while (n) {
		if (lex_accept(&p->lex, "["))
			n = parse_index(p, n);
		else if (lex_accept(&p->lex, ".") || lex_accept(&p->lex, "->"))
			n = parse_member(p, n);
		else
			break;
	}
	return n;
}

static uint32_t x_unary(struct expr_parser *p)
{
	uint32_t n;

	if (++p->depth > X_DEPTH_MAX)
		return x_fail(p, "it nests deeper than %d", X_DEPTH_MAX);
	n = parse_unary(p);
	p->depth--;
	return n;
}

/* --- operators */

static const struct {
	const char *text;
	enum xop op;
	int prio;
} operators[] = {
	{ "*", X_MUL, 10 }, { "/", X_DIV, 10 }, { "%", X_MOD, 10 }, { "+", X_ADD, 9 },
	{ "-", X_SUB, 9 }, { "<<", X_SHL, 8 }, { ">>", X_SHR, 8 }, { "<", X_LT, 7 },
	{ ">", X_GT, 7 }, { "<=", X_LE, 7 }, { ">=", X_GE, 7 }, { "==", X_EQ, 6 },
	{ "!=", X_NE, 6 }, { "&", X_AND, 5 }, { "^", X_XOR, 4 }, { "|", X_OR, 3 },
	{ "&&", X_LAND, 2 }, { "||", X_LOR, 1 },
};

static int current_binop(const struct expr_lexer *l, enum xop *op)
{
	for (size_t i = 0; l->kind == LEX_OP && i < sizeof(operators) / sizeof(*operators); i++) {
		if (!lex_is(l, operators[i].text))
			continue;
		*op = operators[i].op;
		return operators[i].prio;
	}
	return 0;
}

static uint32_t parse_binary(struct expr_parser *p, int min_prio)
{
	uint32_t l = x_unary(p), r;
	enum xop op;
	int prio;

	while (l && (prio = current_binop(&p->lex, &op)) >= min_prio && prio) {
		lex_next(&p->lex);
		r = parse_binary(p, prio + 1);
		if (!r)
			return 0;
		l = x_binary(p, op, l, r);
	}
	return l;
}

/* Parses "a : b" or ": b" after the condition @c and its '?'. */
static uint32_t parse_choice(struct expr_parser *p, uint32_t c)
{
	bool elvis = lex_accept(&p->lex, ":");
	struct expr_node n = { .op = X_ELVIS };
	uint32_t a, b;

	if (!elvis) {
		a = x_comma(p);
		if (!a || !x_expect(p, ":"))
			return 0;
		b = x_expr(p);
		return b ? x_cond(p, c, a, b) : 0;
	}
	b = x_expr(p);
	if (!b)
		return 0;
	if (x_is_const(p, c))
		return x_at(p, c)->num ? c : b;
	n.kind = x_at(p, c)->kind == x_at(p, b)->kind ? x_at(p, c)->kind : XK_PTR;
	n.t = n.kind == XK_NUM ? ctype_common(x_at(p, c)->t, x_at(p, b)->t) : x_at(p, c)->t;
	if (x_at(p, c)->kind == XK_TEXT || x_at(p, b)->kind == XK_TEXT)
		return x_fail(p, "it chooses between different things");
	n.a = n.kind == XK_NUM ? x_cast(p, n.t, c) : c;
	n.b = n.kind == XK_NUM ? x_cast(p, n.t, b) : b;
	return x_node(p, n);
}

uint32_t x_expr(struct expr_parser *p)
{
	uint32_t n;

	if (++p->depth > X_DEPTH_MAX)
		return x_fail(p, "it nests deeper than %d", X_DEPTH_MAX);
	n = parse_binary(p, 1);
	if (n && lex_accept(&p->lex, "?"))
		n = parse_choice(p, n);
	p->depth--;
	return n;
}

uint32_t x_comma(struct expr_parser *p)
{
	uint32_t n = x_expr(p);

	while (n && lex_accept(&p->lex, ","))
		n = x_expr(p);
	return n;
}
