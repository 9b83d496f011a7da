/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A copy of a record that libtraceevent reads instead of the file's bytes. */
#ifndef FTR_EVENT_SCRATCH_H
#define FTR_EVENT_SCRATCH_H

#include "event/data/data.h"

/*
 * The copy has zeros before and after it. libtraceevent does not check the record's size: it reads
 * at 16-bit offsets for 16-bit lengths, and for a __rel_loc half of that again. All such reads are
 * inside.
 */
struct scratch {
	uint8_t *mem;
	size_t   cap, dirty;	/* bytes at ->mem; bytes from ->data on that may not be zero */
	uint8_t *data;
	uint32_t len;
};

/*
 * Copies @r. Strings without a NUL are moved to the end and get one. @host_loc: write their
 * locations in host byte order. False if the record is shorter than its fields, or has data outside
 * of it.
 */
bool scratch_fill(struct scratch *s, const struct ev_rec *r, bool host_loc);
void scratch_release(struct scratch *s);

#endif
