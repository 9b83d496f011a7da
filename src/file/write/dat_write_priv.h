/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the trace.dat writer. */
#ifndef FTR_FILE_DAT_WRITE_PRIV_H
#define FTR_FILE_DAT_WRITE_PRIV_H

#include <stdbool.h>

#include "base/mem.h"
#include "file/write/dat_write.h"

struct dat_writer {
	int         fd;
	char       *path;
	uint64_t    at;		/* bytes written */
	struct buf header; /* the initial header, written again when the options' place is known */
	struct buf  options;
	struct buf  strings;	/* descriptions of the sections */
	struct buf  sums;	/* the entries of checksummed ranges */
	uint32_t    nr_sums;
	bool        no_copy;	/* copy_file_range() failed here */
	char       *block;	/* DAT_SUM_RANGE bytes for copying */
	const char *pack_name;	/* method of compression after dat_pack(), NULL = none */
	struct compress_packer *packer;
	bool        packed;	/* dat_pack() was called */
	bool        data_packed;	/* the CPUs' data is compressed, too */
	uint32_t    buffer_head; /* bytes before a buffer's data: the header of BUFFER, or more */
	uint64_t    v6_at;	/* place of the metadata of version 6, dat_join.h */
	struct ftr_error err;	/* if set, nothing more is written */

	/* the CPUs' data */
	uint64_t    copied;	/* bytes of it in the file */
	uint64_t    lost;	/* bytes of it that could not be written */
	bool        full;	/* the disk is full: no more data */
	bool        consumed;	/* some of it is only in this file */
	struct ftr_error data_err;	/* why bytes are lost, the first reason */
	uint64_t    limit;	/* end of the room for writes, 0 = no limit */
	uint64_t    spool_at;	/* file offset of the body of DAT_FTR_SPOOL */
	size_t      spool_sum;	/* its entry in ->sums */
	size_t      spool_len;	/* bytes of that body */
	uint64_t    cut;	/* bytes of the front before ->at that will be removed */
	size_t      cut_sums;	/* end of their entries in ->sums */
	/* dat_resume() */
	bool        resumed;	/* never overwrite data with the end of the file */
	size_t      joined;	/* steps of dat_join() that were done already */
	uint64_t    trim;	/* size to truncate the file to first, 0 = done */
	uint64_t    gap;	/* bytes of the front after ->at that are in no section */
	uint64_t    hole;	/* bytes between the front and the data, to be removed */
	uint64_t    tail;	/* if all is joined: bytes after the data, perhaps sections */
	int held_fd; /* a file that reserves disk space for the end of the file, or -1 */
};

/* dat_write.c */
bool dat_w_failed(const struct dat_writer *w);
/* Keeps errno as the writer's error, unless it has one. */
void dat_w_fail(struct dat_writer *w);
/* Adds a range of @len bytes of @section to the table of checksums. */
void dat_w_add_sum(struct dat_writer *w, uint64_t hash, uint32_t len, uint16_t section,
		   uint16_t cpu);
void dat_w_sum(struct dat_writer *w, const void *p, uint32_t len, uint16_t section, uint16_t cpu);
/* Adds ranges for @len bytes that belong to no CPU. */
void dat_w_sums(struct dat_writer *w, const void *p, size_t len, uint16_t section);
/* Updates the checksum in the entry at offset @entry of ->sums. */
void dat_w_resum(struct dat_writer *w, size_t entry, const void *p, uint32_t len);
/* Sets the option with the offset @at of a section, and replaces an earlier one. */
void dat_w_link(struct dat_writer *w, uint16_t id, uint64_t at);
/* Frees @w. Returns the same as dat_finish(). */
int dat_w_end(struct dat_writer *w, struct ftr_error *err);
void dat_w_append(struct dat_writer *w, const void *p, size_t n, uint16_t section);
/*
 * Appends the header of a section whose body has @size bytes to @out. For BUFFER it has the flag of
 * compressed data.
 */
void dat_w_section(struct dat_writer *w, struct buf *out, uint16_t id, const char *what,
		   uint64_t size);

/* The data of one CPU in the file. */
struct dat_out_part {
	int      cpu;
	uint64_t at, size;
};

/* A buffer that is being written. */
struct dat_out {
	struct dat_writer *w;
	uint64_t at;		/* file offset of the section */
	size_t   sum;		/* entry in ->sums of its header */
	uint64_t subbuf;
	struct dat_out_part *parts;
	size_t   nr_parts;
};

/* dat_copy.c: closes ->held_fd and frees its space. */
void dat_w_release_held(struct dat_writer *w);
/* Writes the header of a section of @size bytes, and sets ->at and ->sum. */
void dat_w_buffer_head(struct dat_out *o, uint64_t size);
/* Corrects the size in the header if there is less data than planned. */
void dat_w_fix_head(struct dat_out *o);
/* Adds the BUFFER option. */
void dat_w_buffer_option(struct dat_out *o, const char *name, const char *clock);
/* Makes room for the end of the file; on a full disk it drops the last data. */
void dat_w_ensure_tail(struct dat_out *o);

#endif
