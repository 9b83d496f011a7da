/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the types of BTF (include/uapi/linux/btf.h) from bytes that may be wrong.
 *
 * A prototype needs the sizes of 20 kinds and the members of three: some 200 lines, in a program
 * whose subject is formats and types anyway. libbpf is not used: version 1.1 (Debian 12) trusts
 * ids and offsets in the data that it loads. BTF of an untrusted file would have to be vetted
 * first, which is most of the reading.
 */
#include "event/btf/btf_read.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"

#define MAGIC		0xeb9f
#define HEADER_BYTES	24
#define TYPE_BYTES	12	/* u32 name, u32 info, u32 size or type */
#define NAME_MAX_LEN	512	/* KSYM_NAME_LEN */
#define MODIFIERS_MAX	64	/* in a row; the kernel follows up to 32 */

/* Bytes after a type, and bytes of each of its members. */
static const struct { uint8_t fixed, each; } sizes[NR_BTF_KINDS] = {
	[BTF_INT] = { 4, 0 },	      [BTF_ARRAY] = { 12, 0 },	    [BTF_STRUCT] = { 0, 12 },
	[BTF_UNION] = { 0, 12 },     [BTF_ENUM] = { 0, 8 },	    [BTF_FUNC_PROTO] = { 0, 8 },
	[BTF_VAR] = { 4, 0 },	      [BTF_DATASEC] = { 0, 12 },   [BTF_DECL_TAG] = { 4, 0 },
	[BTF_ENUM64] = { 0, 12 },
};

/* --- types */

/* Reads the type at @p. Returns false if it is cut or of an unknown kind. */
static bool read_type(const struct btf *b, const uint8_t *p, size_t left, struct btf_type *t)
{
	uint32_t info;
	uint64_t rest;

	if (left < TYPE_BYTES)
		return false;
	info = get_u32(p + 4, b->big);
	t->in = b;
	t->rest = p + TYPE_BYTES;
	t->name = get_u32(p, b->big);
	t->size = get_u32(p + 8, b->big);
	/* newer kernels use 24 bits for the number and 7 for the kind; before they were 0 */
	t->nr = info & 0xffffff;
	t->kind = info >> 24 & 0x7f;
	t->kflag = info >> 31;
	if (t->kind == BTF_VOID || t->kind >= NR_BTF_KINDS)
		return false;
	rest = sizes[t->kind].fixed + (uint64_t)sizes[t->kind].each * t->nr;
	return rest <= left - TYPE_BYTES;
}

bool btf_type_by_id(const struct btf *b, uint32_t id, struct btf_type *t)
{
	while (id < b->first_id && b->base)
		b = b->base;
	if (id < b->first_id || id - b->first_id >= b->nr_types)
		return false;
	/* btf_open() has checked the length */
	return read_type(b, b->types + b->offs[id - b->first_id], UINT32_MAX, t);
}

bool btf_skip_modifiers(const struct btf *b, uint32_t id, struct btf_type *t)
{
	for (int i = 0; i < MODIFIERS_MAX; i++) {
		if (!btf_type_by_id(b, id, t))
			return false;
		if (t->kind != BTF_TYPEDEF && t->kind != BTF_VOLATILE && t->kind != BTF_CONST &&
		    t->kind != BTF_RESTRICT && t->kind != BTF_TYPE_TAG)
			return true;
		id = t->size;
	}
	return false;
}

/* Returns a string and its length in bytes, or NULL and 0 if it is not terminated. */
static const char *string_at(const struct btf *b, uint32_t off, size_t *len)
{
	const char *s;
	size_t left;

	*len = 0;
	while (off < b->first_string && b->base)
		b = b->base;
	if (off < b->first_string || off - b->first_string >= b->strings_len)
		return NULL;
	s = b->strings + (off - b->first_string);
	left = b->strings_len - (off - b->first_string);
	if (left > NAME_MAX_LEN)
		left = NAME_MAX_LEN + 1;
	if (!memchr(s, 0, left))
		return NULL;
	*len = strlen(s);
	return s;
}

const char *btf_name_at(const struct btf *b, uint32_t off)
{
	size_t len, i;
	const char *s = string_at(b, off, &len);

	for (i = 0; i < len; i++)
		if (s[i] <= '#' || s[i] > '~' || s[i] == ':')
			return NULL;
	return s;
}

const char *btf_text_at(const struct btf *b, uint32_t off)
{
	size_t len, i;
	const char *s = string_at(b, off, &len);

	for (i = 0; i < len; i++)
		if (s[i] < ' ' || s[i] > '~')
			return NULL;
	return s;
}

bool btf_next_func(const struct btf *b, uint32_t *id, const char **name)
{
	uint32_t next = *id ? *id + 1 : b->first_id;
	struct btf_type t;

	for (; next - b->first_id < b->nr_types; next++) {
		if (!btf_type_by_id(b, next, &t) || t.kind != BTF_FUNC)
			continue;
		*id = next;
		*name = btf_name_at(b, t.name);
		if (*name && **name)
			return true;
	}
	return false;
}

/* --- files */

static int fail_no_btf(struct ftr_error *err, const char *why)
{
	return err_set(err, FTR_FAILED, "no BTF: %s", why);
}

int btf_open(struct btf *b, const struct btf_file *f, const struct btf *base,
	     struct ftr_error *err)
{
	struct cursor c = cur_init(f->p, f->len, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	uint32_t header, types, types_len, strings;
	struct btf_type t;

	*b = (struct btf){ .base = base, .first_id = 1 };
	if (base) {
		b->first_id = base->first_id + base->nr_types;
		b->first_string = base->strings_len;
	}
	if (f->len < HEADER_BYTES)
		return fail_no_btf(err, "too short");
	c.big ^= get_u16(f->p, c.big) != MAGIC;
	if (cur_u16(&c) != MAGIC || cur_u8(&c) != 1)
		return fail_no_btf(err, "no header of version 1");
	cur_u8(&c);
	b->big = c.big;
	header = cur_u32(&c);
	types = cur_u32(&c);
	types_len = cur_u32(&c);
	strings = cur_u32(&c);
	b->strings_len = cur_u32(&c);
	cur_seek(&c, (uint64_t)header + types);
	b->types = cur_bytes(&c, types_len);
	cur_seek(&c, (uint64_t)header + strings);
	b->strings = (const char *)cur_bytes(&c, b->strings_len);
	if (c.bad)
		return fail_no_btf(err, "its header claims more than there is");
	for (uint32_t at = 0; read_type(b, b->types + at, types_len - at, &t); ) {
		b->offs = xgrow(b->offs, &b->cap_types, b->nr_types + 1, sizeof(*b->offs));
		b->offs[b->nr_types++] = at;
		at += TYPE_BYTES + sizes[t.kind].fixed + sizes[t.kind].each * t.nr;
	}
	return 0;
}

void btf_close(struct btf *b)
{
	free(b->offs);
}
