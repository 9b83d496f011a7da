/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Typed access to the fields of a record; no byte outside the record is touched. */
#include "event/data/data.h"

#include <string.h>

#include "base/cursor.h"

/* Sign-extends the low @size bytes. */
static uint64_t sign_extend(uint64_t v, uint32_t size)
{
	unsigned int shift = 64 - 8 * size;

	return (uint64_t)((int64_t)(v << shift) >> shift);
}

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
		*v = sign_extend(*v, f->size);
	return true;
}

/* Where a __data_loc or __rel_loc field points. */
static bool locate_dynamic(const struct ev_rec *r, const struct ev_field *f, uint32_t *off,
			   uint32_t *len)
{
	const uint8_t *p = r->data + f->offset, *nul;
	uint32_t loc;

	if (!rec_has_range(r, f->offset, f->size))
		return false;
	if (f->size == 2) {
		/* The old form has no length: a string up to its NUL, or the rest. */
		*off = get_u16(p, r->big);
		if (*off > r->len)
			return false;
		nul = memchr(r->data + *off, 0, r->len - *off);
		*len = nul ? nul - (r->data + *off) + 1 : r->len - *off;
		return true;
	}
	loc = get_u32(p, r->big);
	*off = loc & 0xffff;
	*len = loc >> 16;
	if (f->kind == EV_REL_LOC)
		*off += f->offset + f->size;
	return true;
}

bool ev_get_bytes(const struct ev_rec *r, const struct ev_field *f, const uint8_t **p,
		  uint32_t *len)
{
	uint32_t off = f->offset, n = f->size;

	if (f->kind == EV_DATA_LOC || f->kind == EV_REL_LOC) {
		if (!locate_dynamic(r, f, &off, &n))
			return false;
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
