/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the compiler of print fmts and the runner of what it makes. */
#ifndef FTR_EVENT_PROG_PRIV_H
#define FTR_EVENT_PROG_PRIV_H

#include "event/conv.h"
#include "event/engine.h"
#include "event/expr.h"
#include "event/prog.h"

enum op_code {
	OP_LIT,			/* b bytes at a */
	/* fast: no flags, width or precision; F: of a field at offset a */
	OP_DEC, OP_UDEC, OP_HEX, OP_FDEC, OP_FUDEC, OP_FHEX,
	OP_HEXW,		/* %0Nx and %p: b digits at least, of a node */
	OP_HEX0,		/* %#x */
	OP_FIXED,		/* %s of the char array at offset a, b bytes */
	OP_DYN,			/* %s of the dynamic string, location at a */
	OP_TEXT,		/* %s of a node */
	/* any conversion */
	OP_INT, OP_CHAR, OP_STR, OP_VALUE, OP_BYTES,
	OP_LOST,		/* what only the kernel knows, in place of a conversion */
	OP_NOTHING,		/* an argument that is missing or can't be understood */
};

struct op {
	uint8_t  code;
	uint8_t  size;		/* bytes of the conversion, to which the value is cut */
	uint8_t  fsize;		/* F: of the field */
	bool     fsign, last;
	uint32_t node, width, prec;	/* nodes; 0: none */
	uint32_t a, b;
	uint32_t conv;
};

struct opvec {
	struct op *v;
	size_t n, cap;
};

struct prog {
	const struct ev_format *fmt;
	uint32_t min_len;	/* of a record: all static offsets are inside */
	uint8_t  long_size;
	struct xcode code;
	struct opvec ops, nested;
	struct conv *convs;
	size_t   nr_convs, cap_convs;
};

#define PROG_OPS_MAX	512
#define PROG_OUT_MAX	(256 * 1024)	/* bytes of text of one record */

/* What running one program needs at hand. */
struct run {
	const struct prog *g;
	const struct xnode *nodes;
	struct ev_engine *e;
	const struct ev_rec *r;
	const uint8_t *data;
	uint32_t len;
	bool     big;
	struct conv_env env;
	size_t   start;		/* of the text in the output */
};

/* A pointer while it is followed: [p, end) may be read; p is NULL for kernel addresses. */
struct ref {
	const uint8_t *p, *end;
	uint32_t len;		/* of the field itself */
	uint64_t v;		/* without p */
};

/* eval.c */
uint64_t eval_num(const struct run *r, uint32_t node);
struct ref eval_ref(const struct run *r, uint32_t node);
/* run.c: what %s prints of a node; an operation that run_fast.c does not do in place. */
void run_text(const struct run *r, uint32_t node, bool last, struct buf *out);
void run_op(const struct run *r, const struct op *op, struct buf *out);
/* run_fast.c */
void run_ops(const struct run *r, const struct op *ops, size_t n, struct buf *out);
/* expr_plug.c: X_PLUGIN */
uint64_t run_plugged(const struct run *r, const struct xnode *n);
void run_plugged_text(const struct run *r, const struct xnode *n, struct buf *out);
/* name(raw values) */
void run_foreign(const struct run *r, const struct xnode *n, struct buf *out);

#endif
