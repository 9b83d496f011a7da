/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's own scale from TSC cycles to nanoseconds. */
#ifndef FTR_RECORD_CAPTURE_CLOCK_TSC_H
#define FTR_RECORD_CAPTURE_CLOCK_TSC_H

#include <stdint.h>

#include "base/err.h"

/* ns = offset + (cycles * mult) >> shift */
struct tsc_scale {
	uint32_t mult, shift;
	uint64_t offset_ns;
};

/*
 * Reads the scale from the mapped page of a perf event (struct perf_event_mmap_page). -1 with @err
 * if the TSC is no clock or permission is missing.
 */
int tsc_scale_read(struct tsc_scale *scale, struct ftr_error *err);

#endif
