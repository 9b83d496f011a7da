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

struct summary_input {
	const struct rec_plan *p;
	const char *name;		/* the name of the file or receiver */
	const struct captured_meta *captured;
	const struct record_sink *sink;	/* the finished sink */
	const struct rec_setup *up;
	const struct buffer_load *load;
	bool     lost;			/* events were lost in earlier files */
	bool     calls;	/* calls of functions may be in earlier files, or were left out */
	/* --flight: the time for which all buffers have records, 0 if for all of it */
	uint64_t kept_ns;
};

/* Appends "trace.dat: 2 CPUs, 1,234 events, 96 KiB, 0 lost". @s must be finished. */
void summary_totals(const struct record_sink *s, const struct captured_meta *c, const char *path,
		    struct buf *out);
/*
 * Fills ->summary. If events were lost, also fills ->advice and returns true. res->ns must be set.
 */
bool summary_write(const struct summary_input *r, struct record_result *res);
/* Returns true if no event came into any file, and none was lost. */
bool summary_is_empty(const struct summary_input *r);
/* Returns true if there is a function tracer, and it certainly recorded nothing. */
bool summary_lacks_calls(const struct summary_input *r);
/*
 * Appends how many bytes --max-size left out. Returns false if there are none. Call it after
 * recorder_stop().
 */
bool summary_left_out(struct recorder *const *recs, size_t n, struct buf *out);

/*
 * Looks for causes of missing events: appends them to @out, with "; " between: "kprobes are off
 * (...)". Call it before the recording turns tracing off. @stopped: it ended by --stop-on, which
 * turns tracing off as well. If nothing is off, this costs a read or two for each buffer.
 */
void silence_look(const struct tfs *t, const struct rec_setup *up, bool stopped, struct buf *out);
/*
 * Appends the tasks that -F or -P leaves out, as silence_look() does. @had_children: the command
 * certainly had children. Returns false if none are left out.
 */
bool silence_of_tasks(const struct rec_plan *p, bool had_children, struct buf *out);
/*
 * Appends that the function tracer of the plan recorded nothing, and the reason, if the plan shows
 * it. @off: silence_look() has found the reason.
 */
void silence_of_tracer(const struct rec_setup *up, bool had_children, bool off, struct buf *out);

#endif
