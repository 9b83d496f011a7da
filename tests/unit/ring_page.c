/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sub-buffer walker against bytes written by hand, and its limits at every kind of damage. */
#include "file/ring/page.h"

#include <stdlib.h>

#include "tap.h"

static const struct ring_layout le64 = {
	.commit_size = 8, .commit_off = 8, .data_off = 16, .subbuf_size = 4096,
};
static const struct ring_layout be32 = {
	.big = true, .commit_size = 4, .commit_off = 8, .data_off = 12, .subbuf_size = 4096,
};

/* A page as a 64-bit little-endian kernel writes it; the numbers at the right are the expectations. */
static const uint8_t by_hand[] = {
	0x00, 0x10, 0, 0, 0, 0, 0, 0,		/* time stamp 0x1000 */
	0x44, 0, 0, 0, 0, 0, 0, 0,		/* 68 bytes */
	0x02, 0, 0, 0,				/* type_len 2, delta 0 */
	1, 2, 3, 4, 5, 6, 7, 8,			/*   8 bytes at 0x1000 */
	0xa1, 0, 0, 0,				/* type_len 1, delta 5 */
	9, 9, 9, 9,				/*   4 bytes at 0x1005 */
	0x3e, 0, 0, 0, 0x02, 0, 0, 0,		/* time extend: 2 << 27 | 1 */
	0x40, 0, 0, 0, 0x08, 0, 0, 0,		/* type_len 0, delta 2, length 8 */
	7, 0, 0, 0,				/*   4 bytes at 0x1005 + 0x10000001 + 2 */
	0x3d, 0, 0, 0, 0x08, 0, 0, 0,		/* discarded, delta 1: no time */
	0, 0, 0, 0,
	0x9d, 0, 0, 0, 0x04, 0, 0, 0,		/* discarded, delta 4: counts */
	0x01, 0, 0, 0,				/* type_len 1, delta 0 */
	8, 8, 8, 8,				/*   4 bytes at ... + 4 */
};

static void test_by_hand(void)
{
	static const uint64_t ts[] = { 0x1000, 0x1005, 0x10001008, 0x1000100c };
	static const uint32_t len[] = { 8, 4, 4, 4 }, off[] = { 16, 28, 44, 76 };
	uint8_t mem[4096] = {0};
	struct ring_record rec;
	struct ring_page pg;
	int i;

	memcpy(mem, by_hand, sizeof(by_hand));
	TAP_EQ(ring_page_open(&pg, &le64, mem, sizeof(mem)), RING_OK, "page by hand opens");
	TAP_EQ(pg.lost, 0, "nothing lost before it");
	TAP_EQ(ring_page_check(&pg), RING_OK, "and shows no damage");
	for (i = 0; i < 4; i++) {
		TAP_EQ(ring_page_next(&pg, &rec), RING_OK, "record by hand");
		TAP_EQ(rec.ts, ts[i], "its time");
		TAP_EQ(rec.len, len[i], "its length");
		TAP_EQ(rec.off, off[i], "its offset");
		TAP_OK(!memcmp(rec.data, mem + off[i] + (i == 2 ? 8 : 4), len[i]), "its bytes");
	}
	TAP_EQ(ring_page_next(&pg, &rec), RING_END, "end of the page by hand");
}

/* By the header alone: what is behind it is not there. */
static void test_ts(void)
{
	uint8_t *head = malloc(16);
	uint64_t ts = 0;

	memcpy(head, by_hand, 16);
	TAP_OK(ring_page_ts(&le64, head, 4096, &ts) && ts == 0x1000, "time of the page by hand");
	TAP_OK(ring_page_ts(&le64, head, 16 + 68, &ts), "in a page that just has its data");
	TAP_OK(!ring_page_ts(&le64, head, 16 + 67, &ts), "in one that is shorter");
	TAP_OK(!ring_page_ts(&le64, head, 15, &ts), "without a header");
	head[8] = 0;
	TAP_OK(!ring_page_ts(&le64, head, 4096, &ts), "without data");
	head[9] = 0x10;
	TAP_OK(!ring_page_ts(&le64, head, 4096, &ts), "with more data than room");
	free(head);
}

/* As the kernel's text has it, discarded events take no time. */
static void test_text_times(void)
{
	static const uint64_t ts[] = { 0x1000, 0x1005, 0x10001008, 0x10001008 };
	struct ring_layout layout = le64;
	uint8_t mem[4096] = {0};
	struct ring_record rec;
	struct ring_page pg;
	int i;

	layout.text_times = true;
	memcpy(mem, by_hand, sizeof(by_hand));
	ring_page_open(&pg, &layout, mem, sizeof(mem));
	for (i = 0; i < 4 && ring_page_next(&pg, &rec) == RING_OK; i++)
		TAP_EQ(rec.ts, ts[i], "time in the kernel's text");
	TAP_EQ(i, 4, "all records, in the kernel's text");
}

/* The same page of a 32-bit big-endian kernel. */
static const uint8_t by_hand_be[] = {
	0, 0, 0, 0, 0, 0, 0x10, 0x00,
	0xc0, 0, 0, 0x14,			/* 20 bytes; lost, their number is stored */
	0x10, 0, 0, 0x03,			/* type_len 2, delta 3 */
	1, 2, 3, 4, 5, 6, 7, 8,
	0xf8, 0, 0, 0x07, 0, 0, 0, 0x40,	/* absolute: 0x40 << 27 | 7 */
	0, 0, 0, 0x2a,				/* 42 lost */
};

static void test_by_hand_be(void)
{
	uint8_t mem[4096] = {0};
	struct ring_record rec;
	struct ring_page pg;

	memcpy(mem, by_hand_be, sizeof(by_hand_be));
	TAP_EQ(ring_page_open(&pg, &be32, mem, sizeof(mem)), RING_OK, "big-endian page opens");
	TAP_EQ(pg.lost, 42, "42 events were lost before it");
	TAP_EQ(ring_page_check(&pg), RING_OK, "the stored count is no damage");
	TAP_EQ(ring_page_next(&pg, &rec), RING_OK, "big-endian record");
	TAP_EQ(rec.ts, 0x1003, "its time");
	TAP_EQ(rec.data[7], 8, "its bytes");
	TAP_EQ(ring_page_next(&pg, &rec), RING_END, "an absolute time stamp at the end");
	TAP_EQ(pg.ts, 0x200000007ULL, "has moved the time");
}

static void test_absolute(void)
{
	const uint64_t top = 5ULL << 59;
	uint8_t mem[4096];
	struct ring_build b;
	struct ring_record rec;
	struct ring_page pg;

	ring_build_start(&b, &le64, mem, top | 1000);
	ring_build_stamp(&b, top | 2000);
	ring_build_event(&b, 1, "abcd", 4);
	ring_build_stamp(&b, (6ULL << 59) | 5);
	ring_build_event(&b, 1, "abcd", 4);
	ring_build_commit(&b, 0);
	ring_page_open(&pg, &le64, mem, sizeof(mem));
	ring_page_next(&pg, &rec);
	TAP_EQ(rec.ts, top | 2001, "absolute stamp gets its top bits back");
	ring_page_next(&pg, &rec);
	TAP_EQ(rec.ts, (6ULL << 59) | 6, "and counts on when its 59 bits wrap");
}

static void test_lost(void)
{
	uint8_t mem[4096];
	struct ring_build b;
	struct ring_page pg;

	ring_build_start(&b, &le64, mem, 1);
	ring_build_event(&b, 0, "abcd", 4);
	ring_build_commit_lost(&b, 70000);
	TAP_EQ(mem[15], 0xff, "builder extends the sign as the kernel does");
	ring_page_open(&pg, &le64, mem, sizeof(mem));
	TAP_EQ(pg.commit, 8, "commit without its flags");
	TAP_EQ(pg.lost, 70000, "stored count");
	TAP_EQ(ring_page_check(&pg), RING_OK, "sign-extended commit is no damage");
	ring_build_start(&b, &le64, mem, 1);
	ring_build_commit_lost(&b, RING_LOST_UNKNOWN);
	ring_page_open(&pg, &le64, mem, sizeof(mem));
	TAP_OK(pg.lost == RING_LOST_UNKNOWN && !pg.commit, "lost without a count, page empty");
}

static void test_padding(void)
{
	uint8_t mem[4096];
	struct ring_build b;
	struct ring_record rec;
	struct ring_page pg;

	ring_build_start(&b, &le64, mem, 1);
	ring_build_header(&b, 29, 0);
	ring_build_event(&b, 0, "abcd", 4);
	ring_build_commit(&b, 0);
	ring_page_open(&pg, &le64, mem, sizeof(mem));
	TAP_EQ(ring_page_next(&pg, &rec), RING_END, "padding without time ends the page");
}

/* A sound record, then an event header with or without one word behind it, then the end of the memory. */
static enum ring_status after_damage(uint32_t type_len, uint32_t delta, uint32_t word, int words)
{
	uint8_t page[4096], *mem;
	struct ring_build b;
	struct ring_record rec;
	struct ring_page pg;
	enum ring_status st;

	ring_build_start(&b, &le64, page, 1);
	ring_build_event(&b, 0, "abcd", 4);
	ring_build_header(&b, type_len, delta);
	if (words)
		ring_build_word(&b, word);
	ring_build_commit(&b, 0);
	mem = malloc(16 + b.at);	/* of the exact size: sanitizers see each byte read too far */
	memcpy(mem, page, 16 + b.at);
	ring_page_open(&pg, &le64, mem, 16 + b.at);
	while ((st = ring_page_next(&pg, &rec)) == RING_OK)
		;
	free(mem);
	return st;
}

static void test_damage(void)
{
	TAP_EQ(after_damage(3, 0, 0, 1), RING_EVENT_LENGTH, "type_len beyond the commit");
	TAP_EQ(after_damage(28, 0, 0, 1), RING_EVENT_LENGTH, "largest type_len beyond the commit");
	TAP_EQ(after_damage(0, 0, 0, 1), RING_EVENT_LENGTH, "length word 0");
	TAP_EQ(after_damage(0, 0, 3, 1), RING_EVENT_LENGTH, "length word less than itself");
	TAP_EQ(after_damage(0, 0, 8, 1), RING_EVENT_LENGTH, "length word one word too large");
	TAP_EQ(after_damage(0, 0, UINT32_MAX - 3, 1), RING_EVENT_LENGTH, "length word that wraps");
	TAP_EQ(after_damage(29, 7, UINT32_MAX - 3, 1), RING_EVENT_LENGTH, "discarded length that wraps");
	TAP_EQ(after_damage(0, 0, 4, 1), RING_END, "length word of an empty record");
	TAP_EQ(after_damage(0, 0, 0, 0), RING_EVENT_TRUNCATED, "no room for the length word");
	TAP_EQ(after_damage(29, 7, 0, 0), RING_EVENT_TRUNCATED, "no room for a discarded length");
	TAP_EQ(after_damage(30, 7, 0, 0), RING_EVENT_TRUNCATED, "time extend crosses the commit");
	TAP_EQ(after_damage(31, 7, 0, 0), RING_EVENT_TRUNCATED, "time stamp crosses the commit");
}

static void test_page_damage(void)
{
	uint8_t mem[4096] = {0};
	struct ring_build b;
	struct ring_record rec;
	struct ring_page pg;

	TAP_EQ(ring_page_open(&pg, &le64, mem, 15), RING_SHORT_PAGE, "page shorter than its header");
	ring_build_start(&b, &le64, mem, 1);
	ring_build_event(&b, 0, "abcd", 4);
	ring_build_commit(&b, 0x1000);
	TAP_EQ(ring_page_open(&pg, &le64, mem, 4096), RING_COMMIT_TOO_LARGE, "commit beyond the page");
	TAP_EQ(pg.commit, 4080, "is cut to it");
	TAP_EQ(ring_page_next(&pg, &rec), RING_OK, "and the page can be walked");
	ring_build_commit(&b, 0);
	TAP_EQ(ring_page_open(&pg, &le64, mem, 22), RING_COMMIT_TOO_LARGE, "page cut in a record");
	TAP_EQ(ring_page_next(&pg, &rec), RING_EVENT_LENGTH, "which is not given out");
	ring_page_open(&pg, &le64, mem, 4096);
	mem[2000] = 1;
	TAP_EQ(ring_page_check(&pg), RING_DATA_AFTER_COMMIT, "bytes behind the commit");
	mem[2000] = 0;
	mem[13] = 1;
	TAP_EQ(ring_page_check(&pg), RING_COMMIT_FLAGS, "unknown bits in the commit");
}

/* The fast path in the header and the slow one must agree; so must both byte orders. */
static void walk_sum(const struct ring_layout *l, const uint8_t *mem, uint64_t *sum, uint64_t *n, bool slow)
{
	struct ring_record rec;
	struct ring_page pg;

	ring_page_open(&pg, l, mem, l->subbuf_size);
	for (*sum = *n = 0; (slow ? ring_page_next_slow(&pg, &rec) : ring_page_next(&pg, &rec)) == RING_OK; ++*n)
		*sum = *sum * 31 + rec.ts * 7 + rec.len * 3 + rec.data[rec.len - 1];
}

static void test_paths(uint32_t subbuf, bool big, uint8_t long_size)
{
	struct ring_layout l = {
		.big = big, .commit_size = long_size, .commit_off = 8, .data_off = 8 + long_size, .subbuf_size = subbuf,
	};
	uint8_t *mem = malloc(subbuf), payload[300];
	uint64_t ts = 1000, want = 0, made = 0, sum[2], n[2];
	struct ring_build b;
	uint32_t len, delta;
	char name[80];

	ring_build_start(&b, &l, mem, ts);
	for (;; made++) {
		len = 4 + made * 20 % 280;
		delta = made * 7919 % 1000;
		memset(payload, made, sizeof(payload));
		if (made % 50 == 49 && !ring_build_extend(&b, 1ULL << 40))
			break;
		ts += made % 50 == 49 ? 1ULL << 40 : 0;
		if (!ring_build_event(&b, delta, payload, len))
			break;
		ts += delta;
		want = want * 31 + ts * 7 + len * 3 + (uint8_t)made;
	}
	ring_build_commit(&b, 0);
	walk_sum(&l, mem, &sum[0], &n[0], false);
	walk_sum(&l, mem, &sum[1], &n[1], true);
	snprintf(name, sizeof(name), "%u bytes, %s-endian, long of %d", subbuf, big ? "big" : "little", long_size);
	TAP_OK(n[0] == made && sum[0] == want && n[1] == made && sum[1] == want, name);
	free(mem);
}

static void test_layouts(void)
{
	static const char text64[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
	static const char text32[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield: char data;\toffset:12;\tsize:4084;\tsigned:1;\n";
	static const char bad[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:8;\n\tfield: char data;\toffset:12;\tsize:4084;\n";
	struct ring_layout l;

	TAP_OK(!ring_layout_parse(&l, text64, sizeof(text64) - 1, false, 8, 4096) && l.data_off == 16 &&
	       l.commit_size == 8 && l.commit_off == 8, "header_page of a 64-bit kernel");
	TAP_OK(!ring_layout_parse(&l, text32, sizeof(text32) - 1, true, 8, 65536) && l.data_off == 12 &&
	       l.commit_size == 4 && l.big, "header_page of a 32-bit kernel under a 64-bit tool");
	TAP_OK(!ring_layout_parse(&l, NULL, 0, false, 4, 4096) && l.data_off == 12, "no header_page");
	TAP_OK(ring_layout_parse(&l, bad, sizeof(bad) - 1, false, 8, 4096), "data inside the commit");
	TAP_OK(ring_layout_parse(&l, "nonsense", 8, false, 8, 4096), "a text that is no header_page");
	TAP_OK(ring_layout_parse(&l, text64, sizeof(text64) - 1, false, 8, 8), "sub-buffer without room");
}

int main(void)
{
	static const uint32_t sizes[] = { 4096, 8192, 65536, 524288 };
	size_t i;

	test_by_hand();
	test_ts();
	test_text_times();
	test_by_hand_be();
	test_absolute();
	test_lost();
	test_padding();
	test_damage();
	test_page_damage();
	test_layouts();
	for (i = 0; i < 16; i++)
		test_paths(sizes[i / 4], i & 1, i & 2 ? 4 : 8);
	return tap_done();
}
