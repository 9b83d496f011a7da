/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to src/file: the internals of an open file, and its reader. */
#ifndef FTR_FILE_READ_DAT_PRIV_H
#define FTR_FILE_READ_DAT_PRIV_H

#include <pthread.h>

#include "base/cursor.h"
#include "base/limits.h"
#include "file/compress.h"
#include "file/read/dat.h"
#include "file/text_chunks.h"

#define DAT_UNPACKERS 4		/* decompressors kept for the next chunk */

#define DAT_COMPRESSION_AT   18		/* offset in the initial header: two strings, u64 OPTIONS */
#define DAT_NAME_OPEN	     "open"	/* the first string: not finished, compression unknown */
#define DAT_SECTION_HEADER   16		/* u16 id, u16 flags, i32 description, u64 size */
#define DAT_OPTION_HEADER    6		/* u16 id, u32 size */
#define DAT_CPU_ENTRY        20		/* u32 cpu, u64 offset, u64 size; in v6 without the cpu */
#define DAT_FLAG_COMPRESSED  1
#define DAT_STREAM_NUMBERS   8	/* u32 buffer, u32 region: before the data of a DAT_FTR_CHUNK */

/* A section of version 7, by its header. */
struct dat_section {
	uint64_t off;		/* file offset of the header */
	uint64_t body, end;	/* of the content; ->end is bounded to the file */
	uint16_t id, flags;
	bool     cut;		/* the header claims more bytes than the file has */
	bool     used;		/* an option refers to it, or its content was read */
};

/* The bytes of metadata, and their place in the file. */
struct dat_src {
	struct cursor c;
	uint64_t off;		/* file offset of c.base; of the section if it was compressed */
	bool     unpacked;
	bool     bounded;	/* c.end is the end of this section, not only of the file */
	struct damage_list *damages;	/* damage is noted here */
	size_t   mem;		/* number of ->owned + 1; 0: nothing was compressed */
	uint64_t usize;		/* its decompressed size by the file */
	uint16_t id;		/* id of its section */
	struct compress_unpack more;	/* the decompression, up to c.end so far */
};

/* Memory of a decompressed section. */
struct dat_owned {
	uint8_t *p;
	size_t   room;
	bool     pages;		/* allocated by pages_new() */
};

/* Formats, read one by one. */
struct dat_list {
	struct dat_format *v;
	size_t   n, cap;
	struct dat_src src;
	bool     begun, ended;
	uint32_t systems, formats;	/* number left to read; ->formats: of the current system */
	const char *system;
	const char *path;	/* of the file, for messages */
};

/* Metadata that is read on first use. */
struct dat_part {
	uint16_t id;
	bool     found, settled;
	uint8_t  loaded;	/* written under the lock; release and acquire */
	struct dat_section sec;
	struct dat_blob text;
	struct dat_list list;
	struct text_chunks *text_chunks;	/* of KALLSYMS, from the first search on; or NULL */
	bool     chunks_tried;	/* ->text_chunks is set, with release and acquire */
	struct damage_list damages;
};

/* "KEY=" of one of ftr's own lines. */
struct dat_key {
	const char *p;
	size_t      len;
};

#define DAT_PARTS     9
#define DAT_FIRST_IDS 64	/* options with a smaller id are in ->first_option */

/* One checksummed range. */
struct dat_sum {
	uint64_t off, hash;
	uint32_t len;
	uint16_t section;
	int16_t  cpu;		/* -1: not CPU data */
	uint8_t  state;		/* enum dat_sum_state, set by any thread */
};

enum dat_sum_state { DAT_SUM_UNKNOWN, DAT_SUM_GOOD, DAT_SUM_BAD };

/* A compressed chunk of a CPU's data. */
struct dat_chunk {
	uint64_t off;		/* file offset of the compressed bytes */
	uint32_t csize, usize;
	uint64_t page;		/* number of its first sub-buffer */
	/*
	 * for dat_chunk_times(); set by any thread that decompresses it, always to the same values
	 */
	/* ->first is time + 1, set after ->last; 0: unknown, or not in order */
	uint64_t first, last;
	struct dat_unpacked *unpacked;	/* NULL: not in memory; under the lock of the cache */
};

struct dat_unpacked;
struct dat_unpacker;

/* The decompressed chunks that no cursor reads. */
struct dat_idle {
	struct dat_unpacked *oldest, *newest;	/* in the order in which cursors released them */
	size_t bytes;
};

/* The decompressed chunks of a file. */
struct dat_chunk_cache {
	pthread_mutex_t lock;
	struct dat_idle slots, loose;
	struct dat_unpacked *all;	/* array of the slots, or NULL */
	uint8_t *arena;			/* their memory, in huge pages */
	size_t nr_slots, slot_size;
	struct dat_unpacker *unpackers[DAT_UNPACKERS]; /* NULL: none */
};

/* A run of sub-buffers of a CPU of an unfinished file. */
struct dat_run {
	uint64_t page;		/* number of its first sub-buffer */
	uint64_t off, len;	/* bytes in the file */
	bool     hole;		/* nothing was written here: counts as one sub-buffer */
};

/* The time stamp of a sub-buffer, in two words that any thread writes and reads without a lock. */
struct dat_stamp {
	uint64_t check;		/* ->ts ^ its offset in the file */
	uint64_t ts;
};

#define DAT_CHUNK_HEADER 8	/* u32 compressed size, u32 size */

/* The last chunk tried at open, and the result. */
struct dat_tried {
	uint64_t off, csize, room;
	size_t   done;
	int      ret;
};

struct dat_cpu_priv {
	bool   packed;
	struct dat_chunk *chunks;
	size_t nr_chunks, cap_chunks;
	uint32_t chunk_bytes;	/* bytes of the largest one, decompressed */
	struct dat_run *runs;	/* NULL: a single run without holes */
	size_t nr_runs, cap_runs;
	/* used by dat_page() */
	struct dat_cursor cursor;
	uint64_t checked;	/* number of sub-buffers that were checked, in order */
	uint64_t last_ts;	/* raw time stamp of the one before ->checked */
};

struct dat_priv {
	const uint8_t *map;
	uint64_t       size;
	int            fd;		/* -1: too many files are open, it is mapped only */
	bool           sparse;		/* the file has holes */
	struct dat_owned *owned;	/* memory of decompressed sections */
	size_t         nr_owned, cap_owned;
	uint64_t       options_bytes;	/* bytes of OPTIONS that were decompressed */
	void          *unpacker;	/* decompressor, kept for the next section */
	struct dat_stamp *stamps;	/* time stamps of sub-buffers that are not compressed */
	size_t         nr_stamps;	/* a power of two */
	struct dat_chunk_cache cache;
	struct dat_tried tried;
	uint8_t       *tried_mem;	/* for the next try, of ->tried_room bytes; during open */
	uint64_t       tried_room;
	uint64_t       tried_bytes;	/* bytes decompressed by tries so far */
	uint64_t       tried_packed;	/* bytes of the file that tries have read */
	struct dat_section *sections;	/* version 7, in file order */
	size_t         nr_sections, cap_sections;
	struct map     by_off;		/* offset of a section -> its number + 1 */
	size_t         stray_at;	/* number of the first BUFFER section that may be stray */
	struct dat_section *chunks;	/* the DAT_FTR_CHUNK sections, which may be many */
	size_t         nr_chunks, cap_chunks;
	bool           walked;		/* the sizes of sections add up to the file's */
	struct dat_sum *sums;		/* by offset, without gaps from 0 */
	size_t         nr_sums;
	bool           sums_are_xxh3;	/* version 1 of the table */
	uint64_t       nr_cpu_entries;	/* of all buffers */
	uint64_t       data_bytes;	/* bytes of all buffers' data */
	size_t         cap_options, cap_buffers;
	uint32_t       first_option[DAT_FIRST_IDS];	/* number + 1 */
	uint64_t      *places;		/* offsets of buffers by the options, sorted */
	size_t         nr_places;
	uint64_t       stray_from;	/* version 6: all data before it has an option */
	pthread_mutex_t lock;		/* for ->parts and ->owned when the file is open */
	struct dat_part parts[DAT_PARTS];
	bool           settled;
	struct dat_key *keys;		/* ftr's own lines, sorted by key; only if there are many */
	size_t         nr_keys;
};

static inline uint64_t dat_align_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/* dat.c */
struct dat_blob dat_src_blob(const struct dat_src *src, const uint8_t *p, uint64_t n);
void dat_add_option_entry(struct dat *d, uint16_t id, struct dat_blob data);
/* Returns true if another buffer may be added. If not, notes damage at @off. */
bool dat_may_add_buffer(struct dat *d, uint64_t off);
/*
 * Adds a buffer with copies of @name, which is at offset @at of the file, and @clock. The result is
 * valid until the next call.
 */
struct dat_buffer *dat_add_buffer(struct dat *d, const char *name, const char *clock, uint64_t at);
/* Sets ->layout. dat_page_size_ok() has accepted @subbuf_size. */
void dat_set_layout(struct dat *d, struct dat_buffer *b, uint32_t subbuf_size);
/* Returns the current clock in "[local]", "local global [mono]" or "local". The caller frees it. */
char *dat_clock_name(const char *text, size_t len);

/* Returns one more than the largest CPU that has an option with statistics; 0 if none has. */
unsigned int dat_cpus_with_stats(const struct dat *d);

/* Returns true if the @n bytes at @p are @text, or differ in one byte. */
bool dat_bytes_similar(const uint8_t *p, const char *text, size_t n);

/* dat_meta.c: options */
/* Returns true if a section may have this id: a known one, or one of a newer writer. */
bool dat_section_plausible(uint16_t id);
void dat_check_options(struct dat *d);
/*
 * Lists the offsets in BUFFER options, for which @is_data is true (NULL: all). Call it when all
 * options are read. dat_is_place() returns true if @off is one, dat_place_after() the first after
 * @off, or the end of the file.
 */
void dat_list_places(struct dat *d, bool (*is_data)(const struct dat *d, uint64_t off));
bool dat_is_place(const struct dat *d, uint64_t off);
uint64_t dat_place_after(const struct dat *d, uint64_t off);

/*
 * dat_meta.c: reads a section that both versions have. Returns false if it is damaged, which is
 * noted; the undamaged part is kept.
 */
bool dat_read_meta(struct dat *d, uint16_t id, struct dat_src *src);
struct dat_part *dat_part(struct dat *d, uint16_t id);	/* NULL: none with this id */
void dat_parts_init(struct dat_priv *p);
void dat_parts_release(struct dat_priv *p);
/* Sorts ftr's own lines for dat_ftr_value(), if there are many. Call it at the end of open. */
void dat_list_keys(struct dat *d);
/* dat_v7.c: opens the content of a part's section. Its damage is noted in the part. */
bool dat_v7_part(struct dat *d, struct dat_part *part, struct dat_src *src);
/* dat_v7.c: opens the same in text chunks. Returns NULL if there are none. */
struct text_chunks *dat_v7_text_chunks(struct dat *d, const struct dat_part *part);
/*
 * dat_src_more() decompresses more of @src and moves c.end; it returns false if there is no more.
 * dat_src_all() decompresses the rest and notes damage. One thread at a time.
 */
bool dat_src_more(struct dat_src *src);
void dat_src_all(struct dat *d, struct dat_src *src);

/*
 * Read a file of version 6 or 7; @c is after the page size. Return 0, or -1 with @err if nothing
 * can be read.
 */
int dat_v6_open(struct dat *d, struct cursor *c, struct ftr_error *err);
int dat_v7_open(struct dat *d, struct cursor *c, struct ftr_error *err);

/* dat_v7.c: reads the metadata in a section that was found. */
void dat_v7_read_meta(struct dat *d, const struct dat_section *s, uint16_t id);
/* dat_v7.c: keeps the options of one section. */
void dat_v7_read_options(struct dat *d, const struct dat_section *s);

/*
 * dat_unfinished.c: reads an unfinished file by the sections that were walked. Returns false if it
 * is none.
 */
bool dat_unfinished_open(struct dat *d);

const char *dat_section_text(uint16_t id);
/*
 * Returns the largest size in bytes of a decompressed section of this id; of all OPTIONS together.
 */
uint64_t dat_section_max(uint16_t id);

/* dat_layout.c */
bool dat_page_size_ok(uint64_t size);
/*
 * Returns true if @off is in a hole. Only during open. A read of a hole through the map allocates
 * memory, which raises SIGBUS on a full tmpfs.
 */
bool dat_is_hole(const struct dat *d, uint64_t off);
/*
 * Adds an entry of the CPU table, unchecked. Returns false if there are too many, which is noted.
 */
bool dat_add_cpu(struct dat *d, struct dat_buffer *b, size_t *cap, int cpu, uint64_t off,
		 uint64_t size);

/* The range of the file where the data of a buffer may be. */
struct dat_extent {
	uint64_t start, end;	/* start 0 = not known */
	uint64_t table;		/* offset of the CPU table in the file, for messages */
	bool     packed;	/* lists of compressed chunks */
	bool     exact;		/* the range has no other data */
};

/* Checks the entries of a buffer against each other and @e, and counts the pages. */
void dat_bound_buffer(struct dat *d, struct dat_buffer *b, const struct dat_extent *e);
void dat_release_cpu(struct dat_cpu *c);
/* Lists the chunks of a CPU's compressed data. ->off and ->size must have been checked. */
void dat_index_packed(struct dat *d, struct dat_buffer *b, struct dat_cpu *c);
/* Returns true if a list of chunks may start at @off. */
bool dat_chunks_plausible(const struct dat *d, const struct dat_buffer *b, uint64_t off);
/* Returns the offset of the end of the chunk list at @off, or 0 if there is none before @end. */
uint64_t dat_chunks_end(struct dat *d, const struct dat_buffer *b, uint64_t off, uint64_t end);

/*
 * dat_sums.c, see dat.h for the layout. dat_sums_load() finds the table at the end of the file. If
 * it is not there, dat_sums_walked() searches it among the sections that were walked, and notes a
 * table that is damaged or missing. dat_sums_meta() verifies the metadata. dat_sums_touch()
 * verifies the checksums that overlap a range, each once, and notes damage in @to, which may be
 * NULL. The caller keeps *hint between calls. dat_sums_unknown() returns the first range of those
 * that overlap @len bytes at @off that was not verified, or NULL; dat_sums_read() reads it to @to
 * and verifies it.
 */
struct dat_sum *dat_sums_unknown(const struct dat *d, uint64_t off, uint64_t len, size_t *hint);
bool dat_sums_read(const struct dat *d, struct dat_sum *s, void *to);
void dat_sums_load(struct dat *d);
void dat_sums_walked(struct dat *d);
void dat_sums_meta(struct dat *d);
void dat_sums_touch(struct dat *d, uint64_t off, uint64_t len, struct damage_list *to,
		    size_t *hint);
/*
 * Returns true if checksums show that all bytes from @off up to @end are as written. Any thread may
 * call it.
 */
bool dat_sums_vouch(const struct dat *d, uint64_t off, uint64_t end);

/*
 * dat_pages.c: reads @n bytes at @off with a system call. Returns false if it fails. Any thread may
 * call it.
 */
bool dat_read_at(const struct dat *d, void *to, size_t n, uint64_t off);
/* dat_pages.c: makes room for the time stamps of sub-buffers. Call it once the file is open. */
void dat_stamps_init(struct dat *d);
/* dat_pages.c: frees all decompressed chunks. Call it when no cursor holds any. */
void dat_chunk_cache_release(struct dat_chunk_cache *s);

#endif
