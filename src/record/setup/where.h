/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a recording takes place: the top level when that is free, else an instance of our own. */
#ifndef FTR_RECORD_WHERE_H
#define FTR_RECORD_WHERE_H

#include <stdbool.h>

#include "base/err.h"
#include "record/plan/plan.h"
#include "tracefs/session/session.h"

/* One buffer that goes into the file. */
struct rec_place {
	const struct rec_buffer *buf;	/* its settings; NULL: recorded as it is, nothing is set */
	char *instance;			/* NULL = top level */
	bool  fresh;			/* made by us: nothing in it is set */
	bool  discard;			/* holds data that --force gives up */
	bool  take_over;		/* others' settings at the top level are set aside */
	bool  swaps;			/* the tracer keeps the longest latency: no data is taken */
};

struct rec_places {
	struct rec_place *v;
	size_t n, cap;
	bool   locked;			/* we hold what exists once for the whole kernel */
};

/*
 * Chooses, makes instances, and takes the lock where it is needed: for what exists once for the
 * kernel (-g, --max-graph-depth, --time-filter, ...) and for the top level itself. Says why the top
 * level is not used and what of it (trace_marker, trace_printk) is missed then. -1 with @err:
 * somebody else holds the lock; the tracer exists at the top level only, which is in use; an
 * instance holds data and --force is not given.
 */
int where_choose(struct session *s, const struct rec_plan *p, struct rec_places *out,
		 struct ftr_error *err);
/*
 * Once the tracers are set: which of them swap their buffers, snapshot_is_tracers(). What becomes
 * of their data is said, unless @say is NULL.
 */
void where_find_swaps(struct rec_places *pl, const struct tfs *t,
		      void (*say)(const char *fmt, ...) __attribute__((format(printf, 1, 2))));
void where_release(struct rec_places *pl);

#endif
