/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The layout of a trace file during the recording: the data of each CPU grows in its own region. */
#ifndef FTR_FILE_READ_DAT_REGIONS_H
#define FTR_FILE_READ_DAT_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

/*
 * The whole file, version 7, from its first byte. It is sparse: there are holes after the front
 * and after the data of each region.
 *
 *	initial header		offset of the first OPTIONS 0: not finished
 *	sections		the front: HEADER_INFO, FTRACE_EVENTS, EVENT_FORMATS of the
 *				enabled events, DAT_FTR_SPOOL, later perhaps KALLSYMS
 *	(hole)
 *	region after region	raw sub-buffers of one CPU of one buffer, from the region's start
 *
 * Body of DAT_FTR_SPOOL, numbers in the byte order of the host:
 *
 *	u32 version		1
 *	u32 state		enum dat_spool_state; sealing writes it last
 *	u64 front		sealed: offset of the end of the front
 *	u32 len, text		lines "key=value" as in DAT_FTR_META, as far as known at the start
 *	u32 n			buffers
 *	n times:
 *		name NUL, clock NUL
 *		u32 subbuf_size
 *		u32 bytes before its data: 16, the header of BUFFER; more for version 6
 *		u32 n		regions, in the order of the file, as are the buffers
 *		n times: u32 cpu, u32 packed, u64 offset, u64 limit, u64 size
 *	u64 cut_from, cut_to	optional; sealed: joining first removes the sections between
 *
 * The text has a line DAT_KEEP_KEY if the recording drops its oldest data. A region may then start
 * with a hole.
 *
 * In state DAT_SPOOL_OPEN the data of a region ends before the first sub-buffer from which on all
 * bytes are zero; the header of a sub-buffer is never all zero. In state DAT_SPOOL_SEALED ->size
 * has its length.
 *
 * The parts of a sealed file are then joined in place. One after the other, starting with the
 * first, each region moves to its place in the finished file: the hole before it is removed
 * (FALLOC_FL_COLLAPSE_RANGE). Sealing truncates the file after the last data. Each removal makes
 * the file shorter by the hole, so its size shows how many were done: dat_spool_locate(). Finally
 * the missing sections are written, and then the initial header, whose offset of OPTIONS makes the
 * file a finished one.
 *
 * A file to be compressed also has regions for the compressed data of each CPU, before the raw
 * ones. They are not in the list until the file is sealed. Then they replace the raw regions in the
 * list, with packed = 1 and their size, and the file ends after them. Their data is that of a
 * finished file: u32 number of chunks, then each chunk as u32 compressed size, u32 size, data. A
 * list that is half overwritten at that time is valid, too.
 */
#define DAT_SPOOL_VERSION 1
#define DAT_KEEP_KEY "keep_bytes"	/* bytes of each CPU to keep */

/* In a stream regions have no offset: the data comes in chunks, see dat_write.h. */
enum dat_spool_state { DAT_SPOOL_OPEN, DAT_SPOOL_SEALED, DAT_SPOOL_STREAM };

struct dat_region {
	int      cpu;
	bool     packed;		/* compressed */
	uint64_t at;			/* offset in the file */
	uint64_t limit;			/* bytes of room in the region */
	uint64_t size;			/* sealed or packed: bytes of data */
};

struct dat_spool_buffer {
	char    *name, *clock;		/* "" = top level; "local", ... */
	uint32_t subbuf_size;
	uint32_t head;			/* bytes before its data in the finished file */
	struct dat_region *v;
	size_t   n;
};

struct dat_spool {
	enum dat_spool_state state;
	uint64_t meta_end;
	/* the sections of the front to remove when the parts are joined */
	uint64_t cut_from, cut_to;
	char    *text;
	struct dat_spool_buffer *bufs;
	size_t   n;
	struct dat_spool *packed;	/* regions for the same data compressed, or NULL */
	uint64_t room;			/* bytes for the front, set by dat_spool_lay() */
};

/* Adds a buffer without regions and copies the strings. The result is valid until the next call. */
struct dat_spool_buffer *dat_spool_add(struct dat_spool *s, const char *name, const char *clock,
				       uint32_t subbuf_size);
void dat_spool_add_cpu(struct dat_spool_buffer *b, int cpu);
/* Adds regions for the compressed data of each CPU. Call it before dat_spool_lay(). */
void dat_spool_add_packed(struct dat_spool *s);
/*
 * Gives each region its place in a file of at most @max bytes. No region is larger than a disk of
 * @disk bytes could fill. Returns false if the regions would be too small to be of use.
 */
bool dat_spool_lay(struct dat_spool *s, uint64_t max, uint64_t disk);
/*
 * Replaces the raw regions by those of compressed data, whose ->size is set. Call it before the
 * file is sealed.
 */
void dat_spool_take_packed(struct dat_spool *s);
void dat_spool_release(struct dat_spool *s);

/* Appends the body of DAT_FTR_SPOOL. */
void dat_spool_encode(const struct dat_spool *s, struct buf *out);
/*
 * Parses a body from an untrusted file. On success sizes and offsets are plausible: regions are in
 * order, do not overlap, start after @meta_min and are multiples of the sub-buffer size. Returns
 * false if they are not.
 */
bool dat_spool_decode(struct dat_spool *s, const void *body, size_t len, bool big,
		      uint64_t meta_min);

/* A step of joining: the place to which a region's data moves. */
struct dat_join {
	struct dat_spool_buffer *buf;
	struct dat_region *region;	/* NULL: a buffer without data */
	bool     first;	/* first of its buffer: the header of the BUFFER section is before it */
	uint64_t head;			/* if ->first: offset for that header */
	uint64_t to;			/* offset to which the data moves */
	uint64_t hole;			/* bytes of hole to remove before the region */
};

/*
 * Lists the steps that join a sealed spool, in order; a region without data needs none. The caller
 * frees *v. Returns their number. *end is the end of the data after the last step, or UINT64_MAX if
 * a region is before the place to which it should move.
 */
size_t dat_spool_joins(const struct dat_spool *s, struct dat_join **v, uint64_t *end);
/* Returns true if no region of a sealed spool is before the place to which it should move. */
bool dat_spool_joins_fit(const struct dat_spool *s);
/* Returns the size of a sealed file before the first step: the end of its last data. */
uint64_t dat_spool_bytes(const struct dat_spool *s);
/*
 * Sets ->at of the regions to the places of their data in a sealed file that has @file_size bytes
 * now. Returns the number of steps done. *all: no step is left.
 */
size_t dat_spool_locate(struct dat_spool *s, uint64_t file_size, bool *all);

#endif
