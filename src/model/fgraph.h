/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of the function_graph tracer as numbers: which function, how deep, how long. */
#ifndef FTR_MODEL_FGRAPH_H
#define FTR_MODEL_FGRAPH_H

#include <stdbool.h>
#include <string.h>

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

/* What most need of it. */
struct fgraph_end {
	uint64_t func, depth, duration_ns;
};

void fgraph_init(struct fgraph *g, const struct trace *t);
/* Whether records of @fmt are those of the tracer. */
bool fgraph_has(const struct fgraph *g, const struct ev_format *fmt);
/* Which entry event @r is, or NULL. */
const struct fgraph_event *fgraph_entry_of(const struct fgraph *g, const struct trace_rec *r);
/* False when the record is too short for its fields. */
bool fgraph_read_call(const struct fgraph_event *e, const struct trace_rec *r,
		      struct fgraph_call *call);
bool fgraph_read_return(const struct fgraph *g, const struct trace_rec *r,
			struct fgraph_return *ret);

/* --- inline: numbers of records that are long enough for ->plain_len, which nearly all are */

static inline uint64_t fgraph_plain_8(const struct trace_rec *r, const struct ev_field *f)
{
	uint64_t v;

	memcpy(&v, r->rec.data + f->offset, sizeof(v));
	return v;
}

static inline uint64_t fgraph_plain_4(const struct trace_rec *r, const struct ev_field *f)
{
	int32_t v;

	memcpy(&v, r->rec.data + f->offset, sizeof(v));
	return f->is_signed ? (uint64_t)v : (uint32_t)v;
}

static inline bool fgraph_read_end(const struct fgraph *g, const struct trace_rec *r,
				   struct fgraph_end *end)
{
	const struct fgraph_event *e = &g->exit;
	struct fgraph_return ret;

	if (__builtin_expect(r->rec.len >= e->plain_len, 1)) {
		*end = (struct fgraph_end){
			.func = fgraph_plain_8(r, e->func), .depth = fgraph_plain_4(r, e->depth),
			.duration_ns = fgraph_plain_8(r, e->rettime) -
				       fgraph_plain_8(r, e->calltime),
		};
		return true;
	}
	if (!fgraph_read_return(g, r, &ret))
		return false;
	*end = (struct fgraph_end){ ret.func, ret.depth, ret.duration_ns };
	return true;
}

#endif
