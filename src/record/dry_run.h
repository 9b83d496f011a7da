/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording without a file, to estimate its load from the kernel's counters. */
#ifndef FTR_RECORD_DRY_RUN_H
#define FTR_RECORD_DRY_RUN_H

#include <stdint.h>

#include "base/mem.h"
#include "record/cpu/live_recording.h"

struct record_dry_run;

/*
 * Allocates a dry run and fills @live for the plan. The recording ends after the plan's duration.
 * dry_free() frees it.
 */
struct record_dry_run *dry_new(struct rec_live *live);
/*
 * Appends a report after @ns of recording: events and bytes per second of each buffer, and the most
 * frequent events in the data that the buffer still holds.
 */
void dry_report(const struct record_dry_run *d, uint64_t ns, struct buf *out);
void dry_free(struct record_dry_run *d);

#endif
