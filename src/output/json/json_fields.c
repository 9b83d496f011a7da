/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of a record as members of a JSON object, by what their format says of their types. */
#include "output/json/json_fields.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "output/json/json_records.h"

/* --- what a field is */

static bool is_number_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* Bytes of each number of an array; 0 if its type does not tell, or is a structure. */
static uint32_t array_number_size(const struct ev_field *f, uint8_t long_size)
{
	uint32_t size = f->elem_size;

	if (strstr(f->type, "struct ") || strstr(f->type, "union "))
		return 0;
	if (!size && strstr(f->type, "long"))
		size = strstr(f->type, "long long") ? 8 : long_size;
	return is_number_size(size) ? size : 0;
}

static enum json_kind field_kind_of(const struct ev_field *f, uint8_t long_size, uint32_t *size)
{
	*size = f->kind == EV_FIXED ? f->size : array_number_size(f, long_size);
	if (f->kind == EV_FIXED)
		return is_number_size(f->size) ? JSON_NUMBER : JSON_HEX;
	if (f->is_string)
		return JSON_STRING;
	return *size ? JSON_NUMBERS : JSON_HEX;
}

static void add_field_key(struct json_fields *x, struct json_field *j)
{
	j->key = x->keys.len;
	if (x->n)
		buf_addch(&x->keys, ',');
	json_add_string(&x->keys, j->f->name, strlen(j->f->name));
	buf_addch(&x->keys, ':');
	j->key_len = x->keys.len - j->key;
}

void json_fields_init(struct json_fields *x, const struct ev_format *fmt, uint8_t long_size)
{
	struct json_field *j;
	size_t i;

	*x = (struct json_fields){0};
	if (ev_format_ready(fmt))
		return;
	x->v = xcalloc(fmt->nr_fields + 1, sizeof(*x->v));
	for (i = 0; i < fmt->nr_fields; i++) {
		if (!ev_field_shown(&fmt->fields[i]))
			continue;
		j = &x->v[x->n];
		j->f = &fmt->fields[i];
		j->kind = field_kind_of(j->f, long_size, &j->size);
		add_field_key(x, j);
		x->n++;
	}
	buf_reserve(&x->keys, POKE_TEXT_ROOM(0));
}

void json_fields_release(struct json_fields *x)
{
	buf_release(&x->keys);
	free(x->v);
	*x = (struct json_fields){0};
}

/* --- values */

static inline uint64_t read_number(const uint8_t *p, uint32_t size, bool is_signed, bool big)
{
	switch (size) {
	case 1:
		return is_signed ? (uint64_t)(int8_t)*p : *p;
	case 2:
		return is_signed ? (uint64_t)(int16_t)get_u16(p, big) : get_u16(p, big);
	case 4:
		return is_signed ? (uint64_t)(int32_t)get_u32(p, big) : get_u32(p, big);
	default:
		return get_u64(p, big);
	}
}

void json_add_hex(struct buf *b, const uint8_t *data, uint32_t len)
{
	char *p = buf_poke(b, 2 * (size_t)len + 2 + POKE_HEX_ROOM);

	*p++ = '"';
	for (uint32_t i = 0; i < len; i++)
		p = poke_hex(p, data[i], 2);
	*p++ = '"';
	buf_poked(b, p);
}

static void add_numbers(struct buf *b, const struct json_field *j, const uint8_t *data,
			uint32_t len, bool big, bool safe)
{
	uint32_t n = len / j->size;
	char *p = buf_poke(b, 2 + (size_t)n * JSON_NUMBER_ROOM);

	*p++ = '[';
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			*p++ = ',';
		p = json_poke_number(p, read_number(data + (size_t)i * j->size, j->size,
						    j->f->is_signed, big),
				     j->f->is_signed, safe);
	}
	*p++ = ']';
	buf_poked(b, p);
}

/* @end: where what is known to be bounded ends. */
static void add_bytes(struct buf *b, const struct json_field *j, const struct ev_rec *r, bool safe,
		      size_t end)
{
	const uint8_t *p;
	uint32_t len;

	if (b->len > end || !ev_get_bytes(r, j->f, &p, &len))
		buf_addstr(b, "null");
	else if (j->kind == JSON_STRING)
		json_add_c_string(b, (const char *)p, len);
	else if (j->kind == JSON_NUMBERS)
		add_numbers(b, j, p, len, r->big, safe);
	else
		json_add_hex(b, p, len);
}

static inline char *poke_number_field(char *p, const struct json_field *j, const struct ev_rec *r,
				      bool safe)
{
	const struct ev_field *f = j->f;

	/* both are at most 64 KiB */
	if (__builtin_expect(f->offset + f->size > r->len, 0)) {
		memcpy(p, "null", 4);
		return p + 4;
	}
	return json_poke_number(p, read_number(r->data + f->offset, f->size, f->is_signed, r->big),
				f->is_signed, safe);
}

void json_fields_add(const struct json_fields *x, const struct ev_rec *r, bool safe, struct buf *b)
{
	size_t end = b->len + JSON_FIELDS_MAX;
	const struct json_field *j;
	char *p;

	for (j = x->v; j < x->v + x->n; j++) {
		p = buf_poke(b, POKE_TEXT_ROOM(j->key_len) + JSON_NUMBER_ROOM);
		p = poke_text(p, x->keys.data + j->key, j->key_len);
		if (j->kind == JSON_NUMBER)
			p = poke_number_field(p, j, r, safe);
		buf_poked(b, p);
		if (j->kind != JSON_NUMBER)
			add_bytes(b, j, r, safe, end);
	}
}
