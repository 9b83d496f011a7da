/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compresses what was recorded into further regions of the file that is recorded into. */
#ifndef FTR_RECORD_PACK_H
#define FTR_RECORD_PACK_H

#include <stdbool.h>

#include "file/parts/dat_spool.h"
#include "file/parts/packer.h"
#include "file/spool/dat_join.h"
#include "file/write/dat_write.h"

/* One thread at a time. */
struct pack;

/* Into the regions of @to, which is laid out in the file behind @fd; both stay the caller's. */
struct pack *pack_new(const struct packing *how, struct dat_spool *to, int fd);
/*
 * The next @len bytes, whole sub-buffers, of the @region-th of all regions. Chunks end with the
 * call. What can't be written is given up with all the rest, and its space given back.
 */
void pack_add(struct pack *p, size_t region, const void *mem, size_t len);
/* No more comes: the regions are complete and have their sizes. 0, or errno of what failed. */
int pack_finish(struct pack *p);
/* After pack_finish(): of each region in turn. */
const struct dat_region_sums *pack_sums(const struct pack *p);
void pack_free(struct pack *p);

#endif
