/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds sub-buffers as the kernel lays them out, sound ones and damaged ones, for tests. */
#ifndef FTR_RING_BUILD_H
#define FTR_RING_BUILD_H

#include "ring/page.h"

struct ring_build {
	const struct ring_layout *layout;
	uint8_t *mem;		/* layout->subbuf_size bytes, the caller's */
	uint32_t at;		/* committed bytes so far */
};

/* Clears the sub-buffer at @mem and starts it at time @ts. */
void ring_build_start(struct ring_build *b, const struct ring_layout *layout, void *mem,
		      uint64_t ts);
/* One event header with any @type_len, followed by nothing. False when the sub-buffer is full. */
bool ring_build_header(struct ring_build *b, uint32_t type_len, uint32_t delta);
bool ring_build_word(struct ring_build *b, uint32_t word);
/*
 * A record: its length goes into type_len where it fits (1..28 words), else into a word of its own.
 */
bool ring_build_event(struct ring_build *b, uint32_t delta, const void *data, uint32_t len);
bool ring_build_extend(struct ring_build *b, uint64_t delta);
bool ring_build_stamp(struct ring_build *b, uint64_t ts);
/* Writes commit with @flags (bits 30 and 31, or anything else to be or-ed in). */
void ring_build_commit(struct ring_build *b, uint64_t flags);
/* The same for a sub-buffer before which @lost events were lost, or RING_LOST_UNKNOWN. */
void ring_build_commit_lost(struct ring_build *b, uint64_t lost);

#endif
