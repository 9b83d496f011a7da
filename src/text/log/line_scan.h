/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rest of a line, which is parsed from left to right: words, blanks, numbers, names. */
#ifndef FTR_TEXT_LOG_LINE_SCAN_H
#define FTR_TEXT_LOG_LINE_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "text/log/log_dump.h"

/*
 * Its functions are inline: in a function that hands it to nothing else, it stays in registers.
 * This halves the instructions for the context of a record.
 */
struct line_scanner {
	const char *p, *end;
};

#define SCAN_ONES 0x0101010101010101ULL

/* Returns the 8 bytes at @p; the first one is the lowest. */
static inline uint64_t scan_load(const char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? v : __builtin_bswap64(v);
}

/* Returns 0x80 in each byte of @v that is @c. */
static inline uint64_t scan_bytes_of(uint64_t v, char c)
{
	const uint64_t low = 0x7f * SCAN_ONES;

	v ^= (unsigned char)c * SCAN_ONES;
	return ~(((v & low) + low) | v | low);
}

/* Compiled into a comparison of constants where @word is one. */
static inline bool scan_word(struct line_scanner *s, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n))
		return false;
	s->p += n;
	return true;
}

/* 16 bytes of a line; comparisons set all bits of a byte, or none. */
typedef signed char scan_block __attribute__((vector_size(16)));

/* Returns a bit for each byte of a comparison, the lowest one for the first. */
static inline unsigned int scan_block_bits(scan_block b)
{
#ifdef __SSE2__
	typedef char chars __attribute__((vector_size(16)));

	return __builtin_ia32_pmovmskb128((chars)b);
#else
	unsigned int bits = 0;

	for (unsigned int i = 0; i < sizeof(b); i++)
		bits |= (b[i] & 1u) << i;
	return bits;
#endif
}

static inline bool scan_char(struct line_scanner *s, char c)
{
	if (s->p == s->end || *s->p != c)
		return false;
	s->p++;
	return true;
}

static inline void scan_blanks(struct line_scanner *s)
{
	const char *p = s->p;
	uint64_t other;

	while (s->end - p >= 8) {
		other = scan_load(p) ^ ' ' * SCAN_ONES;
		if (other) {
			s->p = p + __builtin_ctzll(other) / 8;
			return;
		}
		p += 8;
	}
	while (p < s->end && *p == ' ')
		p++;
	s->p = p;
}

static inline bool scan_is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* Parses decimal digits, one after the other. */
static inline unsigned int scan_long_digits(struct line_scanner *s, uint64_t *v)
{
	const char *p = s->p;
	uint64_t n = 0;

	while (p < s->end && scan_is_digit(*p))
		n = n * 10 + *p++ - '0';
	if (p - s->p > 18)
		return 0;
	*v = n;
	n = p - s->p;
	s->p = p;
	return n;
}

/* Parses decimal digits. Returns their number: 0 if there are none, or more than 18. */
static inline unsigned int scan_digits(struct line_scanner *s, uint64_t *v)
{
	uint64_t d, others;
	unsigned int n;

	if (s->end - s->p < 8)
		return scan_long_digits(s, v);
	/* a byte is a digit if it is at most 9 then; a carry only reaches later characters */
	d = scan_load(s->p) ^ '0' * SCAN_ONES;
	others = ((d + 0x76 * SCAN_ONES) | d) & 0x80 * SCAN_ONES;
	if (!others)
		return scan_long_digits(s, v);
	n = __builtin_ctzll(others) / 8;
	if (!n)
		return 0;
	d <<= 64 - 8 * n;
	d = (d * 10 + (d >> 8)) & 0x00ff00ff00ff00ffULL;
	d = (d * 100 + (d >> 16)) & 0x0000ffff0000ffffULL;
	*v = (d * 10000 + (d >> 32)) & 0xffffffff;
	s->p += n;
	return n;
}

static inline bool scan_number(struct line_scanner *s, uint64_t *v)
{
	return scan_digits(s, v) > 0;
}

static inline struct span_text scan_rest(const struct line_scanner *s)
{
	return (struct span_text){ s->p, s->end - s->p };
}

/* The characters of names of events: letters, digits, underscores. */
extern const bool scan_is_name[256];

/* Returns the bits of the bytes of @b that no name has. */
static inline unsigned int scan_not_name(scan_block b)
{
	const scan_block lower = b | 0x20;

	return scan_block_bits(~(((lower >= 'a') & (lower <= 'z')) | ((b >= '0') & (b <= '9')) |
				 (b == '_')));
}

static inline struct span_text scan_name(struct line_scanner *s)
{
	const char *from = s->p, *p = from;
	unsigned int others = 0;
	scan_block b;

	for (; !others && s->end - p >= (long)sizeof(b); p += others ? __builtin_ctz(others) : 16) {
		memcpy(&b, p, sizeof(b));
		others = scan_not_name(b);
	}
	while (!others && p < s->end && scan_is_name[(unsigned char)*p])
		p++;
	s->p = p;
	return (struct span_text){ from, p - from };
}

/* If @t ends with @tail, sets *before to the text before that, which may be empty. */
static inline bool span_cut_tail(struct span_text t, const char *tail, struct span_text *before)
{
	size_t n = strlen(tail);

	if (t.len < n || memcmp(t.p + t.len - n, tail, n))
		return false;
	*before = (struct span_text){ t.p, t.len - n };
	return true;
}

static inline bool span_is(struct span_text t, const char *word)
{
	return t.len == strlen(word) && !memcmp(t.p, word, t.len);
}

/* Returns true if the texts are the same. Short ones are compared with loads that overlap. */
static inline bool span_same(struct span_text a, struct span_text b)
{
	uint32_t x, y;

	if (a.len != b.len)
		return false;
	if (a.len >= 8)
		return scan_load(a.p) == scan_load(b.p) &&
		       scan_load(a.p + a.len - 8) == scan_load(b.p + b.len - 8) &&
		       (a.len <= 16 || !memcmp(a.p + 8, b.p + 8, a.len - 16));
	if (a.len < 4)
		return !a.len || !memcmp(a.p, b.p, a.len);
	memcpy(&x, a.p, 4);
	memcpy(&y, b.p, 4);
	if (x != y)
		return false;
	memcpy(&x, a.p + a.len - 4, 4);
	memcpy(&y, b.p + b.len - 4, 4);
	return x == y;
}

/* Returns a number that differs for most names, for tables of those that were met last. */
static inline unsigned int span_slot(struct span_text t)
{
	const unsigned char *p = (const unsigned char *)t.p;

	return t.len ? t.len * 5 + p[0] * 3 + p[t.len / 2] * 17 + p[t.len - 1] * 29 : 0;
}

/* Removes the blanks around a text. */
static inline struct span_text span_trim(struct span_text t)
{
	while (t.len && *t.p == ' ') {
		t.p++;
		t.len--;
	}
	while (t.len && t.p[t.len - 1] == ' ')
		t.len--;
	return t;
}

/* The value of a lower-case hexadecimal digit plus 1; 0 for other characters. */
extern const uint8_t scan_hex_digit[256];

/* Parses lower-case hexadecimal digits, at most 16. Returns their number. */
static inline unsigned int scan_hex(struct line_scanner *s, uint64_t *v)
{
	const char *p = s->p, *end = s->end - p > 16 ? p + 16 : s->end;
	unsigned int n;
	uint64_t out = 0;
	uint8_t digit;

	for (; p < end && (digit = scan_hex_digit[(unsigned char)*p]); p++)
		out = (out << 4) + digit - 1;
	*v = out;
	n = p - s->p;
	s->p = p;
	return n;
}

#endif
