/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far a trace clock is from the time of day. */
#ifndef FTR_RECORD_DATE_H
#define FTR_RECORD_DATE_H

#include <stdint.h>

#include "base/err.h"
#include "tracefs/session/session.h"

/*
 * *us = wall time minus time stamp of trace clock @clock, in microseconds, to go into a DATE
 * option. Clocks that follow a POSIX clock are compared with that; the others by markers in an
 * instance that is made and removed for it. -1 for clocks that are no time (counter, x86-tsc), or
 * without the right to make an instance.
 */
int date_offset_us(struct session *s, const char *clock, int64_t *us, struct ftr_error *err);

#endif
