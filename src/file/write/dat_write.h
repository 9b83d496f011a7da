/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes trace.dat version 7 in sections as they become known; trace-cmd 3.1.6 reads it. */
#ifndef FTR_FILE_DAT_WRITE_H
#define FTR_FILE_DAT_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/mem.h"
#include "file/compress.h"
#include "file/read/dat.h"

/*
 * Layout of the file. Numbers are in the byte order of the host. Everything is as in trace.dat(5),
 * except sections with ids DAT_FTR_*. No option refers to them, and other readers skip them when
 * they walk the section headers.
 *
 *	initial header, its u64 points to OPTIONS. Compression is "none" up to dat_pack()
 *	sections in the order of the calls: HEADER_INFO, FTRACE_EVENTS, ..., DAT_FTR_META,
 *		DAT_FTR_PROTOS, DAT_FTR_LATENCY, DAT_FTR_OOPS, DAT_BTF_FILE, BUFFER
 *		(padding up to a multiple of the sub-buffer size, data of a CPU, padding, data of
 *		the next, ...; no padding at the end)
 *	OPTIONS: one option for each section, those of dat_add_option(), DONE -> 0
 *	STRINGS: descriptions of the sections
 *	DAT_FTR_SUMS, the last bytes of the file
 *
 * Body of DAT_FTR_META: lines "key=value", newline and backslash in a value as \n and \\; a NUL.
 *
 * Body of DAT_FTR_PROTOS: u32 size, that many bytes of text, event/btf/btf.h.
 *
 * Body of DAT_FTR_LATENCY: u32 number of buffers; for each its name with a NUL, u32 size, that many
 * bytes of text.
 *
 * Body of DAT_FTR_OOPS: u32 size, that many bytes of text.
 *
 * Body of DAT_FTR_SUMS: file/read/dat.h.
 */

/*
 * Use: dat_create, sections in any order, options, buffers with their data, dat_finish. All calls
 * append. The offsets of sections become options. A failed write becomes the writer's error: later
 * calls do nothing, and dat_finish() returns it and keeps the bytes that were written. A disk that
 * fills up while data is copied only ends the data. The end of the file is still written: to space
 * that was reserved for it, or else over the last sub-buffers.
 */
struct dat_writer;
struct dat_spool;	/* dat_regions.h */

struct dat_write_format {
	const char *system, *text;
	size_t      len;
};

struct dat_write_cpu {
	int   cpu;
	int   fd;		/* file with ->size bytes of raw sub-buffers at offset ->base */
	off_t base, size;
	bool  consume;		/* punch copied data out of ->fd */
};

/*
 * Writes the initial header to @fd (an empty file, O_RDWR, which the caller keeps and closes).
 * @page_size in bytes. Never returns NULL.
 */
struct dat_writer *dat_create(int fd, const char *path, uint32_t page_size, struct ftr_error *err);
/* Like dat_create(), for a file that may be compressed as in @how, after dat_pack(). */
struct dat_writer *dat_create_packed(int fd, const char *path, uint32_t page_size,
				     const struct compress_opts *how, struct ftr_error *err);
/*
 * Sets the size in bytes of a long of the recorded machine. Without it that is the size of this
 * program's.
 */
void dat_set_long_size(struct dat_writer *w, uint8_t size);
/*
 * Compresses all metadata from here on, except DAT_FTR_META. For a writer of dat_create_packed().
 * @data: the caller has compressed the data of the CPUs, in chunks as in trace.dat(5).
 */
void dat_pack(struct dat_writer *w, bool data);

void dat_write_header_info(struct dat_writer *w, const char *page, size_t page_len,
			   const char *event, size_t event_len);
void dat_write_ftrace_events(struct dat_writer *w, const struct dat_write_format *v, size_t n);
/* The formats of one system must be adjacent in @v. */
void dat_write_event_formats(struct dat_writer *w, const struct dat_write_format *v, size_t n);
/*
 * KALLSYMS, PRINTK: u32 size + text; CMDLINES: u64 size + text. KALLSYMS is in the form of
 * text_chunks.h.
 */
void dat_write_blob(struct dat_writer *w, enum dat_id section, const char *text, size_t len);
/*
 * Compresses a text for KALLSYMS, which is slow, at any time and in any thread. @out gets the body
 * of the section, for dat_write_symbols(). Returns 0, or -1 if there is no memory.
 */
int dat_pack_symbols(const struct compress_opts *how, const char *text, size_t len,
		     struct buf *out);
void dat_write_symbols(struct dat_writer *w, const struct buf *packed);
/* Writes ftr's own section DAT_FTR_META. @text is "key=value" lines without a NUL. */
void dat_write_meta(struct dat_writer *w, const char *text, size_t len);
/* Writes prototypes of functions, ftr's own section: u32 size + text. */
void dat_write_protos(struct dat_writer *w, const char *text, size_t len);
/*
 * Writes ftr's own section with the texts of tracers that keep the longest latency. Names of
 * buffers must be shorter than LIMIT_NAME.
 */
void dat_write_latencies(struct dat_writer *w, const struct dat_latency *v, size_t n);
/*
 * Writes ftr's own section with the lines of the kernel log about a crash, without prefixes. Whole
 * lines of the first LIMIT_OOPS bytes are written. An empty text makes no section.
 */
void dat_write_oops(struct dat_writer *w, const char *text, size_t len);
/*
 * Writes the kernel's BTF, unchanged. No option refers to the section: trace-cmd 3.1.6 warns of an
 * option that it does not know, and 3.2 and later fail on it in a file without compression.
 */
void dat_write_btf(struct dat_writer *w, const char *btf, size_t len);
/* Adds an option, which dat_finish() writes. trace-cmd requires a CPUCOUNT. */
void dat_add_option(struct dat_writer *w, uint16_t id, const void *data, size_t len);
/*
 * Appends a BUFFER section: the data of each CPU is copied from ->fd (copy_file_range, else read
 * and write), aligned to @subbuf_size. @name "" for the top level. CPUs without data are left out,
 * as trace-cmd does. Adjacent entries of one CPU are parts of its data, in order. With ->consume
 * the disk needs room for little more than one copy of the data.
 */
void dat_write_buffer(struct dat_writer *w, const char *name, const char *clock,
		      uint32_t subbuf_size, const struct dat_write_cpu *cpus, size_t n);

/* Returns true if the options have an offset of a section @id. */
bool dat_is_linked(const struct dat_writer *w, uint16_t id);
/* Returns the upper limit of the bytes that dat_finish() writes after @data bytes of @cpus CPUs. */
uint64_t dat_end_bytes(const struct dat_writer *w, uint64_t data, size_t cpus);
/*
 * Writes KALLSYMS if there is room for it and @rest more bytes. Otherwise returns false and writes
 * nothing.
 */
bool dat_fit_symbols(struct dat_writer *w, const char *text, size_t len, size_t rest);
/* Returns the bytes in the file so far. */
uint64_t dat_written(const struct dat_writer *w);
/* Returns the writer's error; its code is 0 if there is none. */
const struct ftr_error *dat_write_error(const struct dat_writer *w);
/* Returns the file offset of the header of DAT_FTR_SPOOL. */
uint64_t dat_spool_at(const struct dat_writer *w);

/*
 * Writes OPTIONS with all pending options, STRINGS and DAT_FTR_SUMS, and frees @w. Returns
 *	0	all is written,
 *	1	the file lacks some of the data (@err has the number of bytes) or its end; consumed
 *		data is nowhere else,
 *	-1	no data is in the file, and none was consumed.
 * @err has the first error of this writer, code FTR_DAMAGED.
 */
int dat_finish(struct dat_writer *w, struct ftr_error *err);
void dat_abort(struct dat_writer *w);

/* --- streams */

/*
 * A file that is written front to back, as to a pipe. Version 7, from its first byte to its last:
 *
 *	initial header		offset of the first OPTIONS 0
 *	sections		the front, as in dat_regions.h; DAT_FTR_SPOOL for a stream
 *	DAT_FTR_CHUNK ...	as the CPUs' data comes
 *	sections		EVENT_FORMATS once more, KALLSYMS, CMDLINES, ...: data that was not
 *				known before; OPTIONS, without the offsets of sections
 *	DAT_FTR_END		the last bytes
 *
 * Body of DAT_FTR_CHUNK: u32 number of the buffer, u32 number of the region, in the order of
 * DAT_FTR_SPOOL; then whole raw sub-buffers, which follow those of earlier chunks.
 *
 * Body of DAT_FTR_END: u64 offset of its header.
 */
/* Each function appends to @out, which the caller writes to the file. */
void dat_stream_head(const struct dat_spool *s, struct buf *out);
/* Adds the header of a chunk; @size bytes of sub-buffers must follow. */
void dat_stream_chunk(uint32_t buffer, uint32_t region, uint64_t size, struct buf *out);
/* Adds the pending options of @w. */
void dat_stream_options(const struct dat_writer *w, struct buf *out);
void dat_stream_end(uint64_t at, struct buf *out);

#endif
