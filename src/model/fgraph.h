/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the numbers in records of the function_graph tracer: function, depth, duration. */
#ifndef FTR_MODEL_FGRAPH_H
#define FTR_MODEL_FGRAPH_H

#include <stdbool.h>
#include <string.h>

#include "trace/trace.h"

#define FGRAPH_ENTRIES	 2
#define FGRAPH_DEPTH_MAX 512	/* more than a kernel stack holds; larger numbers are damage */

/* The fields of a function_graph event of one file. ->fmt is NULL if the file lacks the event. */
struct fgraph_event {
	const struct ev_format *fmt;
	const struct ev_field *func, *depth, *args, *retaddr, *retval, *overrun, *calltime,
		*rettime;
	/* records of at least this length have all numbers, in host byte order */
	uint32_t plain_len;
};

struct fgraph {
	struct fgraph_event entry[FGRAPH_ENTRIES];	/* funcgraph_entry, fgraph_retaddr_entry */
	struct fgraph_event exit;			/* funcgraph_exit */
	bool show_retval;	/* option funcgraph-retval was set during the recording */
	bool show_name;	/* ->show_retval or funcgraph-tail: each end shows the function's name */
	bool old_retval;	/* kernels before 6.13: "= 0x1" instead of "ret=0x1" */
};

struct fgraph_call {
	uint64_t func, depth, retaddr;
};

/* ->duration_ns is rettime - calltime, as the kernel prints it. */
struct fgraph_return {
	uint64_t func, depth, duration_ns, retval, overrun;
	bool     backwards;		/* rettime is before calltime */
};

/* The part of struct fgraph_return that most callers need. */
struct fgraph_end {
	uint64_t func, depth, duration_ns;
	bool     backwards;
};

void fgraph_init(struct fgraph *g, const struct trace *t);
/* Returns true if records of @fmt come from the tracer. */
bool fgraph_has(const struct fgraph *g, const struct ev_format *fmt);
/* Returns the entry event of @r, or NULL if it is no entry. */
const struct fgraph_event *fgraph_entry_of(const struct fgraph *g, const struct trace_rec *r);
/* These return false if the record is too short for its fields. */
bool fgraph_read_call(const struct fgraph_event *e, const struct trace_rec *r,
		      struct fgraph_call *call);
bool fgraph_read_return(const struct fgraph *g, const struct trace_rec *r,
			struct fgraph_return *ret);

/* --- inline: numbers of records of at least ->plain_len bytes, which nearly all have */

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
	uint64_t call, back;

	if (__builtin_expect(r->rec.len >= e->plain_len, 1)) {
		call = fgraph_plain_8(r, e->calltime);
		back = fgraph_plain_8(r, e->rettime);
		*end = (struct fgraph_end){
			.func = fgraph_plain_8(r, e->func), .depth = fgraph_plain_4(r, e->depth),
			.duration_ns = back - call, .backwards = back < call,
		};
		return true;
	}
	if (!fgraph_read_return(g, r, &ret))
		return false;
	*end = (struct fgraph_end){ ret.func, ret.depth, ret.duration_ns, ret.backwards };
	return true;
}

#endif
