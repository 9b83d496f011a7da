/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace file while it is recorded: each CPU's data grows in a region of its own. */
#ifndef FTR_FILE_DAT_SPOOL_H
#define FTR_FILE_DAT_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

/*
 * The file, version 7, from its first byte to its last. It is sparse: behind the front and behind
 * each region's data are holes.
 *
 *	initial header		offset of the first OPTIONS 0: not finished
 *	sections		the front: HEADER_INFO, FTRACE_EVENTS, EVENT_FORMATS of what is
 *				enabled, DAT_FTR_SPOOL, later perhaps KALLSYMS
 *	(hole)
 *	region after region	raw sub-buffers of one CPU of one buffer, from the region's start
 *
 * Body of DAT_FTR_SPOOL, numbers in the byte order of the host:
 *
 *	u32 version		1
 *	u32 state		enum dat_spool_state, the last to be written of what is sealed
 *	u64 front		sealed: where the front ends
 *	u32 len, text		lines "key=value" as in DAT_FTR_META, as far as known at the start
 *	u32 n			buffers
 *	n times:
 *		name NUL, clock NUL
 *		u32 subbuf_size
 *		u32 bytes before its data: 16, the header of BUFFER, but for version 6
 *		u32 n		regions, in the order of the file, as are the buffers
 *		n times: u32 cpu, u32 packed, u64 offset, u64 limit, u64 size
 *	u64 cut_from, cut_to	perhaps; sealed: the sections between go first when it is joined
 *
 * The text has a line DAT_KEEP_KEY where the oldest data is dropped while it is recorded: a region
 * may begin with a hole then.
 *
 * While it is open a region's data ends before the first sub-buffer that is all zeroes (its header
 * never is) with nothing but zeroes behind it. Once it is sealed ->size tells.
 *
 * The parts of a sealed file are then joined in place: from the front on each region moves to where
 * a finished file has it, by removing the hole before it (FALLOC_FL_COLLAPSE_RANGE), one after the
 * other. Sealing cuts the file behind the last data; each removal makes it shorter by the hole, so
 * that its size tells how far this went: dat_spool_locate(). At last come the sections that were
 * still missing, and the initial header, whose offset of OPTIONS makes it a finished file.
 *
 * In a file that is to be compressed there are regions for the compressed data of each CPU as well,
 * before the others. They are not listed, and do not count, before the file is sealed: then they
 * stand in the list in place of the raw ones, with packed = 1 and their size, and the file ends
 * behind them. Their data is as it is in a finished file: u32 number of chunks, chunks of u32
 * compressed size, u32 size, data. A list that is only half written then is good as well.
 */
#define DAT_SPOOL_VERSION 1
#define DAT_KEEP_KEY "keep_bytes"	/* so many of a CPU are kept */

/* In a stream regions have no place: the data comes in chunks, dat_stream.h. */
enum dat_spool_state { DAT_SPOOL_OPEN, DAT_SPOOL_SEALED, DAT_SPOOL_STREAM };

struct dat_region {
	int      cpu;
	bool     packed;		/* compressed */
	uint64_t at;			/* offset in the file */
	uint64_t limit;			/* bytes that have room here */
	uint64_t size;			/* sealed or packed: bytes of data */
};

struct dat_spool_buffer {
	char    *name, *clock;		/* "" = top level; "local", ... */
	uint32_t subbuf_size;
	uint32_t head;			/* bytes before its data once it is joined */
	struct dat_region *v;
	size_t   n;
};

struct dat_spool {
	enum dat_spool_state state;
	uint64_t front;
	uint64_t cut_from, cut_to;	/* of the front, that goes when the parts are joined */
	char    *text;
	struct dat_spool_buffer *bufs;
	size_t   n;
	struct dat_spool *packed;	/* regions for the same data compressed, or NULL */
	uint64_t room;			/* of the front, as laid out */
};

/* A buffer without regions; its strings are copied. The pointer is good until the next call. */
struct dat_spool_buffer *dat_spool_add(struct dat_spool *s, const char *name, const char *clock,
				       uint32_t subbuf_size);
void dat_spool_add_cpu(struct dat_spool_buffer *b, int cpu);
/* There is to be a region for the compressed data of each CPU, too. Before dat_spool_lay(). */
void dat_spool_add_packed(struct dat_spool *s);
/*
 * Gives each region its place in a file of at most @max bytes, each as much as a disk of @disk
 * bytes can hold. false when there is too little for the regions to be of any use.
 */
bool dat_spool_lay(struct dat_spool *s, uint64_t max, uint64_t disk);
/* The compressed data, with ->size set, is what the file is to have: before it is sealed. */
void dat_spool_take_packed(struct dat_spool *s);
void dat_spool_release(struct dat_spool *s);

/* The section's body. */
void dat_spool_encode(const struct dat_spool *s, struct buf *out);
/*
 * Reads a body of a stranger's file. Sizes and offsets are plausible then: regions do not overlap,
 * are in order, start behind @front_min and are multiples of the sub-buffer size. false if not.
 */
bool dat_spool_decode(struct dat_spool *s, const void *body, size_t len, bool big,
		      uint64_t front_min);

/* Where a region's data goes when the parts are joined. */
struct dat_join {
	struct dat_spool_buffer *buf;
	struct dat_region *region;	/* NULL: a buffer without data */
	bool     first;			/* of its buffer: the header of its section comes before */
	uint64_t head;			/* if ->first: where that header goes */
	uint64_t to;			/* where the data goes */
	uint64_t hole;			/* bytes before the region that go away for it */
};

/*
 * The steps of a sealed spool, in order; regions without data have none. The caller frees *v.
 * *end: where the data ends when all is done; UINT64_MAX: regions lie before their places.
 */
size_t dat_spool_joins(const struct dat_spool *s, struct dat_join **v, uint64_t *end);
/* Whether each region of a sealed spool lies behind the place that it is to move to. */
bool dat_spool_joins_fit(const struct dat_spool *s);
/* Bytes of a sealed file before the first step: up to the end of its last data. */
uint64_t dat_spool_bytes(const struct dat_spool *s);
/*
 * Moves ->at of the regions to where their data is in a sealed file of @file_size bytes. The number
 * of steps that were done; *all: every one.
 */
size_t dat_spool_locate(struct dat_spool *s, uint64_t file_size, bool *all);

#endif
