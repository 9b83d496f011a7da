/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scratch record that libtraceevent reads instead of the file's bytes. */
#ifndef FTR_EVENT_SCRATCH_H
#define FTR_EVENT_SCRATCH_H

#include "event/data/data.h"

/*
 * A copy of the record with zeros before and behind it. libtraceevent reads at 16-bit offsets for
 * 16-bit lengths (and half of that once more behind a __rel_loc) without looking at the record's
 * size: all of it stays inside.
 */
struct scratch {
	uint8_t *mem;
	size_t   cap, dirty;	/* bytes; how many from ->data on are not zero */
	uint8_t *data;
	uint32_t len;
};

/*
 * Copies @r, moving strings without a NUL to the end, where they get one. @host_loc writes their
 * locations in the host's byte order. False if the record is shorter than its fields or says that
 * data lies outside of it.
 */
bool scratch_fill(struct scratch *s, const struct ev_rec *r, bool host_loc);
void scratch_release(struct scratch *s);

#endif
