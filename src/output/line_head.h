/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of an event line before the event: label, task-pid, [cpu], flags, time. */
#ifndef FTR_OUTPUT_LINE_HEAD_H
#define FTR_OUTPUT_LINE_HEAD_H

#include "output/line_label.h"

/*
 * What is the same in the next line is kept as text: task and CPU of the tasks seen last, the
 * letters of all flags, the digits of the second.
 */
struct heads;
struct heads *heads_new(const struct out *o, const struct labels *labels);
void heads_free(struct heads *h);

/*
 * Writes them behind what @b has, with @room for more, and returns where they end: buf_poked() is
 * to follow.
 */
char *heads_poke(struct heads *h, struct buf *b, const struct trace_rec *r,
		 const struct ev_latency *flags, size_t room);

#endif
