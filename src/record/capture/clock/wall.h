/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One moment by three clocks: the trace clock, the time of day, CLOCK_MONOTONIC. */
#ifndef FTR_RECORD_WALL_H
#define FTR_RECORD_WALL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "tracefs/files/tfs.h"

/*
 * Appends "TRACE REALTIME MONOTONIC" to @out: what the clock of @instance's buffer shows, in its
 * own unit, and nanoseconds since 1970 and since boot, at one moment within some microseconds.
 * Changes nothing and writes nothing to the buffer: "now ts" of per_cpu/cpuN/stats is the buffer's
 * own clock, to the microsecond where it counts nanoseconds. -1, and nothing appended, where the
 * kernel does not tell.
 */
int wall_read(const struct tfs *t, const char *instance, struct buf *out);

/* How a trace clock goes beside CLOCK_MONOTONIC, by one or two of these texts. */
struct wall_line {
	uint64_t trace, mono_ns, trace_span, mono_span;
};

/*
 * Of @begin and @end, either NULL: with one the clock is taken to count nanoseconds if @ns says so.
 * -1 where that is not enough.
 */
int wall_line(struct wall_line *l, const char *begin, const char *end, bool ns);
/* What the trace clock showed at @mono_ns, before or behind those moments too. */
uint64_t wall_trace(const void *line, uint64_t mono_ns);

#endif
