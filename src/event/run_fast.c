/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loop of the runner, with what most operations need done in place: it writes to a pointer and
 * gives it back to the buffer only around what run.c does.
 */
#include <string.h>

#include "base/cursor.h"
#include "event/prog_priv.h"

#define NUMBER_ROOM 24		/* "-9223372036854775808", "0xffffffffffffffff" */
#define SLACK	    16		/* short literals are copied in pieces of 16 bytes */

struct pen {
	char *to, *end;		/* [to, end) may be written, and SLACK bytes behind it */
	struct buf *out;
};

static void pen_take(struct pen *p)
{
	p->to = p->out->data + p->out->len;
	p->end = p->out->data + p->out->cap - SLACK - 1;
}

static void pen_give(const struct pen *p)
{
	p->out->len = p->to - p->out->data;
	*p->to = '\0';
}

static void pen_grow(struct pen *p, size_t n)
{
	pen_give(p);
	buf_reserve(p->out, n + 256 + SLACK);
	pen_take(p);
}

static inline void need(struct pen *p, size_t n)
{
	if (p->end < p->to || (size_t)(p->end - p->to) < n)
		pen_grow(p, n);
}

/* The program's text is followed by SLACK bytes that may be read. */
static inline void put_text(struct pen *p, const char *s, uint32_t n)
{
	need(p, n);
	if (n <= 16)
		memcpy(p->to, s, 16);
	else
		memcpy(p->to, s, n);
	p->to += n;
}

/* --- numbers */

static const char pairs[] =
	"00010203040506070809101112131415161718192021222324"
	"25262728293031323334353637383940414243444546474849"
	"50515253545556575859606162636465666768697071727374"
	"75767778798081828384858687888990919293949596979899";

static inline unsigned int dec_digits(uint64_t v)
{
	static const uint64_t tens[] = {
		0, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
		10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000,
		1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000,
		10000000000000000000u,
	};
	unsigned int guess = (64 - __builtin_clzll(v | 1)) * 1233 >> 12;

	return guess + (v >= tens[guess]) + !v;
}

static inline void pen_dec(struct pen *p, uint64_t v)
{
	char *at;

	need(p, NUMBER_ROOM);
	if (v < 10) {
		*p->to++ = '0' + v;
		return;
	}
	at = p->to + dec_digits(v);
	p->to = at;
	for (; v >= 100; v /= 100)
		memcpy(at -= 2, pairs + 2 * (v % 100), 2);
	if (v >= 10)
		memcpy(at - 2, pairs + 2 * v, 2);
	else
		at[-1] = '0' + v;
}

static inline void pen_signed(struct pen *p, uint64_t v, uint8_t size)
{
	unsigned int unused = 64 - 8 * size;
	int64_t n = (int64_t)(v << unused) >> unused;

	need(p, NUMBER_ROOM);
	if (n < 0)
		*p->to++ = '-';
	pen_dec(p, n < 0 ? -(uint64_t)n : (uint64_t)n);
}

static inline void pen_hex(struct pen *p, uint64_t v)
{
	static const char digits[] = "0123456789abcdef";
	unsigned int n = (67 - __builtin_clzll(v | 1)) / 4;

	need(p, NUMBER_ROOM);
	for (unsigned int i = n; i-- > 0; v >>= 4)
		p->to[i] = digits[v & 15];
	p->to += n;
}

static inline void pen_0x(struct pen *p, uint64_t v)
{
	need(p, NUMBER_ROOM);
	*p->to++ = '0';
	*p->to++ = 'x';
	pen_hex(p, v);
}

/* At least @digits of them, at most 16. */
static inline void pen_hex_wide(struct pen *p, uint64_t v, unsigned int digits)
{
	unsigned int n = (67 - __builtin_clzll(v | 1)) / 4;

	need(p, NUMBER_ROOM);
	for (; n < digits; digits--)
		*p->to++ = '0';
	pen_hex(p, v);
}

static inline uint64_t load(const struct run *r, const struct op *op)
{
	const uint8_t *p = r->data + op->a;

	switch (op->fsize) {
	case 1:
		return op->fsign ? (uint64_t)(int8_t)*p : *p;
	case 2:
		return op->fsign ? (uint64_t)(int16_t)get_u16(p, r->big) : get_u16(p, r->big);
	case 4:
		return op->fsign ? (uint64_t)(int32_t)get_u32(p, r->big) : get_u32(p, r->big);
	default:
		return get_u64(p, r->big);
	}
}

static inline uint64_t cut(const struct op *op, uint64_t v)
{
	return op->size == 8 ? v : v & ((1ULL << 8 * op->size) - 1);
}

/* --- strings */

#define ONES  0x0101010101010101ULL
#define HIGHS 0x8080808080808080ULL

/* Whether one of eight bytes is below a blank or DEL. */
static inline bool has_control(uint64_t v)
{
	uint64_t del = v ^ ONES * 0x7f;

	return (((v - ONES * ' ') & ~v) | ((del - ONES) & ~del)) & HIGHS;
}

/*
 * Copies up to a NUL; false, with nothing changed, when the string has control bytes, which are
 * run.c's.
 */
static inline bool put_string(struct pen *p, const uint8_t *s, uint32_t len)
{
	uint32_t i = 0;
	uint64_t v;
	char *to;

	need(p, len);
	to = p->to;
	for (; len - i >= 8; i += 8) {
		memcpy(&v, s + i, 8);
		if (has_control(v))
			break;
		memcpy(to + i, &v, 8);
	}
	for (; i < len && s[i] >= ' ' && s[i] != 0x7f; i++)
		to[i] = s[i];
	if (i < len && s[i])
		return false;
	p->to += i;
	return true;
}

/* --- what a node prints */

static inline uint64_t number(const struct run *r, uint32_t node)
{
	const struct xnode *n = &r->nodes[node];

	if (n->op == X_AND && r->nodes[n->b].op == X_NUM)
		return eval_num(r, n->a) & r->nodes[n->b].num;
	return eval_num(r, node);
}

/* As list_flags(). */
static void put_flags(struct pen *p, const struct run *r, const struct xnode *n)
{
	const struct xcode *c = &r->g->code;
	const struct xtable *t = &c->tables[n->b];
	const struct list_entry *e = c->entries + t->first, *end = e + t->n;
	uint64_t v = number(r, n->a);
	bool first = true;

	for (; e < end && v; e++) {
		if ((v & e->value) != e->value)
			continue;
		v &= ~e->value;
		if (!first)
			put_text(p, c->text.data + t->delim, t->delim_len);
		first = false;
		put_text(p, e->name, e->len);
	}
	if (!v)
		return;
	if (!first)
		put_text(p, c->text.data + t->delim, t->delim_len);
	pen_0x(p, v);
}

/* As list_symbolic(). */
static void put_symbolic(struct pen *p, const struct run *r, const struct xnode *n)
{
	const struct xtable *t = &r->g->code.tables[n->b];
	const struct list_entry *e = r->g->code.entries + t->first, *end = e + t->n;
	uint64_t v = number(r, n->a);

	while (e < end && e->value != v)
		e++;
	if (e < end && e->len)
		put_text(p, e->name, e->len);
	else
		pen_0x(p, v);
}

/* False: it is run.c's. */
static bool put_node(struct pen *p, const struct run *r, uint32_t node)
{
	const struct xnode *n = &r->nodes[node];

	while (n->op == X_COND)
		n = &r->nodes[number(r, n->a) ? n->b : n->c];
	switch (n->op) {
	case X_STR:
		put_text(p, r->g->code.text.data + n->a, n->b);
		return true;
	case X_FLAGS:
		put_flags(p, r, n);
		return true;
	case X_SYMBOLIC:
		put_symbolic(p, r, n);
		return true;
	default:
		return false;
	}
}

static inline bool put_dynamic(struct pen *p, const struct run *r, const struct op *op)
{
	uint32_t loc = get_u32(r->data + op->a, r->big), off = loc & 0xffff, len = loc >> 16;

	return off <= r->len && len <= r->len - off && put_string(p, r->data + off, len);
}

/* False, with nothing written: it is run.c's. */
static inline bool put_op(struct pen *p, const struct run *r, const struct op *op)
{
	switch (op->code) {
	case OP_LIT:
		put_text(p, r->g->code.text.data + op->a, op->b);
		return true;
	case OP_FDEC:
		pen_signed(p, load(r, op), op->size);
		return true;
	case OP_FUDEC:
		pen_dec(p, cut(op, load(r, op)));
		return true;
	case OP_FHEX:
		pen_hex(p, cut(op, load(r, op)));
		return true;
	case OP_DEC:
		pen_signed(p, eval_num(r, op->node), op->size);
		return true;
	case OP_UDEC:
		pen_dec(p, cut(op, eval_num(r, op->node)));
		return true;
	case OP_HEX:
		pen_hex(p, cut(op, eval_num(r, op->node)));
		return true;
	case OP_HEXW:
		pen_hex_wide(p, cut(op, eval_num(r, op->node)), op->b);
		return true;
	case OP_HEX0:
		pen_0x(p, cut(op, eval_num(r, op->node)));
		return true;
	case OP_FIXED:
		return put_string(p, r->data + op->a, op->b);
	case OP_DYN:
		return put_dynamic(p, r, op);
	case OP_TEXT:
		return put_node(p, r, op->node);
	default:
		return false;
	}
}

void run_ops(const struct run *r, const struct op *ops, size_t n, struct buf *out)
{
	struct pen p = { .out = out };

	buf_reserve(out, 256);
	pen_take(&p);
	for (const struct op *op = ops; op < ops + n; op++) {
		if (!put_op(&p, r, op)) {
			pen_give(&p);
			run_op(r, op, out);
			buf_reserve(out, SLACK);
			pen_take(&p);
		}
		if ((size_t)(p.to - out->data) - r->start > PROG_OUT_MAX) {
			p.to = out->data + r->start + PROG_OUT_MAX;
			pen_give(&p);
			buf_addstr(out, " <cut>");
			return;
		}
	}
	pen_give(&p);
}
