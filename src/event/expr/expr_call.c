/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls and names in print fmts: the tracing helpers, compiler built-ins, small kernel functions,
 * functions of plugins; constants and arrays of the kernel.
 */
#include <string.h>

#include "event/data/kernel_values.h"
#include "event/expr/expr.h"
#include "event/plugin/plugin.h"

#define ARGS_MAX 16

static const struct expr_ctype type_int = { .size = 4, .sign = true };

struct expr_func {
	const char *name;
	uint32_t (*parse)(struct expr_parser *p, const struct expr_func *c);
	int arg;
	const char *yes, *no;
};

/* --- arguments */

/* Parses the name of a field. Returns NULL with p->why if there is no such field. */
static const struct ev_field *parse_field_name(struct expr_parser *p)
{
	struct expr_lexer name = p->lex;
	char text[128];
	const struct ev_field *f = NULL;

	if (name.kind == LEX_NAME && name.len < sizeof(text)) {
		memcpy(text, name.tok, name.len);
		text[name.len] = 0;
		f = ev_field(p->fmt, text);
		lex_next(&p->lex);
	}
	if (!f)
		x_fail(p, "there is no field '%.*s'", (int)(name.len < 60 ? name.len : 60),
		       name.tok);
	return f;
}

/* Parses @want arguments up to the closing parenthesis, each to a node. */
static bool parse_args(struct expr_parser *p, uint32_t *args, unsigned int want)
{
	for (unsigned int i = 0; i < want; i++) {
		if (i && !x_expect(p, ","))
			return false;
		args[i] = x_expr(p);
		if (!args[i])
			return false;
	}
	return x_expect(p, ")");
}

static uint32_t parse_one_arg(struct expr_parser *p)
{
	uint32_t a;

	return parse_args(p, &a, 1) ? a : 0;
}

static uint32_t require_number(struct expr_parser *p, uint32_t n)
{
	if (n && x_at(p, n)->kind != XK_NUM)
		return x_fail(p, "it needs a number");
	return n;
}

static uint32_t require_pointer(struct expr_parser *p, uint32_t n)
{
	if (n && x_at(p, n)->kind != XK_PTR)
		return x_foreign_why(p, X_WHY_MEMORY, "*", 1, &n, 1);
	return n;
}

/* For the compiler no argument of a print fmt is a constant. */
static uint32_t call_zero(struct expr_parser *p, const struct expr_func *c)
{
	unsigned int depth = 1;

	(void)c;
	for (; depth && p->lex.kind != LEX_END && p->lex.kind != LEX_BAD; lex_next(&p->lex)) {
		depth += lex_is(&p->lex, "(");
		depth -= lex_is(&p->lex, ")");
	}
	return depth ? x_fail(p, "a ')' is missing") : x_num(p, type_int, 0);
}

/* Skips the trace_seq that helpers print to, or the buffer for their text: they are no values. */
static bool skip_buffer(struct expr_parser *p)
{
	struct expr_lexer saved = p->lex;

	if (lex_is(&p->lex, "p")) {
		lex_next(&p->lex);
		if (lex_is(&p->lex, ",") || lex_is(&p->lex, ")"))
			return true;
	} else if (lex_is(&p->lex, "__get_buf")) {
		lex_next(&p->lex);
		if (lex_accept(&p->lex, "(") && call_zero(p, NULL))
			return true;
	}
	p->lex = saved;
	return false;
}

/* --- fields by name */

static uint32_t call_dynamic(struct expr_parser *p, const struct expr_func *c)
{
	const struct ev_field *f = parse_field_name(p);
	uint32_t n = f && x_expect(p, ")") ? x_field_ptr(p, f) : 0;
	struct expr_node *node;

	if (!n)
		return 0;
	node = x_at(p, n);
	node->t.esize = c->arg;
	node->t.esign = c->arg;
	node->t.tag = c->arg ? CTYPE_NO_TAG : CTYPE_VOID;
	return n;
}

static uint32_t call_dynamic_len(struct expr_parser *p, const struct expr_func *c)
{
	const struct ev_field *f = parse_field_name(p);
	struct expr_node n = { .op = X_LEN, .t = type_int };

	(void)c;
	if (!f || !x_expect(p, ")"))
		return 0;
	if (f->kind == EV_FIXED || f->kind == EV_ARRAY)
		return x_num(p, type_int, f->size);
	if ((f->kind == EV_DATA_LOC || f->kind == EV_REL_LOC) && f->size == 4) {
		n.a = f->offset;
		return x_node(p, n);
	}
	return x_fail(p, "'%s' has no length", f->name);
}

static uint32_t call_mask(struct expr_parser *p, const struct expr_func *c)
{
	const struct ev_field *f = parse_field_name(p);
	struct expr_node n = { .op = X_MASK, .kind = XK_TEXT, .num = c->arg };

	n.a = f && x_expect(p, ")") ? x_field_ptr(p, f) : 0;
	return n.a ? x_node(p, n) : 0;
}

static uint32_t call_stack(struct expr_parser *p, const struct expr_func *c)
{
	const struct ev_field *f = parse_field_name(p);
	struct expr_node n = { .op = X_STACK, .kind = XK_TEXT, .num = c->arg };

	n.a = f && x_expect(p, ")") ? x_field_ptr(p, f) : 0;
	return n.a ? x_node(p, n) : 0;
}

/* --- __print_flags, __print_symbolic */

uint32_t x_table_entry(struct expr_parser *p, struct expr_table *t, bool *end)
{
	struct expr_code *c = p->code;
	const struct expr_call *call;
	uint32_t value, name;
	struct expr_node str;

	if (lex_accept(&p->lex, "}"))
		return 1;
	value = require_number(p, x_expr(p));
	if (!value || !x_expect(p, ","))
		return 0;
	name = x_expr(p);
	if (!name || !x_expect(p, "}"))
		return 0;
	str = *x_at(p, name);
	if (str.op == X_NUM && !str.num)
		*end = true;
	else if (str.op != X_STR)
		return x_fail(p, "a table has a name that is not text");
	if (*end)
		return 1;
	if (x_at(p, value)->unknown) {
		call = &c->calls[x_at(p, x_at(p, value)->cause)->a];
		if (p->notes->len < 400)
			buf_printf(p->notes, "%sa table names the constant '%.*s', which only the "
				   "kernel knows", p->notes->len ? "; " : "",
				   (int)(call->name_len < 60 ? call->name_len : 60),
				   c->text.data + call->name);
		return 1;
	}
	if (x_at(p, value)->op != X_NUM)
		return x_fail(p, "a table has a value that is not constant");
	if (c->nr_entries >= X_ENTRIES_MAX)
		return x_fail(p, "its tables are too long");
	c->entries = xgrow(c->entries, &c->cap_entries, c->nr_entries + 1, sizeof(*c->entries));
	c->names = xgrow(c->names, &c->cap_names, c->nr_entries + 1, sizeof(*c->names));
	c->names[c->nr_entries] = str.a;
	c->entries[c->nr_entries++] = (struct list_entry){ .value = x_at(p, value)->num,
							   .len = str.b };
	t->n++;
	return 1;
}

static bool parse_delim(struct expr_parser *p, struct expr_table *t)
{
	uint32_t n = x_expr(p);

	if (!n || !x_expect(p, ","))
		return false;
	if (x_at(p, n)->op == X_STR) {
		t->has_delim = true;
		t->delim = x_at(p, n)->a;
		t->delim_len = x_at(p, n)->b;
	} else if (x_at(p, n)->op != X_NUM || x_at(p, n)->num) {
		x_fail(p, "flags have a delimiter that is not text");
		return false;
	}
	return true;
}

static uint32_t call_table(struct expr_parser *p, const struct expr_func *c)
{
	struct expr_node n = { .op = c->arg & 1 ? X_FLAGS : X_SYMBOLIC, .kind = XK_TEXT };
	struct expr_code *code = p->code;
	struct expr_table t = { .wide = c->arg & 2 };
	uint32_t v = require_number(p, x_expr(p));
	bool end = false;

	if (!v)
		return 0;
	/* without any entry there is no comma: the macro's sentinel is not shown */
	if (n.op == X_SYMBOLIC && lex_accept(&p->lex, ")"))
		return x_fail(p, "it has an empty table");
	if (!x_expect(p, ",") || (n.op == X_FLAGS && !parse_delim(p, &t)))
		return 0;
	/* "{ ... }, { ... })"; __print_flags_u64() ends with { 0, NULL } as well */
	t.first = code->nr_entries;
	while (lex_accept(&p->lex, "{")) {
		if (!x_table_entry(p, &t, &end))
			return 0;
		if (!lex_accept(&p->lex, ","))
			break;
	}
	if (!x_expect(p, ")"))
		return 0;
	code->tables = xgrow(code->tables, &code->cap_tables, code->nr_tables + 1,
			     sizeof(*code->tables));
	code->tables[code->nr_tables] = t;
	n.b = code->nr_tables++;
	/* values are extended to 64 bits already */
	n.a = t.wide || p->long_size == 8 ? v : x_cast(p, ctype_int(p->long_size, false), v);
	return n.a ? x_node(p, n) : 0;
}

/*
 * The functions that the macros __print_symbolic() and __print_flags() call. Their table is a
 * variable of the enclosing statement expression. See call_hex_seq().
 */
static uint32_t call_table_seq(struct expr_parser *p, const struct expr_func *c)
{
	struct expr_node n = { .op = c->arg & 1 ? X_FLAGS : X_SYMBOLIC, .kind = XK_TEXT };
	struct expr_table delim = { 0 };
	uint32_t table;

	if (!skip_buffer(p) || !x_expect(p, ","))
		return x_fail(p, "its text goes elsewhere");
	if (n.op == X_FLAGS && !parse_delim(p, &delim))
		return 0;
	n.a = require_number(p, x_expr(p));
	table = n.a && x_expect(p, ",") ? x_table_variable(p) : 0;
	if (!table || !x_expect(p, ")"))
		return 0;
	n.b = table - 1;
	delim.first = p->code->tables[n.b].first;
	delim.n = p->code->tables[n.b].n;
	delim.wide = c->arg & 2;
	p->code->tables[n.b] = delim;
	if (!delim.wide && p->long_size != 8)
		n.a = x_cast(p, ctype_int(p->long_size, false), n.a);
	return n.a ? x_node(p, n) : 0;
}

/* --- bytes and arrays */

static uint32_t call_hex(struct expr_parser *p, const struct expr_func *c)
{
	struct expr_node n = { .op = X_HEX, .kind = XK_TEXT, .num = c->arg };
	uint32_t args[2];

	if (!parse_args(p, args, 2))
		return 0;
	n.a = require_pointer(p, args[0]);
	n.b = require_number(p, args[1]);
	return n.a && n.b ? x_node(p, n) : 0;
}

/*
 * The function that the macro __print_hex() calls. Kernels before 4.2 expand it in formats, because
 * the macro was still defined there.
 */
static uint32_t call_hex_seq(struct expr_parser *p, const struct expr_func *c)
{
	struct expr_node n = { .op = X_HEX, .kind = XK_TEXT };
	uint32_t joined;

	(void)c;
	if (!skip_buffer(p) || !x_expect(p, ","))
		return x_fail(p, "its text goes elsewhere");
	n.a = require_pointer(p, x_expr(p));
	n.b = n.a && x_expect(p, ",") ? require_number(p, x_expr(p)) : 0;
	if (n.b && lex_accept(&p->lex, ",")) {
		joined = x_expr(p);
		if (!joined || !x_is_const(p, joined))
			return joined ? x_fail(p, "how it prints is not constant") : 0;
		n.num = x_at(p, joined)->num != 0;
	}
	return n.b && x_expect(p, ")") ? x_node(p, n) : 0;
}

static uint32_t array_node(struct expr_parser *p, uint32_t array, uint32_t count, uint32_t size)
{
	struct expr_node n = { .op = X_ARRAY, .kind = XK_TEXT, .a = array, .b = count };

	if (!array || !count || !size)
		return 0;
	if (!x_is_const(p, size))
		return x_at(p, size)->unknown ?
			x_foreign_why(p, X_WHY_SIZE, "__print_array", 13, &size, 1) :
			x_fail(p, "an array has elements of no fixed size");
	n.num = x_at(p, size)->num;
	if (n.num != 1 && n.num != 2 && n.num != 4 && n.num != 8)
		return x_fail(p, "an array has odd elements");
	return x_node(p, n);
}

/* __print_u32_array(array, count) of early kernels: no braces around the numbers. */
static uint32_t call_bare_array(struct expr_parser *p, const struct expr_func *c)
{
	uint32_t args[2], n;

	if (!parse_args(p, args, 2))
		return 0;
	n = array_node(p, require_pointer(p, args[0]), require_number(p, args[1]),
		       x_num(p, type_int, c->arg));
	if (n && x_at(p, n)->op == X_ARRAY)
		x_at(p, n)->c = 1;
	return n;
}

static uint32_t call_array(struct expr_parser *p, const struct expr_func *c)
{
	uint32_t args[3];

	(void)c;
	if (!parse_args(p, args, 3))
		return 0;
	return array_node(p, require_pointer(p, args[0]), require_number(p, args[1]),
			  require_number(p, args[2]));
}

/* __print_dynamic_array(field, size of an element), since 6.13. */
static uint32_t call_dynamic_array(struct expr_parser *p, const struct expr_func *c)
{
	const struct ev_field *f = parse_field_name(p);
	struct expr_node len = { .op = X_LEN, .t = type_int };
	uint32_t size;

	(void)c;
	if (!f || !x_expect(p, ","))
		return 0;
	if (f->kind != EV_DATA_LOC || f->size != 4)
		return x_fail(p, "'%s' is not a dynamic array", f->name);
	size = parse_one_arg(p);
	if (!size)
		return 0;
	len.a = f->offset;
	return array_node(p, x_field_ptr(p, f), x_binary(p, X_DIV, x_node(p, len), size), size);
}

static uint32_t call_dump(struct expr_parser *p, const struct expr_func *c)
{
	uint32_t args[7], made;

	(void)c;
	if (!parse_args(p, args, 7))
		return 0;
	args[4] = require_pointer(p, args[4]);
	for (unsigned int i = 1; i < 7; i++)
		if (i != 4 && !require_number(p, args[i]))
			return 0;
	if (x_at(p, args[0])->op != X_STR && x_at(p, args[0])->op != X_NUM)
		return x_fail(p, "a dump's prefix is not text");
	made = x_foreign(p, "", 0, args, 7);
	if (!made)
		return 0;
	x_at(p, made)->op = X_DUMP;
	x_at(p, made)->kind = XK_TEXT;
	x_at(p, made)->unknown = false;
	for (unsigned int i = 0; i < 7; i++) {
		if (!x_at(p, args[i])->unknown)
			continue;
		x_at(p, made)->unknown = true;
		x_at(p, made)->cause = x_at(p, args[i])->cause;
	}
	return made;
}

/* --- values */

/*
 * Compiles helpers that return their argument. The expected value of __builtin_expect() has no
 * effect.
 */
static uint32_t call_identity(struct expr_parser *p, const struct expr_func *c)
{
	uint32_t n = x_expr(p);

	(void)c;
	if (n && lex_accept(&p->lex, ",") && !x_expr(p))
		return 0;
	return n && x_expect(p, ")") ? x_lit_only(p, n) : 0;
}

static uint32_t call_swap(struct expr_parser *p, const struct expr_func *c)
{
	struct expr_node n = { .op = X_SWAP, .t = ctype_int(c->arg, false) };

	n.a = x_cast(p, n.t, require_number(p, parse_one_arg(p)));
	if (!n.a)
		return 0;
	if (!x_is_const(p, n.a))
		return x_node(p, n);
	return x_num(p, n.t, __builtin_bswap64(x_at(p, n.a)->num) >> (64 - 8 * c->arg));
}

static uint32_t call_log2(struct expr_parser *p, const struct expr_func *c)
{
	struct expr_node n = { .op = c->arg, .t = type_int };

	n.a = require_number(p, parse_one_arg(p));
	return n.a ? x_node(p, n) : 0;
}

static uint32_t call_major(struct expr_parser *p, const struct expr_func *c)
{
	uint32_t n = x_cast(p, ctype_int(4, false), require_number(p, parse_one_arg(p)));

	if (c->arg)
		return x_binary(p, X_SHR, n, x_num(p, type_int, 20));
	return x_binary(p, X_AND, n, x_num(p, ctype_int(4, false), (1 << 20) - 1));
}

static uint32_t call_seconds(struct expr_parser *p, const struct expr_func *c)
{
	uint32_t n = require_number(p, parse_one_arg(p));

	return x_binary(p, c->arg ? X_DIV : X_MOD, n,
			x_num(p, ctype_int(p->long_size, false), 1000000000));
}

static uint32_t call_in_irq(struct expr_parser *p, const struct expr_func *c)
{
	const struct ev_field *f = ev_field(p->fmt, "common_flags");
	struct expr_node n = { .op = X_LOAD };

	if (!f || !x_expect(p, ")"))
		return 0;
	n.a = f->offset;
	n.t = ctype_int(f->size, false);
	return x_binary(p, X_AND, x_node(p, n), x_num(p, type_int, c->arg));
}

static uint32_t literal_node(struct expr_parser *p, const char *s)
{
	struct expr_node n = { .op = X_STR, .kind = XK_PTR, .t = ctype_pointer(p->long_size, 1,
									       true) };

	n.a = x_text(p, s, strlen(s), &n.b);
	buf_addch(&p->code->text, 0);
	return x_node(p, n);
}

static uint32_t call_choice(struct expr_parser *p, const struct expr_func *c)
{
	uint32_t n = require_number(p, parse_one_arg(p));

	return n ? x_cond(p, n, literal_node(p, c->yes), literal_node(p, c->no)) : 0;
}

/* "s" after a number that is not 1. */
static uint32_t call_plural(struct expr_parser *p, const struct expr_func *c)
{
	uint32_t n = require_number(p, parse_one_arg(p));

	(void)c;
	n = x_binary(p, X_EQ, n, x_num(p, type_int, 1));
	return n ? x_cond(p, n, literal_node(p, ""), literal_node(p, "s")) : 0;
}

static uint32_t call_le16p(struct expr_parser *p, const struct expr_func *c)
{
	struct expr_node n = { .op = X_DEREF, .t = ctype_int(c->arg, false) };

	n.a = require_pointer(p, parse_one_arg(p));
	return n.a ? x_node(p, n) : 0;
}

static uint32_t rect_member(struct expr_parser *p, uint32_t rect, uint32_t offset)
{
	struct expr_ctype t = ctype_pointer(p->long_size, 4, true);
	uint32_t at = x_cast(p, t, rect);

	at = x_binary(p, X_ADD, at, x_num(p, type_int, offset / 4));
	if (!at || x_at(p, at)->kind != XK_PTR)
		return at ? x_foreign_why(p, X_WHY_MEMORY, "drm_rect", 8, &at, 1) : 0;
	return x_node(p, (struct expr_node){ .op = X_DEREF, .t = type_int, .a = at });
}

/* struct drm_rect is x1, y1, x2, y2. */
static uint32_t call_rect(struct expr_parser *p, const struct expr_func *c)
{
	uint32_t rect = parse_one_arg(p);

	if (!rect)
		return 0;
	return x_binary(p, X_SUB, rect_member(p, rect, c->arg + 8), rect_member(p, rect, c->arg));
}

/* --- sizeof */

static uint32_t size_of_expr(struct expr_parser *p)
{
	uint32_t n = x_comma(p);
	const struct expr_node *node = n ? x_at(p, n) : NULL;
	struct expr_ctype size_t_ = ctype_int(p->long_size, false);

	if (!n)
		return 0;
	if (x_words(p, n))
		return x_num(p, size_t_, (uint64_t)x_words(p, n)->n * p->long_size);
	if (node->op == X_PICK)
		return x_num(p, size_t_, p->long_size);
	if (node->unknown)
		return n;
	if (node->op == X_FIELD)
		return x_num(p, size_t_, node->b);
	if (node->op == X_STR)
		return x_num(p, size_t_, node->b + 1);
	if (node->kind != XK_NUM || !node->t.size)
		return x_fail(p, "it takes the size of something dynamic");
	return x_num(p, size_t_, node->t.size);
}

static uint32_t call_sizeof(struct expr_parser *p, const struct expr_func *c)
{
	struct expr_lexer saved = p->lex;
	struct expr_ctype t;
	uint32_t n;
	size_t nr;

	(void)c;
	if (p->lex.kind == LEX_NAME && !kwords_find(saved.tok, saved.len, &nr) &&
	    ctype_parse(&p->lex, p->long_size, &t) && (t.size || t.tag || t.named) &&
	    lex_accept(&p->lex, ")")) {
		n = !t.size && t.tag == CTYPE_PAGE ? kvalue_page_struct(p->meta) : t.size;
		return n ? x_num(p, ctype_int(p->long_size, false), n) :
			x_foreign_why(p, X_WHY_SIZE, "sizeof", 6, NULL, 0);
	}
	p->lex = saved;
	/* BUILD_BUG_ON_ZERO(): a structure of a bit field without bits */
	if (lex_is(&p->lex, "struct")) {
		lex_next(&p->lex);
		if (lex_is(&p->lex, "{"))
			return call_zero(p, c);
	}
	p->lex = saved;
	n = size_of_expr(p);
	return n && x_expect(p, ")") ? n : 0;
}

/* --- names of the kernel with known values, arrays, ticks */

/*
 * Makes a table of the array's strings. The member c of the unknown value is the table's index + 1.
 */
static uint32_t add_word_table(struct expr_parser *p, const char *name, size_t len,
			       const char *const *v, size_t n)
{
	struct expr_code *c = p->code;
	struct expr_table t = { .first = c->nr_entries, .n = n };
	uint32_t made, at, added;

	if (n > X_ENTRIES_MAX - c->nr_entries)
		return x_fail(p, "its tables are too long");
	c->entries = xgrow(c->entries, &c->cap_entries, c->nr_entries + n, sizeof(*c->entries));
	c->names = xgrow(c->names, &c->cap_names, c->nr_entries + n, sizeof(*c->names));
	for (size_t i = 0; i < n; i++) {
		at = x_text(p, v[i], strlen(v[i]), &added);
		buf_addch(&c->text, 0);
		c->names[c->nr_entries] = at;
		c->entries[c->nr_entries++] = (struct list_entry){ .len = added };
	}
	c->tables = xgrow(c->tables, &c->cap_tables, c->nr_tables + 1, sizeof(*c->tables));
	c->tables[c->nr_tables] = t;
	made = x_foreign(p, name, len, NULL, 0);
	if (made)
		x_at(p, made)->c = ++c->nr_tables;
	return made;
}

uint32_t x_kernel_value(struct expr_parser *p, const char *name, size_t len)
{
	const char *const *array;
	bool is_signed;
	uint64_t v;
	size_t n;

	if (kenum_find(p->fmt->system, name, len, p->kernel, (int64_t *)&v) ||
	    plug_constant(p->plugins, name, len, (int64_t *)&v))
		return x_num(p, ctype_int((int64_t)v == (int32_t)v ? 4 : 8, true), v);
	if (kvalue_find(p->meta, name, len, &v, &is_signed))
		return x_num(p, ctype_int(is_signed ? 8 : p->long_size, is_signed), v);
	array = kwords_find(name, len, &n);
	return array ? add_word_table(p, name, len, array, n) : x_foreign(p, name, len, NULL, 0);
}

const struct expr_table *x_words(struct expr_parser *p, uint32_t n)
{
	const struct expr_node *node = x_at(p, n);

	return node->op == X_FOREIGN && node->c ? &p->code->tables[node->c - 1] : NULL;
}

uint32_t x_word(struct expr_parser *p, uint32_t array, uint32_t i)
{
	return x_node(p, (struct expr_node){ .op = X_PICK, .kind = XK_TEXT, .a = i,
					 .b = x_at(p, array)->c - 1 });
}

/*
 * jiffies_to_msecs() multiplies by 1000 / HZ if that is whole, divides by HZ / 1000 and rounds up
 * if that is whole, and else uses a fraction, which 32-bit kernels round in another way. Returns 0
 * if HZ is unknown.
 */
static uint32_t x_jiffies_to_msecs(struct expr_parser *p, uint32_t j)
{
	const struct expr_ctype ulong = ctype_int(p->long_size, false), uint = ctype_int(4, false);
	uint32_t hz = kvalue_hz(p->meta), up, down, n;

	if (!hz || (1000 % hz && hz % 1000 && p->long_size == 4))
		return 0;
	for (up = 1000, down = hz; up % 2 == 0 && down % 2 == 0; up /= 2, down /= 2)
		;
	for (; up % 5 == 0 && down % 5 == 0; up /= 5, down /= 5)
		;
	n = x_binary(p, X_MUL, x_cast(p, ulong, j), x_num(p, ulong, up));
	if (down > 1) {
		n = x_binary(p, X_ADD, n, x_num(p, ulong, down - 1));
		n = x_binary(p, X_DIV, n, x_num(p, ulong, down));
	}
	return x_cast(p, uint, n);
}

/* --- functions of plugins */

/*
 * Compiles a call of a plugin's function. Returns 0 if no plugin accepts these arguments. Arguments
 * with '-' in the signature are missing: the trace_seq "p" and a buffer have been left out already,
 * and kernels before 5.15 passed no buffer and no size.
 */
static uint32_t x_plugin_call(struct expr_parser *p, const char *name, size_t len,
			      const uint32_t *args, unsigned int n)
{
	const struct plug_func *f = plug_func_find(p->plugins, name, len);
	const char *sig = f ? plug_func_signature(f) : NULL, *s;
	unsigned int all = 0, optional = 0;
	const struct expr_node *node;
	struct expr_node *made;
	uint32_t at;

	if (!f)
		return 0;
	for (s = sig + 2; *s; s++, all++)
		optional += *s == '-';
	if (n > all || all - n > optional)
		return 0;
	for (unsigned int i = 0; i < n; i++) {
		s = plug_signature_at(sig, all - n, i);
		node = x_at(p, args[i]);
		if ((*s != '-' && node->unknown) || (*s == 'i' && node->kind != XK_NUM))
			return 0;
	}
	at = x_foreign(p, name, len, args, n);
	if (!at)
		return 0;
	made = x_at(p, at);
	made->op = X_PLUGIN;
	made->kind = sig[0] == 's' ? XK_TEXT : XK_NUM;
	made->t = ctype_int(8, true);
	made->unknown = false;
	p->code->calls[made->a].plug = f;
	p->code->calls[made->a].skip = all - n;
	return at;
}

/* --- other calls */

/* Compiles a call of a function that plugins may have, or that only the kernel knows. */
static uint32_t call_other(struct expr_parser *p, const char *name, size_t len)
{
	uint32_t args[ARGS_MAX], made;
	unsigned int n = 0;

	if (!lex_accept(&p->lex, ")")) {
		do {
			if (skip_buffer(p))
				continue;
			if (n == ARGS_MAX)
				return x_fail(p, "a call has too many arguments");
			args[n] = x_expr(p);
			if (!args[n++])
				return 0;
		} while (lex_accept(&p->lex, ","));
		if (!x_expect(p, ")"))
			return 0;
	}
	made = x_plugin_call(p, name, len, args, n);
	if (!made && n == 1 && len == 16 && !memcmp(name, "jiffies_to_msecs", len) &&
	    x_at(p, args[0])->kind == XK_NUM)
		made = x_jiffies_to_msecs(p, args[0]);
	return made ? made : x_foreign(p, name, len, args, n);
}

static const struct expr_func calls[] = {
	{ "__get_str", call_dynamic, 1, NULL, NULL },
	{ "__get_rel_str", call_dynamic, 1, NULL, NULL },
	{ "__get_dynamic_array", call_dynamic, 0, NULL, NULL },
	{ "__get_rel_dynamic_array", call_dynamic, 0, NULL, NULL },
	{ "__get_sockaddr", call_dynamic, 0, NULL, NULL },
	{ "__get_rel_sockaddr", call_dynamic, 0, NULL, NULL },
	{ "__get_sockaddr_rel", call_dynamic, 0, NULL, NULL },
	{ "__get_dynamic_array_len", call_dynamic_len, 0, NULL, NULL },
	{ "__get_rel_dynamic_array_len", call_dynamic_len, 0, NULL, NULL },
	{ "__get_bitmask", call_mask, 0, NULL, NULL },
	{ "__get_rel_bitmask", call_mask, 0, NULL, NULL },
	{ "__get_cpumask", call_mask, 1, NULL, NULL },
	{ "__get_rel_cpumask", call_mask, 1, NULL, NULL },
	{ "__get_stacktrace", call_stack, 0, NULL, NULL },
	{ "__get_rel_stacktrace", call_stack, 0, NULL, NULL },
	{ "__print_symbolic", call_table, 0, NULL, NULL },
	{ "__print_flags", call_table, 1, NULL, NULL },
	{ "__print_symbolic_u64", call_table, 2, NULL, NULL },
	{ "__print_flags_u64", call_table, 3, NULL, NULL },
	{ "__print_hex", call_hex, 0, NULL, NULL },
	{ "__print_hex_str", call_hex, 1, NULL, NULL },
	{ "ftrace_print_symbols_seq", call_table_seq, 0, NULL, NULL },
	{ "ftrace_print_flags_seq", call_table_seq, 1, NULL, NULL },
	{ "ftrace_print_symbols_seq_u64", call_table_seq, 2, NULL, NULL },
	{ "trace_print_symbols_seq", call_table_seq, 0, NULL, NULL },
	{ "trace_print_flags_seq", call_table_seq, 1, NULL, NULL },
	{ "trace_print_symbols_seq_u64", call_table_seq, 2, NULL, NULL },
	{ "trace_print_flags_seq_u64", call_table_seq, 3, NULL, NULL },
	{ "ftrace_print_hex_seq", call_hex_seq, 0, NULL, NULL },
	{ "trace_print_hex_seq", call_hex_seq, 0, NULL, NULL },
	{ "__print_array", call_array, 0, NULL, NULL },
	{ "__print_u8_array", call_bare_array, 1, NULL, NULL },
	{ "__print_u16_array", call_bare_array, 2, NULL, NULL },
	{ "__print_u32_array", call_bare_array, 4, NULL, NULL },
	{ "__print_u64_array", call_bare_array, 8, NULL, NULL },
	{ "__print_dynamic_array", call_dynamic_array, 0, NULL, NULL },
	{ "__print_hex_dump", call_dump, 0, NULL, NULL },
	{ "__print_ns_to_secs", call_seconds, 1, NULL, NULL },
	{ "__print_ns_without_secs", call_seconds, 0, NULL, NULL },
	{ "__event_in_hardirq", call_in_irq, 0x08, NULL, NULL },
	{ "__event_in_softirq", call_in_irq, 0x10, NULL, NULL },
	{ "__event_in_irq", call_in_irq, 0x18, NULL, NULL },
	{ "sizeof", call_sizeof, 0, NULL, NULL },
	{ "__builtin_constant_p", call_zero, 0, NULL, NULL },
	{ "__builtin_types_compatible_p", call_zero, 0, NULL, NULL },
	{ "__builtin_expect", call_identity, 0, NULL, NULL },
	{ "likely", call_identity, 0, NULL, NULL },
	{ "unlikely", call_identity, 0, NULL, NULL },
	{ "__builtin_bswap16", call_swap, 2, NULL, NULL },
	{ "__builtin_bswap32", call_swap, 4, NULL, NULL },
	{ "__builtin_bswap64", call_swap, 8, NULL, NULL },
	{ "__fswab16", call_swap, 2, NULL, NULL },
	{ "__fswab32", call_swap, 4, NULL, NULL },
	{ "__fswab64", call_swap, 8, NULL, NULL },
	{ "__ilog2_u32", call_log2, X_LOG2, NULL, NULL },
	{ "__ilog2_u64", call_log2, X_LOG2, NULL, NULL },
	{ "__order_base_2", call_log2, X_ORDER2, NULL, NULL },
	{ "MAJOR", call_major, 1, NULL, NULL },
	{ "MINOR", call_major, 0, NULL, NULL },
	{ "__le16_to_cpup", call_le16p, 2, NULL, NULL },
	{ "__le32_to_cpup", call_le16p, 4, NULL, NULL },
	{ "__le64_to_cpup", call_le16p, 8, NULL, NULL },
	{ "drm_rect_width", call_rect, 0, NULL, NULL },
	{ "drm_rect_height", call_rect, 4, NULL, NULL },
	{ "ktime_to_ns", call_identity, 0, NULL, NULL },
	{ "pte_val", call_identity, 0, NULL, NULL },
	{ "pmd_val", call_identity, 0, NULL, NULL },
	{ "pud_val", call_identity, 0, NULL, NULL },
	{ "p4d_val", call_identity, 0, NULL, NULL },
	{ "pgd_val", call_identity, 0, NULL, NULL },
	{ "pgprot_val", call_identity, 0, NULL, NULL },
	{ "native_make_pte", call_identity, 0, NULL, NULL },
	{ "native_make_pmd", call_identity, 0, NULL, NULL },
	{ "native_make_pud", call_identity, 0, NULL, NULL },
	{ "native_make_p4d", call_identity, 0, NULL, NULL },
	{ "native_make_pgd", call_identity, 0, NULL, NULL },
	{ "str_assert_deassert", call_choice, 0, "assert", "deassert" },
	{ "str_deassert_assert", call_choice, 0, "deassert", "assert" },
	{ "str_enable_disable", call_choice, 0, "enable", "disable" },
	{ "str_disable_enable", call_choice, 0, "disable", "enable" },
	{ "str_enabled_disabled", call_choice, 0, "enabled", "disabled" },
	{ "str_disabled_enabled", call_choice, 0, "disabled", "enabled" },
	{ "str_hi_lo", call_choice, 0, "hi", "lo" },
	{ "str_lo_hi", call_choice, 0, "lo", "hi" },
	{ "str_high_low", call_choice, 0, "high", "low" },
	{ "str_low_high", call_choice, 0, "low", "high" },
	{ "str_input_output", call_choice, 0, "input", "output" },
	{ "str_output_input", call_choice, 0, "output", "input" },
	{ "str_on_off", call_choice, 0, "on", "off" },
	{ "str_off_on", call_choice, 0, "off", "on" },
	{ "str_read_write", call_choice, 0, "read", "write" },
	{ "str_write_read", call_choice, 0, "write", "read" },
	{ "str_true_false", call_choice, 0, "true", "false" },
	{ "str_false_true", call_choice, 0, "false", "true" },
	{ "str_up_down", call_choice, 0, "up", "down" },
	{ "str_down_up", call_choice, 0, "down", "up" },
	{ "str_yes_no", call_choice, 0, "yes", "no" },
	{ "str_no_yes", call_choice, 0, "no", "yes" },
	{ "str_plural", call_plural, 0, NULL, NULL },
};

uint32_t x_call(struct expr_parser *p, const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (strlen(calls[i].name) == len && !memcmp(calls[i].name, name, len))
			return calls[i].parse(p, &calls[i]);
	return call_other(p, name, len);
}
