/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trees of spans. A block has an outermost span of a task and everything inside of it, in the order
 * of start times.
 */
#ifndef FTR_MODEL_SPAN_BLOCKS_H
#define FTR_MODEL_SPAN_BLOCKS_H

#include "model/model.h"

/* A block with more nodes is passed on in parts. */
#define BLOCK_NODES_MAX (1u << 20)

enum block_node_kind {
	BLOCK_SPAN,
	BLOCK_CLOSE,	/* the end of a span that starts in an earlier part, or has no start */
	BLOCK_EVENT,			/* another record; see ->text */
};

struct block_node {
	uint64_t name;
	uint64_t begin, duration, self;	/* ns; SPAN_UNKNOWN if unknown */
	uint64_t off;			/* time off the CPU outside of children */
	uint64_t retval;
	uint64_t retaddr;		/* return address of a call, 0: not recorded */
	struct waker waker;		/* the waker at the end of the last part of ->off */
	uint32_t size;			/* number of nodes of its subtree, itself included */
	uint32_t text, text_len;		/* in block.texts: arguments, or an event's text */
	uint16_t depth, file;
	int16_t  cpu_begin, cpu_end;
	uint8_t  kind;			/* enum block_node_kind */
	uint8_t  how, marks, context;
	bool     is_interrupt, has_retval, is_shown;
	bool     is_open;		/* it continues in the next part */
};

struct span_block {
	const struct task *task;
	struct block_node *nodes;
	size_t n, cap;
	struct buf texts;
	uint32_t part;			/* 0: the first part, or the only one */
	uint64_t number;		/* number of blocks and parts before it */
};

/*
 * Called with a block when its outermost span has ended, or with a part. @b is valid during the
 * call only.
 */
typedef void (*block_fn)(void *ctx, const struct span_block *b);

struct span_blocks;
/* @args: keep the arguments of calls. */
struct span_blocks *blocks_new(bool args, block_fn fn, void *ctx);
/* Add a span; call them from the functions of span_ops. Set @s->is_shown before. */
void blocks_begin(struct span_blocks *b, struct span *s, const struct trace_rec *r);
void blocks_end(struct span_blocks *b, struct span *s);
/* Adds an event with the text of @r, if a block of @t is open. */
void blocks_event(struct span_blocks *b, struct task *t, const struct trace_rec *r);
void blocks_free(struct span_blocks *b);
/* Returns the number of blocks and parts passed on so far: ->number of the next. */
uint64_t blocks_count(const struct span_blocks *b);

/* A copy of the open blocks. Save and restore it together with the model: see model_save(). */
struct blocks_copy;
struct blocks_copy *blocks_save(const struct span_blocks *b);
void blocks_restore(struct span_blocks *b, const struct blocks_copy *c);
size_t blocks_copy_bytes(const struct blocks_copy *c);
void blocks_copy_free(struct blocks_copy *c);

#endif
