/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes text without bounds checks: the caller checks the room once for a whole line (buf_poke()).
 * All functions return the end of their text.
 */
#ifndef FTR_BASE_POKE_H
#define FTR_BASE_POKE_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"

/*
 * The number of bytes that poke_text() may read and write for a text of @len bytes. It copies 32
 * bytes, enough for nearly all texts, without a branch that depends on @len; then units of 16.
 */
#define POKE_TEXT_ROOM(len) ((len) + 32)
#define POKE_DEC_ROOM	    24	/* 20 digits, copied by 8 */
#define POKE_HEX_ROOM	    16

extern const char poke_pairs[200];	/* "00" "01" ... "99" */
extern const char poke_triples[4000];	/* "000 " "001 " ... "999 " */
extern const char poke_blanks_64[64];

/* POKE_TEXT_ROOM(@len) bytes must be readable at @s, too. */
static inline char *poke_text(char *p, const char *s, size_t len)
{
	memcpy(p, s, 16);
	memcpy(p + 16, s + 16, 16);
	for (size_t at = 32; __builtin_expect(at < len, 0); at += 16)
		memcpy(p + at, s + at, 16);
	return p + len;
}

/* Writes two digits. */
static inline char *poke_2(char *p, unsigned int v)
{
	memcpy(p, poke_pairs + 2 * v, 2);
	return p + 2;
}

/* Writes three digits and a blank, which is not counted. */
static inline char *poke_3(char *p, unsigned int v)
{
	memcpy(p, poke_triples + 4 * v, 4);
	return p + 3;
}

/* Bytes that poke_blanks() may write: always 64, so that it needs no branch for fewer blanks. */
#define POKE_BLANKS_ROOM(n) ((n) + 64)

static inline char *poke_blanks(char *p, size_t n)
{
	memcpy(p, poke_blanks_64, 64);
	if (__builtin_expect(n > 64, 0))
		memset(p + 64, ' ', n - 64);
	return p + n;
}

/* Writes eight characters, the first in the lowest byte of @v. */
static inline void poke_8(char *p, uint64_t v)
{
	v = htole64(v);
	memcpy(p, &v, 8);
}

/*
 * Returns the eight digits of a number below 10^8 as the bytes of one word, the first digit in the
 * lowest byte. It splits into halves, quarters and digits, all lanes in parallel. The reciprocals
 * are exact for the values that occur.
 */
static inline uint64_t poke_digits(uint32_t v)
{
	uint64_t x = v / 10000 | (uint64_t)(v % 10000) << 32, tops;

	tops = (x * 5243 >> 19) & 0x0000007f0000007f;
	x = tops | (x - 100 * tops) << 16;
	tops = (x * 103 >> 10) & 0x000f000f000f000f;
	return tops | (x - 10 * tops) << 8;
}

/* Writes a decimal number without leading zeroes. */
static inline char *poke_dec(char *p, uint64_t v)
{
	const uint64_t zeros = 0x3030303030303030;
	unsigned int blank;
	uint64_t digits;

	if (v >= 100000000) {
		p = poke_dec(p, v / 100000000);
		poke_8(p, poke_digits(v % 100000000) | zeros);
		return p + 8;
	}
	digits = poke_digits(v);
	blank = (unsigned int)__builtin_ctzll(digits | 1ULL << 56) & ~7u;
	poke_8(p, (digits | zeros) >> blank);
	return p + 8 - blank / 8;
}

/* Returns eight hexadecimal digits as characters, in the byte order of poke_digits(). */
static inline uint64_t poke_hex_digits(uint32_t v)
{
	const uint64_t ones = 0x0101010101010101;
	uint64_t x = __builtin_bswap32(v);

	x = (x | x << 16) & 0x0000ffff0000ffff;
	x = (x | x << 8) & 0x00ff00ff00ff00ff;
	x = (x >> 4 | x << 8) & 0x0f0f0f0f0f0f0f0f;
	return x + '0' * ones + ((x + 6 * ones) >> 4 & ones) * ('a' - '0' - 10);
}

/* Writes the low @digits hexadecimal digits of @v, 1 to 16. */
static inline char *poke_hex(char *p, uint64_t v, unsigned int digits)
{
	v <<= 64 - 4 * digits;
	poke_8(p, poke_hex_digits(v >> 32));
	if (digits > 8)
		poke_8(p + 8, poke_hex_digits(v));
	return p + digits;
}

/* Returns the number of hexadecimal digits of @v. */
static inline unsigned int poke_hex_len(uint64_t v)
{
	return (67 - (unsigned int)__builtin_clzll(v | 1)) / 4;
}

#endif
