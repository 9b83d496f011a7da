/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said of a recording when it is over. */
#ifndef FTR_RECORD_SUMMARY_H
#define FTR_RECORD_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "record/capture/capture.h"
#include "record/cpu/buffer_load.h"
#include "record/recording.h"
#include "record/setup/plan_apply.h"
#include "record/sink/sink.h"

struct recorded {
	const struct rec_plan *p;
	const char *name;		/* where the recording is */
	const struct captured *captured;
	const struct sink *sink;	/* finished */
	const struct rec_setup *up;
	const struct load *load;
	bool     lost;			/* events, in earlier files */
	bool     calls;			/* of functions may be elsewhere, or were left out */
	uint64_t kept_ns;		/* --flight: so long do the buffers reach back, 0 = all */
};

/* Appends "trace.dat: 2 CPUs, 1,234 events, 96 KiB, 0 lost", when @s is finished. */
void summary_totals(const struct sink *s, const struct captured *c, const char *path,
		    struct buf *out);
/* Fills ->summary and, if events were lost, ->advice; true then. ->ns is set. */
bool summary_write(const struct recorded *r, struct record_result *res);
/* No event came into any file, not even one that was lost. */
bool summary_is_empty(const struct recorded *r);
/* There is a function tracer, and it is known that it recorded nothing. */
bool summary_lacks_calls(const struct recorded *r);
/*
 * After recorder_stop(): what --max-size left out. Appends that, or returns false: it is nothing.
 */
bool summary_left_out(struct recorder *const *recs, size_t n, struct buf *out);

#endif
