/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A flight recorder: the kernel keeps the last records, which are read when it is over. */
#ifndef FTR_RECORD_FLIGHT_H
#define FTR_RECORD_FLIGHT_H

#include <stdint.h>

#include "base/err.h"
#include "record/lane/load.h"
#include "record/lane/recorder.h"
#include "record/setup/where.h"
#include "tracefs/session/session.h"

/*
 * Before tracing is on: older records make place for newer ones in all buffers with settings, and
 * what is left of earlier readers goes, but for -K.
 */
int flight_prepare(struct session *s, const struct rec_plan *p, const struct rec_places *pl,
		   struct ftr_error *err);
/*
 * Once tracing is off: the time that the buffers of all CPUs reach back before @end_ns
 * (CLOCK_MONOTONIC), when the last load_read() saw some of them overwrite. 0: nothing was
 * overwritten, or the clock is not one of nanoseconds.
 */
uint64_t flight_kept_ns(const struct load *l, uint64_t end_ns);
/*
 * Then: what they hold is taken, to be completed by recorder_stop(). One recorder a place; those
 * that swap their buffers are left out.
 */
int flight_take(struct recorder **recs, const struct rec_places *pl, struct ftr_error *err);

#endif
