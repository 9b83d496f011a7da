/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Spans as trees: all that lies inside of one outermost span of a task, in the order of begins. */
#ifndef FTR_MODEL_BLOCKS_H
#define FTR_MODEL_BLOCKS_H

#include "model/model.h"

/* More than so many nodes are handed out in parts. */
#define BLOCK_NODES_MAX (1u << 20)

enum block_node_kind {
	BLOCK_SPAN,
	BLOCK_CLOSE,			/* the end of one that began in an earlier part, or never */
	BLOCK_EVENT,			/* a record of another kind; ->text */
};

struct block_node {
	uint64_t name;
	uint64_t begin, duration, self;	/* SPAN_UNKNOWN where not known */
	uint64_t off;			/* that no child accounts for */
	uint64_t retval;
	uint64_t retaddr;		/* where a call returns to, 0: not recorded */
	const struct task *waker;	/* who ended the last of ->off, or NULL */
	uint32_t size;			/* nodes from here on that lie inside, this one included */
	uint32_t text, text_len;		/* of block.texts: arguments, or an event's text */
	uint16_t depth, file;
	int16_t  cpu_begin, cpu_end;
	uint8_t  kind;			/* enum block_node_kind */
	uint8_t  how, marks, context;
	bool     is_interrupt, has_retval, is_shown;
	bool     is_open;		/* it goes on in the next part */
};

struct block {
	const struct task *task;
	struct block_node *nodes;
	size_t n, cap;
	struct buf texts;
	uint32_t part;			/* 0: the first, or the only one */
	uint64_t number;		/* how many were handed out before it */
};

/* Takes a block when its outermost span has ended, or a part of it; it is gone afterwards. */
typedef void (*block_fn)(void *ctx, const struct block *b);

struct blocks;
/* @args: keep the arguments of calls. */
struct blocks *blocks_new(bool args, block_fn fn, void *ctx);
/* For span_ops, in each of them. @s->is_shown is set before. */
void blocks_begin(struct blocks *b, struct span *s, const struct trace_rec *r);
void blocks_end(struct blocks *b, struct span *s);
/* An event in place; the text of @r is rendered if a block of @t is open. */
void blocks_event(struct blocks *b, struct task *t, const struct trace_rec *r);
void blocks_free(struct blocks *b);
/* How many were handed out: the number of the next one. */
uint64_t blocks_count(const struct blocks *b);

/* The blocks that are open, to be put back together with the model: see model_save(). */
struct blocks_copy;
struct blocks_copy *blocks_save(const struct blocks *b);
void blocks_restore(struct blocks *b, const struct blocks_copy *c);
size_t blocks_copy_bytes(const struct blocks_copy *c);
void blocks_copy_free(struct blocks_copy *c);

#endif
