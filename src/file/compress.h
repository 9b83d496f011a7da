/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decompresses zlib streams and zstd frames of untrusted origin into memory of a bounded size. */
#ifndef FTR_FILE_COMPRESS_H
#define FTR_FILE_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Decompresses @len bytes at @src into at most @room bytes at @dst. The method is told by the data:
 * zstd frames start with a magic number, all else is taken for zlib. *done is the number of bytes
 * that came out, also of damaged data. 0, or -1 when the data is damaged, goes on behind its end,
 * or gives more than @room bytes.
 */
int decompress_some(void *dst, size_t room, const void *src, size_t len, size_t *done);

/*
 * The same with memory that is kept from call to call: *ctx is NULL at first, and goes to
 * decompress_release() in the end.
 */
int decompress_more(void **ctx, void *dst, size_t room, const void *src, size_t len, size_t *done);
void decompress_release(void *ctx);

/* Whether the 4 bytes at @src can be the start of compressed data. */
bool compressed_start(const void *src);

#endif
