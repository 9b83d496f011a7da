/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One moment by three clocks: the trace clock, the time of day, CLOCK_MONOTONIC. */
#ifndef FTR_RECORD_WALL_H
#define FTR_RECORD_WALL_H

#include "base/mem.h"
#include "tracefs/tfs.h"

/*
 * Appends "TRACE REALTIME MONOTONIC" to @out: what the clock of @instance's buffer shows, in its
 * own unit, and nanoseconds since 1970 and since boot, at one moment within some microseconds.
 * Changes nothing and writes nothing to the buffer: "now ts" of per_cpu/cpuN/stats is the buffer's
 * own clock, to the microsecond where it counts nanoseconds. -1, and nothing appended, where the
 * kernel does not tell.
 */
int wall_read(const struct tfs *t, const char *instance, struct buf *out);

#endif
