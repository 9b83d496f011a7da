/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report of a recording: totals, lost events, the causes of missing events. */
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

/*
 * Looks while all is still set up, before the recording turns tracing off itself, and appends what
 * it finds to @out, with "; " between: "kprobes are off (...)". @stopped: it ended by --stop-on,
 * which turns tracing off as well. What is on costs a read or two a buffer.
 */
void silence_look(const struct tfs *t, const struct rec_setup *up, bool stopped, struct buf *out);
/*
 * Appends what -F or -P leaves out, as silence_look() does. @had_children: it is known that the
 * command had some. False: nothing is left out.
 */
bool silence_of_tasks(const struct rec_plan *p, bool had_children, struct buf *out);
/*
 * Appends that the function tracer of the plan recorded nothing, and why, as far as the plan tells.
 * @off: silence_look() has found the reason.
 */
void silence_of_tracer(const struct rec_setup *up, bool had_children, bool off, struct buf *out);

#endif
