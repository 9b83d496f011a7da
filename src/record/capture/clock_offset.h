/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Relations of trace clocks to others: the time of day, CLOCK_MONOTONIC, the TSC. */
#ifndef FTR_RECORD_CAPTURE_CLOCK_OFFSET_H
#define FTR_RECORD_CAPTURE_CLOCK_OFFSET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "tracefs/files/tfs.h"
#include "tracefs/session/session.h"

/*
 * Sets *us = time of day minus time stamp of trace clock @clock, in microseconds, for a DATE
 * option. A clock that equals a POSIX clock is compared with that. For others it writes markers to
 * an instance that it makes and removes. Returns -1 with @err for clocks that do not count time
 * (counter, x86-tsc), or if it may not make an instance.
 */
int date_offset_us(struct session *s, const char *clock, int64_t *us, struct ftr_error *err);

/*
 * Appends "TRACE REALTIME MONOTONIC" to @out: the clock of @instance's buffer in the unit of that
 * clock, nanoseconds since 1970, and nanoseconds since boot, read within some microseconds. It
 * writes nothing to the buffer: "now ts" of per_cpu/cpuN/stats is the buffer's clock, with
 * microsecond resolution if it counts nanoseconds. Returns -1, with nothing appended, if the kernel
 * does not have it.
 */
int wall_read(const struct tfs *t, const char *instance, struct buf *out);

/* The linear relation of a trace clock to CLOCK_MONOTONIC, from one or two of these texts. */
struct wall_line {
	uint64_t trace, mono_ns, trace_span, mono_span;
};

/*
 * Computes the relation from @begin and @end, of which one may be NULL. With one text the trace
 * clock must count nanoseconds (@ns). Returns -1 if the texts are not sufficient.
 */
int wall_line(struct wall_line *l, const char *begin, const char *end, bool ns);
/* Returns the trace clock at @mono_ns, which may be outside of the two times. */
uint64_t wall_trace(const void *line, uint64_t mono_ns);

/* The kernel's scale from TSC cycles: ns = offset + (cycles * mult) >> shift */
struct tsc_scale {
	uint32_t mult, shift;
	uint64_t offset_ns;
};

/*
 * Reads the scale from the mapped page of a perf event (struct perf_event_mmap_page). Returns -1
 * with @err if the TSC is no clock or permission is missing.
 */
int tsc_scale_read(struct tsc_scale *scale, struct ftr_error *err);

#endif
