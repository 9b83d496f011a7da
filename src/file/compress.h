/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decompresses zlib streams and zstd frames of untrusted origin into memory of a bounded size;
 * compresses blocks for trace files, to what decompress_all() reads.
 */
#ifndef FTR_FILE_COMPRESS_H
#define FTR_FILE_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

/*
 * Decompresses @len bytes at @src into at most @room bytes at @dst. The data decides the method:
 * zstd frames start with a magic number, anything else is taken for zlib. *done is the number of
 * bytes decompressed, also of damaged data. Returns 0, or -1 if the data is damaged, has bytes
 * after its end, or gives more than @room bytes. *ctx is state that is kept between calls. It is
 * NULL at first, and decompress_release() frees it.
 */
int decompress_all(void **ctx, void *dst, size_t room, const void *src, size_t len, size_t *done);
void decompress_release(void *ctx);

/*
 * The same in steps, for a caller that may not need all of the data. The ->done bytes at ->dst do
 * not move. The caller must not change them before unpack_end().
 */
struct compress_unpack {
	const uint8_t *src;
	uint8_t *dst;
	size_t len, room, done;
	size_t limit;			/* it stops at this many bytes; initially @room */
	bool   ended, bad;		/* ->bad, after the end: decompress_all() would return -1 */
	/* private */
	size_t in, step;
	void  *ctx;
};
/* @ctx is NULL or kept from decompress_all() or unpack_end(). */
void unpack_start(struct compress_unpack *u, void *ctx, void *dst, size_t room, const void *src,
		  size_t len);
/* Decompresses about 100 KiB more. Returns false at the end, if nothing was added. */
bool unpack_step(struct compress_unpack *u);
/* Ends it at any time. Returns ctx, for decompress_release() or the next use. */
void *unpack_end(struct compress_unpack *u);

/* Returns true if the 4 bytes at @src can be the start of compressed data. */
bool compressed_start(const void *src);

/* --- compressing */

/* The method of compression; zeroed: none. */
struct compress_opts {
	const char *name;	/* as in the initial header: "zstd", "zlib"; static string */
	int level;
	bool data;			/* compress the CPUs' data too, not only metadata */
};

/*
 * Returns the default, for metadata only: a level that costs little time, as the user did not ask
 * for it.
 */
struct compress_opts packing_of_metadata(void);

/* Returns true if ftr was built with the method @name, or @name is "none". */
bool packing_known(const char *name);
/*
 * Parses "none", "zstd" or "zlib"; the latter two may have ":LEVEL". Returns 0, or -1 if there is
 * no such method or level.
 */
int packing_parse(const char *text, struct compress_opts *out);
/* Returns the version of the library, for the initial header. Readers compare its first number. */
const char *packing_version(const struct compress_opts *p);

/* A packer is for one thread at a time. */
struct compress_packer;

/* Makes a packer. @p is zstd or zlib. It never returns NULL. */
struct compress_packer *packer_new(const struct compress_opts *p);
/* Returns the size in bytes of a buffer that has room for any @len bytes after compression. */
size_t packer_room(const struct compress_packer *k, size_t len);
/*
 * Compresses @len bytes at @src to @dst, a buffer of packer_room() bytes. Returns the compressed
 * size, 0 if there is no memory.
 */
size_t packer_pack(struct compress_packer *k, void *dst, const void *src, size_t len);
/* Returns true if readers take several adjacent compressed blocks as one. */
bool packer_has_frames(const struct compress_packer *k);
void packer_free(struct compress_packer *k);

#endif
