/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conversions of a print fmt: parsing, integers, characters, strings. */
#include "event/print/conv.h"

#include <string.h>

#include "base/text.h"
#include "event/print/ptr.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_alnum(char c)
{
	return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static bool set_flag(struct conv *c, char letter)
{
	switch (letter) {
	case '-':
		return c->left = true;
	case '+':
		return c->plus = true;
	case ' ':
		return c->space = true;
	case '#':
		return c->alt = true;
	case '0':
		return c->zero = true;
	}
	return false;
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

/* A lone '.' is no precision for the kernel. */
static const char *parse_widths(const char *p, const char *end, struct conv *c)
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

/* 'Z' and 'j' are of old kernels and of C; 'q' is not known to any. */
static const char *parse_size(const char *p, const char *end, unsigned int long_size,
			      struct conv *c)
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

static const char *parse_ext(const char *p, const char *end, struct conv *c)
{
	size_t n = 0;

	for (; p < end && is_alnum(*p); p++)
		if (n < sizeof(c->ext) - 1)
			c->ext[n++] = *p;
	return p;
}

size_t conv_parse(const char *p, const char *end, unsigned int long_size, struct conv *c)
{
	const char *start = p++;

	*c = (struct conv){ .width = -1, .prec = -1 };
	while (p < end && set_flag(c, *p))
		p++;
	p = parse_widths(p, end, c);
	p = parse_size(p, end, long_size, c);
	if (p >= end || !*p || !strchr("diuxXocsp%", *p))
		return 0;
	c->kind = *p == 'i' ? 'd' : *p;
	p++;
	if (c->kind == 'p')
		p = parse_ext(p, end, c);
	return p - start;
}

int conv_width(const struct conv *c, int width, bool *left)
{
	*left = c->left || (c->width_arg && width < 0);
	if (c->width_arg && width < 0)
		width = width > -CONV_WIDTH_MAX ? -width : CONV_WIDTH_MAX;
	return width > CONV_WIDTH_MAX ? CONV_WIDTH_MAX : width;
}

int conv_prec(const struct conv *c, int prec)
{
	if (c->prec_arg && prec < 0)
		return 0;
	return prec > CONV_WIDTH_MAX ? CONV_WIDTH_MAX : prec;
}

unsigned int conv_flags(const struct conv *c, bool left)
{
	return (left ? PUT_LEFT : 0) | (c->plus ? PUT_PLUS : 0) | (c->space ? PUT_SPACE : 0) |
	       (c->zero ? PUT_ZERO : 0) | (c->alt ? PUT_ALT : 0);
}

static uint64_t cut_to_size(uint64_t v, unsigned int size, bool is_signed)
{
	unsigned int unused = size < 8 ? 64 - 8 * size : 0;

	return is_signed ? (uint64_t)((int64_t)(v << unused) >> unused) : v << unused >> unused;
}

static bool is_plain_conv(const struct conv *c, int width, int prec)
{
	return width <= 0 && prec <= 1 && !c->plus && !c->space && !c->alt;
}

static bool put_plain(struct buf *out, char kind, uint64_t v)
{
	switch (kind) {
	case 'd':
		if ((int64_t)v < 0) {
			buf_addch(out, '-');
			v = -v;
		}
		/* fall through */
	case 'u':
		put_dec(out, v);
		return true;
	case 'x':
		put_hex(out, v);
		return true;
	}
	return false;
}

void conv_int(struct buf *out, const struct conv *c, int width, int prec, uint64_t v)
{
	unsigned int flags;
	bool left;

	v = cut_to_size(v, c->size, c->kind == 'd');
	if (is_plain_conv(c, width, prec) && !c->width_arg && put_plain(out, c->kind, v))
		return;
	width = conv_width(c, width, &left);
	flags = conv_flags(c, left);
	if (c->kind == 'd')
		flags |= PUT_SIGN;
	else if (c->kind == 'X')
		flags |= PUT_UPPER;
	put_number(out, v, c->kind == 'o' ? 8 : (c->kind | 0x20) == 'x' ? 16 : 10, flags, width,
		   conv_prec(c, prec));
}

static void put_text(const struct conv_env *env, struct buf *out, const char *s, size_t n)
{
	if (env->raw || text_clean(s, n, false))
		buf_add(out, s, n);
	else
		text_sanitise(out, s, n, false);
}

void conv_char(const struct conv_env *env, struct buf *out, const struct conv *c, int width,
	       uint64_t v)
{
	char ch = v;
	bool left;

	width = conv_width(c, width, &left);
	if (!left && width > 1)
		put_padded(out, "", 0, width - 1, false);
	put_text(env, out, &ch, 1);
	if (left && width > 1)
		put_padded(out, "", 0, width - 1, false);
}

void conv_str(const struct conv_env *env, struct buf *out, const struct conv *c, int width,
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
		put_padded(out, "", 0, pad, false);
	put_text(env, out, s, len);
	if (pad && left)
		put_padded(out, "", 0, pad, false);
}
