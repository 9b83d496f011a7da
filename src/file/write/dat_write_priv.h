/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the trace.dat writer share. */
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
	struct buf  sums;	/* the ranges' entries */
	uint32_t    nr_sums;
	bool        no_copy;	/* copy_file_range() does not work here */
	char       *block;	/* DAT_SUM_RANGE bytes for copying */
	const char *pack_name;	/* how is compressed from dat_pack() on, NULL = not at all */
	struct packer *packer;
	bool        packed;	/* by dat_pack() */
	bool        data_packed;	/* the CPUs' data is compressed, too */
	uint32_t    buffer_head;	/* bytes before a buffer's data: at first BUFFER's header */
	uint64_t    v6_at;	/* where the metadata of version 6 stands, dat_write_v6.h */
	struct ftr_error err;	/* nothing more can be written */

	/* the CPUs' data */
	uint64_t    copied;	/* bytes of it in the file */
	uint64_t    lost;	/* bytes of it that are not */
	bool        full;	/* no more of it fits */
	bool        consumed;	/* some of it is in the file only */
	struct ftr_error data_err;	/* why bytes are lost, the first reason */
	uint64_t    limit;	/* nothing is written behind it, 0 = no limit */
	uint64_t    spool_at;	/* body of the section DAT_FTR_SPOOL */
	size_t      spool_sum;	/* its entry in ->sums */
	size_t      spool_len;	/* bytes of that body */
	uint64_t    cut;	/* bytes of the front that will be gone, up to here */
	size_t      cut_sums;	/* where the entries in ->sums end of what will */
	/* dat_resume() */
	bool        resumed;	/* no data is given up for the end of the file */
	size_t      joined;	/* steps of dat_join() that were done before */
	uint64_t    trim;	/* bytes that the file is to have before the others, 0 = it has */
	uint64_t    gap;	/* bytes of the front behind ->at that are in no section */
	uint64_t    hole;	/* bytes between the front and the data, to be removed */
	uint64_t    tail;	/* all was joined: bytes behind the data, perhaps sections */
	int held_fd; /* a file that holds disk space for what comes behind the data, or -1 */
};

/* dat_write.c */
bool dat_w_failed(const struct dat_writer *w);
/* Keeps errno as the writer's error, unless it has one. */
void dat_w_fail(struct dat_writer *w);
/* One range of the table of checksums, of @len bytes of the section @section. */
void dat_w_put_sum(struct dat_writer *w, uint64_t hash, uint32_t len, uint16_t section,
		   uint16_t cpu);
void dat_w_sum(struct dat_writer *w, const void *p, uint32_t len, uint16_t section, uint16_t cpu);
/* Ranges that cover @len bytes which belong to no CPU. */
void dat_w_sums(struct dat_writer *w, const void *p, size_t len, uint16_t section);
/* The range whose entry is at @entry in ->sums has changed. */
void dat_w_resum(struct dat_writer *w, size_t entry, const void *p, uint32_t len);
/* An option that leads to the section at @at, in place of an earlier one. */
void dat_w_link(struct dat_writer *w, uint16_t id, uint64_t at);
/* Frees @w; as dat_finish(). */
int dat_w_end(struct dat_writer *w, struct ftr_error *err);
void dat_w_append(struct dat_writer *w, const void *p, size_t n, uint16_t section);
/* Opens a section in @out, of a body of @size bytes; BUFFER says whether the file is packed. */
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
	uint64_t at;		/* of the section */
	size_t   sum;		/* of its header, the entry in ->sums */
	uint64_t subbuf;
	struct dat_out_part *parts;
	size_t   nr_parts;
};

/* dat_copy.c: gives up ->held_fd. */
void dat_w_let_go(struct dat_writer *w);
/* The header of the section, with ->at and ->sum, of @size bytes. */
void dat_w_buffer_head(struct dat_out *o, uint64_t size);
/* Less data is there than was planned: the header gets the size that the section has. */
void dat_w_mend_head(struct dat_out *o);
/* The BUFFER option. */
void dat_w_buffer_option(struct dat_out *o, const char *name, const char *clock);
/* Makes room for the end of the file, where the disk is full in place of the last data. */
void dat_w_ensure_tail(struct dat_out *o);

#endif
