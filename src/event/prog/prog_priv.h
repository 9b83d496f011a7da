/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs of print fmts, between the compiler and the runner. */
#ifndef FTR_EVENT_PROG_PRIV_H
#define FTR_EVENT_PROG_PRIV_H

#include <endian.h>
#include <string.h>

#include "base/poke.h"
#include "event/expr/expr.h"
#include "event/handle/engine_priv.h"
#include "event/print/conv.h"

/* The output of an operation after its literal text. */
enum op_code {
	OP_END,			/* nothing; the last operation */
	/* fast: prog_run_fast.c */
	OP_DEC, OP_UDEC,
	OP_WIDE,		/* %Nd %0Nu: arg places at least, filled with fill */
	OP_HEX,			/* %x %0Nx %p: arg digits at least */
	OP_HEX0,		/* %#x */
	OP_SYMBOL,		/* %ps %pS %pB: arg is the kind of text */
	OP_MEMO,		/* %s of a node whose text depends on the value only */
	OP_FIXED,		/* %s of the char array at offset at, arg bytes */
	OP_DYN,			/* %s of the dynamic string with its location at offset at */
	/* any conversion: prog_run.c */
	OP_TEXT,		/* %s of a node */
	OP_INT, OP_CHAR, OP_STR, OP_VALUE, OP_BYTES,
	OP_UNKNOWN,		/* name(raw values) of something that only the kernel knows */
	OP_MISSING,		/* "?" for an argument that is missing or can't be parsed */
};

/* Half a cache line. */
struct prog_op {
	uint8_t  code;
	bool     last;
	uint8_t  down;		/* bits by which the value is shifted down from the top */
	uint8_t  arg;
	char     fill;
	uint8_t  nr_fields;	/* number of nodes in ->code.args */
	uint16_t conv;
	uint16_t node, width, prec;	/* nodes, or 0 */
	uint32_t at;		/* offset of eight bytes that end with the value; 0: see ->node */
	uint32_t lit, lit_len;	/* offset and length of the literal text */
	uint32_t fields;
};
_Static_assert(sizeof(struct prog_op) == 32, "two operations are a cache line");
_Static_assert(X_NODES_MAX <= UINT16_MAX, "an operation names its nodes");

struct prog_ops {
	struct prog_op *v;
	size_t n, cap;
};

struct prog {
	const struct ev_format *fmt;
	uint32_t min_len;	/* shortest record that contains all static offsets */
	size_t   room;		/* bytes that all fast operations write at most */
	uint8_t  long_size;
	struct prog_ops ops, nested;
	struct expr_code code;
	struct printf_conv *convs;
	size_t   nr_convs, cap_convs;
};

#define PROG_OPS_MAX	512
#define PROG_OUT_MAX	(256 * 1024)	/* bytes of text of one record */
#define PROG_FIXED_MAX	64		/* bytes of a char array that OP_FIXED prints */
/* Bytes for the value of a fast operation; OP_DYN reserves its room itself. */
#define PROG_VALUE_ROOM	POKE_TEXT_ROOM(64)

/* The state of running a program on one record. */
struct prog_run {
	const struct prog *g;
	const struct expr_node *nodes;
	struct ev_engine *e;
	const struct ev_rec *r;
	const uint8_t *data;
	uint32_t len;
	bool     big;
};

/* Returns the value of a number node. */
uint64_t eval_num(const struct prog_run *r, uint32_t node);
void run_op(const struct prog_run *r, const struct prog_op *op, struct buf *out);
/* prog_run_fast.c: runs operations up to OP_END, and appends at most PROG_OUT_MAX bytes. */
void run_ops(const struct prog_run *r, const struct prog_op *ops, struct buf *out);

/* Returns the number that @op prints, shifted to the top bits. */
static inline uint64_t run_bits(const struct prog_run *r, const struct prog_op *op)
{
	uint64_t v;

	if (!op->at)
		return eval_num(r, op->node) << op->down;
	memcpy(&v, r->data + op->at, 8);
	return r->big ? be64toh(v) << op->down : le64toh(v);
}

static inline uint64_t run_value(const struct prog_run *r, const struct prog_op *op)
{
	return run_bits(r, op) >> op->down;
}

static inline int64_t run_signed(const struct prog_run *r, const struct prog_op *op)
{
	return (int64_t)run_bits(r, op) >> op->down;
}

#endif
