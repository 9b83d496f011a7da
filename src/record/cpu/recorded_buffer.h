/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recorded buffer: its names and its recorder. */
#ifndef FTR_RECORD_CPU_RECORDED_BUFFER_H
#define FTR_RECORD_CPU_RECORDED_BUFFER_H

#include <stdbool.h>

#include "record/cpu/recorder.h"

/* One recorded buffer, for the file. */
struct lane_buffer {
	const char *name;		/* in the file: "" = top level */
	const char *instance;		/* in tracefs: "" = top level, NULL = as ->name */
	struct recorder *rec;
	bool no_stats;	/* a snapshot, to which the counters in tracefs do not apply */
	bool flight;			/* overwritten records do not count as lost */
	bool swaps;			/* its tracer keeps the longest latency */
	bool earlier_boot;	/* its events may be of an earlier boot, with other clocks */
};

#endif
