/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a trace file with records of other trace files, which are copied as they are. */
#ifndef FTR_REWRITE_REWRITE_H
#define FTR_REWRITE_REWRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "file/compress.h"
#include "rewrite/scrubber.h"
#include "trace/filter.h"
#include "trace/trace.h"

/* The records of one CPU of a buffer that the new file gets: those that all members select. */
struct rewrite_cpu {
	struct dat_cpu *from;
	uint64_t page, end;		/* sub-buffers [page, end) */
	uint64_t since, until;	/* since <= ts < until; UINT64_MAX as ->until: to the end */
	uint32_t from_off;		/* offset in sub-buffer ->page at which records start */
	/*
	 * 0, or the number of records after which the CPU ends. More records with the time of the
	 * last one are copied, too. If others follow, ->stopped is set, and the next one is at
	 * offset ->stop_off of sub-buffer ->stop_page.
	 */
	uint64_t most, stop_page;
	uint32_t stop_off;
	bool     stopped;
};

/* A buffer of the new file. */
struct rewrite_buffer {
	struct trace *trace;		/* the source, borrowed */
	struct dat_buffer *from;	/* in ->trace, borrowed */
	const struct filter *filter;	/* records must match it; NULL: all do */
	char    *name, *clock;		/* "" = top level; owned */
	int64_t  shift;			/* is added to all raw times */
	bool     host_times;		/* raw times of a guest become those of its host before */
	struct rewrite_cpu *cpus;	/* owned; may be none */
	size_t   n;
};

/* The format of the new file. */
struct rewrite_format {
	int version;			/* 6 or 7 */
	struct compress_opts packing;	/* metadata and, with ->data, data; not in version 6 */
};

/* Totals of a new file, counted in its records. */
struct rewrite_totals {
	uint64_t events, lost, bytes;	/* ->bytes: data before compression */
	bool     lost_unknown;		/* the number of some lost events is not known */
	unsigned int cpus;		/* CPUs with data */
};

/* Parts of the metadata that the new file does not get. */
struct rewrite_drop {
	bool formats;			/* of events without records, but for those of ftrace */
	bool symbols, btf;
};

#define REWRITE_TYPES 65536		/* common_type has 16 bits */

/* A new file. */
struct rewrite_plan {
	const char *path;		/* an older file becomes PATH.old */
	struct rewrite_format format;
	struct trace *meta;		/* all metadata comes from it */
	struct rewrite_buffer *bufs;	/* the top level first, if there is one */
	size_t n;
	/* joined_meta.h: used instead of the formats and texts of ->meta; NULL: not used */
	const struct joined_meta *joined;
	struct rewrite_drop drop;
	struct scrub_run *scrub;	/* replaces values of ->meta, the only source; or NULL */
	bool keep_empty;		/* write a file without records, too */
	bool with_data;			/* leave out instances without records */
	/* private: with ->drop.formats, bits of the types that records have */
	uint64_t *types;
};

/*
 * Adds the parts in @text, words with commas between, to @d. Returns 0, or -1 with @err, which
 * lists the words.
 */
int rewrite_drop_parse(const char *text, struct rewrite_drop *d, struct ftr_error *err);
/*
 * Appends the parts of a file that version 6 has no place for, with commas between. Returns false
 * if there are none.
 */
bool rewrite_v6_lacks(struct dat *d, struct buf *out);

/* Returns the number of CPUs of the machine; with several sources that of the largest one. */
unsigned int rewrite_nr_cpus(const struct rewrite_plan *p);
/* Returns the version and the compression of a file. */
struct rewrite_format rewrite_format_of(const struct dat *d);

/*
 * Fills @b with all CPUs and all records of @from, a buffer of @t. rewrite_buffers_free() of the
 * list that it stands in releases it.
 */
void rewrite_buffer_all(struct rewrite_buffer *b, struct trace *t, struct dat_buffer *from);
/*
 * Makes the list of all buffers of @t, the top level first: an empty one if the file has none.
 * Returns their number. The caller frees them with rewrite_buffers_free().
 */
size_t rewrite_buffers_all(struct trace *t, struct rewrite_buffer **v);
/* Releases the buffers of a list, and frees it. */
void rewrite_buffers_free(struct rewrite_buffer *v, size_t n);

/*
 * Writes the file. It appears under its name when it is complete. Returns 0, or -1 with @err and
 * without a new file: if it can't be written (FTR_DAMAGED), if it can't have the wanted format, or
 * if @path is one of the sources (FTR_USAGE). Without ->keep_empty a file without records is not
 * written: 0, and out->events is 0. Damage of the sources is noted in their traces.
 */
int rewrite_file(struct rewrite_plan *p, struct rewrite_totals *out, struct ftr_error *err);

/* Appends "NAME: 2 CPUs, 1,234 events, 96 KiB, 0 lost". */
void rewrite_add_totals(const char *name, const struct rewrite_totals *t, struct buf *out);

/* Returns the ID in the text of a format, 0 if there is none. */
uint32_t format_text_id(const struct dat_blob *text);

/* meta_copy.c: writes the metadata of p->meta and its options. */
struct dat_writer;
void meta_copy(struct dat_writer *w, const struct rewrite_plan *p);

#endif
