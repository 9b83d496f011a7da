/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finishes in place a trace file that was recorded into, see dat_regions.h; also as a file of
 * version 6.
 */
#ifndef FTR_FILE_WRITE_DAT_JOIN_H
#define FTR_FILE_WRITE_DAT_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "file/read/dat_regions.h"
#include "file/write/dat_write.h"

/*
 * dat_sum() of each DAT_SUM_RANGE bytes of a region's data. Missing sums are computed from the
 * file's data.
 */
struct dat_region_sums {
	const uint64_t *hash;
	size_t n;
};

/*
 * Writes the section DAT_FTR_SPOOL, for data that is recorded into the file itself. Until
 * dat_join() all that is written must end before the first region. With a compression the section
 * is padded to a block, so that dat_drop_meta() can remove the sections after it.
 */
void dat_write_spool(struct dat_writer *w, struct dat_spool *s);
/*
 * Marks the sections written so far as parts of the unfinished file only. They are removed when its
 * parts are joined. Call it before dat_pack(); dat_write_spool() must have been the first section.
 */
void dat_drop_meta(struct dat_writer *w, struct dat_spool *s);
/*
 * Seals a file whose data is complete: writes @s with the sizes over the section, and truncates the
 * file after the data. Unused room of the front is freed. @s may have the packed regions, after
 * dat_pack().
 */
void dat_seal(struct dat_writer *w, struct dat_spool *s);
/*
 * Joins the parts of the sealed file in place and adds the BUFFER sections. @sums: one for each
 * region, in their order, or NULL. After this only options can be added.
 */
void dat_join(struct dat_writer *w, struct dat_spool *s, const struct dat_region_sums *sums);
/*
 * Makes a writer for a file that nobody records into any more. It is in the state before dat_seal()
 * or, if @s is sealed, before the remaining steps of dat_join(). *s gets the file's list of
 * regions, which the caller releases. Returns NULL, and *s empty, if the file can't be finished in
 * place.
 */
struct dat_writer *dat_resume(int fd, const char *path, struct dat_spool *s);
/* Returns true if the file system of @fd, an empty file, can join parts in place. */
bool dat_can_join(int fd);
/*
 * Returns true if there is room for @bytes after the data. Unused room in the file's front, and an
 * end that was partly written, count. @beside is an empty file on the same disk. Call it after
 * dat_resume().
 */
bool dat_resume_room(const struct dat_writer *w, uint64_t bytes, int beside);

/*
 * Finds DAT_FTR_SPOOL in a file of ftr in this host's byte order. *body is the offset of its body.
 * Returns false, and *s empty, if there is none.
 */
bool dat_spool_find(int fd, struct dat_spool *s, uint64_t *body);
/*
 * Seals an unsealed file that nobody writes to any more, and removes its holes if the file system
 * can: its size is then that of its content. Returns the size in bytes or, if most of it are holes,
 * the bytes on the disk; 0 with errno if the file has no DAT_FTR_SPOOL.
 */
uint64_t dat_spool_shrink(int fd);
/* Returns the bytes of data of a region in a file that is not sealed, in whole sub-buffers. */
uint64_t dat_spool_end(int fd, const struct dat_region *r, uint32_t subbuf_size);

/* --- dat_write_v6.c */

/*
 * A file of version 6, in which all metadata precedes the data, made from one of version 7. See
 * trace.dat(5):
 *
 *	initial header, the bodies of HEADER_INFO to CMDLINES, u32 number of CPUs
 *	options, for each instance BUFFER and CPUCOUNT
 *	"flyrecord", table of the CPUs, clock; data of the top level
 *	"flyrecord", table, clock; data of an instance; the next, ...
 *
 * The metadata comes from the sections and options of the writer @meta, whose file can be read
 * back. The data is that of the writer @w, the same or another one. @s has all buffers, the top
 * level first, and their CPUs. All sub-buffers have the size that @meta was created with. Clocks
 * are "" if @meta has no option TRACECLOCK, and only then.
 */

/*
 * Reserves room for the metadata at the present place of @w. Call it before dat_seal() or
 * dat_write_buffer(). Returns false if there is too little room. If data is recorded into the file
 * of @w, it sets ->head in @s.
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
