/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks at a recording while it goes on: the bounds that end it, and the line that shows it. */
#ifndef FTR_RECORD_WATCH_H
#define FTR_RECORD_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "record/cpu/buffer_load.h"
#include "record/cpu/recorder.h"
#include "record/setup/choose_buffers.h"
#include "record/setup/plan.h"

/* What had come by a moment. */
struct watch_point {
	uint64_t ns, events, bytes;
};

enum { WATCH_POINTS = 4 };		/* those of the last second */

struct watch {
	const struct rec_plan *p;	/* NULL = not begun */
	const struct tfs *t;
	const struct rec_places *pl;
	struct recorder **recs;		/* NULL: the data is not ours */
	struct budget *budget;		/* of the file, or NULL */
	struct load load;
	struct watch_point begin, points[WATCH_POINTS];
	uint64_t nr_points;
	uint64_t earlier;		/* bytes of earlier files */
	uint64_t read_ns, look_ns;	/* not before these times */
	bool shown;			/* there is a line */
	bool runaway;			/* more than --max-rate came */
	bool full;			/* the next file is to begin */
	char *why;			/* what ended it, in words; NULL = nothing of ours */
};

/* All is set up and tracing is off. @recs and @budget are borrowed. */
void watch_begin(struct watch *w, const struct rec_plan *p, const struct tfs *t,
		 const struct rec_places *pl, struct recorder **recs, struct budget *budget);
/* How often watch_round() is wanted, at most @ns. */
uint64_t watch_tick_ns(const struct watch *w, uint64_t ns);
/* True when the recording is to end, ->why says why, or the file, ->full. */
bool watch_round(struct watch *w);
/* The data goes to another file from here on: @recs. */
void watch_next(struct watch *w, struct recorder **recs, struct budget *budget);
/* Before tracing is turned off: takes the line away, and says what ended it. */
void watch_over(struct watch *w);
/* After the last record came and before tracefs is put back: the last counters. */
void watch_count(struct watch *w);
void watch_release(struct watch *w);

#endif
