/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes as JSON strings, which are UTF-8 whatever they come from. */
#include "base/poke.h"
#include "base/text.h"
#include "output/json/json_records.h"

#define ONES 0x0101010101010101ull
#define TOPS 0x8080808080808080ull

/* Bit 7 of the bytes of @v that are 0; above the first of them it may be set of others, too. */
static inline uint64_t zero_bytes(uint64_t v)
{
	return (v - ONES) & ~v & TOPS;
}

/* The same of those that do not stand for themselves in JSON, or are no ASCII. */
static inline uint64_t odd_bytes(uint64_t v)
{
	return ((v - 0x20 * ONES) & ~v & TOPS) | (v & TOPS) | zero_bytes(v ^ '"' * ONES) |
	       zero_bytes(v ^ '\\' * ONES) | zero_bytes(v ^ 0x7f * ONES);
}

static bool is_odd(unsigned char c)
{
	return c < ' ' || c >= 0x7f || c == '"' || c == '\\';
}

/* How many bytes stand for themselves; they are copied to @p, which may get up to @n. */
static inline size_t poke_plain(char *p, const char *s, size_t n)
{
	uint64_t v, odd;
	size_t i = 0;

	for (; n - i >= 8; i += 8) {
		memcpy(&v, s + i, 8);
		memcpy(p + i, s + i, 8);
		odd = odd_bytes(le64toh(v));
		if (odd)
			return i + (unsigned int)__builtin_ctzll(odd) / 8;
	}
	for (; i < n && !is_odd(s[i]); i++)
		p[i] = s[i];
	return i;
}

static void add_unit(struct buf *b, uint32_t c)
{
	char *p = buf_poke(b, 16);

	p = (char *)memcpy(p, "\\u", 2) + 2;
	buf_poked(b, poke_hex(p, c, 4));
}

static void add_ascii(struct buf *b, unsigned char c)
{
	static const char shorts[32] = {
		['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r',
	};

	if (c < ' ' ? !shorts[c] : c == 0x7f) {
		add_unit(b, c);
		return;
	}
	buf_addch(b, '\\');
	buf_addch(b, c < ' ' ? shorts[c] : (char)c);
}

/* What does not stand for itself at @s; returns its length. */
static __attribute__((noinline)) size_t add_odd(struct buf *b, const char *s, size_t n)
{
	uint32_t c;
	size_t len;

	if ((unsigned char)*s < 0x80) {
		add_ascii(b, *s);
		return 1;
	}
	len = text_utf8(s, n, &c);
	if (len && !text_acts(c))
		buf_add(b, s, len);
	else
		add_unit(b, len ? c : (unsigned char)*s);
	return len ? len : 1;
}

static inline void add_content(struct buf *b, const char *s, size_t n, bool to_nul)
{
	size_t i, len;

	buf_reserve(b, 0);
	for (i = 0; i < n;) {
		len = poke_plain(buf_poke(b, n - i), s + i, n - i);
		b->len += len;
		i += len;
		if (i == n || (to_nul && !s[i]))
			break;
		i += add_odd(b, s + i, n - i);
	}
	b->data[b->len] = '\0';
}

void json_add_string(struct buf *b, const char *s, size_t n)
{
	buf_addch(b, '"');
	add_content(b, s, n, false);
	buf_addch(b, '"');
}

void json_add_c_string(struct buf *b, const char *s, size_t n)
{
	buf_addch(b, '"');
	add_content(b, s, n, true);
	buf_addch(b, '"');
}

bool json_escape_tail(struct buf *b, size_t from)
{
	struct buf raw = {0};
	size_t i;

	for (i = from; i < b->len && !is_odd(b->data[i]); i++)
		;
	if (i == b->len)
		return false;
	buf_add(&raw, b->data + i, b->len - i);
	b->len = i;
	add_content(b, raw.data, raw.len, false);
	buf_release(&raw);
	return true;
}

void json_add_utf8(struct buf *b, const char *s, size_t n)
{
	uint32_t c;
	size_t i, len;

	for (i = 0; i < n; i += len) {
		len = (unsigned char)s[i] < 0x80 ? 1 : text_utf8(s + i, n - i, &c);
		if (len) {
			buf_add(b, s + i, len);
			continue;
		}
		buf_addch(b, (char)(0xc0 | (unsigned char)s[i] >> 6));
		buf_addch(b, (char)(0x80 | (s[i] & 0x3f)));
		len = 1;
	}
}
