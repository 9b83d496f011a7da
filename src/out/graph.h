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
};

struct graph;
struct graph *graph_new(const struct graph_opts *o, struct trace *const *traces,
			const struct model *m);
/* Appends the block, or nothing if none of it is to be shown. */
void graph_add_block(struct graph *g, const struct block *b, struct buf *out);
void graph_free(struct graph *g);

#endif
