/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls of libzstd, for compress.c and compress.c. */
#ifndef FTR_FILE_ZSTD_H
#define FTR_FILE_ZSTD_H

#include "file/compress.h"

/* Like decompress_all(). */
int zstd_decompress(void **keep, void *dst, size_t room, const void *src, size_t len, size_t *done);
/* Starts unpack_start()'s steps. ->step stays 0 if decompressing in steps is not possible. */
void zstd_start(struct compress_unpack *u);
/* Decompresses the next block. */
void zstd_step(struct compress_unpack *u);
void zstd_release(void *ctx);

/* The functions of a method of compress.c; not available WITHOUT_ZSTD. */
size_t zstd_pack(void **state, int level, void *dst, size_t room, const void *src, size_t len);
void zstd_end(void *state);
size_t zstd_room(size_t len);
const char *zstd_version(void);

#endif
