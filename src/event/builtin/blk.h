/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tracer blk. */
#ifndef FTR_EVENT_BLK_H
#define FTR_EVENT_BLK_H

#include "event/data/data.h"

struct ev_engine;

/*
 * Renders a record of the tracer blk, whose type has no format file (->fmt is NULL). False, with
 * nothing appended, if it is no such record.
 */
bool ev_render_blk(struct ev_engine *e, const struct ev_rec *r, int cpu, uint64_t ts,
		   struct buf *out);

#endif
