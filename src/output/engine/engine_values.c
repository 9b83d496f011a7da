/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values as the bytes of a format. */
#include "output/engine/engine_rows.h"

#include <endian.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/poke.h"
#include "output/json/json_records.h"

#define NS 1000000000u

int engine_format_find(const char *name)
{
	static const char *const names[] = {
		[ENGINE_ROWBINARY] = "rowbinary", [ENGINE_JSONL] = "jsonl", [ENGINE_CSV] = "csv",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i], name))
			return (int)i;
	return -1;
}

void engine_add_varint(struct buf *out, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		buf_addch(out, (char)(v | 0x80));
	buf_addch(out, (char)v);
}

/* Appends a string that is a text already, with its length. */
static void text_add_sized(struct buf *out, const char *s, size_t len)
{
	engine_add_varint(out, len);
	buf_add(out, s, len);
}

/* Appends a cell in quotes, so that it differs from NULL. */
static void cell_add_quoted(struct buf *out, const char *s, size_t len)
{
	const char *end = s + len, *quote;

	buf_addch(out, '"');
	while ((quote = memchr(s, '"', end - s))) {
		buf_add(out, s, quote + 1 - s);
		buf_addch(out, '"');
		s = quote + 1;
	}
	buf_add(out, s, end - s);
	buf_addch(out, '"');
}

void engine_add_header(enum engine_format f, const struct engine_columns *c, struct buf *out)
{
	if (f == ENGINE_JSONL)
		return;
	if (f == ENGINE_ROWBINARY)
		engine_add_varint(out, c->n);
	for (size_t i = 0; i < c->n; i++) {
		const char *name = c->v[i].name;

		if (f == ENGINE_ROWBINARY) {
			text_add_sized(out, name, strlen(name));
			continue;
		}
		buf_addstr(out, i ? "," : "");
		cell_add_quoted(out, name, strlen(name));
	}
	if (f == ENGINE_ROWBINARY)
		engine_add_types(c, out);
	else
		buf_addch(out, '\n');
}

void engine_add_key(enum engine_format f, const struct engine_columns *c, size_t i, struct buf *out)
{
	if (f == ENGINE_JSONL) {
		buf_addch(out, i ? ',' : '{');
		json_add_string(out, c->v[i].name, strlen(c->v[i].name));
		buf_addch(out, ':');
	} else if (f == ENGINE_CSV && i) {
		buf_addch(out, ',');
	}
}

void engine_add_row_end(enum engine_format f, struct buf *out)
{
	if (f != ENGINE_ROWBINARY)
		buf_addstr(out, f == ENGINE_JSONL ? "}\n" : "\n");
}

void engine_add_time(enum engine_format f, struct engine_second *s, uint64_t ns, struct buf *out)
{
	time_t second = (time_t)(ns / NS);
	uint32_t part = ns % NS;
	struct tm tm;
	char *p;

	if (f == ENGINE_ROWBINARY) {
		engine_add_number(f, ENGINE_TIME, ns, out);
		return;
	}
	if (s->after != ns / NS + 1) {
		s->after = ns / NS + 1;
		if (gmtime_r(&second, &tm))
			strftime(s->text, sizeof(s->text), "\"%Y-%m-%d %H:%M:%S.", &tm);
	}
	buf_addstr(out, s->text);
	p = buf_poke(out, 16);
	p = poke_3(p, part / 1000000);
	p = poke_3(p, part / 1000 % 1000);
	p = poke_3(p, part % 1000);
	*p++ = '"';
	buf_poked(out, p);
}

static bool type_is_signed(enum engine_type type)
{
	return type <= ENGINE_I64;
}

void engine_add_number(enum engine_format f, enum engine_type type, uint64_t v, struct buf *out)
{
	uint64_t le = htole64(v);
	char *p;

	if (f == ENGINE_ROWBINARY) {
		buf_add(out, &le, engine_type_size(type));
	} else {
		p = buf_poke(out, POKE_DEC_ROOM + 4);
		if (type_is_signed(type) && (int64_t)v < 0) {
			*p++ = '-';
			v = -v;
		}
		buf_poked(out, poke_dec(p, v));
	}
}

void engine_add_real(enum engine_format f, double v, struct buf *out)
{
	uint64_t bits;
	char text[40];

	if (f == ENGINE_ROWBINARY) {
		memcpy(&bits, &v, sizeof(bits));
		bits = htole64(bits);
		buf_add(out, &bits, sizeof(bits));
		return;
	}
	/* JSON has neither infinity nor NaN */
	if (!isfinite(v)) {
		engine_add_null(f, out);
		return;
	}
	snprintf(text, sizeof(text), "%.17g", v);
	buf_addstr(out, text);
}

static bool text_is_ascii(const char *s, size_t len)
{
	const uint64_t tops = 0x8080808080808080ull;
	uint64_t v;

	for (; len >= 8; s += 8, len -= 8) {
		memcpy(&v, s, 8);
		if (v & tops)
			return false;
	}
	for (; len; s++, len--)
		if (*s & 0x80)
			return false;
	return true;
}

void engine_add_string(enum engine_format f, const char *s, size_t len, struct buf *out)
{
	struct buf valid = {0};

	if (f == ENGINE_JSONL) {
		json_add_string(out, s, len);
		return;
	}
	if (!text_is_ascii(s, len)) {
		json_add_utf8(&valid, s, len);
		s = valid.data;
		len = valid.len;
	}
	if (f == ENGINE_ROWBINARY)
		text_add_sized(out, s, len);
	else
		cell_add_quoted(out, s, len);
	buf_release(&valid);
}

void engine_add_null(enum engine_format f, struct buf *out)
{
	if (f == ENGINE_ROWBINARY)
		buf_addch(out, 1);
	else
		buf_addstr(out, f == ENGINE_JSONL ? "null" : "");
}

void engine_add_there(enum engine_format f, struct buf *out)
{
	if (f == ENGINE_ROWBINARY)
		buf_addch(out, 0);
}

void engine_add_array(enum engine_format f, size_t n, struct buf *out)
{
	if (f == ENGINE_ROWBINARY)
		engine_add_varint(out, n);
	else
		buf_addstr(out, f == ENGINE_JSONL ? "[" : "\"[");
}

void engine_add_array_comma(enum engine_format f, struct buf *out)
{
	if (f != ENGINE_ROWBINARY)
		buf_addch(out, ',');
}

void engine_add_array_end(enum engine_format f, struct buf *out)
{
	if (f != ENGINE_ROWBINARY)
		buf_addstr(out, f == ENGINE_JSONL ? "]" : "]\"");
}
