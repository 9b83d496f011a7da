/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The %p family: which letters take what, and pointers that are printed by their value. */
#include "event/print/ptr.h"

#include <string.h>

#include "base/cursor.h"
#include "base/text.h"
#include "event/data/data.h"
#include "event/data/symtext.h"

#define MAX_ERRNO	4095
#define AMOUNT_MAX	((1 << 23) - 1)

struct kind {
	char        letter;
	const char *second;	/* letters that may follow, NULL: any or none */
	ptr_fn      print;
	uint32_t    bytes;	/* 0: see ptr_bytes() */
};

static bool print_addr(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len);
static bool print_features(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len);
static bool print_flags(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len);

static const struct kind kinds[] = {
	{ 'M', NULL, ptr_mac, 6 },
	{ 'm', NULL, ptr_mac, 6 },
	{ 'I', "4", ptr_ip, 4 },
	{ 'i', "4", ptr_ip, 4 },
	{ 'I', "6", ptr_ip, 16 },
	{ 'i', "6", ptr_ip, 16 },
	{ 'I', "S", ptr_ip, 0 },
	{ 'i', "S", ptr_ip, 0 },
	{ 'U', NULL, ptr_uuid, 16 },
	{ 'h', NULL, ptr_hex, 0 },
	{ 'b', NULL, ptr_bitmap, 0 },
	{ 'a', NULL, print_addr, 0 },
	{ 'N', "F", print_features, 8 },
	{ '4', "c", ptr_fourcc, 4 },
	{ 't', "RTS", ptr_time, 0 },
	{ 'G', "pvg", print_flags, 0 },
	{ 'E', NULL, ptr_escaped, 0 },
};

static const struct kind *find_ptr_kind(const char *ext)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (kinds[i].letter == ext[0] &&
		    (!kinds[i].second || (ext[1] && strchr(kinds[i].second, ext[1]))))
			return &kinds[i];
	return NULL;
}

enum conv_arg conv_arg(const struct conv *c)
{
	if (c->kind == 's')
		return CONV_ARG_STR;
	if (c->kind != 'p')
		return CONV_ARG_INT;
	return find_ptr_kind(c->ext) ? CONV_ARG_BYTES : CONV_ARG_VALUE;
}

/* A width below 0 is none. %ph prints at most 64 bytes, without a width one. */
static uint32_t ptr_bytes(const struct kind *k, const char *ext, int width, unsigned int long_size)
{
	if (k->bytes)
		return k->bytes;
	switch (ext[0]) {
	case 'h':
		return width < 0 ? 1 : width > 64 ? 64 : width;
	case 'E':
		return width < 0 ? 1 : width;
	case 'b':
		return width < 0 ? 0 : (width + 7) / 8;
	case 'I':	/* its family says */
	case 'i':
		return 0;
	case 't':	/* struct rtc_time is nine ints, of which the first six are printed */
		return ext[1] == 'R' ? 24 : ext[1] == 'S' ? 8 + long_size : 8;
	case 'G':
		return ext[1] == 'g' ? 4 : long_size;
	}
	return long_size;
}

/* Here the width counts bits or bytes of the value and may be as large as the kernel takes it. */
static int clamp_amount(const struct conv *c, int width)
{
	if (c->width_arg && width < 0)
		width = width > -AMOUNT_MAX ? -width : AMOUNT_MAX;
	return width < AMOUNT_MAX ? width : AMOUNT_MAX;
}

uint32_t conv_bytes(const struct conv *c, int width, unsigned int long_size)
{
	const struct kind *k = find_ptr_kind(c->ext);

	return k ? ptr_bytes(k, c->ext, clamp_amount(c, width), long_size) : 0;
}

bool conv_ptr(const struct conv_env *env, struct buf *out, const struct conv *c, int width,
	      int prec, const uint8_t *b, uint32_t len)
{
	const struct kind *k = find_ptr_kind(c->ext);
	struct ptr p = { .env = env, .c = c, .ext = c->ext };

	p.width = conv_width(c, width, &p.left);
	p.prec = conv_prec(c, prec);
	p.amount = clamp_amount(c, width);
	if (!k || len < ptr_bytes(k, c->ext, p.amount, env->long_size))
		return false;
	return k->print(out, &p, b, len);
}

void ptr_text(struct buf *out, const struct ptr *p, const char *s, size_t n)
{
	if (p->prec >= 0 && n > (size_t)p->prec)
		n = p->prec;
	put_padded(out, s, n, p->width, p->left);
}

/* "0x" and all digits of @size bytes: %pa, %pNF, %p4cc. */
static void ptr_special_hex(struct buf *out, uint64_t v, unsigned int size)
{
	buf_add(out, "0x", 2);
	put_hex_fixed(out, v, 2 * size);
}

static uint64_t get_long(const struct ptr *p, const uint8_t *b)
{
	return p->env->long_size == 8 ? get_u64(b, p->env->big) : get_u32(b, p->env->big);
}

/*
 * %pa, %pap, %pad. These types may have 8 bytes on 32-bit machines: the record's field tells.
 */
static bool print_addr(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len)
{
	if (p->env->long_size == 4 && len != 8)
		ptr_special_hex(out, get_u32(b, p->env->big), 4);
	else
		ptr_special_hex(out, get_u64(b, p->env->big), 8);
	return true;
}

static bool print_features(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len)
{
	(void)len;
	ptr_special_hex(out, get_u64(b, p->env->big), 8);
	return true;
}

/* The names of page, vma and gfp flags change with nearly every kernel: numbers tell the truth. */
static bool print_flags(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len)
{
	(void)len;
	put_0x(out, p->ext[1] == 'g' ? get_u32(b, p->env->big) : get_long(p, b));
	return true;
}

/* Without a width all digits are shown. */
static void put_pointer(struct buf *out, const struct ptr *p, uint64_t v)
{
	unsigned int flags = conv_flags(p->c, p->left), digits = 2 * p->env->long_size;

	if (p->width < 0 && p->prec < 0 && !(flags & ~PUT_ZERO))
		put_hex_fixed(out, v, digits);
	else if (p->width < 0)
		put_number(out, v, 16, flags | PUT_ZERO, digits, p->prec);
	else
		put_number(out, v, 16, flags, p->width, p->prec);
}

/* @back: the address of a call's return belongs to the instruction before it. */
static void symbol_text(struct ev_syms *syms, struct buf *out, uint64_t addr, unsigned int back,
			bool offset)
{
	const char *name, *mod;
	size_t len, mod_len;
	uint64_t off;

	name = ev_syms_find(syms, addr - back, &len, &mod, &mod_len, &off);
	if (!name || ev_syms_listed_only(mod, mod_len)) {
		put_0x(out, addr);
		return;
	}
	text_sanitise(out, name, len, false);
	if (offset) {
		buf_addch(out, '+');
		put_0x(out, off + back);
		buf_addch(out, '/');
		put_0x(out, ev_syms_size(syms, addr - back));
	}
	if (mod) {
		buf_add(out, " [", 2);
		text_sanitise(out, mod, mod_len, false);
		buf_addch(out, ']');
	}
}

/* or-ed to SYMTEXT_CONV */
enum { BACK = 1, OFFSET = 2 };

static void make_symbol_text(void *syms, uint64_t addr, unsigned int kind, struct buf *out)
{
	symbol_text(syms, out, addr, !!(kind & BACK), kind & OFFSET);
}

void conv_symbol(struct ev_syms *syms, struct buf *out, uint64_t addr, bool offset)
{
	symbol_text(syms, out, addr, 0, offset);
}

/* %ps %pS %pB; %pf and %pF are what these were called before 5.2. */
unsigned int ptr_symbol_kind(const char *ext)
{
	if (!ext[0] || !strchr("sSBFf", ext[0]) || (ext[0] == 'f' && ext[1] == 'w'))
		return 0;
	return SYMTEXT_CONV | (ext[0] == 'B' ? BACK : 0) | (ext[0] < 'a' ? OFFSET : 0);
}

/* Written first, then cut or moved to make room. */
static void put_symbol(struct buf *out, const struct ptr *p, uint64_t v)
{
	unsigned int kind = ptr_symbol_kind(p->ext);
	size_t start = out->len, len;
	int pad;

	if (p->env->symbols)
		symtext_add(p->env->symbols, p->env->syms, v, kind, make_symbol_text, out);
	else
		make_symbol_text(p->env->syms, v, kind, out);
	len = out->len - start;
	if (p->prec >= 0 && len > (size_t)p->prec) {
		len = p->prec;
		put_end(out, out->data + start + len);
	}
	pad = p->width > 0 && (size_t)p->width > len ? p->width - (int)len : 0;
	put_padded(out, "", 0, pad, false);
	if (!pad || p->left)
		return;
	memmove(out->data + start + pad, out->data + start, len);
	memset(out->data + start, ' ', pad);
}

static bool put_error(struct buf *out, const struct ptr *p, uint64_t v)
{
	uint64_t top = p->env->long_size == 8 ? UINT64_MAX : UINT32_MAX;
	uint32_t err = top - v + 1;
	const char *name;
	char text[40];

	if (v > top || top - v >= MAX_ERRNO)
		return false;
	name = errname_find(err);
	if (!name) {
		put_number(out, -(uint64_t)err, 10, conv_flags(p->c, p->left) | PUT_SIGN, p->width,
			   p->prec);
		return true;
	}
	text[0] = '-';
	strcpy(text + 1, name);
	ptr_text(out, p, text, strlen(text));
	return true;
}

/* What the kernel says of letters that it does not know behind those that it knows. */
static const char *complaint_text(const char *ext)
{
	static const char *const says[] = {
		"(%pI?)", "(%pi?)", "(%pN?)", "(%p4?)", "(%pt?)", "(%pG?)",
	};

	for (size_t i = 0; i < sizeof(says) / sizeof(*says); i++)
		if (says[i][3] == ext[0])
			return find_ptr_kind(ext) ? NULL : says[i];
	return NULL;
}

void conv_value(const struct conv_env *env, struct buf *out, const struct conv *c, int width,
		int prec, uint64_t v)
{
	struct ptr p = { .env = env, .c = c, .ext = c->ext };
	const char *say;

	p.width = conv_width(c, width, &p.left);
	p.prec = conv_prec(c, prec);
	if (env->long_size == 4)
		v = (uint32_t)v;
	if (!c->ext[0] || c->ext[0] == 'x') {
		put_pointer(out, &p, v);
	} else if (ptr_symbol_kind(c->ext)) {
		put_symbol(out, &p, v);
	} else if (c->ext[0] != 'e' || !put_error(out, &p, v)) {
		say = complaint_text(c->ext);
		if (say)
			ptr_text(out, &p, say, strlen(say));
		else
			put_pointer(out, &p, v);
	}
}
