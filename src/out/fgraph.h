/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records of the function_graph tracer as calls: durations, braces, leaf calls in one line; and
 * the pieces of that, which the kernel's own layout (kernel_graph.c) is made of.
 */
#ifndef FTR_OUT_FGRAPH_H
#define FTR_OUT_FGRAPH_H

#include <stdbool.h>

#include "base/mem.h"
#include "model/fgraph.h"
#include "out/calls.h"

/*
 * Appends the text of @r if it is a function_graph record; an entry whose exit follows is a leaf,
 * and takes the exit from @it. The end of a call that is not open in @calls has its name. False,
 * with nothing appended, for all other records and for those too short for their fields. Without
 * @it, which is NULL then, each record has its own text.
 */
bool fgraph_text(const struct fgraph *g, const struct trace_rec *r, struct trace_iter *it,
		 struct calls *calls, struct buf *out);

/*
 * The exit of the same call, consumed, if it is the very next record of this CPU. After a loss it
 * need not be the same call.
 */
bool fgraph_take_leaf(const struct fgraph *g, const struct trace_rec *r, struct trace_iter *it,
		      uint64_t func, struct fgraph_return *ret);

/* The kernel's mark for durations beyond its limits: $ @ * # ! + or a blank. */
char fgraph_mark(uint64_t ns);
/* "65.900 us ", the number in seven places at most, then blanks up to @width of it. */
void fgraph_duration(struct buf *out, uint64_t ns, int width);
void fgraph_indent(struct buf *out, uint64_t depth);
/* "name(0x1, 0x2)": arguments are registers, there is no type information in the record. */
void fgraph_func(struct buf *out, const struct fgraph_event *e, const struct trace_rec *r,
		 uint64_t func);
/* "ret=-22": error codes are shown as such, as the kernel does, unless all is to be @hex. */
void fgraph_retval(struct buf *out, const struct fgraph *g, uint64_t retval, bool hex);
/* Behind the brace of a call its function; with @g, which may be NULL, what it returned. */
void fgraph_end(struct buf *out, const struct trace_rec *r, const struct fgraph_return *ret,
		const struct fgraph *g, bool hex);

#endif
