/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks recorded data once: names that events tell, and numbers of events and lost ones. */
#ifndef FTR_RECORD_WALK_H
#define FTR_RECORD_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "record/capture/comms.h"
#include "record/capture/formats.h"
#include "ring/page.h"

/* What to look at, by event id. */
struct walk;

struct walk_totals {
	uint64_t events;
	uint64_t lost;			/* as far as it is counted */
	bool     lost_unknown;		/* some sub-buffer says "lost" without a number */
	uint64_t bad_pages;		/* could not be walked to their end */
};

/* Appends the names of the events that name tasks: their formats should be known. */
void walk_events(struct strv *out);
/* Looks up the fields in the formats. */
struct walk *walk_new(const struct formats *f);
/* Walks sub-buffers, @len bytes at @mem, adding to @c (may be NULL) and @sum. */
void walk_mem(struct walk *w, const struct ring_layout *layout, const uint8_t *mem, size_t len,
	      struct comms *c, struct walk_totals *sum);
/* Of the pids that the records walked so far are of: the next above @pid, 0 = none; how many. */
int walk_next_pid(const struct walk *w, int pid);
size_t walk_pids(const struct walk *w);
/* Those that @c has no name for. */
size_t walk_unnamed(const struct walk *w, const struct comms *c);
/* Are there records of an event whose format is not among @f? */
bool walk_lacks(const struct walk *w, const struct formats *f);
/* Keys are the addresses of functions whose arguments were recorded, as far as walked. Borrowed. */
const struct map *walk_called(const struct walk *w);
void walk_free(struct walk *w);

#endif
