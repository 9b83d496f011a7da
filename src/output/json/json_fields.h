/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of a record as members of a JSON object. */
#ifndef FTR_OUTPUT_JSON_JSON_FIELDS_H
#define FTR_OUTPUT_JSON_JSON_FIELDS_H

#include "base/mem.h"
#include "base/poke.h"
#include "event/data/data.h"

#define JSON_NUMBER_ROOM (POKE_DEC_ROOM + 4)
/*
 * No record has as much, all its bytes taken once; fields that overlap could make any length of it.
 * What is behind is null.
 */
#define JSON_FIELDS_MAX (1u << 20)

enum json_kind { JSON_NUMBER, JSON_NUMBERS, JSON_STRING, JSON_HEX };

struct json_field {
	const struct ev_field *f;	/* borrowed */
	enum json_kind kind;
	uint32_t size;		/* bytes of a number, or of each */
	uint32_t key, key_len;	/* ',"name":' in ->keys */
};

/* The fields of one event that are not common, compiled. */
struct json_fields {
	struct json_field *v;
	size_t n;
	struct buf keys;	/* for poke_text() */
};

void json_fields_init(struct json_fields *f, const struct ev_format *fmt, uint8_t long_size);
void json_fields_release(struct json_fields *f);
/* Appends '"name":value,...'. @safe: as struct out_opts has it. */
void json_fields_add(const struct json_fields *f, const struct ev_rec *r, bool safe,
		     struct buf *b);
/* Appends bytes as a string of hexadecimal digits. */
void json_add_hex(struct buf *b, const uint8_t *p, uint32_t len);

/* What a double holds along with all smaller ones. */
#define JSON_SAFE_MAX (1ull << 53)

/* A number, of JSON_NUMBER_ROOM; beyond JSON_SAFE_MAX a string if @safe. */
static inline char *json_poke_number(char *p, uint64_t v, bool is_signed, bool safe)
{
	bool minus = is_signed && (int64_t)v < 0, quoted;

	v = minus ? -v : v;
	quoted = safe && v > JSON_SAFE_MAX;
	if (quoted)
		*p++ = '"';
	if (minus)
		*p++ = '-';
	p = poke_dec(p, v);
	if (quoted)
		*p++ = '"';
	return p;
}

#endif
