/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prototypes of functions out of BTF, from bytes that may be wrong. */
#include "event/btf/btf.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/map.h"
#include "event/btf/btf_read.h"

#define ENUMS_MAX	100000	/* numbers have five digits */
#define ENUM_TEXT_MAX	60000	/* of one: lines are found in steps of 64 KiB */

/* Enumerations in the order of their first use. */
struct enums {
	struct map by_place;	/* of the type in memory -> number + 1 */
	struct btf_type *v;
	size_t n, cap;
};

struct func {
	const char *name;
	const struct btf *in;
	uint32_t id;
	size_t   seq;		/* as found */
};

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

static bool is_wanted_func(const struct strv *wanted, const char *name)
{
	return !wanted || (wanted->n &&
			   bsearch(name, wanted->v, wanted->n, sizeof(*wanted->v), by_word));
}

static void find_wanted_funcs(const struct btf *b, struct funcs *out)
{
	const char *name;

	for (uint32_t id = 0; btf_next_func(b, &id, &name); ) {
		if (!is_wanted_func(out->wanted, name))
			continue;
		out->v = xgrow(out->v, &out->cap, out->n + 1, sizeof(*out->v));
		out->v[out->n] = (struct func){ .name = name, .in = b, .id = id, .seq = out->n };
		out->n++;
	}
}

static int by_name_seq(const void *a, const void *b)
{
	const struct func *x = a, *y = b;
	int ret = strcmp(x->name, y->name);

	return ret ? ret : (x->seq > y->seq) - (x->seq < y->seq);
}

static void add_enum_kind(struct buf *out, struct enums *e, const struct btf_type *t)
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
	static const char letters[NR_BTF_KINDS] = {
		[BTF_PTR] = 'p', [BTF_INT] = 'u', [BTF_ENUM] = 'e', [BTF_STRUCT] = 's',
		[BTF_UNION] = 'n', [BTF_FLOAT] = 'f', [BTF_ENUM64] = 'E',
	};
	struct btf_type t;
	char letter = 0;

	if (btf_skip_modifiers(b, id, &t))
		letter = letters[t.kind];
	if (letter == 'e') {
		add_enum_kind(out, e, &t);
		return;
	}
	if (letter == 'u' && get_u32(t.rest, t.in->big) & BTF_INT_SIGNED)
		letter = 'i';
	buf_addch(out, letter ? letter : '?');
	if (letter && strchr("snfE", letter))
		buf_printf(out, "%u", t.size);
}

/* One line, or nothing if the prototype makes no sense. */
static void add_func_proto(struct buf *out, struct enums *e, const struct func *f)
{
	size_t start = out->len;
	struct btf_type t, proto;
	const uint8_t *p;
	const char *name;

	if (!btf_type_by_id(f->in, f->id, &t) || !btf_type_by_id(t.in, t.size, &proto) ||
	    proto.kind != BTF_FUNC_PROTO || proto.nr > BTF_PARAMS_MAX)
		return;
	buf_addstr(out, f->name);
	for (uint32_t i = 0; i < proto.nr; i++) {
		p = proto.rest + 8 * i;
		name = btf_name_at(proto.in, get_u32(p, proto.in->big));
		if (!name) {
			out->len = start;
			out->data[start] = '\0';
			return;
		}
		buf_addch(out, ' ');
		buf_addstr(out, name);
		buf_addch(out, ':');
		add_kind(out, e, proto.in, get_u32(p + 4, proto.in->big));
	}
	buf_addch(out, '\n');
}

static void add_enum(struct buf *out, size_t number, const struct btf_type *t)
{
	size_t start = out->len;
	const uint8_t *p = t->rest;
	const char *name;

	buf_printf(out, "#%05zu", number);
	for (uint32_t i = 0; i < t->nr && out->len - start < ENUM_TEXT_MAX; i++, p += 8) {
		name = btf_name_at(t->in, get_u32(p, t->in->big));
		if (name)
			buf_printf(out, " %s:%d", name, (int32_t)get_u32(p + 4, t->in->big));
	}
	buf_addch(out, '\n');
}

static void add_proto_lines(struct buf *out, const struct funcs *funcs)
{
	struct enums enums = {0};
	struct buf lines = {0};
	size_t i;

	for (i = 0; i < funcs->n && enums.n < ENUMS_MAX - BTF_PARAMS_MAX; i++)
		if (!i || strcmp(funcs->v[i - 1].name, funcs->v[i].name))
			add_func_proto(&lines, &enums, &funcs->v[i]);
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
	int ret = n ? btf_open(&btfs[0], &v[0], NULL, err)
		    : err_set(err, FTR_FAILED, "no BTF: nothing is there");
	size_t i;

	for (i = 0; i < n && !ret; i++)
		if (!i || !btf_open(&btfs[i], &v[i], &btfs[0], NULL))
			find_wanted_funcs(&btfs[i], &funcs);
	if (funcs.n)
		qsort(funcs.v, funcs.n, sizeof(*funcs.v), by_name_seq);
	add_proto_lines(out, &funcs);
	for (i = 0; i < n; i++)
		btf_close(&btfs[i]);
	free(funcs.v);
	free(btfs);
	return ret;
}
