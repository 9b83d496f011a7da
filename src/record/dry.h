/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording without a file: what it would bring, by the kernel's counters. */
#ifndef FTR_RECORD_DRY_H
#define FTR_RECORD_DRY_H

#include <stdint.h>

#include "base/mem.h"
#include "record/lane/live.h"

struct dry;

/* Fills @live, which is to be put into the plan; it ends with the plan's duration. */
struct dry *dry_new(struct rec_live *live);
/*
 * After @ns of recording: events and bytes a second of each buffer, and of which events most of
 * what the buffer still held was.
 */
void dry_report(const struct dry *d, uint64_t ns, struct buf *out);
void dry_free(struct dry *d);

#endif
