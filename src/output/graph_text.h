/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints blocks of spans as indented text: a line for the start of a call, and one for its end. */
#ifndef FTR_OUTPUT_GRAPH_TEXT_H
#define FTR_OUTPUT_GRAPH_TEXT_H

#include "model/span_blocks.h"

/* Function names are globs. Zeroed options show everything. */
struct graph_opts {
	struct strv only;		/* show only these */
	struct strv without;		/* leave these out; their callees move up */
	struct strv below;		/* show these and their callees */
	struct strv callers;		/* show the call paths to these */
	unsigned int depth;		/* levels, 0: all */
	uint64_t min;			/* leave out shorter calls; in the clock's units */
	bool fold;			/* join equal neighbours */
	bool args, retval, retaddr;
	bool files;			/* each block names its file */
	bool lines;			/* graph_lines() is wanted */
};

/* The kind of a line of a block. GRAPH_HEAD includes the blank line before it. */
enum graph_line_kind { GRAPH_HEAD, GRAPH_STANDS, GRAPH_OPENS, GRAPH_CLOSES };

struct graph_line {
	uint32_t node;			/* index in the nodes of the block */
	enum graph_line_kind kind;
};

struct graph_text;
/* Borrows all arguments. Free with graph_free(). */
struct graph_text *graph_new(const struct graph_opts *o, struct trace *const *traces,
			     const struct model *m);
/* Appends the block, or nothing if no part of it is shown. */
void graph_add_block(struct graph_text *g, const struct span_block *b, struct buf *out);
/* Returns the lines that graph_add_block() appended last; borrowed until the next call. */
const struct graph_line *graph_lines(const struct graph_text *g, size_t *n);
void graph_free(struct graph_text *g);

#endif
