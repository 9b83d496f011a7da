/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers and padded text into a buffer, without printf. */
#include "event/print/number_text.h"

#include <string.h>

#include "base/poke.h"

static const char lower[] = "0123456789abcdef", upper[] = "0123456789ABCDEF";

/* Writes digits that end before @end. Returns their start. */
static char *dec_before(char *end, uint64_t v)
{
	while (v >= 100) {
		end -= 2;
		poke_2(end, v % 100);
		v /= 100;
	}
	if (v >= 10) {
		end -= 2;
		poke_2(end, v);
	} else {
		*--end = '0' + v;
	}
	return end;
}

void buf_add_dec(struct buf *out, uint64_t v)
{
	buf_tail_end(out, poke_dec(buf_tail(out, POKE_DEC_ROOM), v));
}

void buf_add_hex(struct buf *out, uint64_t v)
{
	buf_add_hex_fixed(out, v, poke_hex_len(v));
}

void buf_add_0x(struct buf *out, uint64_t v)
{
	char *p = buf_tail(out, 2 + POKE_HEX_ROOM);

	p[0] = '0';
	p[1] = 'x';
	buf_tail_end(out, poke_hex(p + 2, v, poke_hex_len(v)));
}

void buf_add_hex_fixed(struct buf *out, uint64_t v, unsigned int digits)
{
	buf_tail_end(out, poke_hex(buf_tail(out, POKE_HEX_ROOM), v, digits));
}

static char *fill_chars(char *p, char c, int n)
{
	if (n <= 0)
		return p;
	memset(p, c, n);
	return p + n;
}

void buf_add_number(struct buf *out, uint64_t v, unsigned int base, unsigned int flags, int width,
		    int prec)
{
	const char *set = flags & NUM_UPPER ? upper : lower;
	char tmp[24], *digits = tmp + sizeof(tmp), *p, sign = 0;
	unsigned int shift = base == 16 ? 4 : 3;
	int n, pad, prefix = 0;

	if (flags & NUM_SIGN) {
		sign = flags & NUM_PLUS ? '+' : flags & NUM_SPACE ? ' ' : 0;
		if ((int64_t)v < 0) {
			v = -v;
			sign = '-';
		}
	}
	/* "0x", "0" or nothing */
	if (flags & NUM_ALT && base != 10 && (base == 16 || v))
		prefix = base == 16 ? 2 : 1;
	if (base == 10) {
		digits = dec_before(digits, v);
	} else {
		do {
			*--digits = set[v & ((1u << shift) - 1)];
			v >>= shift;
		} while (v);
	}
	n = tmp + sizeof(tmp) - digits;
	if (prec < n)
		prec = n;
	pad = width - prefix - !!sign - prec;
	p = buf_tail(out, prec + 3 + (pad > 0 ? pad : 0));
	if (!(flags & (NUM_LEFT | NUM_ZERO)))
		p = fill_chars(p, ' ', pad);
	if (sign)
		*p++ = sign;
	if (prefix)
		*p++ = '0';
	if (prefix == 2)
		*p++ = flags & NUM_UPPER ? 'X' : 'x';
	if ((flags & (NUM_LEFT | NUM_ZERO)) == NUM_ZERO)
		p = fill_chars(p, '0', pad);
	p = fill_chars(p, '0', prec - n);
	memcpy(p, digits, n);
	p += n;
	if (flags & NUM_LEFT)
		p = fill_chars(p, ' ', pad);
	buf_tail_end(out, p);
}

void buf_add_padded(struct buf *out, const char *s, size_t n, int width, bool left)
{
	int pad = width > 0 && (size_t)width > n ? width - (int)n : 0;
	char *p = buf_tail(out, n + pad);

	if (!left)
		p = fill_chars(p, ' ', pad);
	if (n)
		memcpy(p, s, n);
	p += n;
	if (left)
		p = fill_chars(p, ' ', pad);
	buf_tail_end(out, p);
}
