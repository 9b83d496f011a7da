/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads BTF (include/uapi/linux/btf.h) as far as prototypes need it, from bytes that may be wrong.
 */
#include "event/btf.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/map.h"

#define MAGIC		0xeb9f
#define HEADER_BYTES	24
#define TYPE_BYTES	12	/* u32 name, u32 info, u32 size or type */
#define NAME_MAX_LEN	512	/* KSYM_NAME_LEN */
#define PARAMS_MAX	64
#define MODIFIERS_MAX	64	/* in a row; the kernel has 32 for what it follows */
#define ENUMS_MAX	100000	/* numbers have five digits */
#define ENUM_TEXT_MAX	60000	/* of one: lines are found in steps of 64 KiB */
#define INT_SIGNED	(1u << 24)

enum kind {
	KIND_VOID, KIND_INT, KIND_PTR, KIND_ARRAY, KIND_STRUCT, KIND_UNION, KIND_ENUM, KIND_FWD,
	KIND_TYPEDEF, KIND_VOLATILE, KIND_CONST, KIND_RESTRICT, KIND_FUNC, KIND_FUNC_PROTO,
	KIND_VAR, KIND_DATASEC, KIND_FLOAT, KIND_DECL_TAG, KIND_TYPE_TAG, KIND_ENUM64, NR_KINDS,
};

/* Bytes behind a type, and for each of its members. */
static const struct { uint8_t fixed, each; } sizes[NR_KINDS] = {
	[KIND_INT] = { 4, 0 },	      [KIND_ARRAY] = { 12, 0 },	    [KIND_STRUCT] = { 0, 12 },
	[KIND_UNION] = { 0, 12 },     [KIND_ENUM] = { 0, 8 },	    [KIND_FUNC_PROTO] = { 0, 8 },
	[KIND_VAR] = { 4, 0 },	      [KIND_DATASEC] = { 0, 12 },   [KIND_DECL_TAG] = { 4, 0 },
	[KIND_ENUM64] = { 0, 12 },
};

/* Types and strings of one file; those of a module go on where the kernel's end. */
struct btf {
	const struct btf *base;
	const uint8_t *types;
	const char *strings;
	uint32_t strings_len;
	uint32_t first_id, first_string;
	bool     big;
	uint32_t *offs;		/* of the types, by id - first_id */
	size_t   nr_types, cap_types;
};

struct type {
	const uint8_t *rest;	/* what is behind it: checked to be there */
	const struct btf *in;
	uint32_t name, size, nr;	/* ->size is a type's id for kinds that refer to one */
	enum kind kind;
};

/* Enumerations in the order of their first use. */
struct enums {
	struct map by_place;	/* of the type in memory -> number + 1 */
	struct type *v;
	size_t n, cap;
};

struct func {
	const char *name;
	const struct btf *in;
	uint32_t id;
	size_t   seq;		/* as found */
};

/* --- types */

/* The type at an offset; false if it is cut or of a kind that nobody knows. */
static bool read_type(const struct btf *b, const uint8_t *p, size_t left, struct type *t)
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
	if (t->kind == KIND_VOID || t->kind >= NR_KINDS)
		return false;
	rest = sizes[t->kind].fixed + (uint64_t)sizes[t->kind].each * t->nr;
	return rest <= left - TYPE_BYTES;
}

static uint32_t type_bytes(const struct type *t)
{
	return TYPE_BYTES + sizes[t->kind].fixed + sizes[t->kind].each * t->nr;
}

static void index_types(struct btf *b, uint32_t len)
{
	struct type t;
	uint32_t at;

	for (at = 0; read_type(b, b->types + at, len - at, &t); at += type_bytes(&t)) {
		b->offs = xgrow(b->offs, &b->cap_types, b->nr_types + 1, sizeof(*b->offs));
		b->offs[b->nr_types++] = at;
	}
}

/* False for void (id 0) and for ids that are none. */
static bool type_by_id(const struct btf *b, uint32_t id, struct type *t)
{
	while (id < b->first_id && b->base)
		b = b->base;
	if (id < b->first_id || id - b->first_id >= b->nr_types)
		return false;
	/* index_types() has seen that all of it is there */
	return read_type(b, b->types + b->offs[id - b->first_id], UINT32_MAX, t);
}

static bool is_modifier(enum kind k)
{
	return k == KIND_TYPEDEF || k == KIND_VOLATILE || k == KIND_CONST || k == KIND_RESTRICT ||
	       k == KIND_TYPE_TAG;
}

static bool skip_modifiers(const struct btf *b, uint32_t id, struct type *t)
{
	for (int i = 0; i < MODIFIERS_MAX; i++) {
		if (!type_by_id(b, id, t))
			return false;
		if (!is_modifier(t->kind))
			return true;
		id = t->size;
	}
	return false;
}

/* A name that can stand in a line of text, "" for none; NULL for anything else. */
static const char *name_at(const struct btf *b, uint32_t off)
{
	const char *s;
	size_t left, i;

	while (off < b->first_string && b->base)
		b = b->base;
	if (off < b->first_string || off - b->first_string >= b->strings_len)
		return NULL;
	s = b->strings + (off - b->first_string);
	left = b->strings_len - (off - b->first_string);
	for (i = 0; i < left && i < NAME_MAX_LEN && s[i]; i++)
		if (s[i] <= '#' || s[i] > '~' || s[i] == ':')
			return NULL;
	return i < left && !s[i] ? s : NULL;
}

/* --- files */

static int no_btf(struct ftr_error *err, const char *why)
{
	return err_set(err, FTR_FAILED, "no BTF: %s", why);
}

static int btf_open(struct btf *b, const struct btf_file *f, const struct btf *base,
		    struct ftr_error *err)
{
	struct cursor c = cur_init(f->p, f->len, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	uint32_t header, types, types_len, strings;

	*b = (struct btf){ .base = base, .first_id = 1 };
	if (base) {
		b->first_id = base->first_id + base->nr_types;
		b->first_string = base->strings_len;
	}
	if (f->len < HEADER_BYTES)
		return no_btf(err, "too short");
	c.big ^= get_u16(f->p, c.big) != MAGIC;
	if (cur_u16(&c) != MAGIC || cur_u8(&c) != 1)
		return no_btf(err, "no header of version 1");
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
		return no_btf(err, "its header says more than there is");
	index_types(b, types_len);
	return 0;
}

static void btf_close(struct btf *b)
{
	free(b->offs);
}

/* --- functions */

struct funcs {
	struct func *v;
	size_t n, cap;
	const struct strv *wanted;
};

static int by_word(const void *word, const void *at)
{
	return strcmp(word, *(char *const *)at);
}

static bool is_wanted(const struct strv *wanted, const char *name)
{
	return !wanted || (wanted->n &&
			   bsearch(name, wanted->v, wanted->n, sizeof(*wanted->v), by_word));
}

static void find_funcs(const struct btf *b, struct funcs *out)
{
	struct type t;
	const char *name;

	for (uint32_t id = b->first_id; id - b->first_id < b->nr_types; id++) {
		if (!type_by_id(b, id, &t) || t.kind != KIND_FUNC)
			continue;
		name = name_at(b, t.name);
		if (!name || !*name || !is_wanted(out->wanted, name))
			continue;
		out->v = xgrow(out->v, &out->cap, out->n + 1, sizeof(*out->v));
		out->v[out->n] = (struct func){ .name = name, .in = b, .id = id, .seq = out->n };
		out->n++;
	}
}

static int by_name(const void *a, const void *b)
{
	const struct func *x = a, *y = b;
	int ret = strcmp(x->name, y->name);

	return ret ? ret : (x->seq > y->seq) - (x->seq < y->seq);
}

static void add_enum_kind(struct buf *out, struct enums *e, const struct type *t)
{
	uintptr_t number = (uintptr_t)map_get(&e->by_place, (uintptr_t)t->rest);

	if (!number) {
		e->v = xgrow(e->v, &e->cap, e->n + 1, sizeof(*e->v));
		e->v[e->n] = *t;
		number = ++e->n;
		map_put(&e->by_place, (uintptr_t)t->rest, (void *)number);
	}
	buf_printf(out, "e%zu", (size_t)number - 1);
}

static void add_kind(struct buf *out, struct enums *e, const struct btf *b, uint32_t id)
{
	static const char letters[NR_KINDS] = {
		[KIND_PTR] = 'p', [KIND_INT] = 'u', [KIND_ENUM] = 'e', [KIND_STRUCT] = 's',
		[KIND_UNION] = 'n', [KIND_FLOAT] = 'f', [KIND_ENUM64] = 'E',
	};
	struct type t;
	char letter = 0;

	if (skip_modifiers(b, id, &t))
		letter = letters[t.kind];
	if (letter == 'e') {
		add_enum_kind(out, e, &t);
		return;
	}
	if (letter == 'u' && get_u32(t.rest, t.in->big) & INT_SIGNED)
		letter = 'i';
	buf_addch(out, letter ? letter : '?');
	if (letter && strchr("snfE", letter))
		buf_printf(out, "%u", t.size);
}

/* One line, or nothing if the prototype makes no sense. */
static void add_func(struct buf *out, struct enums *e, const struct func *f)
{
	size_t start = out->len;
	struct type t, proto;
	const uint8_t *p;
	const char *name;

	if (!type_by_id(f->in, f->id, &t) || !type_by_id(t.in, t.size, &proto) ||
	    proto.kind != KIND_FUNC_PROTO || proto.nr > PARAMS_MAX)
		return;
	buf_addstr(out, f->name);
	for (uint32_t i = 0; i < proto.nr; i++) {
		p = proto.rest + 8 * i;
		name = name_at(proto.in, get_u32(p, proto.in->big));
		if (!name) {
			out->len = start;
			out->data[start] = '\0';
			return;
		}
		buf_printf(out, " %s:", name);
		add_kind(out, e, proto.in, get_u32(p + 4, proto.in->big));
	}
	buf_addch(out, '\n');
}

static void add_enum(struct buf *out, size_t number, const struct type *t)
{
	size_t start = out->len;
	const uint8_t *p = t->rest;
	const char *name;

	buf_printf(out, "#%05zu", number);
	for (uint32_t i = 0; i < t->nr && out->len - start < ENUM_TEXT_MAX; i++, p += 8) {
		name = name_at(t->in, get_u32(p, t->in->big));
		if (name)
			buf_printf(out, " %s:%d", name, (int32_t)get_u32(p + 4, t->in->big));
	}
	buf_addch(out, '\n');
}

static void add_lines(struct buf *out, const struct funcs *funcs)
{
	struct enums enums = {0};
	struct buf lines = {0};
	size_t i;

	for (i = 0; i < funcs->n && enums.n < ENUMS_MAX - PARAMS_MAX; i++)
		if (!i || strcmp(funcs->v[i - 1].name, funcs->v[i].name))
			add_func(&lines, &enums, &funcs->v[i]);
	for (i = 0; i < enums.n; i++)
		add_enum(out, i, &enums.v[i]);
	buf_add(out, lines.data, lines.len);
	buf_release(&lines);
	map_release(&enums.by_place);
	free(enums.v);
}

int btf_protos(const struct btf_file *v, size_t n, const struct strv *wanted, struct buf *out,
	       struct ftr_error *err)
{
	struct funcs funcs = { .wanted = wanted };
	struct btf *btfs = xcalloc(n, sizeof(*btfs));
	int ret = n ? btf_open(&btfs[0], &v[0], NULL, err) : no_btf(err, "nothing is there");
	size_t i;

	for (i = 0; i < n && !ret; i++)
		if (!i || !btf_open(&btfs[i], &v[i], &btfs[0], NULL))
			find_funcs(&btfs[i], &funcs);
	if (funcs.n)
		qsort(funcs.v, funcs.n, sizeof(*funcs.v), by_name);
	add_lines(out, &funcs);
	for (i = 0; i < n; i++)
		btf_close(&btfs[i]);
	free(funcs.v);
	free(btfs);
	return ret;
}
