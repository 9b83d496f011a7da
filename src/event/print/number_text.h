/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Appends numbers and padded text to a buffer, without printf(). */
#ifndef FTR_EVENT_PRINT_NUMBER_TEXT_H
#define FTR_EVENT_PRINT_NUMBER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

/*
 * Reserves @n bytes at the end and returns their start. The caller writes there and calls
 * buf_tail_end() with the end of the text.
 */
static inline char *buf_tail(struct buf *out, size_t n)
{
	if (out->cap - out->len <= n)
		buf_reserve(out, n);
	return out->data + out->len;
}

static inline void buf_tail_end(struct buf *out, char *end)
{
	out->len = end - out->data;
	*end = '\0';
}

/* Append decimal, hexadecimal, and hexadecimal with "0x". */
void buf_add_dec(struct buf *out, uint64_t v);
void buf_add_hex(struct buf *out, uint64_t v);
void buf_add_0x(struct buf *out, uint64_t v);
/* Appends the low @digits (1 to 16) of @v in hexadecimal, zero-padded. */
void buf_add_hex_fixed(struct buf *out, uint64_t v, unsigned int digits);

enum {
	NUM_SIGN  = 1,
	NUM_LEFT  = 2,
	NUM_PLUS  = 4,
	NUM_SPACE = 8,
	NUM_ZERO  = 16,
	NUM_UPPER = 32,
	NUM_ALT   = 64,
};

/*
 * Appends a number as number() of lib/vsprintf.c does. It differs from C's printf: NUM_ZERO is
 * valid even if there is a precision, 0 with NUM_ALT is "0x0", and 0 with precision 0 is "0". @base
 * is 8, 10 or 16; @width and @prec are bounded by the caller, -1 if there is none.
 */
void buf_add_number(struct buf *out, uint64_t v, unsigned int base, unsigned int flags, int width,
		    int prec);
/* Appends @n bytes unchanged, padded with spaces to @width. */
void buf_add_padded(struct buf *out, const char *s, size_t n, int width, bool left);

#endif
