/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes version 6 of what was written as version 7: all metadata lies before the data. */
#ifndef FTR_FILE_DAT_WRITE_V6_H
#define FTR_FILE_DAT_WRITE_V6_H

#include "file/parts/dat_spool.h"
#include "file/write/dat_write.h"

/*
 * What is written, trace.dat(5):
 *
 *	initial header, the bodies of HEADER_INFO to CMDLINES, u32 number of CPUs
 *	options, for each instance BUFFER and CPUCOUNT
 *	"flyrecord", table of the CPUs, clock; data of the top level
 *	"flyrecord", table, clock; data of an instance; the next, ...
 *
 * The metadata comes from the sections and options of @meta, a writer whose file can be read back;
 * the data is that of @w, which is the same or another one. @s names all buffers, the top level
 * first, and their CPUs. All sub-buffers have the size that @meta was made with.
 */

/*
 * Before dat_seal() or dat_write_buffer(): keeps room in @w at its place, where the metadata will
 * stand; false when there is too little. For a @w that is a spool the heads in @s are set.
 */
bool dat_v6_begin(struct dat_writer *w, const struct dat_writer *meta, struct dat_spool *s);
/*
 * Instead of dat_finish(), after dat_join() or dat_write_buffer(): the metadata is written, and
 * what stands before it is cut off, which makes it a file of version 6 in one step. Returns as
 * dat_finish() does; frees @w, not @meta.
 */
int dat_v6_finish(struct dat_writer *w, const struct dat_writer *meta, const struct dat_spool *s,
		  struct ftr_error *err);

#endif
