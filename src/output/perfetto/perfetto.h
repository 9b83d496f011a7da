/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sink for Perfetto: writes a trace file in Perfetto's format, packet by packet. */
#ifndef FTR_OUTPUT_PERFETTO_PERFETTO_H
#define FTR_OUTPUT_PERFETTO_PERFETTO_H

#include "output/pipeline.h"

/*
 * The sink keeps a bundle of events for each CPU until that is written, and tables of the formats
 * and functions met so far. Its memory does not grow with the file.
 */
extern const struct out_ops out_perfetto;

/*
 * Perfetto accepts only CPUs below this number, and times up to INT64_MAX. Other events are left
 * out and counted.
 */
#define PERFETTO_CPUS 1024

/* Returns 0 if the times of all files are nanoseconds, else -1 with @err, which names the clock. */
int perfetto_check_clocks(struct trace *const *traces, size_t n, struct ftr_error *err);
/* Returns the number of events that the last run left out. */
uint64_t perfetto_left_out(void);

#endif
