/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decompresses zlib streams and zstd frames of untrusted origin into memory of a bounded size. */
#ifndef FTR_FILE_COMPRESS_H
#define FTR_FILE_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decompresses @len bytes at @src into at most @room bytes at @dst. The method is told by the data:
 * zstd frames start with a magic number, all else is taken for zlib. *done is the number of bytes
 * that came out, also of damaged data. 0, or -1 when the data is damaged, goes on behind its end,
 * or gives more than @room bytes. *ctx is memory that is kept from call to call: NULL at first, it
 * goes to decompress_release() in the end.
 */
int decompress_all(void **ctx, void *dst, size_t room, const void *src, size_t len, size_t *done);
void decompress_release(void *ctx);

/*
 * The same in steps, for who may not need all of it. What is there, ->done bytes at ->dst, stays
 * where it is and is not to be changed before the end.
 */
struct unpack {
	const uint8_t *src;
	uint8_t *dst;
	size_t len, room, done;
	size_t limit;			/* ends when so many are done; @room at first */
	bool   ended, bad;		/* ->bad: as -1 of decompress_all(), once it has ended */
	/* private */
	size_t in, step;
	void  *ctx;
};
/* @ctx is NULL or kept from decompress_all() or unpack_end(). */
void unpack_start(struct unpack *u, void *ctx, void *dst, size_t room, const void *src, size_t len);
/* Some more, some 100 KiB at a time. False if nothing came: it has ended. */
bool unpack_step(struct unpack *u);
/* At any time: returns what goes to decompress_release() or to the next use. */
void *unpack_end(struct unpack *u);

/* Whether the 4 bytes at @src can be the start of compressed data. */
bool compressed_start(const void *src);

#endif
