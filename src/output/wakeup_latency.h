/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long tasks took from being woken to running: report -w. */
#ifndef FTR_OUTPUT_WAKEUP_LATENCY_H
#define FTR_OUTPUT_WAKEUP_LATENCY_H

#include "output/pipeline.h"

struct wakeup;
struct wakeup *wakeup_new(const struct out *o);
/*
 * Takes note of @r. Behind the sched_switch to a task whose waking was seen, appends
 * " Latency: 12.345 usecs".
 */
void wakeup_record(struct wakeup *w, const struct trace_rec *r, struct buf *b);
/* Says that records before @r are lost: a task that waited meanwhile may have run there. */
void wakeup_lost(struct wakeup *w, const struct trace_rec *r);
/* Average, longest and shortest, of all tasks and of realtime tasks; nothing if there was none. */
void wakeup_summary(const struct wakeup *w, struct buf *b);
void wakeup_free(struct wakeup *w);

#endif
