/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The checksums that ftr puts into its files. */
#ifndef FTR_FILE_READ_DAT_SUMS_H
#define FTR_FILE_READ_DAT_SUMS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Body of DAT_FTR_SUMS; all hashes are XXH64 with seed 0, dat_sum():
 *
 *	u32 version		2; with 1 the hashes are XXH3-64
 *	u32 n			number of ranges
 *	n times:		ranges are adjacent, from offset 0 to the header of this
 *		u64 hash	section: each byte there is in exactly one of them, padding and
 *		u32 len		headers included. Bytes, at most DAT_SUM_RANGE
 *		u16 section	id of the section it belongs to; DAT_SUM_HEADER: the initial header
 *		u16 cpu		whose data this is; DAT_SUM_NO_CPU for anything else
 *	u64 start		offset of this section's header = sum of all len
 *	u64 hash		of the bytes from there up to this field
 *
 * The last hash covers what the ranges do not. The table can be found from the end of the file,
 * even if the rest is damaged. A file with DAT_FTR_META always has DAT_FTR_SUMS.
 */
#define DAT_SUMS_VERSION  2
#define DAT_SUM_RANGE     (256u << 10)
#define DAT_SUM_HEADER    0xffff
#define DAT_SUM_NO_CPU    0xffff
#define DAT_SUM_ENTRY     16	/* bytes of one range in the table */
#define DAT_SUMS_TRAILER  (8 + 8)	/* start, hash: the last bytes of the file */

/* XXH64 with seed 0, the hash in files that are written. */
uint64_t dat_sum(const void *p, size_t n);

#endif
