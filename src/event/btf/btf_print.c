/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arguments of a call after its prototype, as print_function_args() of kernel/trace/trace_output.c
 * prints them: registers as they are, whatever the width of the parameter.
 */
#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "base/text.h"
#include "event/btf/btf.h"
#include "event/print/number_text.h"

#define LINE_MAX_LEN	65536	/* a function has 64 parameters, an enumeration 60,000 bytes */
#define NUMBER_MAX	100000	/* sizes of structures, numbers of enumerations */

/* --- finding a line */

static const char *proto_line_end(const char *p, const char *end)
{
	size_t left = end - p;
	const char *nl = memchr(p, '\n', left < LINE_MAX_LEN ? left : LINE_MAX_LEN);

	return nl ? nl : left < LINE_MAX_LEN ? end : NULL;
}

/* Where the line around @at begins, or NULL. */
static const char *proto_line_start(const char *text, const char *at)
{
	size_t n = at - text;
	const char *nl;

	if (n > LINE_MAX_LEN)
		n = LINE_MAX_LEN;
	nl = memrchr(at - n, '\n', n);
	return nl ? nl + 1 : n < LINE_MAX_LEN ? text : NULL;
}

/* As strcmp() of the line's first word with @name. */
static int compare_first_word(const char *line, const char *end, const char *name, size_t len)
{
	const char *blank = memchr(line, ' ', end - line);
	size_t n = (blank ? blank : end) - line;
	int ret = memcmp(line, name, n < len ? n : len);

	return ret ? ret : (n > len) - (n < len);
}

const char *btf_proto_find(const char *text, size_t text_len, const char *name, size_t name_len,
			   size_t *len)
{
	const char *low = text, *high = text + text_len, *line, *end;
	int order;

	while (low < high) {
		line = proto_line_start(low, low + (high - low) / 2);
		end = line ? proto_line_end(line, high) : NULL;
		if (!end)
			return NULL;
		order = compare_first_word(line, end, name, name_len);
		if (!order) {
			*len = end - line;
			return line;
		}
		if (order < 0)
			low = end < high ? end + 1 : high;
		else
			high = line;
	}
	return NULL;
}

/* --- values */

static uint64_t read_reg(const struct btf_args *a, uint32_t i)
{
	return a->size == 8 ? get_u64(a->p + 8 * i, a->big) : get_u32(a->p + 4 * i, a->big);
}

static void add_signed(struct buf *out, const struct btf_args *a, uint64_t v)
{
	int64_t s = a->size == 8 ? (int64_t)v : (int32_t)v;

	if (s < 0)
		buf_addch(out, '-');
	put_dec(out, s < 0 ? -(uint64_t)s : (uint64_t)s);
}

static uint32_t kind_number(const char *p, const char *end)
{
	uint32_t v = 0;

	for (; p < end && *p >= '0' && *p <= '9' && v < NUMBER_MAX; p++)
		v = v * 10 + (*p - '0');
	return v;
}

static const char *kind_label(char kind)
{
	return kind == 's' ? "STRUCT" : kind == 'n' ? "UNION" : kind == 'f' ? "FLOAT" : "ENUM64";
}

static bool is_constant(const char *p, const char *end, const struct btf_args *a, uint64_t v)
{
	bool minus = p < end && *p == '-';
	uint64_t n = 0;

	p += minus;
	if (p == end)
		return false;
	for (; p < end && *p >= '0' && *p <= '9'; p++)
		n = n * 10 + (*p - '0');
	n = minus ? -n : n;
	return p == end && (a->size == 8 ? n == v : (uint32_t)n == v);
}

/* " [NAME]" of the first constant with this value; @number is that of the enumeration. */
static void add_constant(struct buf *out, const struct btf_args *a, uint32_t number, uint64_t v)
{
	const char *line, *end, *p, *next, *colon;
	char key[16];
	size_t len;

	snprintf(key, sizeof(key), "#%05u", number);
	line = btf_proto_find(a->text, a->text_len, key, strlen(key), &len);
	end = line ? line + len : NULL;
	for (p = line ? memchr(line, ' ', len) : NULL; p; p = next) {
		p++;
		next = memchr(p, ' ', end - p);
		colon = memchr(p, ':', (next ? next : end) - p);
		if (!colon || !is_constant(colon + 1, next ? next : end, a, v))
			continue;
		buf_add(out, " [", 2);
		text_sanitise(out, p, colon - p, false);
		buf_addch(out, ']');
		return;
	}
}

/*
 * What the kernel takes for complex: "(STRUCT)[0x1:0x2]", as many registers as the size fills.
 * False when they run out, which ends the arguments.
 */
static bool add_complex(struct buf *out, const struct btf_args *a, uint32_t *i, char kind,
			uint32_t bytes)
{
	buf_addch(out, '(');
	buf_addstr(out, kind_label(kind));
	buf_addstr(out, ")[");
	put_0x(out, read_reg(a, *i));
	for (uint32_t x = a->size; x < bytes; x += a->size) {
		buf_addch(out, ':');
		if (++*i >= a->n) {
			buf_addstr(out, "...]");
			return false;
		}
		put_0x(out, read_reg(a, *i));
	}
	buf_addch(out, ']');
	return true;
}

/* @kind is a parameter's, behind its colon. */
static bool add_kind_value(struct buf *out, const struct btf_args *a, uint32_t *i, const char *kind,
			   const char *end)
{
	char c = kind < end ? *kind : '?';
	uint64_t v = read_reg(a, *i);

	if (c && strchr("snfE", c))
		return add_complex(out, a, i, c, kind_number(kind + 1, end));
	if (c == 'i' || c == 'e' || (c == 'u' && a->plain_ints)) {
		add_signed(out, a, v);
		if (c == 'e' && kind + 1 < end && !a->plain_enums)
			add_constant(out, a, kind_number(kind + 1, end), v);
		return true;
	}
	if (c != 'p' && c != 'u')
		buf_addch(out, '?');
	put_0x(out, v);
	return true;
}

/* "name=value" of the parameter "name:kind"; false if it is the last that is shown. */
static bool add_param_value(struct buf *out, const struct btf_args *a, uint32_t *i, const char *p,
			    const char *end)
{
	const char *colon = memchr(p, ':', end - p);

	if (*i >= a->n) {
		buf_addstr(out, "...");
		return false;
	}
	text_sanitise(out, p, (colon ? colon : end) - p, false);
	buf_addch(out, '=');
	return add_kind_value(out, a, i, colon ? colon + 1 : end, end);
}

void btf_print_args(const char *line, size_t len, const struct btf_args *a, struct buf *out)
{
	const char *end = line + len, *p = memchr(line, ' ', len), *next;
	uint32_t i = 0;
	bool more = p;

	buf_addch(out, '(');
	for (; more; p = next, i++) {
		p++;
		next = memchr(p, ' ', end - p);
		more = add_param_value(out, a, &i, p, next ? next : end) && next;
		if (more)
			buf_add(out, ", ", 2);
	}
	buf_addch(out, ')');
}
