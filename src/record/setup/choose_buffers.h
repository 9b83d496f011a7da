/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses the buffers of a recording: the top level if that is free, else a private instance. */
#ifndef FTR_RECORD_SETUP_CHOOSE_BUFFERS_H
#define FTR_RECORD_SETUP_CHOOSE_BUFFERS_H

#include <stdbool.h>

#include "base/err.h"
#include "record/setup/plan.h"
#include "tracefs/session/session.h"

/* One buffer that goes into the file. */
struct rec_place {
	const struct rec_buffer *buf;	/* its settings; NULL: record the buffer as it is */
	char *instance;			/* NULL = top level */
	bool  fresh;			/* made by us, so it has no settings yet */
	bool  discard;			/* holds data that --force drops */
	bool  take_over;		/* replaces settings of others at the top level */
	bool  copies_markers;		/* gets what is written to the top level's trace_marker */
	bool  swaps;			/* the tracer keeps the longest latency: no data is read */
};

struct rec_places {
	struct rec_place *v;
	size_t n, cap;
	bool   locked;			/* we hold the lock of global_lock() */
};

/*
 * Chooses the places, makes instances, and takes the lock if it is needed: for the top level, and
 * for settings that exist once for the kernel (-g, --max-graph-depth, --time-filter, ...). Reports
 * why the top level is not used, and what is then not recorded (trace_marker, trace_printk). -1
 * with @err: somebody else holds the lock; the tracer works only at the top level, which is in use;
 * an instance holds data and --force is not given.
 */
int where_choose(struct session *s, const struct rec_plan *p, struct rec_places *out,
		 struct ftr_error *err);
/*
 * Sets ->swaps for tracers that swap their buffers, see snapshot_is_tracers(). Reports by @say (may
 * be NULL) what happens to their data. Call it when the tracers are set.
 */
void where_find_swaps(struct rec_places *pl, const struct tfs *t,
		      void (*say)(const char *fmt, ...) __attribute__((format(printf, 1, 2))));
void where_release(struct rec_places *pl);

#endif
