/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's option fields: every field of a record by its type, without the print fmt. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/cursor.h"
#include "event/kernel_text.h"
#include "event/print/conv.h"

#define OVERFLOW "<OVERFLOW>"

/* Since then numbers of 8 bytes are tried as symbols, and bytes that are no text are shown. */
#define KERNEL_SYMBOLS KERNEL_VERSION_OF(6, 15)

static bool is_char_field(const struct ev_field *f)
{
	return strstr(f->type, "char") != NULL;
}

static bool is_char_shown(uint8_t ch)
{
	return ch < 0x80 && isprint(ch);
}

static void add_bounded_text(const uint8_t *p, uint32_t len, struct buf *out)
{
	buf_add(out, p, strnlen((const char *)p, len));
}

static void add_byte_list(const uint8_t *p, uint32_t len, char between, struct buf *out)
{
	uint32_t i;

	for (i = 0; i < len; i++) {
		if (i)
			buf_addch(out, between);
		buf_printf(out, "%02x", p[i]);
	}
}

static void add_dynamic_text(struct ev_engine *e, const uint8_t *p, uint32_t len, struct buf *out)
{
	uint32_t i;

	for (i = 0; i < len && (!p[i] || is_char_shown(p[i])); i++)
		;
	if (i == len || e->w->kernel < KERNEL_SYMBOLS) {
		add_bounded_text(p, len, out);
		return;
	}
	for (i = 0; i < len; i++)
		buf_addch(out, is_char_shown(p[i]) ? p[i] : '.');
	buf_addstr(out, " (");
	add_byte_list(p, len, ':', out);
	buf_addch(out, ')');
}

static void add_long(struct ev_engine *e, uint64_t v, struct buf *out)
{
	if (e->w->kernel >= KERNEL_SYMBOLS && e->w->long_size == 8)
		conv_symbol(e->syms, out, v, true);
	else
		buf_printf(out, "0x%" PRIx64, v);
	buf_printf(out, " (%" PRId64 ")", (int64_t)v);
}

static void add_typed_number(struct ev_engine *e, const struct ev_rec *r, const struct ev_field *f,
			     const uint8_t *p, struct buf *out)
{
	switch (f->size) {
	case 1:
		if (is_char_shown(*p))
			buf_printf(out, "'%c'", *p);
		buf_printf(out, "(%d)", *p);
		break;
	case 2:
		buf_printf(out, "0x%x (%d)", get_u16(p, r->big), get_u16(p, r->big));
		break;
	case 4:
		buf_printf(out, "0x%x (%d)", get_u32(p, r->big), (int)get_u32(p, r->big));
		break;
	case 8:
		add_long(e, get_u64(p, r->big), out);
		break;
	default:
		buf_addstr(out, "<INVALID-SIZE>");
	}
}

static bool is_string_pointer(const struct ev_field *f)
{
	return !strcmp(f->type, "char *") || !strcmp(f->type, "const char *");
}

static void add_dynamic(struct ev_engine *e, const struct ev_rec *r, const struct ev_field *f,
			struct buf *out)
{
	const uint8_t *p;
	uint32_t len;

	if (f->kind == EV_DATA_LOC && strstr(f->type, "cpumask_t"))
		buf_addstr(out, "<INVALID-TYPE>");
	else if (!ev_get_bytes(r, f, &p, &len))
		buf_addstr(out, OVERFLOW);
	else if (is_char_field(f))
		add_dynamic_text(e, p, len, out);
	else
		add_byte_list(p, len, ',', out);
}

static void add_fixed(struct ev_engine *e, const struct ev_rec *r, const struct ev_field *f,
		      struct buf *out)
{
	const uint8_t *p = r->data + f->offset;

	if (f->offset + f->size > r->len)
		buf_addstr(out, OVERFLOW);
	else if (f->kind == EV_ARRAY && is_char_field(f))
		add_bounded_text(p, f->size, out);
	else if (is_string_pointer(f))
		buf_printf(out, "(0x%0*" PRIx64 ")", 2 * r->long_size,
			   r->long_size == 8 ? get_u64(p, r->big) : get_u32(p, r->big));
	else
		add_typed_number(e, r, f, p, out);
}

/* For its own events ftrace looks at the wrong end of a list. */
void kernel_fields(struct ev_engine *e, const struct ev_rec *r, struct buf *out)
{
	size_t i;

	if (!strcmp(r->fmt->system, "ftrace")) {
		buf_printf(out, "UNKNOWN TYPE %u\n", r->fmt->id);
		return;
	}
	buf_printf(out, "%s:", r->fmt->name);
	for (i = 0; i < r->fmt->nr_fields; i++) {
		const struct ev_field *f = &r->fmt->fields[i];

		if (f->common)
			continue;
		buf_printf(out, " %s=", f->name);
		if (f->kind == EV_DATA_LOC || f->kind == EV_REL_LOC)
			add_dynamic(e, r, f, out);
		else
			add_fixed(e, r, f, out);
	}
	buf_addch(out, '\n');
}
