/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of expressions for one record. Static offsets were checked against its length. */
#include "base/cursor.h"
#include "event/prog/prog_priv.h"

static uint64_t eval_deref(const struct run *r, const struct xnode *n)
{
	struct ref at = eval_ref(r, n->a);

	if (!at.p || at.end - at.p < n->t.size)
		return 0;
	return ctype_convert(n->t, get_sized(at.p, n->t.size, r->big));
}

static uint64_t highest_bit(uint64_t v)
{
	return v ? 63u - (unsigned int)__builtin_clzll(v) : UINT64_MAX;
}

static bool eval_truth(const struct run *r, uint32_t node)
{
	struct ref at = eval_ref(r, node);

	return at.p || at.v;
}

static uint64_t eval_unary(const struct run *r, const struct xnode *n)
{
	uint64_t v = eval_num(r, n->a);

	switch (n->op) {
	case X_NOT:
		return !v;
	case X_CAST:
		return ctype_convert(n->t, v);
	case X_SWAP:
		return __builtin_bswap64(v) >> (64 - 8 * n->t.size);
	case X_LOG2:
		return highest_bit(v);
	case X_ORDER2:
		return v > 1 ? highest_bit(v - 1) + 1 : 0;
	default:
		return ctype_convert(n->t, x_apply(n->op, n->t, v, 0));
	}
}

static uint64_t eval_options(const struct run *r)
{
	const struct ev_style *s = &r->e->style;

	return (s->no_parent ? 0 : 1) | (s->sym_offset ? 2 : 0) | (s->sym_addr ? 4 : 0);
}

static uint64_t eval_binary(const struct run *r, const struct xnode *n)
{
	uint64_t a = eval_num(r, n->a), b = eval_num(r, n->b);

	switch (n->op) {
	case X_AND:
		return a & b;
	case X_OR:
		return a | b;
	case X_EQ:
		return a == b;
	case X_NE:
		return a != b;
	default:
		if (n->op >= X_LT && n->op <= X_GE)
			return x_apply(n->op, n->t, a, b);
		return ctype_convert(n->t, x_apply(n->op, n->t, a, b));
	}
}

uint64_t eval_num(const struct run *r, uint32_t node)
{
	const struct xnode *n = &r->nodes[node];
	uint64_t v;

	switch (n->op) {
	case X_NUM:
		return n->num;
	case X_LOAD:
		return ctype_convert(n->t, get_sized(r->data + n->a, n->t.size, r->big));
	case X_DEREF:
		return eval_deref(r, n);
	case X_OPTIONS:
		return eval_options(r);
	case X_LEN:
		return get_u32(r->data + n->a, r->big) >> 16;
	case X_TRUTH:
		return eval_truth(r, n->a);
	case X_PLUGIN:
		return n->kind == XK_NUM ? run_plugged(r, n) : 1;
	case X_LAND:
		return eval_num(r, n->a) && eval_num(r, n->b);
	case X_LOR:
		return eval_num(r, n->a) || eval_num(r, n->b);
	case X_COND:
		return eval_num(r, eval_num(r, n->a) ? n->b : n->c);
	case X_ELVIS:
		v = eval_num(r, n->a);
		return v ? v : eval_num(r, n->b);
	case X_NEG: case X_COM: case X_NOT: case X_CAST: case X_SWAP: case X_LOG2: case X_ORDER2:
		return eval_unary(r, n);
	default:
		return n->op >= X_MUL && n->op <= X_OR ? eval_binary(r, n) : 0;
	}
}

/* --- pointers */

static struct ref in_record(const struct run *r, uint32_t offset, uint32_t len)
{
	return (struct ref){ .p = r->data + offset, .end = r->data + r->len, .len = len };
}

static struct ref eval_dynamic(const struct run *r, const struct xnode *n)
{
	const uint8_t *p;
	uint32_t len;

	if (!ev_get_bytes(r->r, &r->g->fmt->fields[n->num], &p, &len))
		return (struct ref){ 0 };
	return (struct ref){ .p = p, .end = r->data + r->len, .len = len };
}

/* Nowhere when it leaves the record, or the string. */
static struct ref eval_moved(const struct run *r, const struct xnode *n)
{
	struct ref at = eval_ref(r, n->a);
	int64_t by, begin;

	if (__builtin_mul_overflow((int64_t)eval_num(r, n->b), (int64_t)n->num, &by))
		return (struct ref){ 0 };
	if (!at.p)
		return (struct ref){ .v = at.v ? at.v + by : 0 };
	begin = at.end == r->data + r->len ? r->data - at.p : 0;
	if (by < begin || by > at.end - at.p)
		return (struct ref){ 0 };
	at.p += by;
	at.len = by >= 0 && by <= at.len ? at.len - by : at.end - at.p;
	return at;
}

struct ref eval_ref(const struct run *r, uint32_t node)
{
	const struct xnode *n = &r->nodes[node];
	const char *text = r->g->code.text.data;
	struct ref at;

	switch (n->op) {
	case X_STR:
		return (struct ref){ .p = (const uint8_t *)text + n->a, .len = n->b,
				     .end = (const uint8_t *)text + n->a + n->b + 1 };
	case X_FIELD:
		return in_record(r, n->a, n->b);
	case X_REST:
		return in_record(r, n->a, r->len - n->a);
	case X_DYN:
		return eval_dynamic(r, n);
	case X_PADD:
		return eval_moved(r, n);
	case X_COND:
		return eval_ref(r, eval_num(r, n->a) ? n->b : n->c);
	case X_ELVIS:
		at = eval_ref(r, n->a);
		return at.p || at.v ? at : eval_ref(r, n->b);
	default:
		return (struct ref){ .v = n->kind == XK_NUM ? eval_num(r, node) : 0 };
	}
}
