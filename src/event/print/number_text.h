/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Appends numbers and padded text to a buffer, without printf(). */
#ifndef FTR_EVENT_PRINT_NUMBER_TEXT_H
#define FTR_EVENT_PRINT_NUMBER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

/*
 * Reserves @n bytes at the end and returns their start. The caller writes there and calls put_end()
 * with the end of the text.
 */
static inline char *put_room(struct buf *out, size_t n)
{
	if (out->cap - out->len <= n)
		buf_reserve(out, n);
	return out->data + out->len;
}

static inline void put_end(struct buf *out, char *end)
{
	out->len = end - out->data;
	*end = '\0';
}

/* Append decimal, hexadecimal, and hexadecimal with "0x". */
void put_dec(struct buf *out, uint64_t v);
void put_hex(struct buf *out, uint64_t v);
void put_0x(struct buf *out, uint64_t v);
/* Appends the low @digits (1 to 16) of @v in hexadecimal, zero-padded. */
void put_hex_fixed(struct buf *out, uint64_t v, unsigned int digits);

enum {
	PUT_SIGN  = 1,
	PUT_LEFT  = 2,
	PUT_PLUS  = 4,
	PUT_SPACE = 8,
	PUT_ZERO  = 16,
	PUT_UPPER = 32,
	PUT_ALT   = 64,
};

/*
 * Appends a number as number() of lib/vsprintf.c does. It differs from C's printf: PUT_ZERO is
 * valid even if there is a precision, 0 with PUT_ALT is "0x0", and 0 with precision 0 is "0". @base
 * is 8, 10 or 16; @width and @prec are bounded by the caller, -1 if there is none.
 */
void put_number(struct buf *out, uint64_t v, unsigned int base, unsigned int flags, int width,
		int prec);
/* Appends @n bytes unchanged, padded with spaces to @width. */
void put_padded(struct buf *out, const char *s, size_t n, int width, bool left);

#endif
