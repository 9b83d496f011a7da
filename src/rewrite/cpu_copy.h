/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Selects the sub-buffers of one CPU for a new file, and rebuilds those that are not whole. */
#ifndef FTR_REWRITE_CPU_COPY_H
#define FTR_REWRITE_CPU_COPY_H

#include "base/err.h"
#include "file/compress.h"
#include "file/write/dat_write.h"
#include "rewrite/rewrite.h"

/*
 * A file without a name in the directory of the new one. It has the sub-buffers that are not copied
 * from the source: rebuilt, decompressed or compressed ones. Zero it but for ->fd.
 */
struct copy_spool {
	int      fd;
	uint64_t at;			/* bytes in the file */
	struct buf out;			/* bytes that follow them and are not written yet */
	struct compress_packer *packer;	/* compresses all data; NULL: none is */
	struct buf chunk;		/* sub-buffers of the next compressed chunk */
	uint32_t chunks;		/* number of them, of the present CPU */
	uint64_t list;			/* offset of the present CPU's list of chunks */
	int      sys;			/* errno of the first failed write, 0 if none */
};

/* The places of data to copy, in order. */
struct copy_list {
	struct dat_write_cpu *v;
	size_t n, cap;
};

/*
 * Adds the data of @c, which belongs to @b, to @to. Records are as in the source, with their times;
 * losses before a record that is left out by a filter count before the next one. Damage is noted in
 * the trace. Failed writes are in spool->sys. @types (may be NULL) gets the bits of the records'
 * types. @scrub (may be NULL) replaces values in the records.
 */
void cpu_copy(const struct rewrite_buffer *b, struct rewrite_cpu *c, struct scrub_run *scrub,
	      uint64_t *types, struct copy_spool *spool, struct copy_list *to,
	      struct rewrite_totals *sum);

void copy_spool_release(struct copy_spool *s);

#endif
