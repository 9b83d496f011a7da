/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses the buffers of a recording: the top level if it is free, else a private instance. */
#ifndef FTR_RECORD_SETUP_CHOOSE_BUFFERS_H
#define FTR_RECORD_SETUP_CHOOSE_BUFFERS_H

#include <stdbool.h>

#include "base/err.h"
#include "record/setup/plan.h"
#include "tracefs/session/session.h"

/* A recorded buffer. */
struct rec_place {
	const struct rec_buffer *buf;	/* its settings; NULL if the buffer is recorded as it is */
	char *instance;			/* NULL if top level */
	bool  fresh;			/* we made it, so it has no settings yet */
	bool  discard;			/* it has data that --force drops */
	bool  take_over;		/* it replaces settings of others at the top level */
	bool  copies_markers;	/* it gets a copy of the top level's markers (trace_marker) */
	bool  swaps;	/* its tracer keeps the longest latency only: no data is read */
};

struct rec_places {
	struct rec_place *v;
	size_t n, cap;
	bool   locked;			/* we hold the lock of global_lock() */
};

/*
 * Chooses the places, makes instances, and takes the lock if it is needed: for the top level, and
 * for settings that exist once for the kernel (-g, --max-graph-depth, --time-filter, ...). Reports
 * why the top level is not used, and which records are then missing (trace_marker, trace_printk).
 * Returns 0, or -1 with @err if somebody else holds the lock, if the tracer works only at the top
 * level, which is in use, or if an instance has data and --force is not given. where_release() must
 * follow.
 */
int where_choose(struct session *s, const struct rec_plan *p, struct rec_places *out,
		 struct ftr_error *err);
/*
 * Sets ->swaps for tracers that swap their buffers, see snapshot_is_tracers(). Reports the handling
 * of their data, unless the callback is NULL. Call it when the tracers are set.
 */
void where_find_swaps(struct rec_places *pl, const struct tfs *t,
		      void (*notice)(const char *fmt, ...) __attribute__((format(printf, 1, 2))));
void where_release(struct rec_places *pl);

#endif
