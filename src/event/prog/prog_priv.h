/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the compiler of print fmts and the runner of what it makes. */
#ifndef FTR_EVENT_PROG_PRIV_H
#define FTR_EVENT_PROG_PRIV_H

#include <endian.h>
#include <string.h>

#include "base/poke.h"
#include "event/expr/expr.h"
#include "event/handle/engine_priv.h"
#include "event/print/conv.h"

/* What stands behind an operation's text. */
enum op_code {
	OP_END,			/* nothing, and no more operations */
	/* fast: run_fast.c */
	OP_DEC, OP_UDEC,
	OP_WIDE,		/* %Nd %0Nu: arg places at least, filled with fill */
	OP_HEX,			/* %x %0Nx %p: arg digits at least */
	OP_HEX0,		/* %#x */
	OP_SYMBOL,		/* %ps %pS %pB: arg is the kind of text */
	OP_MEMO,		/* %s of a node whose text follows from the value */
	OP_FIXED,		/* %s of the char array at offset at, arg bytes */
	OP_DYN,			/* %s of the dynamic string whose location is at at */
	/* any conversion: run.c */
	OP_TEXT,		/* %s of a node */
	OP_INT, OP_CHAR, OP_STR, OP_VALUE, OP_BYTES,
	OP_LOST,		/* what only the kernel knows, in place of a conversion; fields */
	OP_NOTHING,		/* an argument that is missing or can't be understood */
};

/* Half a cache line. */
struct op {
	uint8_t  code;
	bool     last;
	uint8_t  down;		/* by how much the value, shifted to the top, is shifted down */
	uint8_t  arg;
	char     fill;
	uint8_t  nr_fields;	/* ->code.args */
	uint16_t conv;
	uint16_t node, width, prec;	/* nodes; 0: none */
	uint32_t at;		/* of eight bytes that end with the value; 0: it is the node's */
	uint32_t lit, lit_len;	/* the text before it */
	uint32_t fields;
};
_Static_assert(sizeof(struct op) == 32, "two operations are a cache line");
_Static_assert(X_NODES_MAX <= UINT16_MAX, "an operation names its nodes");

struct opvec {
	struct op *v;
	size_t n, cap;
};

struct prog {
	const struct ev_format *fmt;
	uint32_t min_len;	/* of a record: all static offsets are inside */
	size_t   room;		/* for what all fast operations write */
	uint8_t  long_size;
	struct opvec ops, nested;
	struct xcode code;
	struct conv *convs;
	size_t   nr_convs, cap_convs;
};

#define PROG_OPS_MAX	512
#define PROG_OUT_MAX	(256 * 1024)	/* bytes of text of one record */
#define PROG_FIXED_MAX	64		/* of a char array that is printed by OP_FIXED */
/* For a fast operation's value; OP_DYN takes its own. */
#define PROG_VALUE_ROOM	POKE_TEXT_ROOM(64)

/* What running one program needs at hand. */
struct run {
	const struct prog *g;
	const struct xnode *nodes;
	struct ev_engine *e;
	const struct ev_rec *r;
	const uint8_t *data;
	uint32_t len;
	bool     big;
};

/* eval.c */
uint64_t eval_num(const struct run *r, uint32_t node);
void run_op(const struct run *r, const struct op *op, struct buf *out);
/* run_fast.c: all of them, and at most PROG_OUT_MAX bytes. */
void run_ops(const struct run *r, const struct op *ops, struct buf *out);

/* The number that @op prints, its top bits. */
static inline uint64_t run_bits(const struct run *r, const struct op *op)
{
	uint64_t v;

	if (!op->at)
		return eval_num(r, op->node) << op->down;
	memcpy(&v, r->data + op->at, 8);
	return r->big ? be64toh(v) << op->down : le64toh(v);
}

static inline uint64_t run_value(const struct run *r, const struct op *op)
{
	return run_bits(r, op) >> op->down;
}

static inline int64_t run_signed(const struct run *r, const struct op *op)
{
	return (int64_t)run_bits(r, op) >> op->down;
}

#endif
