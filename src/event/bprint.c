/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_printk() in binary: the arguments as vbin_printf() of the kernel packs them. Each lies at
 * its own size's alignment, 64-bit ones at 4; strings lie inline with their NUL; of the pointers
 * only the plain ones and symbols are values, everything else was made text when it was recorded.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/cursor.h"
#include "event/engine.h"

#define WIDTH_MAX 999

struct bstr {
	struct ev_engine *e;
	struct cursor args;
	struct buf *out;
};

/* A conversion taken apart. */
struct conv {
	char flags[6];
	int  width, precision;	/* -1 = none */
	int  size;		/* bytes of an integer */
};

static uint64_t take_number(struct bstr *b, unsigned int size)
{
	unsigned int align = size > 4 ? 4 : size;

	cur_seek(&b->args, (cur_pos(&b->args) + align - 1) / align * align);
	switch (size) {
	case 1:
		return cur_u8(&b->args);
	case 2:
		return cur_u16(&b->args);
	case 4:
		return cur_u32(&b->args);
	}
	return cur_u64(&b->args);
}

static int clamp(int64_t n)
{
	return n < 0 ? -1 : n > WIDTH_MAX ? WIDTH_MAX : n;
}

static int parse_number(struct bstr *b, const char **p)
{
	int64_t n = 0;

	if (**p == '*') {
		++*p;
		return clamp((int32_t)take_number(b, 4));
	}
	for (; isdigit((unsigned char)**p); ++*p)
		n = clamp(n * 10 + (**p - '0'));
	return n;
}

static void parse_size(struct bstr *b, const char **p, struct conv *c)
{
	static const struct { const char *name; int size; } sizes[] = {
		{ "hh", 1 }, { "h", 2 }, { "ll", 8 }, { "L", 8 }, { "q", 8 }, { "j", 8 },
		{ "l", 0 }, { "z", 0 }, { "Z", 0 }, { "t", 0 },
	};

	c->size = 4;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		if (strncmp(*p, sizes[i].name, strlen(sizes[i].name)))
			continue;
		c->size = sizes[i].size ? sizes[i].size : b->e->w->long_size;
		*p += strlen(sizes[i].name);
		return;
	}
}

/* *p is behind the '%'; afterwards at the letter of the conversion. */
static void parse_conv(struct bstr *b, const char **p, struct conv *c)
{
	size_t n = 0;

	memset(c, 0, sizeof(*c));
	for (; **p && strchr("-+ #0", **p); ++*p)
		if (!strchr(c->flags, **p) && n < sizeof(c->flags) - 1)
			c->flags[n++] = **p;
	c->width = isdigit((unsigned char)**p) || **p == '*' ? parse_number(b, p) : -1;
	c->precision = -1;
	if (**p == '.') {
		++*p;
		c->precision = parse_number(b, p);
	}
	parse_size(b, p, c);
}

static void print_number(struct bstr *b, const struct conv *c, char letter)
{
	uint64_t v = take_number(b, c->size);
	unsigned int unused = 64 - 8 * c->size;
	char fmt[20] = "%";

	if (letter == 'd' || letter == 'i')
		v = (uint64_t)((int64_t)(v << unused) >> unused);
	strcat(fmt, c->flags);
	strcat(fmt, "*.*ll");
	strncat(fmt, &letter, 1);
	buf_printf(b->out, fmt, c->width < 0 ? 0 : c->width, c->precision, (long long)v);
}

static void print_string(struct bstr *b, const struct conv *c)
{
	const char *s = cur_str(&b->args);

	buf_printf(b->out, strchr(c->flags, '-') ? "%-*.*s" : "%*.*s", c->width < 0 ? 0 : c->width,
		   c->precision < 0 ? WIDTH_MAX * 64 : c->precision, s ? s : "");
}

static void print_symbol(struct bstr *b, uint64_t addr, bool with_offset)
{
	bool plain = b->e->plain_symbols;

	b->e->plain_symbols = false;
	ev_print_func(b->e, addr, with_offset, b->out);
	b->e->plain_symbols = plain;
}

/* *p is behind the 'p'. */
static void print_pointer(struct bstr *b, const char **p, const struct conv *c)
{
	char kind = **p;
	unsigned int size = b->e->w->long_size;

	if (isalnum((unsigned char)kind) && !strchr("SsxKe", kind)) {
		print_string(b, c);
	} else {
		uint64_t v = take_number(b, size);

		if (kind == 's' || kind == 'S')
			print_symbol(b, v, kind == 'S');
		else if (kind == 'e')
			buf_printf(b->out, "%" PRId64, size == 4 ? (int32_t)v : (int64_t)v);
		else
			buf_printf(b->out, "%0*" PRIx64, 2 * (int)size, v);
	}
	while (isalnum((unsigned char)**p))
		++*p;
}

static void print_char(struct bstr *b, const struct conv *c)
{
	char ch = take_number(b, 1);

	buf_printf(b->out, strchr(c->flags, '-') ? "%-*c" : "%*c", c->width < 0 ? 0 : c->width,
		   ch ? ch : ' ');
}

static void convert(struct bstr *b, const char **p)
{
	struct conv c;
	char letter;

	parse_conv(b, p, &c);
	letter = **p;
	if (!letter)
		return;
	++*p;
	if (strchr("diuxXo", letter))
		print_number(b, &c, letter);
	else if (letter == 's')
		print_string(b, &c);
	else if (letter == 'c')
		print_char(b, &c);
	else if (letter == 'p')
		print_pointer(b, p, &c);
	else if (letter == '%')
		buf_addch(b->out, '%');
	else
		buf_printf(b->out, "%%%c", letter);
}

void bprint_format(struct ev_engine *e, const char *fmt, const uint8_t *args, uint32_t len,
		   bool big,
		   struct buf *out)
{
	struct bstr b = { .e = e, .args = cur_init(args, len, big), .out = out };

	while (*fmt && !b.args.bad) {
		if (*fmt != '%') {
			buf_addch(out, *fmt++);
			continue;
		}
		fmt++;
		convert(&b, &fmt);
	}
	if (b.args.bad)
		buf_addstr(out, " <arguments cut>");
}
