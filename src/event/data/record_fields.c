/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Typed access to the fields of a record. No byte outside of the record is read. */
#include <inttypes.h>
#include <string.h>

#include "base/cursor.h"
#include "base/text.h"
#include "event/data/data.h"

static bool rec_has_range(const struct ev_rec *r, uint32_t off, uint32_t len)
{
	return off <= r->len && len <= r->len - off;
}

bool ev_get_num(const struct ev_rec *r, const struct ev_field *f, uint64_t *v)
{
	const uint8_t *p = r->data + f->offset;

	if (f->kind != EV_FIXED || !rec_has_range(r, f->offset, f->size))
		return false;
	switch (f->size) {
	case 1:
		*v = *p;
		break;
	case 2:
		*v = get_u16(p, r->big);
		break;
	case 4:
		*v = get_u32(p, r->big);
		break;
	case 8:
		*v = get_u64(p, r->big);
		break;
	default:
		return false;
	}
	if (f->is_signed)
		*v = (uint64_t)((int64_t)(*v << (64 - 8 * f->size)) >> (64 - 8 * f->size));
	return true;
}

bool ev_get_bytes(const struct ev_rec *r, const struct ev_field *f, const uint8_t **p,
		  uint32_t *len)
{
	bool dynamic = f->kind == EV_DATA_LOC || f->kind == EV_REL_LOC;
	const uint8_t *at = r->data + f->offset, *nul;
	uint32_t off = f->offset, n = f->size;

	if (dynamic && !rec_has_range(r, off, n))
		return false;
	if (dynamic && f->size == 2) {
		/* The old form has no length: a string up to its NUL, or the rest. */
		off = get_u16(at, r->big);
		if (off > r->len)
			return false;
		nul = memchr(r->data + off, 0, r->len - off);
		n = nul ? nul - (r->data + off) + 1 : r->len - off;
	} else if (dynamic) {
		n = get_u32(at, r->big);
		off = n & 0xffff;
		n >>= 16;
		if (f->kind == EV_REL_LOC)
			off += f->offset + f->size;
	} else if (f->kind == EV_REST) {
		if (off > r->len)
			return false;
		n = r->len - off;
	}
	if (!rec_has_range(r, off, n))
		return false;
	*p = r->data + off;
	*len = n;
	return true;
}

/* --- a record as "name=value" fields: the raw form, and the text without a print fmt */

#define ELEMENTS_MAX	1024

/* Pointers and unsigned longs are in hex as libtraceevent prints them (trace-cmd report -R). */
void ev_render_field(const struct ev_rec *r, const struct ev_field *f, struct buf *out)
{
	const uint8_t *p;
	uint32_t len, size;
	uint64_t v;
	size_t n;

	if (ev_get_num(r, f, &v)) {
		if (strchr(f->type, '*') || (!f->is_signed && strstr(f->type, "long") &&
					     !strstr(f->type, "long long")))
			buf_printf(out, "0x%" PRIx64, v);
		else
			buf_printf(out, f->is_signed ? "%" PRId64 : "%" PRIu64, v);
	} else if (!ev_get_bytes(r, f, &p, &len)) {
		buf_addstr(out, "<outside the record>");
	} else if (f->is_string) {
		n = strnlen((const char *)p, len);
		if (n && p[n - 1] == '\n')
			n--;
		text_sanitise(out, (const char *)p, n, false);
	} else {
		size = !f->elem_size && strstr(f->type, "long") ? r->long_size : f->elem_size;
		if (size != 2 && size != 4 && size != 8)
			size = 1;
		n = len / size;
		buf_addch(out, '{');
		for (uint32_t i = 0; i < n && i < ELEMENTS_MAX; i++, p += size)
			buf_printf(out, "%s0x%" PRIx64, i ? "," : "", get_sized(p, size, r->big));
		buf_addstr(out, n > ELEMENTS_MAX ? ",...}" : "}");
	}
}

bool ev_field_shown(const struct ev_field *f)
{
	static const char *const elsewhere[] = {
		"type", "flags", "preempt_count", "pid", "padding",
	};

	for (size_t i = 0; f->common && i < sizeof(elsewhere) / sizeof(*elsewhere); i++)
		if (!strcmp(f->name + strlen("common_"), elsewhere[i]))
			return false;
	return true;
}

void fields_print(const struct ev_rec *r, struct buf *out)
{
	bool first = true;

	for (size_t i = 0; i < r->fmt->nr_fields; i++) {
		const struct ev_field *f = &r->fmt->fields[i];

		if (!ev_field_shown(f))
			continue;
		buf_printf(out, "%s%s=", first ? "" : " ", f->name);
		ev_render_field(r, f, out);
		first = false;
	}
}
