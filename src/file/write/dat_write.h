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
#include "file/dat.h"
#include "file/parts/dat_sums.h"
#include "file/parts/packer.h"

/*
 * Layout of what is written. The numbers are in the byte order of the host; all is trace.dat(5) but
 * for two sections with ids at the top of the range. No option names them, and other readers step
 * over them when they walk the section headers.
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
 * Body of DAT_FTR_PROTOS: u32 size, that many bytes of text, event/btf.h.
 *
 * Body of DAT_FTR_LATENCY: u32 number of buffers; for each its name with a NUL, u32 size, that many
 * bytes of text.
 *
 * Body of DAT_FTR_OOPS: u32 size, that many bytes of text.
 *
 * Body of DAT_FTR_SUMS: file/parts/dat_sums.h.
 */

/*
 * Use: dat_create, sections in any order, options, buffers with their data, dat_finish.
 * Everything appends; offsets of sections are kept and written as options. A write that fails is
 * kept as the writer's error: later calls do nothing and dat_finish() returns it, with the file
 * left as far as it could be written. A disk that is full while data is copied only ends the data:
 * the end of the file is written all the same, into space that was held for it or, failing that, in
 * place of the last sub-buffers.
 */
struct dat_writer;
struct dat_spool;

struct dat_write_format {
	const char *system, *text;
	size_t      len;
};

struct dat_write_cpu {
	int   cpu;
	int   fd;		/* file with the raw sub-buffers, ->size bytes from offset ->base */
	off_t base, size;
	bool  consume;		/* what is copied is punched out of ->fd */
};

/*
 * Writes the initial header to @fd (O_RDWR, an empty file; stays the caller's). @page_size in
 * bytes. Not NULL.
 */
struct dat_writer *dat_create(int fd, const char *path, uint32_t page_size, struct ftr_error *err);
/* The same; the file may be compressed so, from dat_pack() on. */
struct dat_writer *dat_create_packed(int fd, const char *path, uint32_t page_size,
				     const struct packing *how, struct ftr_error *err);
/*
 * Now it is known to be: metadata is compressed from here on, all but DAT_FTR_META. A compression
 * was given. @data: that of the CPUs was by the caller, as trace.dat(5) has it.
 */
void dat_pack(struct dat_writer *w, bool data);

void dat_write_header_info(struct dat_writer *w, const char *page, size_t page_len,
			   const char *event, size_t event_len);
void dat_write_ftrace_events(struct dat_writer *w, const struct dat_write_format *v, size_t n);
/* Formats of one system must stand together. */
void dat_write_event_formats(struct dat_writer *w, const struct dat_write_format *v, size_t n);
/* KALLSYMS, PRINTK: u32 size + text; CMDLINES: u64 size + text. KALLSYMS as pieces.h has it. */
void dat_write_blob(struct dat_writer *w, enum dat_id section, const char *text, size_t len);
/*
 * Compresses a text for KALLSYMS, which takes a while, at any time and in any thread: the body of a
 * section in @out, for dat_write_symbols(). -1 when memory is out.
 */
int dat_pack_symbols(const struct packing *how, const char *text, size_t len, struct buf *out);
void dat_write_symbols(struct dat_writer *w, const struct buf *packed);
/* ftr's own section. @text is "key=value" lines without a NUL. */
void dat_write_meta(struct dat_writer *w, const char *text, size_t len);
/* Prototypes of functions, ftr's own section: u32 size + text. */
void dat_write_protos(struct dat_writer *w, const char *text, size_t len);
/* What tracers keep of the longest latency, ftr's own section; names of less than LIMIT_NAME. */
void dat_write_latencies(struct dat_writer *w, const struct dat_latency *v, size_t n);
/*
 * What the kernel's log says of a crash, lines without prefixes, ftr's own section: the first
 * LIMIT_OOPS bytes, in whole lines. No text, no section.
 */
void dat_write_oops(struct dat_writer *w, const char *text, size_t len);
/*
 * BTF of the kernel, as it is. No option names the section: trace-cmd 3.1.6 warns of one that it
 * does not know, 3.2 and later fail on one in a file without compression.
 */
void dat_write_btf(struct dat_writer *w, const char *btf, size_t len);
/* An option, kept until dat_finish(). trace-cmd wants a CPUCOUNT. */
void dat_add_option(struct dat_writer *w, uint16_t id, const void *data, size_t len);
/*
 * Appends a BUFFER section: the data of each CPU is copied from ->fd (copy_file_range, else read
 * and write), aligned to @subbuf_size. @name "" for the top level. CPUs without data are left out,
 * as trace-cmd does. Several entries of one CPU, one behind the other, are pieces of its data in
 * their order. With ->consume the disk has to hold little more than the data once.
 */
void dat_write_buffer(struct dat_writer *w, const char *name, const char *clock,
		      uint32_t subbuf_size, const struct dat_write_cpu *cpus, size_t n);

/* Does an option lead to a section @id by now? */
bool dat_is_linked(const struct dat_writer *w, uint16_t id);
/* What dat_finish() writes at most behind @data bytes of @cpus CPUs. */
uint64_t dat_end_bytes(const struct dat_writer *w, uint64_t data, size_t cpus);
/* Symbols, if there is room for them and @rest bytes more; else false, and nothing is written. */
bool dat_fit_symbols(struct dat_writer *w, const char *text, size_t len, size_t rest);
/* Bytes in the file so far. */
uint64_t dat_written(const struct dat_writer *w);
/* Why nothing more can be written; its code is 0 while all is well. */
const struct ftr_error *dat_write_error(const struct dat_writer *w);
/* Where the header of the section DAT_FTR_SPOOL is; the one before ends there. */
uint64_t dat_spool_at(const struct dat_writer *w);

/*
 * OPTIONS with everything pending, STRINGS and DAT_FTR_SUMS. Frees @w. Returns
 *	0	all is written,
 *	1	data is in the file, but not all (@err says how many bytes are not), or the end of
 *the file could not be written; what was consumed is nowhere else, -1	no data is in the file,
 *nothing was consumed.
 * @err has the first error of this writer, code FTR_DAMAGED.
 */
int dat_finish(struct dat_writer *w, struct ftr_error *err);
void dat_abort(struct dat_writer *w);

#endif
