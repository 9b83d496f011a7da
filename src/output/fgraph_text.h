/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints the records of the function_graph tracer as calls: durations, braces, leaf calls in one
 * line. kernel_graph.c uses its parts for the kernel's own layout.
 */
#ifndef FTR_OUTPUT_FGRAPH_TEXT_H
#define FTR_OUTPUT_FGRAPH_TEXT_H

#include <stdbool.h>

#include "base/mem.h"
#include "model/fgraph.h"
#include "output/open_calls.h"

/*
 * Appends the text of @r, a function_graph record. An entry directly followed by its exit is a
 * leaf, and consumes the exit from @it. The end of a call that is not open in @calls shows its
 * name. If @it is NULL each record has its own text. Returns false, with nothing appended, for all
 * other records and for those too short for their fields.
 */
bool fgraph_text(const struct fgraph *g, const struct trace_rec *r, struct trace_iter *it,
		 struct call_tracker *calls, struct buf *out);

/*
 * Consumes the exit of the call @r if it is the next record of this CPU. Returns false if it is
 * not, or if records were lost before it.
 */
bool fgraph_consume_leaf(const struct fgraph *g, const struct trace_rec *r, struct trace_iter *it,
			 uint64_t func, struct fgraph_return *ret);

/* Returns the kernel's mark for a duration above a limit: $ @ * # ! + or a blank. */
char fgraph_mark(uint64_t ns);
/* Appends "65.900 us ": the number in at most seven characters, then blanks up to @width. */
void fgraph_duration(struct buf *out, uint64_t ns, int width);
void fgraph_indent(struct buf *out, uint64_t depth);
/* Appends "name(0x1, 0x2)". Arguments are registers, as the record has no types. */
void fgraph_func(struct buf *out, const struct fgraph_event *e, const struct trace_rec *r,
		 uint64_t func);
/* Appends "ret=-22". Error codes are signed, as in the kernel, unless @hex. */
void fgraph_retval(struct buf *out, const struct fgraph *g, uint64_t retval, bool hex);
/*
 * Appends what follows the closing brace of a call: its function and, unless @g is NULL, its return
 * value.
 */
void fgraph_end(struct buf *out, const struct trace_rec *r, const struct fgraph_return *ret,
		const struct fgraph *g, bool hex);

#endif
