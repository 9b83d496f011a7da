/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A record as "name=value" fields: the raw form, and what is left where a print fmt can't be used.
 */
#include <inttypes.h>
#include <string.h>

#include "base/cursor.h"
#include "base/text.h"
#include "event/data/data.h"

#define ELEMENTS_MAX	1024

/* libtraceevent's habit, which trace-cmd report -R shows: pointers and unsigned longs in hex. */
static bool wants_hex(const struct ev_field *f)
{
	if (strchr(f->type, '*'))
		return true;
	return !f->is_signed && strstr(f->type, "long") && !strstr(f->type, "long long");
}

static void print_number(const struct ev_field *f, uint64_t v, struct buf *out)
{
	if (wants_hex(f))
		buf_printf(out, "0x%" PRIx64, v);
	else if (f->is_signed)
		buf_printf(out, "%" PRId64, (int64_t)v);
	else
		buf_printf(out, "%" PRIu64, v);
}

static uint32_t element_size(const struct ev_rec *r, const struct ev_field *f)
{
	uint32_t n = f->elem_size;

	if (!n && strstr(f->type, "long"))
		n = r->long_size;
	return n == 2 || n == 4 || n == 8 ? n : 1;
}

static void print_array(const struct ev_rec *r, const struct ev_field *f, const uint8_t *p,
			uint32_t len,
			struct buf *out)
{
	uint32_t size = element_size(r, f), n = len / size;

	buf_addch(out, '{');
	for (uint32_t i = 0; i < n && i < ELEMENTS_MAX; i++)
		buf_printf(out, "%s0x%" PRIx64, i ? "," : "",
			   get_sized(p + (size_t)i * size, size, r->big));
	buf_addstr(out, n > ELEMENTS_MAX ? ",...}" : "}");
}

static void print_string(const uint8_t *p, uint32_t len, struct buf *out)
{
	size_t n = strnlen((const char *)p, len);

	if (n && p[n - 1] == '\n')
		n--;
	text_sanitise(out, (const char *)p, n, false);
}

void ev_render_field(const struct ev_rec *r, const struct ev_field *f, struct buf *out)
{
	const uint8_t *p;
	uint32_t len;
	uint64_t v;

	if (ev_get_num(r, f, &v))
		print_number(f, v, out);
	else if (!ev_get_bytes(r, f, &p, &len))
		buf_addstr(out, "<outside the record>");
	else if (f->is_string)
		print_string(p, len, out);
	else
		print_array(r, f, p, len, out);
}

/* The type is the event, and what stands between members is nothing. */
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
