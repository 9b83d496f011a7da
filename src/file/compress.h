/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decompresses zlib streams and zstd frames of untrusted origin into memory of a bounded size. */
#ifndef FTR_FILE_COMPRESS_H
#define FTR_FILE_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decompresses @len bytes at @src into at most @room bytes at @dst. The data decides the method:
 * zstd frames start with a magic number, anything else is taken for zlib. *done is the number of
 * bytes decompressed, also of damaged data. 0, or -1 if the data is damaged, has bytes after its
 * end, or gives more than @room bytes. *ctx is state that is kept between calls. It is NULL at
 * first, and decompress_release() frees it.
 */
int decompress_all(void **ctx, void *dst, size_t room, const void *src, size_t len, size_t *done);
void decompress_release(void *ctx);

/*
 * The same in steps, for a caller that may not need all of it. The ->done bytes at ->dst do not
 * move. The caller must not change them before unpack_end().
 */
struct unpack {
	const uint8_t *src;
	uint8_t *dst;
	size_t len, room, done;
	size_t limit;			/* stops at this many bytes; initially @room */
	bool   ended, bad;		/* ->bad, after the end: as -1 of decompress_all() */
	/* private */
	size_t in, step;
	void  *ctx;
};
/* @ctx is NULL or kept from decompress_all() or unpack_end(). */
void unpack_start(struct unpack *u, void *ctx, void *dst, size_t room, const void *src, size_t len);
/* Decompresses about 100 KiB more. False if nothing was added: it has ended. */
bool unpack_step(struct unpack *u);
/* Ends at any time. Returns ctx, for decompress_release() or the next use. */
void *unpack_end(struct unpack *u);

/* True if the 4 bytes at @src can be the start of compressed data. */
bool compressed_start(const void *src);

#endif
