/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks the records of one ring buffer sub-buffer; every length is checked against the sub-buffer.
 * Also builds sub-buffers, valid or damaged, for tests.
 */
#include "file/ring/page.h"

#include <stdlib.h>

#include "base/cursor.h"
#include "base/mem.h"

/* Values of type_len that are no lengths. */
#define TYPE_PADDING	 29u
#define TYPE_TIME_EXTEND 30u
#define TYPE_TIME_STAMP	 31u

/* The low 32 bits of commit; the long is sign-extended when the kernel adds 1 << 31 to it. */
#define COMMIT_MISSED (1u << 31)	/* events were lost before this sub-buffer */
#define COMMIT_STORED (1u << 30)	/* their number follows the data, as a long */
#define COMMIT_SIZE   (COMMIT_STORED - 1)

/* An absolute time stamp carries 59 bits; the rest is that of the time before it. */
#define TS_MSB (0xf8ULL << 56)

const char *ring_status_text(enum ring_status st)
{
	static const char *const text[RING_NR_STATUS] = {
		[RING_OK]                = "no damage",
		[RING_END]               = "end of sub-buffer",
		[RING_SHORT_PAGE]        = "sub-buffer shorter than its header",
		[RING_COMMIT_TOO_LARGE]  = "sub-buffer commit too large",
		[RING_EVENT_TRUNCATED]   = "event header crosses the end of the sub-buffer's data",
		[RING_EVENT_LENGTH]      = "event length does not fit the sub-buffer",
		[RING_COMMIT_FLAGS]      = "unknown bits in the sub-buffer's commit",
		[RING_DATA_AFTER_COMMIT] = "sub-buffer has data after its commit",
	};

	return (unsigned int)st < RING_NR_STATUS ? text[st] : "unknown damage";
}

static uint64_t read_long(const struct ring_layout *l, const uint8_t *p)
{
	return l->commit_size == 8 ? get_u64(p, l->big) : get_u32(p, l->big);
}

enum ring_status ring_page_open(struct ring_page *pg, const struct ring_layout *layout,
				const void *mem, size_t len)
{
	uint32_t commit, room;

	*pg = (struct ring_page){ .layout = layout, .mem = mem };
	pg->len = len < layout->subbuf_size ? len : layout->subbuf_size;
	if (pg->len < layout->data_off)
		return RING_SHORT_PAGE;
	room = pg->len - layout->data_off;
	commit = read_long(layout, pg->mem + layout->commit_off);
	pg->data = pg->mem + layout->data_off;
	pg->ts = get_u64(pg->mem, layout->big);
	pg->commit = commit & COMMIT_SIZE;
	if (pg->commit > room) {
		pg->commit = room;
		pg->lost = commit & COMMIT_MISSED ? RING_LOST_UNKNOWN : 0;
		return RING_COMMIT_TOO_LARGE;
	}
	if (commit & COMMIT_MISSED && commit & COMMIT_STORED &&
	    room - pg->commit >= layout->commit_size)
		pg->lost = read_long(layout, pg->data + pg->commit);
	else if (commit & COMMIT_MISSED)
		pg->lost = RING_LOST_UNKNOWN;
	return RING_OK;
}

bool ring_page_ts(const struct ring_layout *layout, const void *mem, size_t len, uint64_t *ts)
{
	uint32_t commit;

	len = len < layout->subbuf_size ? len : layout->subbuf_size;
	if (len < layout->data_off)
		return false;
	commit = read_long(layout, (const uint8_t *)mem + layout->commit_off) & COMMIT_SIZE;
	*ts = get_u64(mem, layout->big);
	return commit && commit <= len - layout->data_off;
}

enum ring_status ring_page_check(const struct ring_page *pg)
{
	const struct ring_layout *l = pg->layout;
	uint64_t commit;
	uint32_t used, high;

	if (!pg->data)
		return RING_SHORT_PAGE;
	commit = read_long(l, pg->mem + l->commit_off);
	high = commit >> 32;
	/* the high bits are those of an int with sign, or zero */
	if (high && (high != UINT32_MAX || !(commit & COMMIT_MISSED)))
		return RING_COMMIT_FLAGS;
	if ((commit & (COMMIT_MISSED | COMMIT_STORED)) == COMMIT_STORED)
		return RING_COMMIT_FLAGS;
	used = pg->commit;
	if (commit & COMMIT_STORED)
		used += l->commit_size;
	/* the kernel clears the rest of a sub-buffer before it returns it */
	if (used + l->data_off < pg->len &&
	    !mem_is_zero(pg->data + used, pg->len - l->data_off - used))
		return RING_DATA_AFTER_COMMIT;
	return RING_OK;
}

/* Reads an event with its length in the word after the header: data, or a discarded event. */
static enum ring_status long_event(struct ring_page *pg, struct ring_record *rec, uint32_t delta,
				   bool discarded)
{
	const uint8_t *event = pg->data + pg->at;
	uint32_t left = pg->commit - pg->at, len;

	if (left < 8)
		return RING_EVENT_TRUNCATED;
	len = get_u32(event + 4, pg->layout->big);
	/* the length counts its own word; events are aligned to words */
	if (len < 4 || len > left - 4 || len % 4)
		return RING_EVENT_LENGTH;
	*rec = (struct ring_record){
		.data = event + 8, .len = len - 4, .off = pg->layout->data_off + pg->at,
	};
	pg->at += 4 + len;
	/* a discarded event without a time has a delta of 1, as 0 would mean the end of the page */
	if (!discarded || (delta != 1 && !pg->layout->text_times))
		pg->ts += delta;
	rec->ts = pg->ts;
	return RING_OK;
}

static enum ring_status time_event(struct ring_page *pg, uint32_t delta, bool absolute)
{
	uint64_t ts, before = pg->ts;

	if (pg->commit - pg->at < 8)
		return RING_EVENT_TRUNCATED;
	ts = ((uint64_t)get_u32(pg->data + pg->at + 4, pg->layout->big) << 27) + delta;
	if (!absolute) {
		ts += before;
	} else if (before & TS_MSB) {
		ts |= before & TS_MSB;
		ts += ts < before ? 1ULL << 59 : 0;
	}
	pg->ts = ts;
	pg->at += 8;
	return RING_OK;
}

/* Reads one event. *is_data: @rec is a record. */
static enum ring_status read_event(struct ring_page *pg, struct ring_record *rec, bool *is_data)
{
	bool big = pg->layout->big;
	uint32_t word, type_len, delta, len;

	*is_data = false;
	if (pg->at == pg->commit)
		return RING_END;
	if (pg->commit - pg->at < 4)
		return RING_EVENT_TRUNCATED;
	word = get_u32(pg->data + pg->at, big);
	type_len = big ? word >> 27 : word & 31;
	delta = big ? word & 0x7ffffff : word >> 5;
	if (type_len == TYPE_PADDING)
		return delta ? long_event(pg, rec, delta, true) : RING_END;
	if (type_len > TYPE_PADDING)
		return time_event(pg, delta, type_len != TYPE_TIME_EXTEND);
	*is_data = true;
	if (!type_len)
		return long_event(pg, rec, delta, false);
	len = type_len * 4;
	if (len > pg->commit - pg->at - 4)
		return RING_EVENT_LENGTH;
	pg->ts += delta;
	*rec = (struct ring_record){
		.ts = pg->ts, .data = pg->data + pg->at + 4, .len = len,
		.off = pg->layout->data_off + pg->at,
	};
	pg->at += 4 + len;
	return RING_OK;
}

enum ring_status ring_page_next_slow(struct ring_page *pg, struct ring_record *rec)
{
	enum ring_status st;
	bool is_data;

	do {
		st = read_event(pg, rec, &is_data);
	} while (st == RING_OK && !is_data);
	return st;
}

static inline void put_number(uint8_t *at, uint64_t v, unsigned int size, bool big)
{
	for (unsigned int i = 0; i < size; i++)
		at[i] = v >> 8 * (big ? size - 1 - i : i);
}

void ring_page_shift(const struct ring_layout *layout, void *mem, size_t len, int64_t by)
{
	bool big = layout->big;
	struct ring_page pg;
	struct ring_record rec;
	enum ring_status st = ring_page_open(&pg, layout, mem, len);
	uint32_t at, word;
	bool is_data;

	if (st != RING_OK && st != RING_COMMIT_TOO_LARGE)
		return;
	put_number(mem, get_u64(mem, big) + by, 8, big);
	for (st = RING_OK; st == RING_OK;) {
		at = pg.at;
		st = read_event(&pg, &rec, &is_data);
		if (st != RING_OK || is_data)
			continue;
		word = get_u32(pg.data + at, big);
		if ((big ? word >> 27 : word & 31) != TYPE_TIME_STAMP)
			continue;
		uint8_t *event = (uint8_t *)mem + layout->data_off + at;
		uint64_t ts = pg.ts + by;

		put_number(event, big ? (uint32_t)TYPE_TIME_STAMP << 27 | (ts & 0x7ffffff) :
			   (uint32_t)(ts & 0x7ffffff) << 5 | TYPE_TIME_STAMP, 4, big);
		put_number(event + 4, (ts & ~TS_MSB) >> 27, 4, big);
	}
}

/* Returns the number after @key in one line of header_page, "offset:8;" and the like; -1: none. */
static long header_number(const char *line, const char *end, const char *key)
{
	const char *at = memmem(line, end - line, key, strlen(key));
	long n = 0;

	if (!at)
		return -1;
	for (at += strlen(key); at < end && *at >= '0' && *at <= '9' && n < 1 << 24; at++)
		n = n * 10 + (*at - '0');
	return n;
}

struct header_field {
	long off, size;
};

static bool header_field(const char *text, size_t len, const char *name, struct header_field *f)
{
	const char *at = memmem(text, len, name, strlen(name)), *end;

	if (!at)
		return false;
	end = memchr(at, '\n', text + len - at);
	if (!end)
		end = text + len;
	f->off = header_number(at, end, "offset:");
	f->size = header_number(at, end, "size:");
	return f->off >= 0 && f->size >= 0;
}

static int layout_check(const struct ring_layout *l)
{
	if (l->commit_size != 4 && l->commit_size != 8)
		return -1;
	if (l->commit_off < 8 || l->data_off < l->commit_off + l->commit_size)
		return -1;
	return l->subbuf_size < l->data_off + 8u || l->subbuf_size > RING_SUBBUF_MAX ? -1 : 0;
}

int ring_layout_parse(struct ring_layout *layout, const char *header_page, size_t len, bool big,
		      unsigned int long_size, uint32_t subbuf_size)
{
	struct header_field ts, commit, data;

	*layout = (struct ring_layout){
		.big = big, .commit_size = long_size, .commit_off = 8,
		.data_off = 8 + long_size, .subbuf_size = subbuf_size,
	};
	if (!len)
		return layout_check(layout);
	if (!header_field(header_page, len, " timestamp;", &ts) || ts.off || ts.size != 8 ||
	    !header_field(header_page, len, " commit;", &commit) || commit.off > 64 ||
	    commit.size > 8 || !header_field(header_page, len, " data;", &data) || data.off > 128)
		return -1;
	layout->commit_off = commit.off;
	layout->commit_size = commit.size;
	layout->data_off = data.off;
	return layout_check(layout);
}

static inline void store_at(const struct ring_build *b, uint32_t at, uint64_t v, unsigned int size)
{
	uint32_t word = v;
	unsigned int i;

	if (size == 4 && b->layout->big == RING_HOST_BIG) {
		memcpy(b->mem + at, &word, 4);
		return;
	}
	for (i = 0; i < size; i++)
		b->mem[at + i] = v >> 8 * (b->layout->big ? size - 1 - i : i);
}

static uint32_t room_left(const struct ring_build *b)
{
	return b->layout->subbuf_size - b->layout->data_off - b->at;
}

void ring_build_start(struct ring_build *b, const struct ring_layout *layout, void *mem,
		      uint64_t ts)
{
	*b = (struct ring_build){ .layout = layout, .mem = mem };
	memset(mem, 0, layout->data_off);
	store_at(b, 0, ts, 8);
}

static inline bool add_word(struct ring_build *b, uint32_t word)
{
	if (room_left(b) < 4)
		return false;
	store_at(b, b->layout->data_off + b->at, word, 4);
	b->at += 4;
	return true;
}

bool ring_build_word(struct ring_build *b, uint32_t word)
{
	return add_word(b, word);
}

static inline bool add_header(struct ring_build *b, uint32_t type_len, uint32_t delta)
{
	return add_word(b, b->layout->big ? type_len << 27 | delta : delta << 5 | type_len);
}

bool ring_build_header(struct ring_build *b, uint32_t type_len, uint32_t delta)
{
	return add_header(b, type_len, delta);
}

bool ring_build_event(struct ring_build *b, uint32_t delta, const void *data, uint32_t len)
{
	bool long_event = !len || len > RING_TYPE_LEN_MAX * 4;
	uint32_t head = long_event ? 8 : 4, padded = (len + 3) & ~3u;
	uint32_t room = room_left(b);
	uint8_t *to;

	if (room < head || room - head < padded)
		return false;
	add_header(b, long_event ? 0 : padded / 4, delta);
	if (long_event)
		ring_build_word(b, padded + 4);
	to = b->mem + b->layout->data_off + b->at;
	if (padded)
		memset(to + padded - 4, 0, 4);
	if (data && len)
		memcpy(to, data, len);
	else
		memset(to, 0, padded);
	b->at += padded;
	return true;
}

bool ring_build_copy(struct ring_build *b, const void *events, uint32_t len)
{
	if (room_left(b) < len)
		return false;
	memcpy(b->mem + b->layout->data_off + b->at, events, len);
	b->at += len;
	return true;
}

bool ring_build_move(struct ring_build *b, const void *event, uint32_t len, uint32_t delta)
{
	bool big = b->layout->big;
	uint32_t at = b->at, word = get_u32(event, big);

	if (!ring_build_copy(b, event, len))
		return false;
	word = big ? (word & ~0x7ffffffu) | delta : (word & 31) | delta << 5;
	store_at(b, b->layout->data_off + at, word, 4);
	return true;
}

static bool add_time_event(struct ring_build *b, uint32_t type_len, uint64_t ts)
{
	if (room_left(b) < 8)
		return false;
	ring_build_header(b, type_len, ts & 0x7ffffff);
	return ring_build_word(b, ts >> 27);
}

bool ring_build_extend(struct ring_build *b, uint64_t delta)
{
	return add_time_event(b, 30, delta);
}

bool ring_build_stamp(struct ring_build *b, uint64_t ts)
{
	return add_time_event(b, 31, ts & ~(0xf8ULL << 56));
}

void ring_build_commit(struct ring_build *b, uint64_t flags)
{
	memset(b->mem + b->layout->data_off + b->at, 0, room_left(b));
	store_at(b, b->layout->commit_off, b->at | flags, b->layout->commit_size);
}

void ring_build_commit_lost(struct ring_build *b, uint64_t lost)
{
	/* 1 << 31 is a negative int, which the kernel adds to a long */
	uint64_t flags = 0xffffffff80000000ULL;
	bool counted;

	counted = lost != RING_LOST_UNKNOWN && room_left(b) >= b->layout->commit_size;
	ring_build_commit(b, counted ? flags | 1u << 30 : flags);
	if (counted)
		store_at(b, b->layout->data_off + b->at, lost, b->layout->commit_size);
}
