/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A buffer that is recorded: its names, and who moves its data. */
#ifndef FTR_RECORD_BUFFER_H
#define FTR_RECORD_BUFFER_H

#include <stdbool.h>

#include "record/lane/recorder.h"

/* One recorded buffer, for the file. */
struct lane_buffer {
	const char *name;		/* in the file: "" = top level */
	const char *instance;		/* in tracefs: "" = top level, NULL = as ->name */
	struct recorder *rec;
	bool no_stats;			/* tracefs' counters are not of this data: a snapshot */
	bool flight;			/* what was overwritten was meant to be: it is not lost */
	bool swaps;			/* its tracer keeps the longest latency */
	bool earlier_boot;		/* its events may be: today's clocks are not theirs */
};

#endif
