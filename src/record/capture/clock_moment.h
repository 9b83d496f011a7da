/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One moment by three clocks: the trace clock, the time of day, CLOCK_MONOTONIC. */
#ifndef FTR_RECORD_CAPTURE_CLOCK_MOMENT_H
#define FTR_RECORD_CAPTURE_CLOCK_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "tracefs/files/tfs.h"

/*
 * Appends "TRACE REALTIME MONOTONIC" to @out: the clock of @instance's buffer in its own unit,
 * nanoseconds since 1970, and nanoseconds since boot, read within some microseconds. It changes
 * nothing and writes nothing to the buffer: "now ts" of per_cpu/cpuN/stats is the buffer's clock,
 * with microsecond resolution if it counts nanoseconds. -1, with nothing appended, if the kernel
 * does not have it.
 */
int wall_read(const struct tfs *t, const char *instance, struct buf *out);

/* The linear relation of a trace clock to CLOCK_MONOTONIC, from one or two of these texts. */
struct wall_line {
	uint64_t trace, mono_ns, trace_span, mono_span;
};

/*
 * Computes it from @begin and @end, of which one may be NULL. With one text the trace clock must
 * count nanoseconds (@ns). -1 if the texts are not sufficient.
 */
int wall_line(struct wall_line *l, const char *begin, const char *end, bool ns);
/* The trace clock at @mono_ns, which may be outside of the two times. */
uint64_t wall_trace(const void *line, uint64_t mono_ns);

#endif
