/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks recorded data once: collects the names in events, and counts events and lost events. */
#ifndef FTR_RECORD_CAPTURE_DATA_WALK_H
#define FTR_RECORD_CAPTURE_DATA_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "file/ring/page.h"
#include "record/capture/capture_comms.h"
#include "record/capture/capture_formats.h"

/* A walk over data, with the offsets of the fields to read for each event id. */
struct data_walk;

struct walk_totals {
	uint64_t events;
	uint64_t lost;			/* events lost, without those of ->lost_unknown */
	bool     lost_unknown;		/* a sub-buffer has lost events, but no number of them */
	uint64_t bad_pages;		/* sub-buffers that could not be walked to their end */
};

/* Appends the events that have names of tasks. The caller should read their formats. */
void walk_events(struct strv *out);
/* Looks up the fields in the formats. Never NULL. */
struct data_walk *walk_new(const struct format_files *f);
/*
 * Walks the sub-buffers in @len bytes at @mem. Adds names to @c (may be NULL) and counts to @sum.
 */
void walk_mem(struct data_walk *w, const struct ring_layout *layout, const uint8_t *mem, size_t len,
	      struct task_comms *c, struct walk_totals *sum);
/*
 * Returns the next pid greater than @pid in the records walked so far, or 0. walk_pids() returns
 * their number.
 */
int walk_next_pid(const struct data_walk *w, int pid);
size_t walk_pids(const struct data_walk *w);
/* Returns the number of pids without a name in @c. */
size_t walk_unnamed(const struct data_walk *w, const struct task_comms *c);
/* Returns true if there were records of an event whose format is not in @f. */
bool walk_lacks(const struct data_walk *w, const struct format_files *f);
/*
 * Returns true if there were records of the tracers function and function_graph. @f as for
 * walk_new().
 */
bool walk_met_calls(const struct data_walk *w, const struct format_files *f);
/* Returns a map whose keys are the addresses of functions with recorded arguments. Borrowed. */
const struct map *walk_called(const struct data_walk *w);
void walk_free(struct data_walk *w);

#endif
