/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Synthetic events as the kernel prints them, with stacks over several lines; the print fmt of
 * older kernels has commas between the fields, their trace file does not.
 */
#include <inttypes.h>
#include <string.h>

#include "base/cursor.h"
#include "event/kernel_text.h"
#include "event/print/conv.h"

static void add_synth_string(const struct ev_rec *r, const struct ev_field *f, struct buf *out)
{
	const uint8_t *p;
	uint32_t len;

	if (ev_get_bytes(r, f, &p, &len))
		buf_add(out, p, strnlen((const char *)p, len));
}

/* The first long is the number of the others. */
static void add_synth_stack(struct ev_engine *e, const struct ev_rec *r, const struct ev_field *f,
			    struct buf *out)
{
	uint32_t len, size = r->long_size;
	const uint8_t *p;

	buf_addstr(out, "STACK:\n");
	if (!ev_get_bytes(r, f, &p, &len))
		return;
	for (uint32_t at = size; at + size <= len; at += size) {
		buf_addstr(out, "=> ");
		conv_symbol(e->syms, out,
			    size == 8 ? get_u64(p + at, r->big) : get_u32(p + at, r->big), true);
		buf_addch(out, '\n');
	}
}

/* Of the type's own format: what is signed, and gfp_t in hexadecimal. */
static void add_synth_number(const struct ev_rec *r, const struct ev_field *f, struct buf *out)
{
	uint64_t v = 0;

	ev_get_num(r, f, &v);
	if (!strcmp(f->type, "gfp_t"))
		buf_printf(out, "%" PRIx64, v);
	else if (f->is_signed)
		buf_printf(out, "%" PRId64, (int64_t)v);
	else
		buf_printf(out, "%" PRIu64, v);
}

static bool is_synth_stack(const struct ev_field *f)
{
	return f->kind == EV_DATA_LOC && strstr(f->type, "long[");
}

/* With the option verbose each value has its conversion before it. */
static const char *synth_conversion(const struct ev_field *f)
{
	if (f->is_string || is_synth_stack(f))
		return "%s";
	if (!strcmp(f->type, "gfp_t"))
		return "%x";
	if (f->size == 8 && strstr(f->type, "long"))
		return f->is_signed ? "%ld" : "%lu";
	if (f->size == 8)
		return f->is_signed ? "%lld" : "%llu";
	return f->is_signed ? "%d" : "%u";
}

void kernel_synth(struct ev_engine *e, const struct ev_rec *r, int cpu, uint64_t ts,
		  struct buf *out)
{
	bool blank = false;
	size_t i;

	(void)cpu;
	(void)ts;
	buf_printf(out, "%s: ", r->fmt->name);
	for (i = 0; i < r->fmt->nr_fields; i++) {
		const struct ev_field *f = &r->fmt->fields[i];

		if (f->common)
			continue;
		buf_addstr(out, blank ? " " : "");
		if (e->style.verbose)
			buf_printf(out, "%s ", synth_conversion(f));
		buf_printf(out, "%s=", f->name);
		blank = !is_synth_stack(f);
		if (!blank)
			add_synth_stack(e, r, f, out);
		else if (f->is_string)
			add_synth_string(r, f, out);
		else
			add_synth_number(r, f, out);
	}
	buf_addch(out, '\n');
}
