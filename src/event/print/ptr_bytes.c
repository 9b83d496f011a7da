/* SPDX-License-Identifier: GPL-2.0-or-later */
/* %ph, %pb, %pE, %p4cc, %pt: bytes, bits, escaped text, pixel formats, times. */
#include <string.h>

#include "base/cursor.h"
#include "base/text.h"
#include "event/print/ptr.h"

static const char digits[] = "0123456789abcdef";

bool ptr_hex(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len)
{
	char sep = p->ext[1] == 'C' ? ':' : p->ext[1] == 'D' ? '-' : p->ext[1] == 'N' ? 0 : ' ';
	uint32_t n = p->amount < 0 ? 1 : p->amount > 64 ? 64 : p->amount;
	char *to = put_room(out, 3 * n);

	(void)len;
	for (uint32_t i = 0; i < n; i++) {
		if (i && sep)
			*to++ = sep;
		*to++ = digits[b[i] >> 4];
		*to++ = digits[b[i] & 15];
	}
	put_end(out, to);
	return true;
}

/* Byte @i of the value in little-endian order: bitmaps are arrays of longs. */
static uint8_t bitmap_byte(const struct conv_env *env, const uint8_t *b, uint32_t len, uint32_t i)
{
	if (env->big)
		i = i / env->long_size * env->long_size + env->long_size - 1 - i % env->long_size;
	return i < len ? b[i] : 0;
}

void bitmap_hex(const struct conv_env *env, struct buf *out, const uint8_t *b, uint32_t len,
		uint32_t bits)
{
	uint32_t chunk = (bits + 31) / 32, part, value;

	for (part = bits % 32 ? bits % 32 : 32; chunk--; part = 32) {
		value = 0;
		for (uint32_t i = 0; i < 4; i++)
			value |= (uint32_t)bitmap_byte(env, b, len, 4 * chunk + i) << 8 * i;
		if (part < 32)
			value &= (1u << part) - 1;
		put_hex_fixed(out, value, (part + 3) / 4);
		if (chunk)
			buf_addch(out, ',');
	}
}

static bool bitmap_bit(const struct conv_env *env, const uint8_t *b, uint32_t len, uint32_t i)
{
	return bitmap_byte(env, b, len, i / 8) >> i % 8 & 1;
}

void bitmap_ranges(const struct conv_env *env, struct buf *out, const uint8_t *b, uint32_t len,
		   uint32_t bits)
{
	bool first = true;
	uint32_t from;

	for (uint32_t i = 0; i < bits; i++) {
		if (!bitmap_bit(env, b, len, i))
			continue;
		for (from = i; i + 1 < bits && bitmap_bit(env, b, len, i + 1); i++)
			;
		if (!first)
			buf_addch(out, ',');
		first = false;
		put_dec(out, from);
		if (from == i)
			continue;
		buf_addch(out, '-');
		put_dec(out, i);
	}
}

bool ptr_bitmap(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len)
{
	uint32_t bits = p->amount < 0 ? 0 : p->amount;

	if (p->ext[1] == 'l')
		bitmap_ranges(p->env, out, b, len, bits);
	else
		bitmap_hex(p->env, out, b, len, bits);
	return true;
}

enum { ESC_SPACE = 1, ESC_SPECIAL = 2, ESC_NULL = 4, ESC_OCTAL = 8, ESC_NP = 16, ESC_HEX = 32 };
#define ESC_ANY (ESC_SPACE | ESC_SPECIAL | ESC_NULL | ESC_OCTAL)

/* Letters behind %pE; none of them: everything that is not printable. */
static unsigned int escape_flags(const char *ext)
{
	static const struct { char letter; unsigned int flags; } letters[] = {
		{ 'a', ESC_ANY }, { 'c', ESC_SPECIAL }, { 'h', ESC_HEX }, { 'n', ESC_NULL },
		{ 'o', ESC_OCTAL }, { 'p', ESC_NP }, { 's', ESC_SPACE },
	};
	unsigned int flags = 0, n = sizeof(letters) / sizeof(*letters), i;

	for (; *ext; ext++) {
		for (i = 0; i < n && letters[i].letter != *ext; i++)
			;
		if (i == n)
			break;
		flags |= letters[i].flags;
	}
	return flags ? flags : ESC_ANY | ESC_NP;
}

/* The kernel's isprint() knows Latin-1. */
static bool is_latin1_print(uint8_t c)
{
	return (c >= 0x20 && c < 0x7f) || c >= 0xa0;
}

/* What stands behind a backslash for one of @from, or 0. */
static char escaped_as(uint8_t c, const char *from, const char *to)
{
	const char *at = c ? strchr(from, c) : NULL;

	return at ? to[at - from] : 0;
}

static char *escape_byte(char *to, uint8_t c, unsigned int flags)
{
	char as = 0;

	if (flags & ESC_NP && is_latin1_print(c)) {
		*to++ = c;
		return to;
	}
	if (flags & ESC_SPACE)
		as = escaped_as(c, "\n\r\t\v\f", "nrtvf");
	if (!as && flags & ESC_SPECIAL)
		as = escaped_as(c, "\\\a\033\"", "\\ae\"");
	if (!as && flags & ESC_NULL && !c)
		as = '0';
	if (as || flags & (ESC_OCTAL | ESC_HEX))
		*to++ = '\\';
	if (as) {
		*to++ = as;
	} else if (flags & ESC_OCTAL) {
		*to++ = '0' + (c >> 6);
		*to++ = '0' + (c >> 3 & 7);
		*to++ = '0' + (c & 7);
	} else if (flags & ESC_HEX) {
		*to++ = 'x';
		*to++ = digits[c >> 4];
		*to++ = digits[c & 15];
	} else {
		*to++ = c;
	}
	return to;
}

/* What these flags let through and a terminal would act on is escaped nevertheless. */
bool ptr_escaped(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len)
{
	unsigned int flags = escape_flags(p->ext + 1);
	uint32_t n = p->amount < 0 ? 1 : p->amount;
	struct buf text = { 0 };
	char *to = put_room(&text, 4 * (size_t)n);

	(void)len;
	for (uint32_t i = 0; i < n; i++)
		to = escape_byte(to, b[i], flags);
	put_end(&text, to);
	if (p->env->raw)
		buf_add(out, text.data, text.len);
	else
		text_sanitise(out, text.data, text.len, false);
	buf_release(&text);
	return true;
}

/* The four characters, lowest byte first for pixel formats, which say their own byte order. */
static char *fourcc_chars(char *to, uint32_t v)
{
	for (int shift = 24; shift >= 0; shift -= 8) {
		uint8_t c = v >> shift;

		*to++ = c >= 0x20 && c < 0x7f ? c : '.';
	}
	return to;
}

bool ptr_fourcc(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len)
{
	char kind = p->ext[2], text[48], *to;
	bool order = kind == 'l' ? false : kind == 'b' ? true : p->env->big;
	const char *what = "";
	uint32_t v;

	(void)len;
	if (!kind || !strchr("chlb", kind)) {
		ptr_text(out, p, "(%p4?)", 6);
		return true;
	}
	if (kind == 'h' && p->ext[3] == 'R')
		order = !order;
	v = get_u32(b, order);
	if (kind == 'c') {
		what = v >> 31 ? " big-endian" : " little-endian";
		to = fourcc_chars(text, __builtin_bswap32(v & 0x7fffffff));
	} else {
		to = fourcc_chars(text, v);
	}
	to = stpcpy(stpcpy(to, what), " (0x");
	for (int shift = 28; shift >= 0; shift -= 4)
		*to++ = digits[v >> shift & 15];
	*to++ = ')';
	ptr_text(out, p, text, to - text);
	return true;
}

struct civil {
	int64_t year;		/* as printed */
	int mon, day, hour, min, sec;
};

/* Days since 1970-01-01 as a date, by eras of 400 years that begin in March. */
static void civil_of(struct civil *c, int64_t seconds)
{
	int64_t days = seconds / 86400, rest = seconds % 86400, era, y;
	unsigned int doe, yoe, doy, m;

	if (rest < 0) {
		rest += 86400;
		days--;
	}
	days += 719468;
	era = (days >= 0 ? days : days - 146096) / 146097;
	doe = days - era * 146097;
	yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	m = (5 * doy + 2) / 153;
	y = yoe + era * 400 + (m >= 10);
	*c = (struct civil){
		.year = y, .mon = m < 10 ? m + 3 : m - 9, .day = doy - (153 * m + 2) / 5 + 1,
		.hour = rest / 3600, .min = rest / 60 % 60, .sec = rest % 60,
	};
}

/* Negative ones come out as unsigned 64-bit numbers, in the kernel too. */
static void put_time_field(struct buf *out, int64_t v, int width)
{
	put_number(out, v, 10, PUT_ZERO, width, -1);
}

/* @letters: d date only, t time only; then s: a space between them (r was seen to). */
static void put_civil(struct buf *out, const struct civil *c, const char *letters)
{
	bool date = *letters != 't', time = *letters != 'd', space = false;

	if (*letters == 'd' || *letters == 't')
		letters++;
	for (; *letters == 'r' || *letters == 's'; letters++)
		space |= *letters == 's';
	if (date) {
		put_time_field(out, c->year, 4);
		buf_addch(out, '-');
		put_time_field(out, c->mon, 2);
		buf_addch(out, '-');
		put_time_field(out, c->day, 2);
	}
	if (date && time)
		buf_addch(out, space ? ' ' : 'T');
	if (!time)
		return;
	put_time_field(out, c->hour, 2);
	buf_addch(out, ':');
	put_time_field(out, c->min, 2);
	buf_addch(out, ':');
	put_time_field(out, c->sec, 2);
}

static bool is_raw(const char *letters)
{
	if (*letters == 'd' || *letters == 't')
		letters++;
	for (; *letters == 's'; letters++)
		;
	return *letters == 'r';
}

/* struct rtc_time: sec, min, hour, mday, mon from 0, year from 1900; r prints these as they are. */
static void put_rtc(struct buf *out, const struct ptr *p, const uint8_t *b)
{
	bool raw = is_raw(p->ext + 2), big = p->env->big;
	int32_t year = get_u32(b + 20, big), mon = get_u32(b + 16, big);
	struct civil c = {
		.year = raw ? year : (int32_t)((uint32_t)year + 1900),
		.mon = raw ? mon : (int32_t)((uint32_t)mon + 1),
		.day = (int32_t)get_u32(b + 12, big), .hour = (int32_t)get_u32(b + 8, big),
		.min = (int32_t)get_u32(b + 4, big), .sec = (int32_t)get_u32(b, big),
	};

	put_civil(out, &c, p->ext + 2);
}

static void put_time64(struct buf *out, const struct ptr *p, int64_t seconds)
{
	struct civil c;

	civil_of(&c, seconds);
	if (is_raw(p->ext + 2)) {
		c.year -= 1900;
		c.mon--;
	}
	c.year = (int32_t)c.year;
	put_civil(out, &c, p->ext + 2);
}

/* S: struct timespec64, since 7.0. */
static void put_timespec(struct buf *out, const struct ptr *p, const uint8_t *b)
{
	int64_t sec = get_u64(b, p->env->big), nsec;

	nsec = p->env->long_size == 8 ? (int64_t)get_u64(b + 8, p->env->big)
				      : (int32_t)get_u32(b + 8, p->env->big);
	if (p->ext[2] == 'p')
		put_dec(out, sec);
	else
		put_time64(out, p, sec);
	buf_addch(out, '.');
	put_number(out, nsec, 10, PUT_ZERO, 9, -1);
}

bool ptr_time(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len)
{
	(void)len;
	if (p->ext[1] == 'R')
		put_rtc(out, p, b);
	else if (p->ext[1] == 'S')
		put_timespec(out, p, b);
	else
		put_time64(out, p, get_u64(b, p->env->big));
	return true;
}
