/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conversions of a print fmt: parsing, integers, characters, strings; and the helpers that print
 * fmts call.
 *
 * The rules are those of lib/vsprintf.c, not C's. All letters and digits after %p are skipped. An
 * unknown conversion ends the text. "%#x" of 0 is "0x0". A precision does not disable the flag 0,
 * and "%.s" has no precision. An entry { 0, "NONE" } of __print_flags() is never used for 0.
 * Pointers are printed as with no_hash_pointers; objects of the live kernel (%pd, %pg, %pOF) are
 * printed as their pointers. kallsyms has no sizes, so the size of a symbol is the distance to the
 * next one.
 */
#include "event/print/conv.h"

#include <string.h>

#include "base/cursor.h"
#include "base/text.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *parse_number(const char *p, const char *end, int16_t *v)
{
	int n = 0;

	for (; p < end && is_digit(*p); p++)
		if (n <= CONV_WIDTH_MAX)
			n = n * 10 + (*p - '0');
	*v = n < CONV_WIDTH_MAX ? n : CONV_WIDTH_MAX;
	return p;
}

/* For the kernel a '.' without a number is no precision. */
static const char *parse_widths(const char *p, const char *end, struct printf_conv *c)
{
	if (p < end && is_digit(*p)) {
		p = parse_number(p, end, &c->width);
	} else if (p < end && *p == '*') {
		c->width_arg = true;
		p++;
	}
	if (p == end || *p != '.')
		return p;
	p++;
	if (p < end && is_digit(*p)) {
		p = parse_number(p, end, &c->prec);
	} else if (p < end && *p == '*') {
		c->prec_arg = true;
		p++;
	}
	return p;
}

/* Old kernels have 'Z', C has 'j'; no kernel has 'q'. */
static const char *parse_size(const char *p, const char *end, unsigned int long_size,
			      struct printf_conv *c)
{
	char letter = p < end ? *p : 0;
	bool twice = p + 1 < end && p[1] == letter;

	c->size = 4;
	if (!letter || !strchr("hlLzZtj", letter))
		return p;
	if (letter == 'h')
		c->size = twice ? 1 : 2;
	else if (letter == 'L' || letter == 'j' || (letter == 'l' && twice))
		c->size = 8;
	else
		c->size = long_size;
	return p + 1 + (twice && (letter == 'h' || letter == 'l' || letter == 'L'));
}

size_t conv_parse(const char *p, const char *end, unsigned int long_size, struct printf_conv *c)
{
	const char *start = p++;
	size_t n = 0;

	*c = (struct printf_conv){ .width = -1, .prec = -1 };
	for (; p < end && *p && strchr("-+ #0", *p); p++) {
		c->left |= *p == '-';
		c->plus |= *p == '+';
		c->space |= *p == ' ';
		c->alt |= *p == '#';
		c->zero |= *p == '0';
	}
	p = parse_widths(p, end, c);
	p = parse_size(p, end, long_size, c);
	if (p >= end || !*p || !strchr("diuxXocsp%", *p))
		return 0;
	c->kind = *p == 'i' ? 'd' : *p;
	p++;
	if (c->kind != 'p')
		return p - start;
	for (; p < end && (is_digit(*p) || ((*p | 0x20) >= 'a' && (*p | 0x20) <= 'z')); p++)
		if (n < sizeof(c->ext) - 1)
			c->ext[n++] = *p;
	return p - start;
}

int conv_width(const struct printf_conv *c, int width, bool *left)
{
	*left = c->left || (c->width_arg && width < 0);
	if (c->width_arg && width < 0)
		width = width > -CONV_WIDTH_MAX ? -width : CONV_WIDTH_MAX;
	return width > CONV_WIDTH_MAX ? CONV_WIDTH_MAX : width;
}

int conv_prec(const struct printf_conv *c, int prec)
{
	if (c->prec_arg && prec < 0)
		return 0;
	return prec > CONV_WIDTH_MAX ? CONV_WIDTH_MAX : prec;
}

unsigned int conv_flags(const struct printf_conv *c, bool left)
{
	return (left ? NUM_LEFT : 0) | (c->plus ? NUM_PLUS : 0) | (c->space ? NUM_SPACE : 0) |
	       (c->zero ? NUM_ZERO : 0) | (c->alt ? NUM_ALT : 0);
}

void conv_int(struct buf *out, const struct printf_conv *c, int width, int prec, uint64_t v)
{
	unsigned int flags, unused = c->size < 8 ? 64 - 8 * c->size : 0;
	bool left;

	if (c->kind == 'd')
		v = (uint64_t)((int64_t)(v << unused) >> unused);
	else
		v = v << unused >> unused;
	if (width <= 0 && prec <= 1 && !c->plus && !c->space && !c->alt && !c->width_arg) {
		if (c->kind == 'd' && (int64_t)v < 0) {
			buf_addch(out, '-');
			v = -v;
		}
		if (c->kind == 'd' || c->kind == 'u') {
			buf_add_dec(out, v);
			return;
		}
		if (c->kind == 'x') {
			buf_add_hex(out, v);
			return;
		}
	}
	width = conv_width(c, width, &left);
	flags = conv_flags(c, left);
	if (c->kind == 'd')
		flags |= NUM_SIGN;
	else if (c->kind == 'X')
		flags |= NUM_UPPER;
	buf_add_number(out, v, c->kind == 'o' ? 8 : (c->kind | 0x20) == 'x' ? 16 : 10, flags, width,
		       conv_prec(c, prec));
}

static void print_text(const struct conv_env *env, struct buf *out, const char *s, size_t n)
{
	if (env->raw || text_clean(s, n, false))
		buf_add(out, s, n);
	else
		text_sanitise(out, s, n, false);
}

void conv_char(const struct conv_env *env, struct buf *out, const struct printf_conv *c, int width,
	       uint64_t v)
{
	char ch = v;
	bool left;

	width = conv_width(c, width, &left);
	if (!left && width > 1)
		buf_add_padded(out, "", 0, width - 1, false);
	print_text(env, out, &ch, 1);
	if (left && width > 1)
		buf_add_padded(out, "", 0, width - 1, false);
}

void conv_str(const struct conv_env *env, struct buf *out, const struct printf_conv *c, int width,
	      int prec, const char *s, size_t len)
{
	bool left;
	int pad;

	if (!s) {
		s = "(null)";
		len = 6;
	}
	prec = conv_prec(c, prec);
	if (prec >= 0 && len > (size_t)prec)
		len = prec;
	len = strnlen(s, len);
	width = conv_width(c, width, &left);
	pad = width > 0 && (size_t)width > len ? width - (int)len : 0;
	if (pad && !left)
		buf_add_padded(out, "", 0, pad, false);
	print_text(env, out, s, len);
	if (pad && left)
		buf_add_padded(out, "", 0, pad, false);
}

/* --- flags, symbols, bytes, arrays and bit masks as kernel/trace/trace_output.c prints them */

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
	buf_add_0x(out, v);
}

/* The kernel prints the number after an empty name, as it compares the length of its output. */
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
	buf_add_0x(out, v);
}

void list_hex(struct buf *out, const uint8_t *p, uint32_t len, bool joined)
{
	static const char digits[] = "0123456789abcdef";
	char *to = buf_tail(out, 3 * (size_t)len);

	for (uint32_t i = 0; i < len; i++) {
		if (i && !joined)
			*to++ = ' ';
		*to++ = digits[p[i] >> 4];
		*to++ = digits[p[i] & 15];
	}
	buf_tail_end(out, to);
}

/* For an odd element size the kernel prints BAD SIZE once and continues with bytes. */
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
			buf_add_dec(out, elem);
			buf_addch(out, ' ');
			elem = 1;
			odd = false;
		} else if (!first) {
			buf_addch(out, ',');
		}
		buf_add_0x(out, get_sized(p, elem, big));
		p += elem;
		left -= elem;
	}
	buf_addch(out, '}');
}

/* Prints a line by bytes if its length is no multiple of the group size. */
static void dump_line(const struct conv_env *env, struct buf *out, const uint8_t *p, uint32_t len,
		      unsigned int row, unsigned int group, bool ascii)
{
	size_t start = out->len, column;
	char *to;

	if ((group != 2 && group != 4 && group != 8) || len % group)
		group = 1;
	column = row * 2 + row / group + 1;
	for (uint32_t i = 0; i < len; i += group) {
		if (i)
			buf_addch(out, ' ');
		buf_add_hex_fixed(out, get_sized(p + i, group, env->big), 2 * group);
	}
	if (!ascii)
		return;
	if (out->len - start < column)
		buf_add_padded(out, "", 0, column - (out->len - start), false);
	to = buf_tail(out, len);
	for (uint32_t i = 0; i < len; i++)
		*to++ = p[i] >= 0x20 && p[i] < 0x7f ? p[i] : '.';
	buf_tail_end(out, to);
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
			buf_add_hex_fixed(out, addr + i, 2 * env->long_size);
		else if (type == 2)
			buf_add_hex_fixed(out, i, 8);
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
