/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of src/trace share. */
#ifndef FTR_TRACE_PRIV_H
#define FTR_TRACE_PRIV_H

#include "trace/trace.h"

/* Reads clock, DATE, OFFSET and TSC2NSEC; what makes no sense is damage. */
void trace_time_init(struct trace *t);

/* A raw time stamp as the records of @t show it: scaled, then shifted. */
static inline uint64_t trace_time(const struct trace *t, uint64_t raw)
{
	if (t->tsc_mult)
		raw = (uint64_t)((unsigned __int128)raw * t->tsc_mult >> t->tsc_shift);
	return raw + (uint64_t)t->ts_add_ns;
}

/* Fills ->comms from the saved_cmdlines text. */
void trace_comms_init(struct trace *t);
void trace_comms_release(struct trace *t);

#endif
