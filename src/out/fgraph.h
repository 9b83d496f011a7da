/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records of the function_graph tracer as calls: durations, braces, leaf calls in one line; and
 * the pieces of that, which the kernel's own layout (kernel_graph.c) is made of.
 */
#ifndef FTR_OUT_FGRAPH_H
#define FTR_OUT_FGRAPH_H

#include <stdbool.h>

#include "base/mem.h"
#include "out/calls.h"
#include "trace/trace.h"

#define FGRAPH_ENTRIES	 2
#define FGRAPH_DEPTH_MAX 512	/* the kernel's stacks hold fewer; larger numbers are damage */

/* A function_graph event of one file: where its fields are. ->fmt NULL when the file lacks it. */
struct fgraph_event {
	const struct ev_format *fmt;
	const struct ev_field *func, *depth, *args, *retaddr, *retval, *overrun, *calltime,
		*rettime;
	uint32_t plain_len;	/* records of so many bytes have all numbers, in our own form */
};

struct fgraph {
	struct fgraph_event entry[FGRAPH_ENTRIES];	/* funcgraph_entry, fgraph_retaddr_entry */
	struct fgraph_event exit;			/* funcgraph_exit */
	bool show_retval;	/* option funcgraph-retval was set while recording */
	bool show_name;		/* that or funcgraph-tail: each end has the function's name */
	bool old_retval;	/* kernels before 6.13: "= 0x1" instead of "ret=0x1" */
};

struct fgraph_call {
	uint64_t func, depth, retaddr;
};

struct fgraph_return {
	uint64_t func, depth, duration_ns, retval, overrun;
};

void fgraph_init(struct fgraph *g, const struct trace *t);
/* Whether records of @fmt are those of the tracer. */
bool fgraph_has(const struct fgraph *g, const struct ev_format *fmt);
/*
 * Appends the text of @r if it is a function_graph record; an entry whose exit follows is a leaf,
 * and takes the exit from @it. The end of a call that is not open in @calls has its name. False,
 * with nothing appended, for all other records and for those too short for their fields.
 */
bool fgraph_text(const struct fgraph *g, const struct trace_rec *r, struct trace_iter *it,
		 struct calls *calls, struct buf *out);

/* Which entry event @r is, or NULL. */
const struct fgraph_event *fgraph_entry_of(const struct fgraph *g, const struct trace_rec *r);
/* False when the record is too short for its fields. */
bool fgraph_read_call(const struct fgraph_event *e, const struct trace_rec *r,
		      struct fgraph_call *call);
bool fgraph_read_return(const struct fgraph *g, const struct trace_rec *r,
			struct fgraph_return *ret);
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
