/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A text of symbols compressed in pieces, so that a reader can decompress a part of it. Each piece
 * is a zstd frame of whole lines. After them is a skippable frame with a table:
 *
 *	u32 PIECES_FRAME, u32 bytes that follow
 *	for each piece u32 offset of its frame, u32 offset of its text, u64 address of its line
 *	u32 number of pieces, u32 PIECES_MARK
 *
 * Numbers are little-endian in all files, as in zstd. Offsets of frames count from the first frame,
 * those of text from its first byte. The address is that of the piece's first line. Any reader can
 * decompress the whole, and then gets only the text.
 */
#ifndef FTR_FILE_TEXT_CHUNKS_H
#define FTR_FILE_TEXT_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "file/compress.h"

/* Larger pieces save less when a part is decompressed; smaller ones compress worse. */
#define PIECES_BYTES  (8u << 10)
#define PIECES_FRAME  0x184d2a5eu	/* one of zstd's 16 magic numbers of skippable frames */
#define PIECES_MARK   0x53525446u	/* "FTRS" */
#define PIECES_ENTRY  16
#define PIECES_HEAD   8
#define PIECES_TAIL   8

/*
 * Compresses @text, whose first line starts at offset @lead, and appends it to @out. Writes no
 * table if the method has no frames or the lines are not sorted by address. -1 if there is no
 * memory.
 */
int pieces_pack(struct packer *k, const char *text, size_t len, size_t lead, struct buf *out);

/* Any thread may use it. */
struct pieces;

/*
 * Opens @len bytes at @src, borrowed, which decompress to @size bytes. NULL if there is no table or
 * a wrong one: the text can then be decompressed only as a whole.
 */
struct pieces *pieces_open(const uint8_t *src, size_t len, size_t size, size_t lead);
/*
 * Whole lines, *len bytes: the piece with the last line at or below @addr by the table, and @more
 * pieces on each side. *begins, *ends: there are no lines before or after them. The lines are valid
 * until pieces_free(). NULL: damaged.
 */
const char *pieces_near(struct pieces *p, uint64_t addr, size_t more, size_t *len, bool *begins,
			bool *ends);
/* The whole text, *len bytes. *bad: it is damaged, and only the text up to the damage is there. */
const uint8_t *pieces_all(struct pieces *p, size_t *len, bool *bad);
void pieces_free(struct pieces *p);

#endif
