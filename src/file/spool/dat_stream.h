/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace file that is written front to back, as into a pipe. */
#ifndef FTR_FILE_DAT_STREAM_H
#define FTR_FILE_DAT_STREAM_H

#include <stdint.h>

#include "base/mem.h"
#include "file/parts/dat_spool.h"
#include "file/write/dat_write.h"

/*
 * The file, version 7, from its first byte to its last:
 *
 *	initial header		offset of the first OPTIONS 0
 *	sections		the front, as in dat_spool.h; DAT_FTR_SPOOL with its own state
 *	DAT_FTR_CHUNK ...	as the CPUs' data comes
 *	sections		EVENT_FORMATS once more, KALLSYMS, CMDLINES, ...: what was not known
 *				before; OPTIONS, without those that tell where sections are
 *	DAT_FTR_END		the last bytes
 *
 * Body of DAT_FTR_CHUNK: u32 number of the buffer, u32 number of the region, in the order of
 * DAT_FTR_SPOOL; whole raw sub-buffers, which come behind those of earlier chunks.
 *
 * Body of DAT_FTR_END: u64 offset of its header.
 */
/* Each appends to @out what stands in the file; the caller says what goes where. */
void dat_stream_head(const struct dat_spool *s, struct buf *out);
/* Behind it come @size bytes of sub-buffers. */
void dat_stream_chunk(uint32_t buffer, uint32_t region, uint64_t size, struct buf *out);
/* The options that wait in @w. */
void dat_stream_options(const struct dat_writer *w, struct buf *out);
void dat_stream_end(uint64_t at, struct buf *out);

#endif
