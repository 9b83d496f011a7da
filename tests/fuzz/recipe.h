/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of many like parts out of an input of a few: the input is a recipe. Its first byte, 0 to 7,
 * is how often 64 KiB, the most that is made of it, are doubled. Then come operations: a byte (its
 * number modulo RECIPE_OPS) and operands, numbers little endian:
 *
 *   text     u16 n, n bytes		these bytes
 *   repeat   u24 n, u8 width		[n in that many bytes,] what follows n times, once at least
 *   sized    u8 width			the size of what follows, and that
 *   packed   u8 zstd			what follows compressed, as a section has it: sizes, data
 *   end				of the last three
 *   number   u8 form, u64 base, ROUND	form: a width in bytes, else 16 decimal, 17 hexadecimal
 *   here     u8 label			names this place of the file
 *   offset   u8 a, u8 b, u8 form, ROUND	from the place b to a; 255 is the start of the file
 *   align    u8 bits			zeroes up to a multiple
 *
 * ROUND is u64 step, u64 outer: what is added in each round of the innermost repeat, and of the one
 * around it. Any bytes are a recipe, and a trace file stands for itself. tests/fuzz/seeds writes such.
 */
#ifndef TESTS_FUZZ_RECIPE_H
#define TESTS_FUZZ_RECIPE_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/mem.h"

enum {
	RECIPE_BYTES = 64 << 10,
	RECIPE_DEPTH_MAX = 16,
	RECIPE_START = 255,
};

enum recipe_op {
	RECIPE_TEXT, RECIPE_REPEAT, RECIPE_SIZED, RECIPE_PACKED, RECIPE_END, RECIPE_NUMBER,
	RECIPE_HERE, RECIPE_OFFSET, RECIPE_ALIGN, RECIPE_OPS,
};

/* What is learnt of the code below says nothing of ours. */
#ifdef __clang__
#pragma clang attribute push(__attribute__((no_sanitize("coverage"))), apply_to = function)
#endif

struct recipe {
	const uint8_t *p, *end;		/* what is left of it */
	uint64_t labels[256];
	size_t   bytes, steps;		/* done so far; of the file and of what is packed in it */
	size_t   max;			/* of both */
	unsigned int depth;
	uint64_t round, outer;
};

static uint64_t recipe_operand(struct recipe *r, size_t width)
{
	uint64_t v = 0;

	for (size_t i = 0; i < width && r->p < r->end; i++)
		v |= (uint64_t)*r->p++ << 8 * i;
	return v;
}

static void recipe_add(struct recipe *r, struct buf *out, const void *p, size_t n)
{
	if (n > r->max - r->bytes)
		n = r->max - r->bytes;
	r->bytes += n;
	buf_add(out, p, n);
}

/* The numbers of the rounds count. */
static uint64_t recipe_rounds(struct recipe *r)
{
	uint64_t v = recipe_operand(r, 8) * r->round;

	return v + recipe_operand(r, 8) * r->outer;
}

static void recipe_number(struct recipe *r, struct buf *out, unsigned int form, uint64_t v)
{
	char text[24];

	if (form == 16 || form == 17) {
		snprintf(text, sizeof(text), form == 16 ? "%" PRIu64 : "%" PRIx64, v);
		recipe_add(r, out, text, strlen(text));
		return;
	}
	for (unsigned int i = 0; i < form && i < 8; i++, v >>= 8)
		recipe_add(r, out, &(uint8_t){ v }, 1);
}

static void recipe_pack(struct recipe *r, struct buf *out, const struct buf *raw, bool zstd)
{
	size_t room = zstd ? ZSTD_compressBound(raw->len) : compressBound(raw->len);
	Bytef *to = xmalloc(room);
	uLongf len = room;

	if (zstd)
		len = ZSTD_compress(to, room, raw->data, raw->len, 1);
	else
		compress2(to, &len, (const Bytef *)raw->data, raw->len, 1);
	recipe_number(r, out, 4, len);
	recipe_number(r, out, 4, raw->len);
	recipe_add(r, out, to, len);
	free(to);
}

static void recipe_run(struct recipe *r, struct buf *out);

/* What follows up to its end. */
static void recipe_group(struct recipe *r, struct buf *out)
{
	if (r->depth == RECIPE_DEPTH_MAX) {
		r->steps++;
		r->p = r->end;
		return;
	}
	r->depth++;
	recipe_run(r, out);
	r->depth--;
}

static void recipe_repeat(struct recipe *r, struct buf *out)
{
	uint64_t n = recipe_operand(r, 3), was = r->round, outer = r->outer;
	const uint8_t *from;

	recipe_number(r, out, recipe_operand(r, 1) % 9, n);
	from = r->p;
	r->outer = was;
	for (r->round = 0; r->round < n || !r->round; r->round++) {
		if (r->bytes == r->max || r->steps > r->max)
			break;
		r->p = from;
		/* a group without an operation takes time, too */
		r->steps++;
		recipe_group(r, out);
	}
	r->round = was;
	r->outer = outer;
}

static void recipe_sized(struct recipe *r, struct buf *out)
{
	unsigned int width = recipe_operand(r, 1) % 9;
	size_t at = out->len;

	recipe_number(r, out, width, 0);
	recipe_group(r, out);
	for (size_t i = 0, n = out->len - at - width; i < width && at + i < out->len; i++, n >>= 8)
		out->data[at + i] = n;
}

static void recipe_packed(struct recipe *r, struct buf *out)
{
	bool zstd = recipe_operand(r, 1) & 1;
	struct buf raw = {0};

	buf_add(&raw, "", 0);
	recipe_group(r, &raw);
	recipe_pack(r, out, &raw, zstd);
	buf_release(&raw);
}

static void recipe_text(struct recipe *r, struct buf *out)
{
	size_t n = recipe_operand(r, 2), left = r->end - r->p;

	n = n < left ? n : left;
	recipe_add(r, out, r->p, n);
	r->p += n;
}

static void recipe_numbered(struct recipe *r, struct buf *out)
{
	unsigned int form = recipe_operand(r, 1);
	uint64_t base = recipe_operand(r, 8);

	recipe_number(r, out, form, base + recipe_rounds(r));
}

static void recipe_offset(struct recipe *r, struct buf *out)
{
	uint64_t a = r->labels[recipe_operand(r, 1)], b = r->labels[recipe_operand(r, 1)];
	unsigned int form = recipe_operand(r, 1);

	recipe_number(r, out, form, a - b + recipe_rounds(r));
}

static void recipe_align(struct recipe *r, struct buf *out)
{
	size_t mask = ((size_t)1 << recipe_operand(r, 1) % 17) - 1;

	while (out->len & mask && r->bytes < r->max)
		recipe_add(r, out, "", 1);
}

static void recipe_run(struct recipe *r, struct buf *out)
{
	while (r->p < r->end && r->steps++ < r->max) {
		switch ((enum recipe_op)(*r->p++ % RECIPE_OPS)) {
		case RECIPE_TEXT: recipe_text(r, out); break;
		case RECIPE_REPEAT: recipe_repeat(r, out); break;
		case RECIPE_SIZED: recipe_sized(r, out); break;
		case RECIPE_PACKED: recipe_packed(r, out); break;
		case RECIPE_NUMBER: recipe_numbered(r, out); break;
		case RECIPE_HERE:
			r->labels[recipe_operand(r, 1) % RECIPE_START] = out->len;
			break;
		case RECIPE_OFFSET: recipe_offset(r, out); break;
		case RECIPE_ALIGN: recipe_align(r, out); break;
		case RECIPE_END:
		case RECIPE_OPS:
			return;
		}
	}
}

/* Places are known from a first go. */
static inline void recipe_make(const uint8_t *data, size_t size, struct buf *out)
{
	static const char magic[] = "\x17\x08\x44tracing";
	struct recipe r = {0};

	if (!size || (size >= sizeof(magic) && !memcmp(data, magic, sizeof(magic) - 1))) {
		buf_add(out, data, size);
		return;
	}
	r.max = RECIPE_BYTES << *data % 8;
	for (int go = 0; go < 2; go++) {
		buf_reset(out);
		buf_add(out, "", 0);
		r.p = data + 1;
		r.end = data + size;
		r.bytes = r.steps = 0;
		while (r.p < r.end && r.steps <= r.max)
			recipe_run(&r, out);
	}
}

#ifdef __clang__
#pragma clang attribute pop
#endif

#endif
