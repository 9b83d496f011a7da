/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What uses libzstd, for compress.c and packer.c. */
#ifndef FTR_FILE_ZSTD_H
#define FTR_FILE_ZSTD_H

#include "file/compress.h"

/* As decompress_all(). */
int zstd_some(void **keep, void *dst, size_t room, const void *src, size_t len, size_t *done);
/* Of unpack_start(): ->step stays 0 where it can't be done in steps. The next block. */
void zstd_start(struct unpack *u);
void zstd_step(struct unpack *u);
void zstd_release(void *ctx);

/* As packer.c has them of a method; not there WITHOUT_ZSTD. */
size_t zstd_pack(void **state, int level, void *dst, size_t room, const void *src, size_t len);
void zstd_end(void *state);
size_t zstd_room(size_t len);
const char *zstd_version(void);

#endif
