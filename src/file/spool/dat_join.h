/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finishes in its place a trace file that was recorded into, dat_spool.h. */
#ifndef FTR_FILE_DAT_JOIN_H
#define FTR_FILE_DAT_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "file/parts/dat_spool.h"
#include "file/write/dat_write.h"

/* dat_sum() of the data of one region, DAT_SUM_RANGE by DAT_SUM_RANGE; what is missing is read. */
struct dat_region_sums {
	const uint64_t *hash;
	size_t n;
};

/*
 * For data that is recorded into the file itself: the section DAT_FTR_SPOOL. Before dat_join() what
 * is written must end before the first region. With a compression it ends with a block: what
 * follows may go, dat_drop_front().
 */
void dat_write_spool(struct dat_writer *w, struct dat_spool *s);
/*
 * Before dat_pack(), with a dat_write_spool() that went before all other sections: those that were
 * written so far are of the unfinished file alone, and will be removed when its parts are joined.
 */
void dat_drop_front(struct dat_writer *w, struct dat_spool *s);
/*
 * The data is complete: @s, with the sizes, replaces what was written, and the file is cut behind
 * the data. What the regions don't take up to @w's place is free to be used. @s may have taken the
 * packed regions, after dat_pack().
 */
void dat_seal(struct dat_writer *w, struct dat_spool *s);
/*
 * Joins the parts of the sealed file in place, and adds the BUFFER sections. @sums: one for each
 * region in their order, or NULL. Only options can follow.
 */
void dat_join(struct dat_writer *w, struct dat_spool *s, const struct dat_region_sums *sums);
/*
 * The writer of a file that was recorded into and that nobody records into any more: as before
 * dat_seal(), or, where @s is sealed, as before the steps of dat_join() that were not done. *s, the
 * caller's to release, is what the file says. NULL: it can't be finished in its place; *s is empty.
 */
struct dat_writer *dat_resume(int fd, const char *path, struct dat_spool *s);
/* Can the file system of @fd, an empty file, do that? */
bool dat_can_join(int fd);
/*
 * After dat_resume(): is there room for @bytes behind the data? What the file holds in its front,
 * and the end that was being written, counts; @beside is an empty file on the same disk.
 */
bool dat_resume_room(const struct dat_writer *w, uint64_t bytes, int beside);

/*
 * The section of a file that is ours, of this host's byte order; *body is the offset of its body.
 * False, and *s empty, when there is none.
 */
bool dat_spool_find(int fd, struct dat_spool *s, uint64_t *body);
/*
 * Nobody writes to such a file any more, which was not sealed: seals it, and removes its holes
 * where the file system can, so that it is as large as what is in it. Returns its size, 0 with
 * errno when it is none of ours.
 */
uint64_t dat_spool_shrink(int fd);
/* Where the data of a region in an open file ends: bytes from its start, whole sub-buffers. */
uint64_t dat_spool_end(int fd, const struct dat_region *r, uint32_t subbuf_size);

#endif
