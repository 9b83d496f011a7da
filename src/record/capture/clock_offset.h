/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The offset of a trace clock to the time of day. */
#ifndef FTR_RECORD_CAPTURE_CLOCK_OFFSET_H
#define FTR_RECORD_CAPTURE_CLOCK_OFFSET_H

#include <stdint.h>

#include "base/err.h"
#include "tracefs/session/session.h"

/*
 * *us = wall time minus time stamp of trace clock @clock, in microseconds, for a DATE option. A
 * clock that equals a POSIX clock is compared with that. For others it writes markers to an
 * instance that it makes and removes. -1 with @err for clocks that do not count time (counter,
 * x86-tsc), or if it may not make an instance.
 */
int date_offset_us(struct session *s, const char *clock, int64_t *us, struct ftr_error *err);

#endif
