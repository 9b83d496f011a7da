/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sink for Perfetto: a trace file of its own format, packet by packet. */
#ifndef FTR_OUT_PERFETTO_H
#define FTR_OUT_PERFETTO_H

#include "out/out.h"

/*
 * Memory does not grow with the file: a bundle of events a CPU is kept until it is written, and
 * tables of the formats and functions that were met.
 */
extern const struct out_ops out_perfetto;

/*
 * Perfetto takes no CPU with a number from this on, and no time beyond INT64_MAX: such events are
 * left out, and counted.
 */
#define PERFETTO_CPUS 1024

/* Whether the times of all files are nanoseconds; else -1 with @err, which names the clock. */
int perfetto_check_clocks(struct trace *const *traces, size_t n, struct ftr_error *err);
/* Events that the last run left out. */
uint64_t perfetto_left_out(void);

#endif
