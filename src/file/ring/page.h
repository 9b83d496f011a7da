/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks the records of one ring buffer sub-buffer; every length is checked against the sub-buffer.
 */
#ifndef FTR_FILE_RING_PAGE_H
#define FTR_FILE_RING_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define RING_HOST_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
/* A sub-buffer is PAGE_SIZE << 0..7 (kernel: buffer_subbuf_size_kb); pages have 4 to 64 KiB. */
#define RING_SUBBUF_MAX (128u * 65536u)
#define RING_TYPE_LEN_MAX 28u		/* largest type_len that is a length in words */

/* The offsets of the parts of a sub-buffer, from events/header_page and the file header. */
struct ring_layout {
	bool     big;			/* big-endian data */
	uint8_t  commit_size;		/* 4 or 8: the kernel's sizeof(long) */
	uint16_t commit_off;		/* 8 on all known kernels; the time stamp is the u64 at 0 */
	uint16_t data_off;		/* 16, or 12 on 32-bit kernels */
	uint32_t subbuf_size;		/* bytes, header included; PAGE_SIZE << order */
	/*
	 * Gives the times of the kernel's text. The kernel's readers do not add the time delta of a
	 * discarded event, so their times are early from there to the end of the sub-buffer.
	 */
	bool     text_times;
};

/* The results of a check; ring_status_text() has their texts. */
enum ring_status {
	RING_OK = 0,
	RING_END,	       /* no further record in this sub-buffer */
	RING_SHORT_PAGE,       /* fewer bytes than the header needs */
	RING_COMMIT_TOO_LARGE, /* commit beyond the sub-buffer */
	RING_EVENT_TRUNCATED,  /* an event header or time extend crosses the commit */
	RING_EVENT_LENGTH,     /* length word too small, or beyond the commit */
	RING_COMMIT_FLAGS,     /* bits of the commit word that no kernel sets (ring_page_check()) */
	RING_DATA_AFTER_COMMIT, /* bytes after the committed ones (ring_page_check()) */
	RING_NR_STATUS,
};
const char *ring_status_text(enum ring_status st);

/* Events were lost before this page, and the kernel had no room to store their number. */
#define RING_LOST_UNKNOWN                                                                          \
	UINT64_MAX

struct ring_page {
	const struct ring_layout *layout;
	const uint8_t *mem;		/* the sub-buffer */
	uint32_t len;			/* bytes at ->mem, not more than a sub-buffer */
	const uint8_t *data;		/* first byte after the header */
	uint32_t commit;		/* valid bytes at ->data */
	uint32_t at;			/* offset of the next event header at ->data */
	uint64_t ts;			/* running time stamp, raw clock units */
	uint64_t lost; /* events lost before the first record: 0, a count, RING_LOST_UNKNOWN */
};

struct ring_record {
	uint64_t ts;			/* raw clock units */
	const uint8_t *data;		/* payload: starts with common_type */
	uint32_t len;			/* payload bytes that are readable at ->data */
	uint32_t off;			/* of the event header, from the start of the sub-buffer */
};

/*
 * Opens the sub-buffer of @len bytes at @mem. It may be shorter than layout->subbuf_size: a partial
 * last page. Returns RING_OK or the damage. After RING_COMMIT_TOO_LARGE the page may still be
 * walked: ->commit is cut to the bytes that exist.
 */
enum ring_status ring_page_open(struct ring_page *pg, const struct ring_layout *layout,
				const void *mem, size_t len);

/*
 * Stores the raw time stamp of a sub-buffer of @len bytes by its header alone: ->data_off bytes at
 * @mem. Returns false if it has no data, or if ring_page_open() would return damage.
 */
bool ring_page_ts(const struct ring_layout *layout, const void *mem, size_t len, uint64_t *ts);

/*
 * Checks a sub-buffer that can be walked for signs that it is not as the kernel wrote it. Returns
 * RING_OK or the damage. It reads the unused end of the page.
 */
enum ring_status ring_page_check(const struct ring_page *pg);

/*
 * Adds @by to all times of the sub-buffer of @len bytes at @mem: its time stamp, and the absolute
 * ones of events.
 */
void ring_page_shift(const struct ring_layout *layout, void *mem, size_t len, int64_t by);

/* ring_page_next() for everything but a short record in host byte order. */
enum ring_status ring_page_next_slow(struct ring_page *pg, struct ring_record *rec);

/*
 * Reads the next data record, and skips time extends, absolute time stamps, padding and discarded
 * events. Returns RING_OK, RING_END, or the damage because of which the rest of this page can't be
 * read.
 */
static inline enum ring_status ring_page_next(struct ring_page *pg, struct ring_record *rec)
{
	uint32_t left = pg->commit - pg->at, word, type_len;

	if (left < 8 || pg->layout->big != RING_HOST_BIG)
		return ring_page_next_slow(pg, rec);
	memcpy(&word, pg->data + pg->at, sizeof(word));
	type_len = RING_HOST_BIG ? word >> 27 : word & 31;
	if (type_len - 1 >= RING_TYPE_LEN_MAX || type_len * 4 > left - 4)
		return ring_page_next_slow(pg, rec);
	pg->ts += RING_HOST_BIG ? word & 0x7ffffff : word >> 5;
	rec->ts = pg->ts;
	rec->data = pg->data + pg->at + 4;
	rec->len = type_len * 4;
	rec->off = pg->layout->data_off + pg->at;
	pg->at += 4 + type_len * 4;
	return RING_OK;
}

/*
 * Fills @layout from the text of events/header_page; @big and @subbuf_size from the file. An empty
 * text gives the layout of a kernel with @long_size. Returns 0, or -1 if the text makes no sense.
 */
int ring_layout_parse(struct ring_layout *layout, const char *header_page, size_t len, bool big,
		      unsigned int long_size, uint32_t subbuf_size);

/* --- sub-buffers in the kernel's layout, valid or damaged, for tests */

struct ring_build {
	const struct ring_layout *layout;
	uint8_t *mem;		/* layout->subbuf_size bytes, owned by the caller */
	uint32_t at;		/* committed bytes so far */
};

/*
 * Starts a sub-buffer at @mem with the raw time @ts. Its bytes after the last event are undefined
 * until it is committed.
 */
void ring_build_start(struct ring_build *b, const struct ring_layout *layout, void *mem,
		      uint64_t ts);
/*
 * Appends an event header with any @type_len, without data. Returns false if the sub-buffer is
 * full.
 */
bool ring_build_header(struct ring_build *b, uint32_t type_len, uint32_t delta);
bool ring_build_word(struct ring_build *b, uint32_t word);
/*
 * Appends a record. Its length is in type_len if it fits (1..28 words), else in a separate word.
 * Returns false if the sub-buffer is full.
 */
bool ring_build_event(struct ring_build *b, uint32_t delta, const void *data, uint32_t len);
/* Appends @len bytes of whole events as they are. Returns false if the sub-buffer is full. */
bool ring_build_copy(struct ring_build *b, const void *events, uint32_t len);
/* The same for one record of @len bytes with its header, which gets the time delta @delta. */
bool ring_build_move(struct ring_build *b, const void *event, uint32_t len, uint32_t delta);
bool ring_build_extend(struct ring_build *b, uint64_t delta);
bool ring_build_stamp(struct ring_build *b, uint64_t ts);
/* Clears the rest, and writes the commit word, or-ed with @flags (bits 30, 31, or any others). */
void ring_build_commit(struct ring_build *b, uint64_t flags);
/*
 * Like ring_build_commit() without flags, if @lost events, or RING_LOST_UNKNOWN, were lost before
 * this sub-buffer.
 */
void ring_build_commit_lost(struct ring_build *b, uint64_t lost);

#endif
