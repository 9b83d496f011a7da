/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scratch record that libtraceevent reads instead of the file's bytes. */
#include "event/data/scratch.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"

#define PAD_BEFORE	64
/* offset 64 KiB + a field's end 64 KiB + length 64 KiB, and some. */
#define PAD_BEHIND	(208 * 1024)
#define RECORD_MAX	(16 << 20)

static void put_num(uint8_t *p, uint32_t v, uint32_t size, bool big)
{
	for (uint32_t i = 0; i < size; i++)
		p[big ? size - 1 - i : i] = v >> 8 * i;
}

static void reserve_record(struct scratch *s, size_t len)
{
	size_t want = PAD_BEFORE + len + PAD_BEHIND;

	if (s->cap >= want)
		return;
	free(s->mem);
	s->cap = want + len;
	s->mem = xcalloc(1, s->cap);
	s->data = s->mem + PAD_BEFORE;
	s->dirty = 0;
}

static void append_to_record(struct scratch *s, const uint8_t *p, uint32_t n)
{
	memcpy(s->data + s->len, p, n);
	s->len += n;
	if (s->len > s->dirty)
		s->dirty = s->len;
}

/*
 * Strings of @f end at a NUL, in the record or moved behind it. With @inside it counts as part of
 * their length; it does not for printing, where an array of bytes may have been declared as char.
 */
static bool place_string(struct scratch *s, const struct ev_rec *r, const struct ev_field *f,
			 bool big, bool inside)
{
	uint32_t base = f->kind == EV_REL_LOC ? f->offset + f->size : 0, n, at;
	const uint8_t *p;

	if (!ev_get_bytes(r, f, &p, &n))
		return false;
	at = p - r->data;
	if (f->is_string && (!n || p[n - 1])) {
		s->len = (s->len + 3) & ~3u;
		at = s->len;
		append_to_record(s, p, n);
		append_to_record(s, (const uint8_t *)"", 1);
		n += inside || !n;
	}
	if (at < base || at - base > UINT16_MAX || n > UINT16_MAX)
		return false;
	put_num(s->data + f->offset, f->size == 2 ? at - base
		: (at - base) | n << 16, f->size, big);
	return true;
}

bool scratch_fill(struct scratch *s, const struct ev_rec *r, bool host_loc)
{
	bool big = host_loc ? __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ : r->big;
	size_t extra = 0;

	if (r->len < 8 || r->len < r->fmt->min_len || r->len > RECORD_MAX)
		return false;
	for (size_t i = 0; i < r->fmt->nr_fields; i++)
		if (r->fmt->fields[i].kind == EV_DATA_LOC || r->fmt->fields[i].kind == EV_REL_LOC)
			extra += UINT16_MAX + 8;
	reserve_record(s, r->len + extra);
	if (s->dirty)
		memset(s->data, 0, s->dirty);
	s->dirty = s->len = 0;
	append_to_record(s, r->data, r->len);
	put_num(s->data, r->fmt->id, 2, r->big);
	for (size_t i = 0; extra && i < r->fmt->nr_fields; i++) {
		const struct ev_field *f = &r->fmt->fields[i];

		if (f->kind != EV_DATA_LOC && f->kind != EV_REL_LOC)
			continue;
		if (!place_string(s, r, f, big, host_loc))
			return false;
	}
	return true;
}

void scratch_release(struct scratch *s)
{
	free(s->mem);
	memset(s, 0, sizeof(*s));
}
