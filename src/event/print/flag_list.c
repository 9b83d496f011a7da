/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flags, symbols, bytes, arrays and bit masks as kernel/trace/trace_output.c prints them. */
#include "event/print/conv.h"

#include <string.h>

#include "base/cursor.h"
#include "event/print/ptr.h"

void list_flags(struct buf *out, uint64_t v, const char *delim, const struct list_entry *t,
		size_t n)
{
	size_t delim_len = delim ? strlen(delim) : 0;
	bool first = true;

	for (size_t i = 0; i < n && v; i++) {
		if ((v & t[i].value) != t[i].value)
			continue;
		v &= ~t[i].value;
		if (!first)
			buf_add(out, delim, delim_len);
		first = false;
		buf_add(out, t[i].name, t[i].len);
	}
	if (!v)
		return;
	if (!first)
		buf_add(out, delim, delim_len);
	put_0x(out, v);
}

/* The kernel sees by the length of its output whether a name was found. */
void list_symbolic(struct buf *out, uint64_t v, const struct list_entry *t, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (v != t[i].value)
			continue;
		if (!t[i].len)
			break;
		buf_add(out, t[i].name, t[i].len);
		return;
	}
	put_0x(out, v);
}

void list_hex(struct buf *out, const uint8_t *p, uint32_t len, bool joined)
{
	static const char digits[] = "0123456789abcdef";
	char *to = put_room(out, 3 * (size_t)len);

	for (uint32_t i = 0; i < len; i++) {
		if (i && !joined)
			*to++ = ' ';
		*to++ = digits[p[i] >> 4];
		*to++ = digits[p[i] & 15];
	}
	put_end(out, to);
}

/* An odd element size: the kernel complains once and goes on with bytes. */
void list_array(struct buf *out, const uint8_t *p, uint32_t len, uint32_t count, uint32_t elem,
		bool big)
{
	uint64_t left = (uint64_t)count * elem;
	bool odd = elem != 1 && elem != 2 && elem != 4 && elem != 8;

	if (left > len)
		left = odd ? len : len / elem * elem;
	buf_addch(out, '{');
	for (bool first = true; left; first = false) {
		if (odd) {
			buf_addstr(out, "BAD SIZE:");
			put_dec(out, elem);
			buf_addch(out, ' ');
			elem = 1;
			odd = false;
		} else if (!first) {
			buf_addch(out, ',');
		}
		put_0x(out, get_sized(p, elem, big));
		p += elem;
		left -= elem;
	}
	buf_addch(out, '}');
}

static void dump_groups(const struct conv_env *env, struct buf *out, const uint8_t *p,
			uint32_t len, unsigned int size)
{
	for (uint32_t i = 0; i < len; i += size) {
		if (i)
			buf_addch(out, ' ');
		put_hex_fixed(out, get_sized(p + i, size, env->big), 2 * size);
	}
}

static void dump_ascii(struct buf *out, const uint8_t *p, uint32_t len)
{
	char *to = put_room(out, len);

	for (uint32_t i = 0; i < len; i++)
		*to++ = p[i] >= 0x20 && p[i] < 0x7f ? p[i] : '.';
	put_end(out, to);
}

/* A line whose length is no multiple of the group size is printed by bytes. */
static void dump_line(const struct conv_env *env, struct buf *out, const uint8_t *p, uint32_t len,
		      unsigned int row, unsigned int group, bool ascii)
{
	size_t start = out->len, column;

	if ((group != 2 && group != 4 && group != 8) || len % group)
		group = 1;
	column = row * 2 + row / group + 1;
	dump_groups(env, out, p, len, group);
	if (!ascii)
		return;
	if (out->len - start < column)
		put_padded(out, "", 0, column - (out->len - start), false);
	dump_ascii(out, p, len);
}

void list_hex_dump(const struct conv_env *env, struct buf *out, const char *prefix,
		   unsigned int type, unsigned int rowsize, unsigned int groupsize,
		   const uint8_t *p, uint32_t len, bool ascii, uint64_t addr)
{
	unsigned int row = rowsize == 32 ? 32 : 16;

	buf_addch(out, '\n');
	for (uint32_t i = 0; i < len; i += row) {
		buf_addstr(out, prefix);
		if (type == 1)
			put_hex_fixed(out, addr + i, 2 * env->long_size);
		else if (type == 2)
			put_hex_fixed(out, i, 8);
		if (type == 1 || type == 2)
			buf_add(out, ": ", 2);
		dump_line(env, out, p + i, len - i < row ? len - i : row, row, groupsize, ascii);
		buf_addch(out, '\n');
	}
}

void list_bitmask(const struct conv_env *env, struct buf *out, const uint8_t *p, uint32_t len,
		  bool ranges)
{
	if (ranges)
		bitmap_ranges(env, out, p, len, len * 8);
	else
		bitmap_hex(env, out, p, len, len * 8);
}
