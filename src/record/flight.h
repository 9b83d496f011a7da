/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A flight recorder: the kernel keeps the last records, which are read at the end. */
#ifndef FTR_RECORD_FLIGHT_H
#define FTR_RECORD_FLIGHT_H

#include <stdint.h>

#include "base/err.h"
#include "record/cpu/buffer_load.h"
#include "record/cpu/recorder.h"
#include "record/setup/choose_buffers.h"
#include "tracefs/session/session.h"

/*
 * Makes all buffers with settings overwrite their oldest records and, without -K, removes data left
 * by earlier readers. Call it before tracing is on. Returns 0, or -1 with @err.
 */
int flight_prepare(struct session *s, const struct rec_plan *p, const struct rec_places *pl,
		   struct ftr_error *err);
/*
 * Returns the time in nanoseconds before @end_ns (CLOCK_MONOTONIC) for which the buffers of all
 * CPUs have records; 0 if no buffer has overwritten records, or if the clock does not count
 * nanoseconds. Call it when tracing is off and after load_read().
 */
uint64_t flight_kept_ns(const struct buffer_load *l, uint64_t end_ns);
/*
 * Starts the recorders, one for each place without ->swaps, when tracing is off. recorder_stop()
 * completes them. Returns 0, or -1 with @err.
 */
int flight_start(struct recorder **recs, const struct rec_places *pl, struct ftr_error *err);

#endif
