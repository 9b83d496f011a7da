/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds sub-buffers as the kernel lays them out, sound ones and damaged ones, for tests. */
#include "file/ring/build.h"

static void store_at(const struct ring_build *b, uint32_t at, uint64_t v, unsigned int size)
{
	unsigned int i;

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
	memset(mem, 0, layout->subbuf_size);
	store_at(b, 0, ts, 8);
}

bool ring_build_word(struct ring_build *b, uint32_t word)
{
	if (room_left(b) < 4)
		return false;
	store_at(b, b->layout->data_off + b->at, word, 4);
	b->at += 4;
	return true;
}

bool ring_build_header(struct ring_build *b, uint32_t type_len, uint32_t delta)
{
	return ring_build_word(b, b->layout->big ? type_len << 27 | delta : delta << 5 | type_len);
}

bool ring_build_event(struct ring_build *b, uint32_t delta, const void *data, uint32_t len)
{
	bool long_event = !len || len > RING_TYPE_LEN_MAX * 4;
	uint32_t head = long_event ? 8 : 4, padded = (len + 3) & ~3u;

	if (room_left(b) < head || room_left(b) - head < padded)
		return false;
	ring_build_header(b, long_event ? 0 : padded / 4, delta);
	if (long_event)
		ring_build_word(b, padded + 4);
	if (data && len)
		memcpy(b->mem + b->layout->data_off + b->at, data, len);
	b->at += padded;
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
	store_at(b, b->layout->commit_off, b->at | flags, b->layout->commit_size);
}

void ring_build_commit_lost(struct ring_build *b, uint64_t lost)
{
	/* 1 << 31 is a negative int that the kernel adds to a long */
	uint64_t flags = 0xffffffff80000000ULL;

	if (lost != RING_LOST_UNKNOWN && room_left(b) >= b->layout->commit_size) {
		store_at(b, b->layout->data_off + b->at, lost, b->layout->commit_size);
		flags |= 1u << 30;
	}
	ring_build_commit(b, flags);
}
