/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_printk() in binary: the arguments as vbin_printf() of the kernel packs them. Each lies at
 * its own size's alignment, 64-bit ones at 4; strings lie inline with their NUL; of the pointers
 * only the plain ones and symbols are values, everything else was made text when it was recorded.
 */
#include <string.h>

#include "base/cursor.h"
#include "event/builtin/builtin.h"
#include "event/print/conv.h"

struct bstr {
	struct conv_env env;
	struct cursor args;
	struct buf *out;
	bool narrow;	/* %hd takes 2 bytes, %hhd and no more than 1 */
	bool values;	/* all of %p are values */
};

static uint64_t take_arg_number(struct bstr *b, unsigned int size)
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

/* The old names of %ps and %pS, F and f, are values where they exist. */
static bool is_value(const struct bstr *b, const struct conv *c)
{
	return b->values || !c->ext[0] || strchr("sSxKeF", c->ext[0]) ||
	       (c->ext[0] == 'f' && c->ext[1] != 'w');
}

static void print_pointer(struct bstr *b, const struct conv *c, int width, int prec)
{
	const char *s;

	if (is_value(b, c)) {
		conv_value(&b->env, b->out, c, width, prec, take_arg_number(b, b->env.long_size));
		return;
	}
	s = cur_str(&b->args);
	if (s)
		buf_addstr(b->out, s);
}

static void print_conv(struct bstr *b, const struct conv *c)
{
	int width = c->width_arg ? (int32_t)take_arg_number(b, 4) : c->width;
	int prec = c->prec_arg ? (int32_t)take_arg_number(b, 4) : c->prec;
	const char *s;

	switch (c->kind) {
	case '%':
		buf_addch(b->out, '%');
		break;
	case 's':
		s = cur_str(&b->args);
		if (s)
			conv_str(&b->env, b->out, c, width, prec, s, strlen(s));
		break;
	case 'c':
		conv_char(&b->env, b->out, c, width, take_arg_number(b, 1));
		break;
	case 'p':
		print_pointer(b, c, width, prec);
		break;
	default:
		conv_int(b->out, c, width, prec,
			 take_arg_number(b, c->size < 4 && !b->narrow ? 4 : c->size));
	}
}

/*
 * Until 6.13 numbers of one and two bytes took these; since then an int. Before 4.16 every pointer
 * was a value.
 */
static struct bstr bstr_of(struct ev_engine *e, const uint8_t *args, uint32_t len, bool big,
			   struct buf *out)
{
	uint32_t kernel = e->w->kernel;

	return (struct bstr){
		.env = {
			.syms = e->syms, .symbols = &e->symbols,
			.long_size = e->w->long_size, .big = big, .raw = true,
		},
		.args = cur_init(args, len, big), .out = out,
		.narrow = kernel < KERNEL_VERSION_OF(6, 14),
		.values = kernel && kernel < KERNEL_VERSION_OF(4, 16),
	};
}

void bprint_format(struct ev_engine *e, const char *fmt, const uint8_t *args, uint32_t len,
		   bool big, struct buf *out)
{
	struct bstr b = bstr_of(e, args, len, big, out);
	const char *end = fmt + strlen(fmt), *at;
	struct conv c;
	size_t n;

	while (fmt < end && !b.args.bad) {
		at = memchr(fmt, '%', end - fmt);
		if (!at)
			at = end;
		buf_add(out, fmt, at - fmt);
		fmt = at;
		if (at == end)
			break;
		n = conv_parse(fmt, end, b.env.long_size, &c);
		if (!n)
			break;
		print_conv(&b, &c);
		fmt += n;
	}
	if (b.args.bad)
		buf_addstr(out, " <arguments cut>");
}
