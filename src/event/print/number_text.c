/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers and padded text into a buffer, without printf. */
#include "event/print/number_text.h"

#include <string.h>

#include "base/poke.h"

static const char lower[] = "0123456789abcdef", upper[] = "0123456789ABCDEF";

/* Digits end before @end; returns where they start. */
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

static char *bits_before(char *end, uint64_t v, unsigned int shift, const char *digits)
{
	do {
		*--end = digits[v & ((1u << shift) - 1)];
		v >>= shift;
	} while (v);
	return end;
}

void put_dec(struct buf *out, uint64_t v)
{
	put_end(out, poke_dec(put_room(out, POKE_DEC_ROOM), v));
}

void put_hex(struct buf *out, uint64_t v)
{
	put_hex_fixed(out, v, poke_hex_len(v));
}

void put_0x(struct buf *out, uint64_t v)
{
	char *p = put_room(out, 2 + POKE_HEX_ROOM);

	p[0] = '0';
	p[1] = 'x';
	put_end(out, poke_hex(p + 2, v, poke_hex_len(v)));
}

void put_hex_fixed(struct buf *out, uint64_t v, unsigned int digits)
{
	put_end(out, poke_hex(put_room(out, POKE_HEX_ROOM), v, digits));
}

static char *fill_chars(char *p, char c, int n)
{
	if (n <= 0)
		return p;
	memset(p, c, n);
	return p + n;
}

static char sign_of(uint64_t *v, unsigned int flags)
{
	if (!(flags & PUT_SIGN))
		return 0;
	if ((int64_t)*v < 0) {
		*v = -*v;
		return '-';
	}
	return flags & PUT_PLUS ? '+' : flags & PUT_SPACE ? ' ' : 0;
}

static char *digits_before(char *end, uint64_t v, unsigned int base, unsigned int flags)
{
	if (base == 10)
		return dec_before(end, v);
	return bits_before(end, v, base == 16 ? 4 : 3, flags & PUT_UPPER ? upper : lower);
}

/* "0x", "0" or nothing. */
static int base_prefix(char p[2], uint64_t v, unsigned int base, unsigned int flags)
{
	if (!(flags & PUT_ALT) || base == 10 || (base == 8 && !v))
		return 0;
	p[0] = '0';
	p[1] = flags & PUT_UPPER ? 'X' : 'x';
	return base == 16 ? 2 : 1;
}

void put_number(struct buf *out, uint64_t v, unsigned int base, unsigned int flags, int width,
		int prec)
{
	char tmp[24], pre[2], *digits, *p, sign = sign_of(&v, flags);
	int n, pad, nr_pre = base_prefix(pre, v, base, flags);

	digits = digits_before(tmp + sizeof(tmp), v, base, flags);
	n = tmp + sizeof(tmp) - digits;
	if (prec < n)
		prec = n;
	pad = width - nr_pre - !!sign - prec;
	p = put_room(out, prec + 3 + (pad > 0 ? pad : 0));
	if (!(flags & (PUT_LEFT | PUT_ZERO)))
		p = fill_chars(p, ' ', pad);
	if (sign)
		*p++ = sign;
	memcpy(p, pre, nr_pre);
	p += nr_pre;
	if ((flags & (PUT_LEFT | PUT_ZERO)) == PUT_ZERO)
		p = fill_chars(p, '0', pad);
	p = fill_chars(p, '0', prec - n);
	memcpy(p, digits, n);
	p += n;
	if (flags & PUT_LEFT)
		p = fill_chars(p, ' ', pad);
	put_end(out, p);
}

void put_padded(struct buf *out, const char *s, size_t n, int width, bool left)
{
	int pad = width > 0 && (size_t)width > n ? width - (int)n : 0;
	char *p = put_room(out, n + pad);

	if (!left)
		p = fill_chars(p, ' ', pad);
	if (n)
		memcpy(p, s, n);
	p += n;
	if (left)
		p = fill_chars(p, ' ', pad);
	put_end(out, p);
}
