/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compound literals "(TYPE){ ... }". They exist while an expression is parsed: a member or an
 * lit_element is the node that initialized it.
 */
#include <stdlib.h>
#include <string.h>

#include "event/expr/expr.h"

#define LITS_MAX	4096	/* most types and most values */
#define ARGS_MAX	16	/* most printed values of a literal as a whole */
#define CHOICES_MAX	64	/* most elements if the index is in the record */
#define ANY_LENGTH	UINT32_MAX

enum lit_kind {
	LIT_OPAQUE,		/* an unknown name, with the members that the literal names */
	LIT_SCALAR, LIT_STRUCT, LIT_UNION, LIT_ARRAY,
};

/* A type, or a member with its name. Index 0 is the unknown type. */
struct lit_type {
	enum lit_kind kind;
	struct expr_ctype t;			/* LIT_SCALAR, LIT_OPAQUE */
	uint8_t  bits;			/* width of a bit field, or 0 */
	const char *name;		/* NULL: an anonymous member */
	size_t   len;
	uint32_t first, next;		/* first member, or lit_element of an array; next member */
	uint32_t n;			/* number of elements, or ANY_LENGTH */
};

/* A value, whole or in parts, with its name or index in the value that contains it. */
struct lit_val {
	uint32_t type, node;
	const char *name;
	size_t   len;
	uint32_t index;
	uint32_t first, next;
};

struct expr_literals {
	struct lit_type *types;	size_t nr_types, cap_types;
	struct lit_val *vals;	size_t nr_vals, cap_vals;
};

/* Structures and unions of one number whose member is always the same. */
static const struct { const char *type, *member; uint8_t size; bool sign; } wrappers[] = {
	{ "ktime_t", "tv64", 8, true },		/* a union before 4.10, then a number */
	{ "atomic_t", "counter", 4, true }, { "atomic64_t", "counter", 8, true },
	{ "kuid_t", "val", 4, false }, { "kgid_t", "val", 4, false },
	{ "kprojid_t", "val", 4, false }, { "swp_entry_t", "val", 0, false },
};

static bool init_value(struct expr_parser *p, uint32_t v);
static bool fill_inner(struct expr_parser *p, uint32_t v, bool designated);
static uint32_t parse_lit_type(struct expr_parser *p);

void x_lits_free(struct expr_literals *l)
{
	if (!l)
		return;
	free(l->types);
	free(l->vals);
	free(l);
}

static struct lit_type *type_at(struct expr_parser *p, uint32_t i)
{
	return &p->lits->types[i];
}

static struct lit_val *val_at(struct expr_parser *p, uint32_t i)
{
	return &p->lits->vals[i];
}

static struct lit_type *val_type(struct expr_parser *p, uint32_t v)
{
	return type_at(p, val_at(p, v)->type);
}

static struct expr_literals *get_lits(struct expr_parser *p)
{
	struct expr_literals *l = p->lits;

	if (l)
		return l;
	l = p->lits = xcalloc(1, sizeof(*l));
	l->types = xgrow(l->types, &l->cap_types, 1, sizeof(*l->types));
	l->vals = xgrow(l->vals, &l->cap_vals, 1, sizeof(*l->vals));
	l->types[l->nr_types++] = (struct lit_type){ .kind = LIT_OPAQUE };
	l->vals[l->nr_vals++] = (struct lit_val){ 0 };
	return l;
}

static uint32_t add_lit_type(struct expr_parser *p, struct lit_type t)
{
	struct expr_literals *l = get_lits(p);

	if (l->nr_types >= LITS_MAX)
		return x_fail(p, "it is too long");
	l->types = xgrow(l->types, &l->cap_types, l->nr_types + 1, sizeof(*l->types));
	l->types[l->nr_types] = t;
	return l->nr_types++;
}

static uint32_t add_lit_val(struct expr_parser *p, struct lit_val v)
{
	struct expr_literals *l = get_lits(p);

	if (l->nr_vals >= LITS_MAX)
		return x_fail(p, "it is too long");
	l->vals = xgrow(l->vals, &l->cap_vals, l->nr_vals + 1, sizeof(*l->vals));
	l->vals[l->nr_vals] = v;
	return l->nr_vals++;
}

/* --- types */

/* Parses "[4][2]" after the type @elem. Returns the type of the array. */
static uint32_t parse_dimensions(struct expr_parser *p, uint32_t elem)
{
	struct lit_type t = { .kind = LIT_ARRAY, .n = ANY_LENGTH };
	uint32_t n;

	if (!elem || !lex_accept(&p->lex, "["))
		return elem;
	if (!lex_is(&p->lex, "]")) {
		n = x_expr(p);
		if (!n || !x_is_const(p, n) || x_at(p, n)->num > LITS_MAX)
			return n ? x_fail(p, "an array has an odd length") : 0;
		t.n = x_at(p, n)->num;
	}
	if (!x_expect(p, "]"))
		return 0;
	t.first = parse_dimensions(p, elem);
	return t.first ? add_lit_type(p, t) : 0;
}

/* Parses one declarator after its type: "name", "name[4]", "name : 3", or nothing. */
static uint32_t parse_declarator(struct expr_parser *p, uint32_t type)
{
	struct lit_type t;
	struct expr_lexer name = p->lex;
	bool named = name.kind == LEX_NAME;
	uint32_t n, bits = 0;

	if (named)
		lex_next(&p->lex);
	type = parse_dimensions(p, type);
	if (type && lex_accept(&p->lex, ":")) {
		n = x_expr(p);
		if (!n || !x_is_const(p, n) || !x_at(p, n)->num || x_at(p, n)->num > 63)
			return n ? x_fail(p, "a bit field has an odd width") : 0;
		bits = x_at(p, n)->num;
	}
	if (!type)
		return 0;
	t = *type_at(p, type);
	t.name = named ? name.tok : NULL;
	t.len = named ? name.len : 0;
	t.bits = bits;
	t.next = 0;
	return add_lit_type(p, t);
}

/* Parses "int a, b; ... }" after the "{". */
static uint32_t parse_body(struct expr_parser *p, bool is_union)
{
	struct lit_type whole = { .kind = is_union ? LIT_UNION : LIT_STRUCT };
	uint32_t type, member, last = 0;

	while (!lex_accept(&p->lex, "}")) {
		type = parse_lit_type(p);
		do {
			member = type ? parse_declarator(p, type) : 0;
			if (!member)
				return 0;
			if (last)
				type_at(p, last)->next = member;
			else
				whole.first = member;
			last = member;
		} while (lex_accept(&p->lex, ","));
		if (!x_expect(p, ";"))
			return 0;
	}
	return add_lit_type(p, whole);
}

/* Parses a type without dimensions. Returns 0, with no reason set, if there is no type. */
static uint32_t parse_lit_type(struct expr_parser *p)
{
	struct expr_lexer saved;
	bool is_union;
	uint32_t made;
	struct lit_type t = { .kind = LIT_SCALAR }, whole = { .kind = LIT_STRUCT };
	struct expr_lexer name;

	while (lex_is(&p->lex, "const") || lex_is(&p->lex, "volatile"))
		lex_next(&p->lex);
	saved = p->lex;
	is_union = lex_is(&p->lex, "union");
	if (is_union || lex_is(&p->lex, "struct")) {
		lex_next(&p->lex);
		if (p->lex.kind == LEX_NAME)
			lex_next(&p->lex);
		if (lex_accept(&p->lex, "{")) {
			if (++p->depth > X_DEPTH_MAX)
				return x_fail(p, "it nests deeper than %d", X_DEPTH_MAX);
			made = parse_body(p, is_union);
			p->depth--;
			return made;
		}
		p->lex = saved;
	}
	name = p->lex;
	if (p->lex.kind != LEX_NAME || !ctype_parse(&p->lex, p->long_size, &t.t))
		return 0;
	for (size_t i = 0; !t.t.ptr && i < sizeof(wrappers) / sizeof(*wrappers); i++) {
		if (!lex_is(&name, wrappers[i].type))
			continue;
		t.t = ctype_int(wrappers[i].size ? wrappers[i].size : p->long_size,
				wrappers[i].sign);
		t.name = wrappers[i].member;
		t.len = strlen(t.name);
		whole.first = add_lit_type(p, t);
		return whole.first ? add_lit_type(p, whole) : 0;
	}
	if (!t.t.ptr && !t.t.size)
		t.kind = LIT_OPAQUE;
	return add_lit_type(p, t);
}

/* --- parts of a value */

static bool same_name(const char *a, size_t a_len, const char *b, size_t b_len)
{
	return a && a_len == b_len && !memcmp(a, b, b_len);
}

/* Returns the part by its name, or if @name is NULL by its index; 0 if it is not initialized. */
static uint32_t find_part(struct expr_parser *p, uint32_t v, const char *name, size_t len,
			  uint32_t index)
{
	const struct lit_val *part;
	uint32_t i;

	for (i = val_at(p, v)->first; i; i = part->next) {
		part = val_at(p, i);
		if (name ? same_name(part->name, part->len, name, len) :
		    !part->name && part->index == index)
			return i;
	}
	return 0;
}

/*
 * Returns the member of @type that is called @name, or the anonymous one that contains it; 0 if
 * there is none.
 */
static uint32_t find_lit_member(struct expr_parser *p, uint32_t type, const char *name, size_t len,
				uint32_t *index)
{
	uint32_t i, unused;

	for (i = type_at(p, type)->first, *index = 0; i; i = type_at(p, i)->next, ++*index) {
		const struct lit_type *m = type_at(p, i);

		if (same_name(m->name, m->len, name, len) ||
		    (!m->name && (m->kind == LIT_STRUCT || m->kind == LIT_UNION) &&
		     find_lit_member(p, i, name, len, &unused)))
			return i;
	}
	return 0;
}

static uint32_t member_number(struct expr_parser *p, uint32_t type, uint32_t index)
{
	uint32_t i = type_at(p, type)->first;

	for (; i && index; index--)
		i = type_at(p, i)->next;
	return i;
}

/* Returns the part to initialize. In a union the last one counts. */
static uint32_t fresh_part(struct expr_parser *p, uint32_t v, struct lit_val part)
{
	uint32_t old = find_part(p, v, part.name, part.len, part.index), made;

	if (old)
		return old;
	part.next = val_type(p, v)->kind == LIT_UNION ? 0 : val_at(p, v)->first;
	made = add_lit_val(p, part);
	val_at(p, v)->first = made ? made : part.next;
	return made;
}

static struct lit_val member_part(struct expr_parser *p, uint32_t m, uint32_t index)
{
	const struct lit_type *t = type_at(p, m);

	return (struct lit_val){ .type = m, .name = t->name, .len = t->len, .index = index };
}

static uint32_t fail_no_member(struct expr_parser *p, const char *name, size_t len)
{
	return x_fail(p, "a literal has no member '%.*s'", (int)(len < 60 ? len : 60), name);
}

static uint32_t named_part(struct expr_parser *p, uint32_t v, const char *name, size_t len,
			   uint32_t *index)
{
	struct lit_val part = { .name = name, .len = len };
	uint32_t type = val_at(p, v)->type, unused, m;

	*index = 0;
	if (type_at(p, type)->kind == LIT_OPAQUE)
		return fresh_part(p, v, part);
	m = find_lit_member(p, type, name, len, index);
	if (!m)
		return fail_no_member(p, name, len);
	v = fresh_part(p, v, member_part(p, m, *index));
	return !v || type_at(p, m)->name ? v : named_part(p, v, name, len, &unused);
}

static uint32_t indexed_part(struct expr_parser *p, uint32_t v, uint32_t index)
{
	const struct lit_type *t = val_type(p, v);
	struct lit_val part = { .index = index };
	uint32_t m;

	if (t->kind == LIT_ARRAY) {
		part.type = t->first;
		if (index >= t->n)
			return x_fail(p, "a literal has too many values");
	} else if (t->kind != LIT_OPAQUE) {
		m = member_number(p, val_at(p, v)->type, index);
		if (!m || (t->kind == LIT_UNION && index))
			return x_fail(p, "a literal has too many values");
		part = member_part(p, m, index);
	}
	return fresh_part(p, v, part);
}

/* --- initializers */

static bool at_designator(const struct expr_parser *p)
{
	struct expr_lexer l = p->lex;

	if (lex_is(&l, ".") || lex_is(&l, "["))
		return true;
	if (l.kind != LEX_NAME)
		return false;
	lex_next(&l);
	return lex_is(&l, ":");		/* GNU's old form "name: value" */
}

/*
 * Parses ".name", "[2]" or "name:" of @v and sets *index to that of the part. *old is set for the
 * last form, which has no "=".
 */
static uint32_t parse_designator(struct expr_parser *p, uint32_t v, uint32_t *index, bool *old)
{
	struct expr_lexer name;
	uint32_t n;

	*old = p->lex.kind == LEX_NAME;
	if (lex_accept(&p->lex, "[")) {
		n = x_expr(p);
		if (!n || !x_expect(p, "]"))
			return 0;
		if (!x_is_const(p, n) || x_at(p, n)->num > LITS_MAX)
			return x_fail(p, "an index of a literal is not constant");
		*index = x_at(p, n)->num;
		return indexed_part(p, v, *index);
	}
	if (!*old)
		lex_next(&p->lex);
	name = p->lex;
	if (name.kind != LEX_NAME)
		return x_fail(p, "a member's name is missing");
	lex_next(&p->lex);
	return named_part(p, v, name.tok, name.len, index);
}

static bool has_more(struct expr_parser *p, uint32_t v, uint32_t index)
{
	const struct lit_type *t = val_type(p, v);

	if (t->kind == LIT_ARRAY)
		return index < t->n;
	return t->kind == LIT_OPAQUE || (member_number(p, val_at(p, v)->type, index) &&
					 (t->kind != LIT_UNION || !index));
}

/*
 * Parses the comma before another value of @v, whose braces are left out. Returns false if there is
 * no such value.
 */
static bool parse_inner_comma(struct expr_parser *p)
{
	struct expr_lexer saved = p->lex;

	if (lex_accept(&p->lex, ",") && !lex_is(&p->lex, "}") && !at_designator(p))
		return true;
	p->lex = saved;
	return false;
}

/*
 * Parses one value of @v; *next is the number of its part. After ".a.b = 1" the next values belong
 * to a, if it has more parts.
 */
static bool fill_part(struct expr_parser *p, uint32_t v, bool designated, uint32_t *next)
{
	bool old = false;
	uint32_t part = designated ? parse_designator(p, v, next, &old) : indexed_part(p, v, *next);

	++*next;
	if (!part)
		return false;
	if (designated && !old && (lex_is(&p->lex, ".") || lex_is(&p->lex, "[")))
		return fill_inner(p, part, true);
	return (!designated || x_expect(p, old ? ":" : "=")) && init_value(p, part);
}

/* Parses values up to the last part of @v, whose braces are left out. */
static bool fill_inner(struct expr_parser *p, uint32_t v, bool designated)
{
	uint32_t next = 0;
	bool ok;

	if (++p->depth > X_DEPTH_MAX)
		return x_fail(p, "it nests deeper than %d", X_DEPTH_MAX);
	do {
		ok = fill_part(p, v, designated, &next);
		designated = false;
	} while (ok && has_more(p, v, next) && parse_inner_comma(p));
	p->depth--;
	return ok;
}

static bool init_scalar(struct expr_parser *p, uint32_t v)
{
	struct lit_type t = *val_type(p, v);
	uint32_t n = x_expr(p), width;

	if (n && t.kind == LIT_SCALAR)
		n = x_cast(p, t.t, n);
	if (n && t.bits) {
		/* keep the low bits, and extend the sign */
		width = x_num(p, ctype_int(4, true), 64 - t.bits);
		n = x_binary(p, X_SHL, x_cast(p, ctype_int(8, t.t.sign), n), width);
		n = x_cast(p, t.t, x_binary(p, X_SHR, n, width));
	}
	val_at(p, v)->node = n;
	return n;
}

/*
 * Parses an expression that is a structure itself, or a string for an array. Returns false, with
 * nothing parsed, if it is something else.
 */
static bool init_whole(struct expr_parser *p, uint32_t v, bool *ok)
{
	struct expr_lexer saved = p->lex;
	uint32_t n;

	if (!lex_is(&p->lex, "(") && p->lex.kind != LEX_STR)
		return false;
	n = x_expr(p);
	*ok = n;
	if (!n || (x_lit_id(p, n) || x_at(p, n)->op == X_STR)) {
		val_at(p, v)->node = n;
		return true;
	}
	p->lex = saved;
	return false;
}

/* Parses "{ "text" }" for an array of characters. */
static bool parse_braced_text(struct expr_parser *p, uint32_t v)
{
	const struct lit_type *t = val_type(p, v);
	struct expr_lexer saved = p->lex;

	if (t->kind == LIT_ARRAY && type_at(p, t->first)->t.size == 1 && lex_accept(&p->lex, "{") &&
	    p->lex.kind == LEX_STR) {
		val_at(p, v)->node = x_string(p);
		lex_accept(&p->lex, ",");
		if (lex_accept(&p->lex, "}"))
			return true;
	}
	p->lex = saved;
	return false;
}

static bool init_any(struct expr_parser *p, uint32_t v)
{
	enum lit_kind kind = val_type(p, v)->kind;
	uint32_t next = 0;
	bool ok = true;

	val_at(p, v)->node = val_at(p, v)->first = 0;
	if (kind == LIT_SCALAR && lex_accept(&p->lex, "{")) {
		ok = init_value(p, v);
		lex_accept(&p->lex, ",");
		return ok && x_expect(p, "}");
	}
	if (parse_braced_text(p, v))
		return true;
	if (lex_accept(&p->lex, "{")) {
		while (ok && !lex_is(&p->lex, "}")) {
			ok = fill_part(p, v, at_designator(p), &next);
			if (!ok || !lex_accept(&p->lex, ","))
				break;
		}
		return ok && x_expect(p, "}");
	}
	if (kind == LIT_SCALAR || kind == LIT_OPAQUE)
		return init_scalar(p, v);
	return init_whole(p, v, &ok) ? ok : fill_inner(p, v, false);
}

static bool init_value(struct expr_parser *p, uint32_t v)
{
	bool ok;

	if (++p->depth > X_DEPTH_MAX)
		return x_fail(p, "it nests deeper than %d", X_DEPTH_MAX);
	ok = init_any(p, v);
	p->depth--;
	return ok;
}

/* --- nodes of values */

static void collect_values(struct expr_parser *p, uint32_t v, uint32_t *args, size_t *n)
{
	uint32_t i;

	for (i = val_at(p, v)->first; i && *n < ARGS_MAX; i = val_at(p, i)->next) {
		if (val_at(p, i)->node)
			args[(*n)++] = val_at(p, i)->node;
		else
			collect_values(p, i, args, n);
	}
}

/* Returns the node of a number. A value with parts becomes an unknown value that refers to them. */
static uint32_t value_node(struct expr_parser *p, uint32_t v)
{
	uint32_t args[ARGS_MAX], made;
	size_t n = 0;

	if (val_at(p, v)->node)
		return val_at(p, v)->node;
	collect_values(p, v, args, &n);
	for (size_t i = 0; i < n / 2; i++) {
		uint32_t last = args[n - 1 - i];

		args[n - 1 - i] = args[i];
		args[i] = last;
	}
	made = x_foreign_why(p, X_WHY_STRUCT, "{}", 2, args, n);
	if (made)
		x_at(p, made)->b = v;
	return made;
}

/* Returns the node of a part that is not initialized: zero. */
static uint32_t zero_value(struct expr_parser *p, uint32_t type)
{
	const struct lit_type *t = type_at(p, type);
	uint32_t v;

	if (t->kind == LIT_SCALAR || t->t.named)
		return x_num(p, t->t.named ? ctype_int(8, false) : t->t, 0);
	v = add_lit_val(p, (struct lit_val){ .type = type });
	return v ? value_node(p, v) : 0;
}

/* Returns the bytes of the member @v of a union as the member @m; 0 if they are not two numbers. */
static uint32_t other_member(struct expr_parser *p, uint32_t v, uint32_t m)
{
	struct lit_type from = *val_type(p, v), to = *type_at(p, m);
	uint32_t n = val_at(p, v)->node;

	if (!n || from.kind != LIT_SCALAR || to.kind != LIT_SCALAR || from.bits || to.bits ||
	    from.t.ptr || to.t.ptr)
		return 0;
	n = x_cast(p, ctype_int(from.t.size, false), n);
	if (p->big && from.t.size > to.t.size)
		n = x_binary(p, X_SHR, n, x_num(p, ctype_int(4, true),
						8 * (from.t.size - to.t.size)));
	return x_cast(p, to.t, n);
}

uint32_t x_lit_member(struct expr_parser *p, uint32_t base, const char *name, size_t len)
{
	uint32_t v = x_lit_id(p, base), type = val_at(p, v)->type, index, m, part, made;
	enum lit_kind kind = type_at(p, type)->kind;

	if (kind != LIT_STRUCT && kind != LIT_UNION) {
		part = find_part(p, v, name, len, 0);
		return part ? value_node(p, part) : 0;
	}
	m = find_lit_member(p, type, name, len, &index);
	if (!m)
		return fail_no_member(p, name, len);
	part = find_part(p, v, type_at(p, m)->name, type_at(p, m)->len, index);
	if (part)
		made = value_node(p, part);
	else if (kind == LIT_UNION && val_at(p, v)->first)
		made = other_member(p, val_at(p, v)->first, m);
	else
		made = zero_value(p, m);
	if (!made || type_at(p, m)->name)
		return made;
	return x_lit_member(p, made, name, len);
}

static uint32_t lit_element(struct expr_parser *p, uint32_t v, uint32_t index)
{
	uint32_t part = find_part(p, v, NULL, 0, index);

	return part ? value_node(p, part) : zero_value(p, val_type(p, v)->first);
}

uint32_t x_lit_index(struct expr_parser *p, uint32_t base, uint32_t i)
{
	uint32_t v = x_lit_id(p, base), n, k, made;
	struct expr_ctype t;

	if (val_type(p, v)->kind != LIT_ARRAY)
		return 0;
	n = val_type(p, v)->n;
	if (n == ANY_LENGTH)
		for (k = val_at(p, v)->first, n = 0; k; k = val_at(p, k)->next)
			if (val_at(p, k)->index >= n)
				n = val_at(p, k)->index + 1;
	if (x_is_const(p, i))
		return x_at(p, i)->num < n ? lit_element(p, v, x_at(p, i)->num) :
			x_fail(p, "it reads beyond a literal");
	if (!n || n > CHOICES_MAX)
		return 0;
	t = type_at(p, val_type(p, v)->first)->t;
	made = x_num(p, t.ptr || !t.size ? ctype_pointer(p->long_size, 0, false) : t, 0);
	for (k = n; made && k-- > 0;) {
		uint32_t here = x_binary(p, X_EQ, i, x_num(p, ctype_int(4, true), k));

		made = x_cond(p, here, lit_element(p, v, k), made);
	}
	return made;
}

uint32_t x_lit_only(struct expr_parser *p, uint32_t n)
{
	uint32_t v = n ? x_lit_id(p, n) : 0, part;

	if (!v || val_type(p, v)->kind == LIT_UNION)
		return n;
	part = val_at(p, v)->first;
	return part && !val_at(p, part)->next ? value_node(p, part) : n;
}

bool x_literal(struct expr_parser *p, uint32_t *n)
{
	size_t nr_types = get_lits(p)->nr_types;
	struct expr_lexer saved = p->lex;
	uint32_t type, v;

	*n = 0;
	type = parse_dimensions(p, parse_lit_type(p));
	if (!type || !lex_accept(&p->lex, ")") || !lex_is(&p->lex, "{")) {
		p->lex = saved;
		p->lits->nr_types = nr_types;
		return false;
	}
	v = add_lit_val(p, (struct lit_val){ .type = type });
	if (v && init_value(p, v))
		*n = value_node(p, v);
	return true;
}
