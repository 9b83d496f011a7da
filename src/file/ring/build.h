/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds sub-buffers in the kernel's layout, valid or damaged, for tests. */
#ifndef FTR_FILE_RING_BUILD_H
#define FTR_FILE_RING_BUILD_H

#include "file/ring/page.h"

struct ring_build {
	const struct ring_layout *layout;
	uint8_t *mem;		/* layout->subbuf_size bytes, owned by the caller */
	uint32_t at;		/* committed bytes so far */
};

/* Clears the sub-buffer at @mem and starts it at time @ts. */
void ring_build_start(struct ring_build *b, const struct ring_layout *layout, void *mem,
		      uint64_t ts);
/* Appends an event header with any @type_len, without data. False if the sub-buffer is full. */
bool ring_build_header(struct ring_build *b, uint32_t type_len, uint32_t delta);
bool ring_build_word(struct ring_build *b, uint32_t word);
/*
 * Appends a record. Its length is in type_len if it fits (1..28 words), else in a word of its own.
 */
bool ring_build_event(struct ring_build *b, uint32_t delta, const void *data, uint32_t len);
bool ring_build_extend(struct ring_build *b, uint64_t delta);
bool ring_build_stamp(struct ring_build *b, uint64_t ts);
/* Writes the commit word, or-ed with @flags (bits 30 and 31, or any others). */
void ring_build_commit(struct ring_build *b, uint64_t flags);
/* The same if @lost events, or RING_LOST_UNKNOWN, were lost before this sub-buffer. */
void ring_build_commit_lost(struct ring_build *b, uint64_t lost);

#endif
