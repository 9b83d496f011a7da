/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of the function_graph tracer as calls: durations, braces, leaf calls in one line. */
#ifndef FTR_OUT_FGRAPH_H
#define FTR_OUT_FGRAPH_H

#include <stdbool.h>

#include "base/mem.h"
#include "trace/trace.h"

#define FGRAPH_ENTRIES 2

/* A function_graph event of one file: where its fields are. ->fmt NULL when the file lacks it. */
struct fgraph_event {
	const struct ev_format *fmt;
	const struct ev_field *func, *depth, *args, *retval, *calltime, *rettime;
};

struct fgraph {
	struct fgraph_event entry[FGRAPH_ENTRIES];	/* funcgraph_entry, fgraph_retaddr_entry */
	struct fgraph_event exit;			/* funcgraph_exit */
	bool show_retval;	/* option funcgraph-retval was set while recording */
};

void fgraph_init(struct fgraph *g, const struct trace *t);
/*
 * Appends the text of @r if it is a function_graph record; an entry whose exit follows is a leaf,
 * and takes the exit from @it. False, with nothing appended, for all other records and for those
 * too short for their fields.
 */
bool fgraph_text(const struct fgraph *g, const struct trace_rec *r, struct trace_iter *it,
		 struct buf *out);

#endif
