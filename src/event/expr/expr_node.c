/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes of expressions, with C's types; folded if the value is known. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/data/kernel_values.h"
#include "event/expr/expr.h"

void xcode_release(struct expr_code *c)
{
	free(c->nodes);
	free(c->tables);
	free(c->entries);
	free(c->names);
	free(c->calls);
	free(c->args);
	buf_release(&c->text);
	memset(c, 0, sizeof(*c));
}

uint32_t x_fail(struct expr_parser *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(p->why, sizeof(p->why), fmt, ap);
	va_end(ap);
	return 0;
}

uint32_t x_expect(struct expr_parser *p, const char *op)
{
	if (lex_accept(&p->lex, op))
		return 1;
	if (p->lex.kind == LEX_BAD)
		return x_fail(p, "an open quote, a bad number or a stray character");
	return x_fail(p, "a '%s' is missing", op);
}

/* --- nodes */

unsigned int x_operands(enum xop op)
{
	switch (op) {
	case X_DEREF: case X_TRUTH: case X_NEG: case X_COM: case X_NOT: case X_CAST: case X_SWAP:
	case X_LOG2: case X_ORDER2: case X_FLAGS: case X_SYMBOLIC: case X_MASK: case X_STACK:
	case X_PICK:
		return 1;
	case X_COND:
		return 3;
	case X_ELVIS: case X_PADD: case X_HEX: case X_ARRAY:
		return 2;
	default:
		return op >= X_MUL && op <= X_LOR ? 2 : 0;
	}
}

static void inherit_operand(struct expr_parser *p, struct expr_node *n, uint32_t i)
{
	const struct expr_node *from = x_at(p, i);

	n->cost += from->cost;
	if (from->height >= n->height)
		n->height = from->height + 1;
	if (from->unknown && !n->unknown) {
		n->unknown = true;
		n->cause = from->cause;
	}
}

uint32_t x_node(struct expr_parser *p, struct expr_node n)
{
	struct expr_code *c = p->code;
	unsigned int ops = x_operands(n.op);
	uint32_t child[] = { n.a, n.b, n.c };

	n.cost++;
	for (unsigned int i = 0; i < ops; i++) {
		if (!child[i])
			return 0;
		inherit_operand(p, &n, child[i]);
	}
	if (n.height > X_HEIGHT_MAX || n.cost > X_COST_MAX)
		return x_fail(p, "it nests too deep");
	if (c->nr >= X_NODES_MAX)
		return x_fail(p, "it is too long");
	c->nodes = xgrow(c->nodes, &c->cap, c->nr + 2, sizeof(*c->nodes));
	if (!c->nr)
		memset(&c->nodes[c->nr++], 0, sizeof(*c->nodes));
	c->nodes[c->nr] = n;
	return c->nr++;
}

uint32_t x_num(struct expr_parser *p, struct expr_ctype t, uint64_t v)
{
	return x_node(p, (struct expr_node){ .op = X_NUM, .t = t, .num = ctype_convert(t, v) });
}

uint32_t x_text(struct expr_parser *p, const char *s, size_t len, uint32_t *added)
{
	uint32_t at = p->code->text.len;

	text_sanitise(&p->code->text, s, len, true);
	*added = p->code->text.len - at;
	return at;
}

/* --- constants */

static uint64_t apply_shift(enum xop op, struct expr_ctype t, uint64_t a, uint64_t n)
{
	/* C does not define larger counts; x86 and arm64 use the low bits only */
	n &= t.size == 4 ? 31 : 63;
	if (op == X_SHL)
		return a << n;
	return t.sign ? (uint64_t)((int64_t)a >> n) : a >> n;
}

/* Returns 0 for a division by 0 and for one that overflows: the kernel would have crashed. */
static uint64_t apply_divide(enum xop op, struct expr_ctype t, uint64_t a, uint64_t b)
{
	if (!b || (t.sign && b == UINT64_MAX && a == 1ULL << 63))
		return 0;
	if (!t.sign)
		return op == X_DIV ? a / b : a % b;
	return op == X_DIV ? (uint64_t)((int64_t)a / (int64_t)b) :
		(uint64_t)((int64_t)a % (int64_t)b);
}

static bool apply_less(struct expr_ctype t, uint64_t a, uint64_t b)
{
	return t.sign ? (int64_t)a < (int64_t)b : a < b;
}

uint64_t x_apply(enum xop op, struct expr_ctype t, uint64_t a, uint64_t b)
{
	switch (op) {
	case X_MUL: return a * b;
	case X_DIV: case X_MOD: return apply_divide(op, t, a, b);
	case X_ADD: return a + b;
	case X_SUB: return a - b;
	case X_SHL: case X_SHR: return apply_shift(op, t, a, b);
	case X_LT: return apply_less(t, a, b);
	case X_GT: return apply_less(t, b, a);
	case X_LE: return !apply_less(t, b, a);
	case X_GE: return !apply_less(t, a, b);
	case X_EQ: return a == b;
	case X_NE: return a != b;
	case X_AND: return a & b;
	case X_XOR: return a ^ b;
	case X_OR: return a | b;
	case X_NEG: return -a;
	case X_COM: return ~a;
	default: return 0;
	}
}

/* --- operations */

static const struct expr_ctype type_int = { .size = 4, .sign = true };

uint32_t x_truth(struct expr_parser *p, uint32_t a)
{
	if (!a || x_at(p, a)->kind == XK_NUM)
		return a;
	if (x_at(p, a)->kind == XK_TEXT && x_at(p, a)->op != X_FOREIGN)
		return x_fail(p, "it tests a text");
	return x_node(p, (struct expr_node){ .op = X_TRUTH, .t = type_int, .a = a });
}

/* Converts a number to @t as C does implicitly. */
static uint32_t convert_node(struct expr_parser *p, struct expr_ctype t, uint32_t a)
{
	struct expr_node *n = a ? x_at(p, a) : NULL;

	if (!n)
		return 0;
	if (n->op == X_NUM)
		return x_num(p, t, n->num);
	/* a wider or equal type, of values that are extended already */
	if (!t.is_bool && !n->t.ptr && n->t.size && n->t.size <= t.size &&
	    (n->t.sign == t.sign || (n->t.size < t.size && t.sign) || t.size == 8))
		return a;
	return x_node(p, (struct expr_node){ .op = X_CAST, .t = t, .a = a });
}

static uint32_t logical_node(struct expr_parser *p, enum xop op, uint32_t a, uint32_t b)
{
	a = x_truth(p, a);
	b = x_truth(p, b);
	if (!a || !b)
		return 0;
	if (x_is_const(p, a)) {
		if (!x_at(p, a)->num == (op == X_LAND))
			return x_num(p, type_int, op == X_LOR);
		if (x_is_const(p, b))
			return x_num(p, type_int, x_at(p, b)->num != 0);
	}
	return x_node(p, (struct expr_node){ .op = op, .t = type_int, .a = a, .b = b });
}

/* Returns pointer @a plus or minus number @b. */
static uint32_t move_pointer(struct expr_parser *p, enum xop op, uint32_t a, uint32_t b)
{
	struct expr_ctype t = x_at(p, a)->t;

	if (x_at(p, b)->kind != XK_NUM)
		return x_fail(p, "it computes with pointers");
	if (op == X_SUB)
		b = x_binary(p, X_SUB, x_num(p, ctype_int(8, true), 0), b);
	if (!t.esize && t.tag != CTYPE_VOID && t.tag != CTYPE_NO_TAG)
		return x_fail(p, "it moves a pointer to a structure");
	return x_node(p, (struct expr_node){ .op = X_PADD, .kind = XK_PTR, .t = t, .a = a, .b = b,
					 .num = t.esize ? t.esize : 1 });
}

/* Compiles binary operations with pointers: they are moved, or compared with NULL. */
static uint32_t pointer_binary(struct expr_parser *p, enum xop op, uint32_t a, uint32_t b)
{
	if ((op == X_ADD || op == X_SUB) && x_at(p, a)->kind == XK_PTR)
		return move_pointer(p, op, a, b);
	if (op == X_ADD && x_at(p, b)->kind == XK_PTR)
		return move_pointer(p, op, b, a);
	if ((op == X_EQ || op == X_NE) && x_at(p, b)->kind == XK_NUM)
		return x_binary(p, op, x_truth(p, a), b);
	return x_fail(p, "it computes with addresses of data");
}

/* Returns the size in bytes of a kernel pointer's element; 0 if it is unknown. */
static uint32_t step_size(struct expr_parser *p, struct expr_ctype t)
{
	if (t.esize == 1 || t.tag == CTYPE_VOID)
		return 1;
	return t.tag == CTYPE_PAGE ? kvalue_page_struct(p->meta) : t.esize;
}

static uint32_t scale_offset(struct expr_parser *p, uint32_t a, uint32_t b)
{
	struct expr_ctype t = x_at(p, a)->t;
	uint32_t size = step_size(p, t);

	if (!t.ptr || x_at(p, b)->t.ptr || size == 1)
		return b;
	if (!size)
		return x_foreign_why(p, X_WHY_SIZE, "sizeof", 6, &b, 1);
	return x_binary(p, X_MUL, b, x_num(p, ctype_int(8, false), size));
}

/* Returns the number of elements between two kernel pointers. */
static uint32_t subtract_pointers(struct expr_parser *p, uint32_t a, uint32_t b)
{
	struct expr_ctype diff = ctype_int(p->long_size, true);
	uint32_t size = step_size(p, x_at(p, a)->t), n;

	n = x_binary(p, X_SUB, x_cast(p, diff, a), x_cast(p, diff, b));
	if (!n || size == 1)
		return n;
	if (!size)
		return x_foreign_why(p, X_WHY_SIZE, "sizeof", 6, &n, 1);
	return x_binary(p, X_DIV, n, x_num(p, diff, size));
}

uint32_t x_binary(struct expr_parser *p, enum xop op, uint32_t a, uint32_t b)
{
	struct expr_ctype t;

	if (!a || !b)
		return 0;
	if (op == X_LAND || op == X_LOR)
		return logical_node(p, op, a, b);
	if (x_at(p, a)->kind == XK_PTR || x_at(p, b)->kind == XK_PTR)
		return pointer_binary(p, op, a, b);
	if ((x_at(p, a)->kind == XK_TEXT && !x_at(p, a)->unknown) ||
	    (x_at(p, b)->kind == XK_TEXT && !x_at(p, b)->unknown))
		return x_fail(p, "it computes with a text");
	if (op == X_SUB && x_at(p, a)->t.ptr && x_at(p, b)->t.ptr)
		return subtract_pointers(p, a, b);
	if (op == X_ADD || op == X_SUB)
		b = scale_offset(p, a, b);
	if (op == X_ADD && b)
		a = scale_offset(p, b, a);
	if (!a || !b)
		return 0;
	t = ctype_common(x_at(p, a)->t, op == X_SHL || op == X_SHR ? x_at(p, a)->t : x_at(p, b)->t);
	a = convert_node(p, t, a);
	b = op == X_SHL || op == X_SHR ? b : convert_node(p, t, b);
	if (!a || !b)
		return 0;
	if (x_is_const(p, a) && x_is_const(p, b))
		return x_num(p, op >= X_LT && op <= X_NE ? type_int : t,
			     x_apply(op, t, x_at(p, a)->num, x_at(p, b)->num));
	return x_node(p, (struct expr_node){ .op = op, .t = t, .a = a, .b = b });
}

uint32_t x_cast(struct expr_parser *p, struct expr_ctype t, uint32_t a)
{
	struct expr_node *n = a ? x_at(p, a) : NULL;

	if (!n)
		return 0;
	if (n->kind == XK_TEXT || (!t.size && !t.ptr))
		return a;
	if (n->kind == XK_PTR) {
		if (!t.ptr)
			return x_foreign_why(p, X_WHY_ADDRESS, "&", 1, &a, 1);
		struct expr_node same = *n;

		same.t = t;
		same.cost = 0;
		return x_node(p, same);
	}
	if (n->op == X_NUM)
		return x_num(p, t, n->num);
	if (t.ptr && n->t.size == t.size) {
		struct expr_node same = *n;

		same.t = t;
		same.cost = 0;
		return x_node(p, same);
	}
	if (t.size == n->t.size && t.sign == n->t.sign && !t.is_bool && !n->t.is_bool)
		return a;
	return x_node(p, (struct expr_node){ .op = X_CAST, .t = t, .a = a });
}

uint32_t x_cond(struct expr_parser *p, uint32_t c, uint32_t a, uint32_t b)
{
	struct expr_node n = { .op = X_COND, .kind = XK_NUM };
	const struct expr_node *x, *y;

	c = x_truth(p, c);
	if (!c || !a || !b)
		return 0;
	if (x_is_const(p, c))
		return x_at(p, c)->num ? a : b;
	x = x_at(p, a);
	y = x_at(p, b);
	if (x->kind == XK_NUM && y->kind == XK_NUM) {
		n.t = ctype_common(x->t, y->t);
		a = convert_node(p, n.t, a);
		b = convert_node(p, n.t, b);
	} else if (x->kind == XK_TEXT || y->kind == XK_TEXT) {
		n.kind = XK_TEXT;
	} else {
		n.kind = XK_PTR;
		n.t = x->kind == XK_PTR ? x->t : y->t;
	}
	n.a = c;
	n.b = a;
	n.c = b;
	return x_node(p, n);
}

uint32_t x_foreign(struct expr_parser *p, const char *name, size_t len, const uint32_t *args,
		   size_t n)
{
	struct expr_code *c = p->code;
	struct expr_call call = { .first = c->nr_args, .n = n };
	struct expr_node node = { .op = X_FOREIGN, .kind = XK_TEXT, .unknown = true,
			      .t = ctype_int(8, false) };
	uint32_t made;

	call.name = x_text(p, name, len, &call.name_len);
	c->args = xgrow(c->args, &c->cap_args, c->nr_args + n + 1, sizeof(*c->args));
	for (size_t i = 0; i < n; i++) {
		if (!args[i])
			return 0;
		inherit_operand(p, &node, args[i]);
		c->args[c->nr_args++] = args[i];
	}
	c->calls = xgrow(c->calls, &c->cap_calls, c->nr_calls + 1, sizeof(*c->calls));
	c->calls[c->nr_calls] = call;
	node.a = c->nr_calls++;
	node.kind = XK_NUM;
	made = x_node(p, node);
	if (made)
		x_at(p, made)->cause = made;
	return made;
}

uint32_t x_foreign_why(struct expr_parser *p, enum xwhy why, const char *name, size_t len,
		       const uint32_t *args, size_t n)
{
	uint32_t made = x_foreign(p, name, len, args, n);

	if (made)
		p->code->calls[x_at(p, made)->a].why = why;
	return made;
}
