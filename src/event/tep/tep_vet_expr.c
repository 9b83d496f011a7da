/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Expressions of a print fmt, parsed by C's rules and written for libtraceevent's parser: constants
 * folded, every operation in parentheses. That parser reads a - b - c as a - (b - c), and moves
 * operators even out of parentheses if a looser one is to the right of a tighter one; a cast there
 * prevents that.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "event/tep/tep_vet.h"

#define DEPTH_MAX	64	/* nesting of the kernel's expression */
#define HEIGHT_MAX	200	/* nesting of the rewritten expression, as the parser recurses */
#define NODES_MAX	4000

static int vet_unary(struct tep_vet *v, struct vet_expr *e);
static int vet_call(struct tep_vet *v, const char *name, size_t len, struct vet_expr *e);

int vet_fail(struct tep_vet *v, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(v->why, sizeof(v->why), fmt, ap);
	va_end(ap);
	return -1;
}

int vet_expect(struct tep_vet *v, const char *op)
{
	if (lex_accept(&v->lex, op))
		return 0;
	if (v->lex.kind == LEX_BAD)
		return vet_fail(v, "print fmt has an open quote, a bad number or a stray "
				"character");
	return vet_fail(v, "print fmt lacks a '%s'", op);
}

/* Returns the field named by the current token, or NULL with v->why if there is none. */
static const struct ev_field *vet_field(struct tep_vet *v)
{
	for (size_t i = 0; v->lex.kind == LEX_NAME && i < v->fmt->nr_fields; i++) {
		const char *name = v->fmt->fields[i].name, *dot = strrchr(name, '.');

		if (dot)
			name = dot + 1;
		if (lex_is(&v->lex, name))
			return &v->fmt->fields[i];
	}
	vet_fail(v, "print fmt uses an unknown field '%.*s'",
		 (int)(v->lex.len < 40 ? v->lex.len : 40), v->lex.tok);
	return NULL;
}

/* Replaces the text of @e by the number. */
static void vet_const(struct tep_vet *v, struct vet_expr *e, uint64_t value)
{
	v->args.len = e->start;
	buf_printf(&v->args, "%" PRIu64, value);
	e->kind = VET_NUM;
	e->is_const = true;
	e->value = value;
	e->height = 0;
}

static void insert_text(struct buf *b, size_t at, const char *s)
{
	size_t n = strlen(s), len = b->len;

	buf_addstr(b, s);
	memmove(b->data + at + n, b->data + at, len - at);
	memcpy(b->data + at, s, n);
}

/*
 * Writes parentheses around the text from e->start on, an operation on operands of the given
 * height.
 */
static int wrap_operation(struct tep_vet *v, struct vet_expr *e, unsigned int height)
{
	insert_text(&v->args, e->start, "(");
	buf_addch(&v->args, ')');
	e->kind = VET_OP;
	e->is_const = false;
	e->height = height + 1;
	return e->height > HEIGHT_MAX ? vet_fail(v, "print fmt nests too deep") : 0;
}

static bool is_number_expr(const struct vet_expr *e)
{
	return e->kind == VET_NUM || e->kind == VET_OP || e->kind == VET_FIELD;
}

/* --- constants */

static uint64_t fold_shift(uint64_t a, uint64_t n, bool left)
{
	if (n > 63)
		return 0;
	return left ? a << n : a >> n;
}

static bool fold_binary(const char *op, uint64_t a, uint64_t b, uint64_t *v)
{
	static const char *const compare[] = { "<", ">", "<=", ">=", "==", "!=", "&&", "||" };
	int64_t x = a, y = b;
	const bool results[] = { x < y, x > y, x <= y, x >= y, x == y, x != y, x && y, x || y };

	for (size_t i = 0; i < sizeof(compare) / sizeof(*compare); i++) {
		if (strcmp(op, compare[i]))
			continue;
		*v = results[i];
		return true;
	}
	switch (*op) {
	case '+': *v = a + b; return true;
	case '-': *v = a - b; return true;
	case '*': *v = a * b; return true;
	case '&': *v = a & b; return true;
	case '|': *v = a | b; return true;
	case '^': *v = a ^ b; return true;
	case '<': *v = fold_shift(a, b, true); return true;
	case '>': *v = fold_shift(a, b, false); return true;
	case '/': *v = b ? a / b : 0; return b != 0;
	case '%': *v = b ? a % b : 0; return b != 0;
	}
	return false;
}

/* --- casts */

/* Types whose cast changes a value, with libtraceevent's names for them. */
static const struct {
	const char *name, *as;
	uint8_t size;
	bool sign;
} casts[] = {
	{ "u8", "u8", 1, 0 }, { "__u8", "u8", 1, 0 }, { "uint8_t", "u8", 1, 0 },
	{ "unsigned char", "u8", 1, 0 }, { "bool", NULL, 1, 0 },
	{ "u16", "u16", 2, 0 }, { "__u16", "u16", 2, 0 }, { "uint16_t", "u16", 2, 0 },
	{ "unsigned short", "u16", 2, 0 }, { "__be16", "u16", 2, 0 }, { "__le16", "u16", 2, 0 },
	{ "u32", "u32", 4, 0 }, { "__u32", "u32", 4, 0 }, { "uint32_t", "u32", 4, 0 },
	{ "unsigned int", "u32", 4, 0 }, { "unsigned", "u32", 4, 0 }, { "uint", "u32", 4, 0 },
	{ "__be32", "u32", 4, 0 }, { "__le32", "u32", 4, 0 }, { "gfp_t", "u32", 4, 0 },
	{ "s8", "u8", 1, 1 }, { "__s8", "u8", 1, 1 }, { "char", "u8", 1, 1 },
	{ "s16", "u16", 2, 1 }, { "__s16", "u16", 2, 1 }, { "short", "u16", 2, 1 },
	{ "s32", "u32", 4, 1 }, { "__s32", "u32", 4, 1 }, { "int", "u32", 4, 1 },
};

static void apply_cast(struct tep_vet *v, const char *type, struct vet_expr *e)
{
	unsigned int unused;

	for (size_t i = 0; i < sizeof(casts) / sizeof(*casts); i++) {
		if (strcmp(type, casts[i].name))
			continue;
		if (e->is_const) {
			unused = 64 - 8 * casts[i].size;
			vet_const(v, e, casts[i].sign ?
				  (uint64_t)((int64_t)(e->value << unused) >> unused) :
				  e->value << unused >> unused);
		} else if (casts[i].as && is_number_expr(e)) {
			insert_text(&v->args, e->start, casts[i].as);
			insert_text(&v->args, e->start, "(");
			insert_text(&v->args, e->start + 1 + strlen(casts[i].as), ")");
			e->kind = VET_NUM;
			e->height++;
		}
		return;
	}
}

/*
 * Parses "TYPE *)" after a "(" and before an operand into @type. If there is no cast nothing is
 * read. A lone name before a "-" may be a constant, so only known types and pointers are accepted
 * then.
 */
static bool parse_cast_text(struct tep_vet *v, char *type, size_t size)
{
	struct expr_lexer saved = v->lex;
	size_t n = 0;
	bool pointer = false;

	for (; v->lex.kind == LEX_NAME && !lex_is(&v->lex, "REC"); lex_next(&v->lex)) {
		if (n + v->lex.len + 2 > size)
			goto no;
		if (n)
			type[n++] = ' ';
		memcpy(type + n, v->lex.tok, v->lex.len);
		n += v->lex.len;
	}
	type[n] = 0;
	for (; n && lex_is(&v->lex, "*"); pointer = true)
		lex_next(&v->lex);
	if (!n || !lex_accept(&v->lex, ")"))
		goto no;
	if (v->lex.kind != LEX_NAME && v->lex.kind != LEX_NUM && v->lex.kind != LEX_STR &&
	    v->lex.kind != LEX_CHAR && !lex_is(&v->lex, "(") && !lex_is(&v->lex, "-") &&
	    !lex_is(&v->lex, "~") && !lex_is(&v->lex, "!") && !lex_is(&v->lex, "&"))
		goto no;
	if (pointer)
		type[0] = 0;
	return true;
no:
	v->lex = saved;
	return false;
}

/* --- operands */

/* Vets the "[index]" after @e. */
static int vet_index(struct tep_vet *v, struct vet_expr *e)
{
	const struct ev_field *f = e->field;
	struct vet_expr index;

	lex_next(&v->lex);
	buf_addch(&v->args, '[');
	if (vet_expr(v, &index))
		return -1;
	if (e->kind != VET_FIELD || e->address || !f->elem_size ||
	    (f->kind != EV_ARRAY && f->kind != EV_REST))
		return vet_fail(v, "print fmt indexes a value that is not an array of known "
				"elements");
	if (f->kind == EV_REST && !f->is_string && f->elem_size != 1)
		return vet_fail(v, "print fmt indexes an array without length");
	if (!is_number_expr(&index))
		return vet_fail(v, "print fmt indexes an array by no number");
	if (!index.is_const || f->kind == EV_REST)
		v->dry = true;
	else if (index.value >= f->size / f->elem_size)
		return vet_fail(v, "print fmt indexes beyond the array '%s'", f->name);
	if (!index.is_const && index.kind != VET_OP) {
		insert_text(&v->args, index.start, "(");
		buf_addch(&v->args, ')');
	}
	buf_addch(&v->args, ']');
	return vet_expect(v, "]") ? -1 : wrap_operation(v, e, index.height);
}

static int vet_rec(struct tep_vet *v, struct vet_expr *e)
{
	const struct ev_field *f;

	if (vet_expect(v, "->"))
		return -1;
	f = vet_field(v);
	if (!f)
		return -1;
	buf_printf(&v->args, "REC->%.*s", (int)v->lex.len, v->lex.tok);
	lex_next(&v->lex);
	e->kind = VET_FIELD;
	e->field = f;
	if (lex_is(&v->lex, ".") || lex_is(&v->lex, "->"))
		return vet_fail(v, "print fmt uses a member of a structure");
	return 0;
}

static int vet_name(struct tep_vet *v, struct vet_expr *e)
{
	const char *name = v->lex.tok;
	size_t len = v->lex.len;

	if (lex_is(&v->lex, "REC")) {
		lex_next(&v->lex);
		return vet_rec(v, e);
	}
	lex_next(&v->lex);
	if (lex_accept(&v->lex, "("))
		return vet_call(v, name, len, e);
	v->unknown = true;
	return vet_fail(v, "print fmt uses the kernel's name '%.*s'", (int)(len < 60 ? len : 60),
			name);
}

static int vet_paren(struct tep_vet *v, struct vet_expr *e)
{
	char type[64];

	if (parse_cast_text(v, type, sizeof(type))) {
		if (vet_unary(v, e))
			return -1;
		apply_cast(v, type, e);
		return 0;
	}
	if (lex_is(&v->lex, "REC")) {
		struct expr_lexer saved = v->lex;

		lex_next(&v->lex);
		if (lex_accept(&v->lex, ")"))
			return vet_rec(v, e);
		v->lex = saved;
	}
	return vet_expr(v, e) || vet_expect(v, ")") ? -1 : 0;
}

static int parse_char(struct tep_vet *v, struct vet_expr *e)
{
	char c = v->lex.num;

	if (!v->chars) {
		vet_const(v, e, v->lex.num);
	} else {
		if (c < ' ' || c > '~' || c == '"' || c == '\\' || c == '%')
			return vet_fail(v, "print fmt prints an odd character");
		buf_printf(&v->args, "\"%c\"", c);
		e->kind = VET_TEXT;
	}
	lex_next(&v->lex);
	return 0;
}

static int vet_primary(struct tep_vet *v, struct vet_expr *e)
{
	switch (v->lex.kind) {
	case LEX_NUM:
		vet_const(v, e, v->lex.num);
		lex_next(&v->lex);
		return 0;
	case LEX_CHAR:
		return parse_char(v, e);
	case LEX_STR:
		e->kind = VET_TEXT;
		return vet_string(v, &v->args);
	case LEX_NAME:
		return vet_name(v, e);
	default:
		break;
	}
	if (lex_accept(&v->lex, "("))
		return vet_paren(v, e);
	if (lex_is(&v->lex, "{"))
		return vet_fail(v, "print fmt has a statement expression");
	return vet_expect(v, "(");
}

static int vet_sign(struct tep_vet *v, struct vet_expr *e)
{
	char op = *v->lex.tok;

	lex_next(&v->lex);
	if (op != '+')
		buf_addch(&v->args, op);
	if (vet_unary(v, e))
		return -1;
	if (!is_number_expr(e) || e->address)
		return vet_fail(v, "print fmt negates a value that is not a number");
	if (op == '+')
		return 0;
	e->start--;
	if (e->is_const) {
		vet_const(v, e, op == '-' ? -e->value : op == '~' ? ~e->value : !e->value);
		return 0;
	}
	return wrap_operation(v, e, e->height);
}

static int vet_unary(struct tep_vet *v, struct vet_expr *e)
{
	int ret;

	*e = (struct vet_expr){ .start = v->args.len };
	if (++v->depth > DEPTH_MAX)
		return vet_fail(v, "print fmt nests deeper than %d", DEPTH_MAX);
	if (++v->nodes > NODES_MAX)
		return vet_fail(v, "print fmt is too long");
	if (v->lex.kind == LEX_OP && v->lex.len == 1 && strchr("-+~!", *v->lex.tok)) {
		ret = vet_sign(v, e);
	} else if (lex_accept(&v->lex, "&")) {
		/* "&REC->field", for %pU and the like: the conversion reads the field itself */
		ret = vet_unary(v, e);
		if (!ret && e->kind != VET_FIELD)
			ret = vet_fail(v, "print fmt takes an address");
		e->address = true;
	} else {
		ret = vet_primary(v, e);
	}
	while (!ret && lex_is(&v->lex, "["))
		ret = vet_index(v, e);
	v->depth--;
	return ret;
}

/* --- operators */

static const struct {
	const char *op;
	int prio;
} binary_ops[] = {
	{ "*", 10 }, { "/", 10 }, { "%", 10 }, { "+", 9 }, { "-", 9 }, { "<<", 8 }, { ">>", 8 },
	{ "<", 7 }, { ">", 7 }, { "<=", 7 }, { ">=", 7 }, { "==", 6 }, { "!=", 6 },
	{ "&", 5 }, { "^", 4 }, { "|", 3 }, { "&&", 2 }, { "||", 1 },
};

static int current_op(const struct expr_lexer *l, const char **op)
{
	for (size_t i = 0; l->kind == LEX_OP && i < sizeof(binary_ops) / sizeof(*binary_ops); i++) {
		if (!lex_is(l, binary_ops[i].op))
			continue;
		*op = binary_ops[i].op;
		return binary_ops[i].prio;
	}
	return 0;
}

static int combine_operands(struct tep_vet *v, struct vet_expr *l, const char *op,
			    const struct vet_expr *r)
{
	uint64_t value;

	if (!is_number_expr(l) || !is_number_expr(r) || l->address || r->address)
		return vet_fail(v, "print fmt computes with a value that is not a number");
	if ((*op == '/' || *op == '%') && r->is_const && !r->value)
		return vet_fail(v, "print fmt divides by 0");
	if (l->is_const && r->is_const && fold_binary(op, l->value, r->value, &value)) {
		vet_const(v, l, value);
		return 0;
	}
	if (*op == '^')
		return vet_fail(v, "print fmt uses '^', which libtraceevent does not compute");
	if ((*op == '/' || *op == '%') && !r->is_const)
		v->dry = true;
	if (r->kind == VET_OP)
		insert_text(&v->args, r->start, "(u64)");
	return wrap_operation(v, l, l->height > r->height ? l->height : r->height);
}

static int vet_binary(struct tep_vet *v, struct vet_expr *l, int min_prio)
{
	const char *op = NULL;
	struct vet_expr r;
	int prio;

	if (vet_unary(v, l))
		return -1;
	while ((prio = current_op(&v->lex, &op)) >= min_prio && prio) {
		lex_next(&v->lex);
		buf_addstr(&v->args, op);
		if (vet_binary(v, &r, prio + 1) || combine_operands(v, l, op, &r))
			return -1;
	}
	return 0;
}

static bool is_text_expr(const struct vet_expr *e)
{
	return e->kind == VET_TEXT || (e->kind == VET_FIELD && e->field->is_string);
}

/* Vets "c ? a : b" after the condition @e. A constant condition leaves only its branch. */
static int vet_choice(struct tep_vet *v, struct vet_expr *e)
{
	struct vet_expr a, b, *branch;
	unsigned int height;
	size_t a_end, n;
	bool text;

	lex_next(&v->lex);
	buf_addch(&v->args, '?');
	if (lex_is(&v->lex, ":"))
		return vet_fail(v, "print fmt has a '?:' without a middle");
	if (vet_expr(v, &a))
		return -1;
	a_end = v->args.len;
	buf_addch(&v->args, ':');
	if (vet_expect(v, ":") || vet_expr(v, &b))
		return -1;
	if (e->is_const) {
		branch = e->value ? &a : &b;
		n = (e->value ? a_end : v->args.len) - branch->start;
		memmove(v->args.data + e->start, v->args.data + branch->start, n);
		v->args.len = e->start + n;
		v->args.data[v->args.len] = 0;
		branch->start = e->start;
		*e = *branch;
		return 0;
	}
	if (!is_number_expr(e))
		return vet_fail(v, "print fmt has a condition that is not a number");
	if (a.kind == VET_DYN || b.kind == VET_DYN || a.address || b.address)
		return vet_fail(v, "print fmt chooses between arrays");
	text = is_text_expr(&a) || is_text_expr(&b);
	height = a.height > b.height ? a.height : b.height;
	if (wrap_operation(v, e, height > e->height ? height : e->height))
		return -1;
	e->kind = text ? VET_TEXT : VET_OP;
	return 0;
}

int vet_expr(struct tep_vet *v, struct vet_expr *e)
{
	int ret;

	if (++v->depth > DEPTH_MAX)
		return vet_fail(v, "print fmt nests deeper than %d", DEPTH_MAX);
	ret = vet_binary(v, e, 1);
	if (!ret && lex_is(&v->lex, "?"))
		ret = vet_choice(v, e);
	v->depth--;
	return ret;
}

/* --- calls of helpers: those of libtraceevent, and those that can be rewritten to them */

typedef int (*call_fn)(struct tep_vet *v, const char *as, struct vet_expr *e);

int vet_string(struct tep_vet *v, struct buf *out)
{
	buf_addch(out, '"');
	for (; v->lex.kind == LEX_STR; lex_next(&v->lex)) {
		for (size_t i = 0; i < v->lex.len; i++) {
			char c = v->lex.tok[i];

			/*
			 * libtraceevent fails on a raw tab or newline between quotes (maple_tree,
			 * ext4 have them).
			 */
			if (c == '\t' || c == '\n')
				buf_addstr(out, c == '\t' ? "\\t" : "\\n");
			else if ((unsigned char)c < ' ' || c == 0x7f)
				return vet_fail(v, "print fmt has a control character");
			else
				buf_addch(out, c);
		}
	}
	buf_addch(out, '"');
	return 0;
}

static bool is_dynamic(const struct ev_field *f)
{
	return f->kind == EV_DATA_LOC || f->kind == EV_REL_LOC;
}

/* Rewrites "field)" of a __data_loc or __rel_loc field to "AS(field)". */
static int call_dynamic_as(struct tep_vet *v, const char *as, struct vet_expr *e)
{
	const struct ev_field *f = vet_field(v);

	if (!f)
		return -1;
	if (!is_dynamic(f))
		return vet_fail(v, "print fmt takes field '%s' for a dynamic one", f->name);
	buf_printf(&v->args, "%s(%.*s)", as, (int)v->lex.len, v->lex.tok);
	e->field = f;
	lex_next(&v->lex);
	return vet_expect(v, ")");
}

static int call_text(struct tep_vet *v, const char *as, struct vet_expr *e)
{
	e->kind = VET_TEXT;
	if (call_dynamic_as(v, as, e))
		return -1;
	/* 0 bytes of mask make libtraceevent write outside its buffer. */
	if (!strcmp(as, "__get_cpumask"))
		v->dry = true;
	if (lex_is(&v->lex, "["))
		return vet_fail(v, "print fmt indexes a string");
	return 0;
}

static int call_get_array(struct tep_vet *v, const char *as, struct vet_expr *e)
{
	e->kind = VET_DYN;
	if (call_dynamic_as(v, as, e))
		return -1;
	if (lex_is(&v->lex, "["))
		return vet_fail(v, "print fmt indexes a dynamic array");
	return 0;
}

static int call_array_len(struct tep_vet *v, const char *as, struct vet_expr *e)
{
	if (call_dynamic_as(v, as, e))
		return -1;
	if (e->field->kind == EV_REL_LOC)
		return vet_fail(v, "print fmt takes the length of a __rel_loc array");
	return 0;
}

/* --- __print_flags, __print_symbolic */

static void add_list_entry(struct buf *list, uint64_t value, const struct buf *name)
{
	buf_printf(list, "%s{%" PRIu64 ",%s}", list->len ? "," : "", value, name->data);
}

/*
 * Parses the constant and the comma of "{ constant, "name" }". *known is false if the constant is a
 * name that only the kernel knows.
 */
static int entry_value(struct tep_vet *v, uint64_t *value, bool *known)
{
	size_t start = v->args.len;
	struct expr_lexer before = v->lex;
	unsigned int depth = v->depth;
	struct vet_expr e;

	*known = !vet_expr(v, &e);
	v->args.len = start;
	v->args.data[start] = 0;
	if (*known && !e.is_const)
		return vet_fail(v, "print fmt has a table entry that is not a constant");
	if (*known) {
		*value = e.value;
		return vet_expect(v, ",");
	}
	/*
	 * Enum names that the kernel did not convert: leave the entry out, so that its value is
	 * printed as a number.
	 */
	v->depth = depth;
	v->lex = before;
	v->unknown = false;
	for (int n = 0; v->lex.kind != LEX_END && v->lex.kind != LEX_BAD; lex_next(&v->lex)) {
		if (++v->nodes > 4000)
			return vet_fail(v, "print fmt is too long");
		n += lex_is(&v->lex, "(") ? 1 : lex_is(&v->lex, ")") ? -1 : 0;
		if (lex_is(&v->lex, "{") || lex_is(&v->lex, "}"))
			break;
		if (!n && lex_is(&v->lex, ","))
			return vet_expect(v, ",");
	}
	return vet_fail(v, "print fmt has a broken table");
}

/* Accepts the terminators { -1, NULL } and { 0, ((void *)0) } of some tables. */
static int entry_end(struct tep_vet *v)
{
	size_t start = v->args.len;
	struct vet_expr e;
	int ret = vet_expr(v, &e);

	v->args.len = start;
	v->args.data[start] = 0;
	if (!ret && e.is_const && !e.value)
		return 0;
	return ret ? ret : vet_fail(v, "print fmt has a table entry without a string");
}

static int parse_list_entry(struct tep_vet *v, struct buf *list, bool symbolic)
{
	struct buf name = { 0 };
	uint64_t value = 0;
	bool known;
	int ret = -1;

	if (vet_expect(v, "{") || entry_value(v, &value, &known))
		goto out;
	if (v->lex.kind != LEX_STR) {
		if (entry_end(v))
			goto out;
		known = false;
	} else if (vet_string(v, &name)) {
		goto out;
	}
	if (vet_expect(v, "}"))
		goto out;
	if (known)
		add_list_entry(list, value, &name);
	/* libtraceevent does not sign-extend fields: add the same number in 32 bits. */
	if (known && symbolic && (int64_t)value < 0 && (int64_t)value >= INT32_MIN)
		add_list_entry(list, (uint32_t)value, &name);
	ret = 0;
out:
	buf_release(&name);
	return ret;
}

static int parse_name_list(struct tep_vet *v, bool symbolic)
{
	struct buf list = { 0 };
	int ret = 0;

	do
		ret = parse_list_entry(v, &list, symbolic);
	while (!ret && lex_accept(&v->lex, ","));
	if (!ret)
		ret = vet_expect(v, ")");
	/* libtraceevent needs an entry: add a value that does not occur. */
	if (!ret && !list.len)
		buf_addstr(&list, "{9223372036854775807,\"?\"}");
	if (!ret)
		buf_printf(&v->args, ",%s)", list.data);
	buf_release(&list);
	return ret;
}

static int table_subject(struct tep_vet *v, const char *as)
{
	struct vet_expr x;

	buf_printf(&v->args, "%s(", as);
	if (vet_expr(v, &x) || vet_expect(v, ","))
		return -1;
	if (x.kind == VET_TEXT || x.kind == VET_DYN || x.address)
		return vet_fail(v, "print fmt looks up a value that is not a number");
	return 0;
}

static int call_symbolic(struct tep_vet *v, const char *as, struct vet_expr *e)
{
	e->kind = VET_TEXT;
	return table_subject(v, as) || parse_name_list(v, true) ? -1 : 0;
}

static int call_flags(struct tep_vet *v, const char *as, struct vet_expr *e)
{
	e->kind = VET_TEXT;
	if (table_subject(v, as))
		return -1;
	buf_addch(&v->args, ',');
	if (v->lex.kind != LEX_STR)
		return vet_fail(v, "print fmt has flags without a delimiter");
	return vet_string(v, &v->args) || vet_expect(v, ",") || parse_name_list(v, false) ? -1 : 0;
}

/* --- __print_hex, __print_array */

static int parse_bytes(struct tep_vet *v, struct vet_expr *e)
{
	if (vet_expr(v, e) || vet_expect(v, ","))
		return -1;
	if (e->kind != VET_DYN && e->kind != VET_FIELD)
		return vet_fail(v, "print fmt prints an array that is not a field");
	if (e->kind == VET_FIELD && is_dynamic(e->field))
		return vet_fail(v, "print fmt prints the location of an array");
	buf_addch(&v->args, ',');
	return 0;
}

static int parse_count(struct tep_vet *v, struct vet_expr *n)
{
	if (vet_expr(v, n))
		return -1;
	if (n->kind == VET_TEXT || n->kind == VET_DYN || n->address)
		return vet_fail(v, "print fmt has a length that is not a number");
	return 0;
}

static int call_print_hex(struct tep_vet *v, const char *as, struct vet_expr *e)
{
	struct vet_expr bytes, n;
	uint32_t sure = 0;	/* bytes in any record */

	e->kind = VET_TEXT;
	buf_printf(&v->args, "%s(", as);
	if (parse_bytes(v, &bytes) || parse_count(v, &n) || vet_expect(v, ")"))
		return -1;
	buf_addch(&v->args, ')');
	if (bytes.field->kind == EV_ARRAY || bytes.field->kind == EV_FIXED)
		sure = bytes.field->size;
	if (!n.is_const || n.value > sure)
		v->dry = true;
	return 0;
}

static int call_print_array(struct tep_vet *v, const char *as, struct vet_expr *e)
{
	struct vet_expr bytes, n, size;

	e->kind = VET_TEXT;
	v->dry = true;
	buf_printf(&v->args, "%s(", as);
	if (parse_bytes(v, &bytes) || parse_count(v, &n) || vet_expect(v, ","))
		return -1;
	buf_addch(&v->args, ',');
	if (parse_count(v, &size) || vet_expect(v, ")"))
		return -1;
	if (!size.is_const || !size.value || size.value > 8 || size.value & (size.value - 1))
		return vet_fail(v, "print fmt prints an array of odd elements");
	buf_addch(&v->args, ')');
	return 0;
}

/* __print_dynamic_array(field, size), since Linux 6.13, in terms of __print_array(). */
static int call_print_dynamic(struct tep_vet *v, const char *as, struct vet_expr *e)
{
	const struct ev_field *f = vet_field(v);
	struct vet_expr size;
	size_t at;

	if (!f || f->kind != EV_DATA_LOC)
		return f ? vet_fail(v, "print fmt takes field '%s' for a dynamic one", f->name) :
			   -1;
	e->kind = VET_TEXT;
	v->dry = true;
	lex_next(&v->lex);
	if (vet_expect(v, ","))
		return -1;
	at = v->args.len;
	if (vet_expr(v, &size) || vet_expect(v, ")"))
		return -1;
	v->args.len = at;
	if (!size.is_const || !size.value || size.value > 8 || size.value & (size.value - 1))
		return vet_fail(v, "print fmt prints an array of odd elements");
	buf_printf(&v->args, "%s(__get_dynamic_array(%s),(__get_dynamic_array_len(%s)/%u),%u)", as,
		   f->name, f->name, (unsigned int)size.value, (unsigned int)size.value);
	return 0;
}

/* --- calls with a plain value */

/* Rewrites __builtin_expect(x, n), and helpers that return their argument, to the argument. */
static int call_same_value(struct tep_vet *v, const char *as, struct vet_expr *e)
{
	struct vet_expr hint;
	size_t end;

	(void)as;
	if (vet_expr(v, e))
		return -1;
	end = v->args.len;
	if (lex_accept(&v->lex, ",")) {
		if (vet_expr(v, &hint))
			return -1;
		v->args.len = end;
		v->args.data[end] = 0;
	}
	return vet_expect(v, ")");
}

/* Nothing in a record is a compile-time constant. */
static int call_constant_p(struct tep_vet *v, const char *as, struct vet_expr *e)
{
	struct vet_expr x;

	(void)as;
	if (vet_expr(v, &x) || vet_expect(v, ")"))
		return -1;
	vet_const(v, e, 0);
	return 0;
}

/*
 * Rewrites sizeof(type) and sizeof(REC->field) to a number, as libtraceevent 1.7.1 frees a token
 * twice if it parses them.
 */
static int call_size(struct tep_vet *v, const char *as, struct vet_expr *e)
{
	static const struct { const char *name; uint8_t size; } types[] = {
		{ "char", 1 }, { "u8", 1 }, { "s8", 1 }, { "__u8", 1 }, { "bool", 1 },
		{ "unsigned char", 1 }, { "short", 2 }, { "u16", 2 }, { "s16", 2 }, { "__u16", 2 },
		{ "__be16", 2 }, { "__le16", 2 }, { "unsigned short", 2 }, { "int", 4 },
		{ "unsigned int", 4 }, { "unsigned", 4 }, { "u32", 4 }, { "s32", 4 },
		{ "__u32", 4 }, { "__s32", 4 }, { "__be32", 4 }, { "__le32", 4 }, { "u64", 8 },
		{ "s64", 8 }, { "__u64", 8 }, { "__s64", 8 }, { "long long", 8 },
		{ "unsigned long long", 8 }, { "__be64", 8 }, { "__le64", 8 }, { "dma_addr_t", 8 },
	};
	char type[48] = "";
	struct vet_expr x;
	uint32_t size = 0;
	size_t n = 0;

	(void)as;
	if (lex_is(&v->lex, "REC") || lex_is(&v->lex, "(")) {
		if (vet_expr(v, &x))
			return -1;
		if (x.kind == VET_FIELD)
			size = x.field->size;
	} else {
		for (; v->lex.kind == LEX_NAME &&
		     n + v->lex.len + 2 < sizeof(type); lex_next(&v->lex))
			n += snprintf(type + n, sizeof(type) - n, "%s%.*s", n ? " " : "",
				      (int)v->lex.len, v->lex.tok);
		if (!strcmp(type, "long") || !strcmp(type, "unsigned long") ||
		    !strcmp(type, "size_t"))
			size = v->long_size;
		for (size_t i = 0; !size && i < sizeof(types) / sizeof(*types); i++)
			if (!strcmp(type, types[i].name))
				size = types[i].size;
	}
	if (!size || !lex_accept(&v->lex, ")"))
		return vet_fail(v, "print fmt takes the size of a kernel type");
	vet_const(v, e, size);
	return 0;
}

static const struct {
	const char *name;
	call_fn call;
	const char *as;
} calls[] = {
	{ "__get_str", call_text, "__get_str" },
	{ "__get_rel_str", call_text, "__get_str" },
	{ "__get_bitmask", call_text, "__get_bitmask" },
	{ "__get_rel_bitmask", call_text, "__get_bitmask" },
	{ "__get_cpumask", call_text, "__get_cpumask" },
	{ "__get_rel_cpumask", call_text, "__get_cpumask" },
	{ "__get_dynamic_array", call_get_array, "__get_dynamic_array" },
	{ "__get_rel_dynamic_array", call_get_array, "__get_dynamic_array" },
	{ "__get_sockaddr", call_get_array, "__get_dynamic_array" },
	{ "__get_rel_sockaddr", call_get_array, "__get_dynamic_array" },
	{ "__get_dynamic_array_len", call_array_len, "__get_dynamic_array_len" },
	{ "__get_rel_dynamic_array_len", call_array_len, "__get_dynamic_array_len" },
	{ "__print_flags", call_flags, "__print_flags" },
	{ "__print_flags_u64", call_flags, "__print_flags" },
	{ "__print_symbolic", call_symbolic, "__print_symbolic" },
	{ "__print_symbolic_u64", call_symbolic, "__print_symbolic" },
	{ "__print_hex", call_print_hex, "__print_hex" },
	{ "__print_hex_str", call_print_hex, "__print_hex_str" },
	{ "__print_array", call_print_array, "__print_array" },
	{ "__print_dynamic_array", call_print_dynamic, "__print_array" },
	{ "__builtin_expect", call_same_value, NULL },
	{ "__builtin_constant_p", call_constant_p, NULL },
	{ "sizeof", call_size, NULL },
	{ "pte_val", call_same_value, NULL },
	{ "pmd_val", call_same_value, NULL },
	{ "pud_val", call_same_value, NULL },
	{ "pgd_val", call_same_value, NULL },
	{ "native_make_pte", call_same_value, NULL },
	{ "native_make_pmd", call_same_value, NULL },
	{ "native_make_pud", call_same_value, NULL },
	{ "native_make_pgd", call_same_value, NULL },
};

/* Rewrites a call of the helper @name; the current token is after the opening parenthesis. */
static int vet_call(struct tep_vet *v, const char *name, size_t len, struct vet_expr *e)
{
	struct vet_expr x;

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (strlen(calls[i].name) == len && !memcmp(calls[i].name, name, len))
			return calls[i].call(v, calls[i].as, e);
	if (!v->foreign)
		return vet_fail(v, "print fmt calls the kernel's '%.*s()'",
				(int)(len < 60 ? len : 60), name);
	/* A plugin may have registered it. "p" is the kernel's trace_seq. */
	buf_printf(&v->args, "%.*s(", (int)len, name);
	do {
		if (v->lex.kind == LEX_NAME && v->lex.len == 1 && *v->lex.tok == 'p') {
			lex_next(&v->lex);
			buf_addstr(&v->args, "0,");
			continue;
		}
		if (vet_expr(v, &x))
			return -1;
		buf_addch(&v->args, ',');
	} while (lex_accept(&v->lex, ","));
	v->args.data[v->args.len - 1] = ')';
	*e = (struct vet_expr){ .kind = v->foreign_text ? VET_TEXT : VET_NUM, .start = e->start };
	return vet_expect(v, ")");
}
