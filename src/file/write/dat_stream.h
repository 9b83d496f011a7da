/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace file that is written front to back, as to a pipe. */
#ifndef FTR_FILE_WRITE_DAT_STREAM_H
#define FTR_FILE_WRITE_DAT_STREAM_H

#include <stdint.h>

#include "base/mem.h"
#include "file/read/dat_regions.h"
#include "file/write/dat_write.h"

/*
 * The file, version 7, from its first byte to its last:
 *
 *	initial header		offset of the first OPTIONS 0
 *	sections		the front, as in dat_regions.h; DAT_FTR_SPOOL with its own state
 *	DAT_FTR_CHUNK ...	as the CPUs' data comes
 *	sections		EVENT_FORMATS once more, KALLSYMS, CMDLINES, ...: data that was not
 *				known before; OPTIONS, without the offsets of sections
 *	DAT_FTR_END		the last bytes
 *
 * Body of DAT_FTR_CHUNK: u32 number of the buffer, u32 number of the region, in the order of
 * DAT_FTR_SPOOL; then whole raw sub-buffers, which follow those of earlier chunks.
 *
 * Body of DAT_FTR_END: u64 offset of its header.
 */
/* Each function appends to @out; the caller writes @out to the file. */
void dat_stream_head(const struct dat_spool *s, struct buf *out);
/* The header of a chunk; @size bytes of sub-buffers must follow. */
void dat_stream_chunk(uint32_t buffer, uint32_t region, uint64_t size, struct buf *out);
/* The pending options of @w. */
void dat_stream_options(const struct dat_writer *w, struct buf *out);
void dat_stream_end(uint64_t at, struct buf *out);

#endif
