/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes a file of version 6, in which all metadata is before the data, from one of version 7. */
#ifndef FTR_FILE_DAT_WRITE_V6_H
#define FTR_FILE_DAT_WRITE_V6_H

#include "file/read/dat_regions.h"
#include "file/write/dat_write.h"

/*
 * The file, see trace.dat(5):
 *
 *	initial header, the bodies of HEADER_INFO to CMDLINES, u32 number of CPUs
 *	options, for each instance BUFFER and CPUCOUNT
 *	"flyrecord", table of the CPUs, clock; data of the top level
 *	"flyrecord", table, clock; data of an instance; the next, ...
 *
 * The metadata comes from the sections and options of the writer @meta, whose file can be read
 * back. The data is that of the writer @w, the same or another one. @s has all buffers, the top
 * level first, and their CPUs. All sub-buffers have the size that @meta was created with.
 */

/*
 * Reserves room for the metadata at the present place of @w. Call it before dat_seal() or
 * dat_write_buffer(). False if there is too little room. If @w is a spool it sets ->head in @s.
 */
bool dat_v6_begin(struct dat_writer *w, const struct dat_writer *meta, struct dat_spool *s);
/*
 * Replaces dat_finish() after dat_join() or dat_write_buffer(). Writes the metadata and cuts off
 * everything before it, which makes the file one of version 6 in one step. Returns as dat_finish().
 * Frees @w, not @meta.
 */
int dat_v6_finish(struct dat_writer *w, const struct dat_writer *meta, const struct dat_spool *s,
		  struct ftr_error *err);

#endif
