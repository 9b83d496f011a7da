/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compresses recorded data to additional regions of the same file. */
#ifndef FTR_RECORD_FILE_DATA_PACK_H
#define FTR_RECORD_FILE_DATA_PACK_H

#include <stdbool.h>

#include "file/compress.h"
#include "file/read/dat_regions.h"
#include "file/write/dat_join.h"
#include "file/write/dat_write.h"

/* Only one thread at a time may use it. */
struct data_pack;

/*
 * Allocates a packer that compresses to the regions of @to, which is laid out in the file @fd. The
 * caller owns both; pack_free() frees the packer.
 */
struct data_pack *pack_new(const struct compress_opts *how, struct dat_spool *to, int fd);
/*
 * Adds @len bytes, whole sub-buffers, to the @region-th of all regions. The last chunk ends with
 * the call. If a write fails, all compressed data is dropped, and its disk space is freed.
 */
void pack_add(struct data_pack *p, size_t region, const void *mem, size_t len);
/* Completes the regions and sets their sizes. Returns 0, or the errno of the first failure. */
int pack_finish(struct data_pack *p);
/* Returns the checksums of each region, in order. Call it after pack_finish(). */
const struct dat_region_sums *pack_sums(const struct data_pack *p);
void pack_free(struct data_pack *p);

#endif
