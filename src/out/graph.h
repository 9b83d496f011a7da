/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks of spans as indented text: one line where a call begins, one where it ends. */
#ifndef FTR_OUT_GRAPH_H
#define FTR_OUT_GRAPH_H

#include "model/blocks.h"

/* Function names are globs. Zeroed shows all. */
struct graph_opts {
	struct strv only;		/* these alone */
	struct strv without;		/* not these: what they call moves up */
	struct strv below;		/* these and what they call */
	struct strv callers;		/* the ways to these */
	unsigned int depth;		/* levels, 0: all */
	uint64_t min_ns;		/* not what took less */
	bool fold;			/* equal neighbours as one */
	bool args, retval, retaddr;
	bool files;			/* each block names its file */
	bool lines;			/* graph_lines() is wanted */
};

/* What a line of a block is; of the head also the blank line before it. */
enum graph_line_kind { GRAPH_HEAD, GRAPH_STANDS, GRAPH_OPENS, GRAPH_CLOSES };

struct graph_line {
	uint32_t node;			/* of the block's nodes */
	enum graph_line_kind kind;
};

struct graph;
struct graph *graph_new(const struct graph_opts *o, struct trace *const *traces,
			const struct model *m);
/* Appends the block, or nothing if none of it is to be shown. */
void graph_add_block(struct graph *g, const struct block *b, struct buf *out);
/* Of the lines that graph_add_block() appended last; borrowed until the next call. */
const struct graph_line *graph_lines(const struct graph *g, size_t *n);
void graph_free(struct graph *g);

#endif
