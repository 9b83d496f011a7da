/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A text of symbols compressed in chunks, so that a reader can decompress a part of it. Each chunk
 * is a zstd frame of whole lines. After them is a skippable frame with a table:
 *
 *	u32 TEXT_CHUNKS_FRAME, u32 bytes that follow
 *	for each chunk u32 offset of its frame, u32 offset of its text, u64 address of its line
 *	u32 number of chunks, u32 TEXT_CHUNKS_MARK
 *
 * Numbers are little-endian in all files, as in zstd. Offsets of frames count from the first frame,
 * those of text from its first byte. The address is that of the chunk's first line. Any reader can
 * decompress the whole, and then gets only the text.
 */
#ifndef FTR_FILE_TEXT_CHUNKS_H
#define FTR_FILE_TEXT_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "file/compress.h"

/* Larger chunks save less if a part is decompressed; smaller ones compress worse. */
#define TEXT_CHUNK_BYTES  (8u << 10)
#define TEXT_CHUNKS_FRAME  0x184d2a5eu	/* one of zstd's 16 magic numbers of skippable frames */
#define TEXT_CHUNKS_MARK   0x53525446u	/* "FTRS" */
#define TEXT_CHUNKS_ENTRY  16
#define TEXT_CHUNKS_HEAD   8
#define TEXT_CHUNKS_TAIL   8

/*
 * Compresses @text, whose first line starts at offset @lead, and appends it to @out. Writes no
 * table if the method has no frames or the lines are not sorted by address. Returns 0, or -1 if
 * there is no memory.
 */
int text_chunks_pack(struct compress_packer *k, const char *text, size_t len, size_t lead,
		     struct buf *out);

/* An open text. Any thread may use it. */
struct text_chunks;

/*
 * Opens @len bytes at @src, borrowed, which decompress to @size bytes. Returns NULL if there is no
 * table or an invalid one: the text can then be decompressed only as a whole.
 */
struct text_chunks *text_chunks_open(const uint8_t *src, size_t len, size_t size, size_t lead);
/*
 * Returns whole lines, *len bytes: the chunk with the last line at or below @addr by the table, and
 * @more chunks on each side. *begins, *ends: there are no lines before or after them. The lines are
 * valid until text_chunks_free(). Returns NULL if they are damaged.
 */
const char *text_chunks_near(struct text_chunks *p, uint64_t addr, size_t more, size_t *len,
			     bool *begins, bool *ends);
/*
 * Returns the whole text, *len bytes. *bad: it is damaged, and only the text up to the damage is
 * there.
 */
const uint8_t *text_chunks_all(struct text_chunks *p, size_t *len, bool *bad);
void text_chunks_free(struct text_chunks *p);

#endif
