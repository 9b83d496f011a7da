/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads trace.dat files of versions 6 and 7: the metadata and the raw sub-buffers of each CPU. */
#ifndef FTR_FILE_READ_DAT_H
#define FTR_FILE_READ_DAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/damage.h"
#include "base/err.h"
#include "file/ring/page.h"

/* Option ids and section ids of the format, trace.dat(5). */
enum dat_id {
	DAT_DONE = 0, DAT_DATE = 1, DAT_CPUSTAT = 2, DAT_BUFFER = 3, DAT_TRACECLOCK = 4,
	DAT_UNAME = 5, DAT_HOOK = 6, DAT_OFFSET = 7, DAT_CPUCOUNT = 8, DAT_VERSION = 9,
	DAT_PROCMAPS = 10, DAT_TRACEID = 11, DAT_TIME_SHIFT = 12, DAT_GUEST = 13,
	DAT_TSC2NSEC = 14, DAT_STRINGS = 15, DAT_HEADER_INFO = 16, DAT_FTRACE_EVENTS = 17,
	DAT_EVENT_FORMATS = 18, DAT_KALLSYMS = 19, DAT_PRINTK = 20, DAT_CMDLINES = 21,
	DAT_BUFFER_TEXT = 22, DAT_BTF_FILE = 23, DAT_LAST_BOOT_INFO = 24, DAT_MODULES_FILE = 25,
	/* ftr's own sections, which other readers of version 7 skip; never options */
	DAT_FTR_META = 0xf700,		/* text "key=value\n": tracer, trace options, ... */
	DAT_FTR_SUMS = 0xf701,		/* checksums of the whole file, see below */
	DAT_FTR_PROTOS = 0xf702,	/* prototypes of functions: u32 size, text */
	DAT_FTR_SPOOL = 0xf703,	/* in an unfinished file: its regions of data, see dat_regions.h */
	DAT_FTR_CHUNK = 0xf704,		/* in a stream: some of a CPU's data, see dat_write.h */
	DAT_FTR_END = 0xf705,		/* in a stream: its end */
	DAT_FTR_PAD = 0xf706,		/* padding, so that the next section starts at a block */
	DAT_FTR_LATENCY = 0xf707,	/* texts of tracers that keep the longest latency */
	DAT_FTR_OOPS = 0xf708,		/* lines of the kernel log about a crash: u32 size, text */
};

/* The kind of damage for everything that an unfinished file lacks. */
#define DAT_UNFINISHED "the recording was not finished"

/* Borrowed bytes; valid until dat_close(). */
struct dat_blob {
	const char *p;
	size_t      len;
	uint64_t off; /* in the file; of the compressed section if it was compressed */
};

struct dat_format {
	const char *system;		/* "ftrace" for the built-in ones */
	struct dat_blob text;		/* one events/SYSTEM/EVENT/format file */
};

struct dat_option {
	uint16_t id;
	struct dat_blob data;
};

/* Sub-buffers that are not in a file. */
struct dat_source {
	/* Sub-buffer @page, *len bytes, borrowed; NULL if there is none. */
	const uint8_t *(*page)(void *ctx, uint64_t page, size_t *len);
	void *ctx;
};

/* The data of one CPU in one buffer. */
struct dat_cpu {
	int      cpu;
	uint64_t off, size;		/* in the file, bounded to the file */
	uint64_t nr_pages;		/* sub-buffers, the last may be partial */
	struct dat_cpu_priv *priv;	/* dat_pages.c */
	const struct dat_source *source; /* NULL: they are in the file */
};

/* The top-level buffer (name "") or an instance. */
struct dat_buffer {
	char    *name;
	char *clock; /* "local", "global", ... or "" if the file does not contain it */
	char    *stats;			/* text of the CPUSTAT options of this buffer, or NULL */
	struct ring_layout layout;
	struct dat_cpu *cpus;
	size_t   nr_cpus;		/* CPUs with a table entry */
};

struct dat {
	char       *path;		/* as it was given */
	int         version;		/* 6 or 7 */
	bool        big;
	uint8_t     long_size;
	uint32_t    page_size;
	const char *compression;	/* "none", "zlib", "zstd" */
	uint64_t    file_size;
	uint64_t    dev, ino;		/* of the open file; the same for all its names */
	bool truncated; /* the file was cut, and its metadata rebuilt by walking sections */
	/* it has the layout of a recording (dat_regions.h) that still runs or was cut off */
	bool unfinished;
	bool streamed;	/* ->unfinished, written front to back: dat_write.h */
	bool whole;	/* ->streamed, and the end was reached: nothing is missing */

	struct dat_blob header_page, header_event;
	struct dat_blob ftr_meta;	/* section DAT_FTR_META up to its NUL; ->p NULL: none */
	struct dat_option *options;	/* in file order */
	size_t      nr_options;
	struct dat_buffer *buffers;	/* [0] is the top level if the file has it */
	size_t      nr_buffers;
	unsigned int nr_cpus;		/* CPUCOUNT option, or the largest CPU seen + 1 */

	struct damage_list damages;		/* damage so far; grows while pages are read */
	struct dat_priv *priv;
};

/* The path that means standard input. A stream is copied to a file without a name in TMPDIR. */
#define DAT_INPUT "-"
/*
 * Opens a file (mmap). Returns NULL with @err if it is no trace file (code FTR_FAILED), or if it is
 * empty or so damaged that no buffer can be read (FTR_DAMAGED). Damage that leaves something
 * readable is in ->damages. A handle is for one thread at a time.
 */
struct dat *dat_open(const char *path, struct ftr_error *err);
/*
 * Like dat_open(), for a file that the caller has opened as @fd and keeps. A negative @fd means
 * that open() failed, with the reason in errno. @path is for messages.
 */
struct dat *dat_open_fd(int fd, const char *path, struct ftr_error *err);
/*
 * Opens the file @path, or a copy of standard input, as dat_open() does. Returns the descriptor, or
 * -1 with @err.
 */
int dat_open_input(const char *path, struct ftr_error *err);
/*
 * Returns true for the first bytes of a trace.dat file, also of a damaged one, and for those of
 * other kinds of files that are no text.
 */
bool dat_is_binary(const void *head, size_t len);
/* Flags for open(). O_NONBLOCK, as the open of a FIFO would wait for a writer. */
#define DAT_OPEN_FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
void dat_close(struct dat *d);
/*
 * Returns the descriptor of the file, which dat_close() closes; -1 if it was closed, as too many
 * files are open.
 */
int dat_fd(const struct dat *d);
/* Returns the first buffer of that name, "" is the top level; NULL if there is none. */
struct dat_buffer *dat_find_buffer(const struct dat *d, const char *name);
/* Returns true if the file is shorter now than its map: reading on may end in SIGBUS. */
bool dat_is_cut(const struct dat *d);

/* Returns the first option with @id, one of enum dat_id, or NULL. */
const struct dat_option *dat_option(const struct dat *d, uint16_t id);

/* The parts of "Linux HOST RELEASE VERSION MACHINE"; NULL: the file lacks it. */
struct dat_uname {
	char *text;			/* which has them; owned */
	const char *system, *host, *release, *machine;
	const char *version;		/* may have blanks; trace-cmd and ftr leave it out */
};
/* Reads the machine that was recorded from the option DAT_UNAME. The caller frees out->text. */
void dat_uname_read(const struct dat *d, struct dat_uname *out);
const char *dat_option_name(uint16_t id);	/* "CPUSTAT", "UNAME", ..., "unknown" */

/*
 * Appends the value of an option in words, as "2" for CPUCOUNT: a text as it is, which may have
 * several lines; bytes in hex if it has not the form of its kind.
 */
void dat_option_words(const struct dat *d, const struct dat_option *o, struct buf *out);

/* A section of a file. In version 6, where they have no headers, it follows from what was read. */
struct dat_section_info {
	int      id;			/* enum dat_id; -1: the initial header */
	uint64_t off, end;		/* in the file, with its header */
	uint64_t unpacked;		/* packed metadata: bytes of its content decompressed */
	bool     packed;		/* compressed */
	bool     cut;			/* its header claims more bytes than the file has */
	const char *name;		/* "KALLSYMS", ... */
};
/* Lists the sections in the order of the file. Returns their number; the caller frees *v. */
size_t dat_list_sections(struct dat *d, struct dat_section_info **v);

/* Returns the value of @key in ftr's own lines (*len bytes, borrowed, without a NUL), or NULL. */
const char *dat_ftr_value(const struct dat *d, const char *key, size_t *len);
/* Like dat_ftr_value(), for a buffer: its key is "KEY", that of an instance "KEY.INSTANCE". */
const char *dat_ftr_value_of(const struct dat *d, const char *key, const char *instance,
			     size_t *len);
/*
 * Keys of a buffer in which some tasks or CPUs were not recorded: the contents of these control
 * files at the start of the recording. A list of pids has a blank between two.
 */
#define DAT_EVENT_PID_KEY	 "set_event_pid"
#define DAT_EVENT_NOTRACE_PID_KEY "set_event_notrace_pid"
#define DAT_EVENT_FORK_KEY	 "event-fork"
#define DAT_CPUMASK_KEY		 "tracing_cpumask"

/*
 * Returns the body of a section, which the first call reads and decompresses: DAT_KALLSYMS,
 * DAT_PRINTK, DAT_CMDLINES, DAT_FTR_PROTOS and DAT_FTR_OOPS as text, DAT_BTF_FILE unchanged. It is
 * borrowed until dat_close(). Any thread may call this. Damage is reported by dat_settle().
 */
const struct dat_blob *dat_text(struct dat *d, uint16_t id);
/*
 * The text of the tracefs file "trace" at the end of the recording, for a buffer whose tracer keeps
 * the longest latency that it measured. Borrowed until dat_close().
 */
struct dat_latency {
	const char *buffer;		/* "" = top level */
	const char *text;
	size_t      len;
};
/* Key in DAT_FTR_META, written at the start: the tracer of such a buffer. */
#define DAT_LATENCY_KEY "latency_tracer"
/* Returns true if the file should have such a text but lacks it. */
bool dat_lacks_latency(const struct dat *d);
/*
 * Reads the next such text of the file. *at is 0 for the first call. Returns false if there are no
 * more.
 */
bool dat_latency_next(struct dat *d, size_t *at, struct dat_latency *out);
/*
 * Some lines of DAT_KALLSYMS around @addr, more of them on both sides for a larger @more. Only
 * these are decompressed. Returns false if that is not possible: then use dat_text().
 */
struct dat_near {
	const char *p;			/* borrowed until dat_close() */
	size_t      len;
	bool        begins, ends;	/* no lines are before or after these */
};
bool dat_symbols_near(struct dat *d, uint64_t addr, size_t more, struct dat_near *out);
/*
 * DAT_FTRACE_EVENTS or DAT_EVENT_FORMATS as formats: all of them, or at least the first @n. No more
 * is read and decompressed than these take. Returns the number of formats in *v, less than @n only
 * if there are no more. *v is valid until the next call that loads more. One thread at a time. The
 * texts are borrowed until dat_close().
 */
size_t dat_formats(struct dat *d, uint16_t id, const struct dat_format **v);
size_t dat_formats_upto(struct dat *d, uint16_t id, size_t n, const struct dat_format **v);

/*
 * Reads the metadata that was not read yet and verifies its checksums: ->damages then has all its
 * damage. Only the first call does it. No other thread may use the file at that time.
 */
void dat_settle(struct dat *d);
/* Returns true if each byte of the file has a checksum. dat_settle() and reads verify them. */
bool dat_has_sums(const struct dat *d);

/*
 * A reader's position in the data of one CPU. There may be any number of cursors in any threads,
 * but each is for one thread at a time. Set the members before "private" and zero the others.
 */
struct dat_cursor {
	struct dat *dat;
	const struct dat_buffer *buffer;
	const struct dat_cpu *cpu;
	struct damage_list *damages;	/* notes damage of the data here; NULL: nowhere */
	/* private */
	struct dat_unpacked *unpacked;	/* a decompressed chunk */
	uint8_t *mem;			/* not compressed: bytes of the file at ->off */
	size_t   len, cap;
	uint64_t off;
	size_t   chunk;			/* its number + 1; 0: none */
	size_t   sum;			/* the range of the last page */
};

/*
 * Returns the bytes of sub-buffer @page, *len of them, borrowed until the cursor reads another one;
 * those of a live source as long as its ->page allows. *off is its offset in the file, for
 * messages; if compressed, that of the chunk. Returns NULL if there is no such page, or if it can't
 * be decompressed. In the second case damage is noted, and the next pages may still be read. The
 * checksum, if the file has one, is verified on the first access to a range.
 */
const uint8_t *dat_cursor_page(struct dat_cursor *c, uint64_t page, size_t *len, uint64_t *off);
/*
 * Stores the raw time stamp of sub-buffer @page, unverified. Returns false if the page has no data.
 * For cursors without ->damages: the chunk that it decompresses is not verified later either.
 */
bool dat_cursor_ts(struct dat_cursor *c, uint64_t page, uint64_t *ts);
/*
 * Returns the first sub-buffer from @page on that does not lie in a hole of the file as a whole, at
 * most cpu->nr_pages. Those before it are zeroes. Returns @page if holes are not known.
 */
uint64_t dat_cursor_skip_hole(const struct dat_cursor *c, uint64_t page);
void dat_cursor_release(struct dat_cursor *c);
/*
 * Keeps the last decompressed chunks in memory, @bytes of them together with those that cursors
 * read. Call it before the data is read. Without it chunks are kept as long as cursors read them.
 */
void dat_keep_unpacked(struct dat *d, size_t bytes);
/* Returns true if the data of this CPU is compressed in the file. */
bool dat_is_packed(const struct dat_cpu *c);
/*
 * Returns the number of sub-buffers in one compressed chunk of this CPU; 1 if it is not compressed.
 */
uint64_t dat_chunk_pages(const struct dat_cpu *c);
/*
 * Returns the upper limit in bytes of the decompressed chunks that one cursor of each CPU holds,
 * all together.
 */
uint64_t dat_chunk_bytes(const struct dat *d);
/*
 * Stores the raw time stamps of the first and the last sub-buffer with data in the compressed chunk
 * of @page. Returns false unless some cursor has decompressed the chunk, all its time stamps are in
 * order and its first sub-buffer has data. Any thread may call this.
 */
bool dat_chunk_times(const struct dat_cpu *c, uint64_t page, uint64_t *first, uint64_t *last);
/* Stores the sub-buffers [*first, *end) that one damaged byte may spoil together with @page. */
void dat_chunk_span(const struct dat_cpu *c, uint64_t page, uint64_t *first, uint64_t *end);

/*
 * Like dat_cursor_page(), with a cursor that the file has for each CPU; for one thread. If pages
 * are read in order it also checks each with ring_page_check() and notes damage in ->damages.
 */
const uint8_t *dat_page(struct dat *d, struct dat_buffer *b, struct dat_cpu *c, uint64_t page,
			size_t *len, uint64_t *off);

/*
 * Verifies every checksum of the file and notes damage. Returns the number of ranges with a
 * checksum.
 */
uint64_t dat_verify(struct dat *d);

/* --- the checksums that ftr puts into its files */

/*
 * Body of DAT_FTR_SUMS; all hashes are XXH64 with seed 0, dat_sum():
 *
 *	u32 version		2; with 1 the hashes are XXH3-64
 *	u32 n			number of ranges
 *	n times:		ranges are adjacent, from offset 0 to the header of this
 *		u64 hash	section: each byte there is in exactly one of them, padding and
 *		u32 len		headers included. Bytes, at most DAT_SUM_RANGE
 *		u16 section	id of the section it belongs to; DAT_SUM_HEADER: the initial header
 *		u16 cpu		the CPU whose data this is; DAT_SUM_NO_CPU for all else
 *	u64 start		offset of this section's header = sum of all len
 *	u64 hash		of the bytes from there up to this field
 *
 * The last hash covers the bytes in no range. The table can be found from the end of the file, even
 * if the rest is damaged. A file with DAT_FTR_META always has DAT_FTR_SUMS.
 */
#define DAT_SUMS_VERSION  2
#define DAT_SUM_RANGE     (256u << 10)
#define DAT_SUM_HEADER    0xffff
#define DAT_SUM_NO_CPU    0xffff
#define DAT_SUM_ENTRY     16	/* bytes of one range in the table */
#define DAT_SUMS_TRAILER  (8 + 8)	/* start, hash: the last bytes of the file */

/* Returns XXH64 with seed 0, the hash in files that are written. */
uint64_t dat_sum(const void *p, size_t n);

#endif
