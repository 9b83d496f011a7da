/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A text of symbols that is compressed so that a reader can unpack a part of it: frames of zstd,
 * each of whole lines, and behind them a frame that others skip:
 *
 *	u32 PIECES_FRAME, u32 bytes that follow
 *	for each piece u32 offset of its frame, u32 offset of its text, u64 address of its line
 *	u32 number of pieces, u32 PIECES_MARK
 *
 * Numbers are little-endian in any file, as those of zstd. Offsets count from the first frame, and
 * from the first byte of the text; the line is the first. What is decompressed as a whole is the
 * text alone, in any reader.
 */
#ifndef FTR_FILE_PIECES_H
#define FTR_FILE_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "file/parts/packer.h"

/* Of a larger one less is saved by unpacking a part; of a smaller one the text takes more room. */
#define PIECES_BYTES  (8u << 10)
#define PIECES_FRAME  0x184d2a5eu	/* one of zstd's 16 magic numbers of skippable frames */
#define PIECES_MARK   0x53525446u	/* "FTRS" */
#define PIECES_ENTRY  16
#define PIECES_HEAD   8
#define PIECES_TAIL   8

/*
 * Compresses @text, whose first line starts at @lead, and appends it to @out. Where the method has
 * no frames, or lines are not sorted by address, there is no table. -1 when memory is out.
 */
int pieces_pack(struct packer *k, const char *text, size_t len, size_t lead, struct buf *out);

/* Any thread may ask. */
struct pieces;

/*
 * Of @len bytes at @src, which stay, and become @size. NULL: there is no table, or a wrong one;
 * then all can only be decompressed in one go.
 */
struct pieces *pieces_open(const uint8_t *src, size_t len, size_t size, size_t lead);
/*
 * Whole lines, among them the last one at or below @addr, as far as the table can tell; and @more
 * pieces on each side. *begins, *ends: there are no lines before or behind them. They stay. NULL:
 * damaged.
 */
const char *pieces_near(struct pieces *p, uint64_t addr, size_t more, size_t *len, bool *begins,
			bool *ends);
/* All of it, *len bytes; *bad: as far as neither it nor the table is damaged. */
const uint8_t *pieces_all(struct pieces *p, size_t *len, bool *bad);
void pieces_free(struct pieces *p);

#endif
