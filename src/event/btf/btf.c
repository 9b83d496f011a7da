/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prototypes of functions from BTF, whose bytes may be wrong, and arguments of calls printed by
 * them.
 */
#include "event/btf/btf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/map.h"
#include "base/text.h"
#include "event/btf/btf_read.h"
#include "event/print/number_text.h"

#define ENUMS_MAX	100000	/* numbers have five digits */
#define ENUM_TEXT_MAX	60000	/* bytes of one: lines are found in steps of 64 KiB */

/* Enumerations in the order of their first use. */
struct btf_enums {
	struct map by_place;	/* address of the type's data -> number + 1 */
	struct btf_type *v;
	size_t n, cap;
};

struct btf_func {
	const char *name;
	const struct btf *in;
	uint32_t id;
	size_t   seq;		/* position in the order of the search */
};

static int by_word(const void *word, const void *at)
{
	return strcmp(word, *(char *const *)at);
}

static int by_name_seq(const void *a, const void *b)
{
	const struct btf_func *x = a, *y = b;
	int ret = strcmp(x->name, y->name);

	return ret ? ret : (x->seq > y->seq) - (x->seq < y->seq);
}

static void add_kind(struct buf *out, struct btf_enums *e, const struct btf *b, uint32_t id)
{
	static const char letters[NR_BTF_KINDS] = {
		[BTF_PTR] = 'p', [BTF_INT] = 'u', [BTF_ENUM] = 'e', [BTF_STRUCT] = 's',
		[BTF_UNION] = 'n', [BTF_FLOAT] = 'f', [BTF_ENUM64] = 'E',
	};
	uintptr_t number;
	struct btf_type t;
	char letter = 0;

	if (btf_skip_modifiers(b, id, &t))
		letter = letters[t.kind];
	if (letter == 'e') {
		number = (uintptr_t)map_get(&e->by_place, (uintptr_t)t.rest);
		if (!number) {
			e->v = xgrow(e->v, &e->cap, e->n + 1, sizeof(*e->v));
			e->v[e->n] = t;
			number = ++e->n;
			map_put(&e->by_place, (uintptr_t)t.rest, (void *)number);
		}
		buf_printf(out, "e%zu", (size_t)number - 1);
		return;
	}
	if (letter == 'u' && get_u32(t.rest, t.in->big) & BTF_INT_SIGNED)
		letter = 'i';
	buf_addch(out, letter ? letter : '?');
	if (letter && strchr("snfE", letter))
		buf_printf(out, "%u", t.size);
}

/* Appends a line, or nothing if the prototype is invalid. */
static void add_func_proto(struct buf *out, struct btf_enums *e, const struct btf_func *f)
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

/* Appends "#00000 CONSTANT:VALUE ...". */
static void add_enum_line(struct buf *out, size_t number, const struct btf_type *t)
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

int btf_protos(const struct btf_file *v, size_t n, const struct strv *wanted, struct buf *out,
	       struct ftr_error *err)
{
	struct btf *btfs = xcalloc(n, sizeof(*btfs));
	int ret = n ? btf_open(&btfs[0], &v[0], NULL, err)
		    : err_set(err, FTR_FAILED, "no BTF: nothing is there");
	struct btf_func *funcs = NULL;
	size_t i, nr = 0, cap = 0;
	struct btf_enums enums = {0};
	struct buf lines = {0};
	const char *name;

	for (i = 0; i < n && !ret; i++) {
		if (i && btf_open(&btfs[i], &v[i], &btfs[0], NULL))
			continue;
		for (uint32_t id = 0; btf_next_func(&btfs[i], &id, &name); ) {
			if (wanted && (!wanted->n || !bsearch(name, wanted->v, wanted->n,
							      sizeof(*wanted->v), by_word)))
				continue;
			funcs = xgrow(funcs, &cap, nr + 1, sizeof(*funcs));
			funcs[nr] = (struct btf_func){ name, &btfs[i], id, nr };
			nr++;
		}
	}
	if (nr)
		qsort(funcs, nr, sizeof(*funcs), by_name_seq);
	for (i = 0; i < nr && enums.n < ENUMS_MAX - BTF_PARAMS_MAX; i++)
		if (!i || strcmp(funcs[i - 1].name, funcs[i].name))
			add_func_proto(&lines, &enums, &funcs[i]);
	for (i = 0; i < enums.n; i++)
		add_enum_line(out, i, &enums.v[i]);
	buf_add(out, lines.data, lines.len);
	buf_release(&lines);
	map_release(&enums.by_place);
	free(enums.v);
	for (i = 0; i < n; i++)
		btf_close(&btfs[i]);
	free(funcs);
	free(btfs);
	return ret;
}

/*
 * --- arguments of a call by its prototype, as print_function_args() of kernel/trace/trace_output.c
 * prints them: whole registers, whatever the width of the parameter
 */

#define LINE_MAX_LEN	65536	/* a function has 64 parameters, an enumeration 60,000 bytes */
#define NUMBER_MAX	100000	/* sizes of structures, numbers of enumerations */

/* --- finding a line */

/* Finds the line around @at in [low, high). Returns its end, or NULL if it is too long. */
static const char *find_line(const char *low, const char *high, const char *at, const char **start)
{
	size_t before = at - low, after;
	const char *nl;

	if (before > LINE_MAX_LEN)
		before = LINE_MAX_LEN;
	nl = memrchr(at - before, '\n', before);
	if (!nl && before == LINE_MAX_LEN)
		return NULL;
	*start = nl ? nl + 1 : low;
	after = high - *start;
	nl = memchr(*start, '\n', after < LINE_MAX_LEN ? after : LINE_MAX_LEN);
	return nl ? nl : after < LINE_MAX_LEN ? high : NULL;
}

const char *btf_proto_find(const char *text, size_t text_len, const char *name, size_t name_len,
			   size_t *len)
{
	const char *low = text, *high = text + text_len, *line, *end, *blank;
	size_t n;
	int diff;

	while (low < high) {
		end = find_line(low, high, low + (high - low) / 2, &line);
		if (!end)
			return NULL;
		/* the order of strcmp() for the line's first word and @name */
		blank = memchr(line, ' ', end - line);
		n = (blank ? blank : end) - line;
		diff = memcmp(line, name, n < name_len ? n : name_len);
		if (!diff && n == name_len) {
			*len = end - line;
			return line;
		}
		if (diff < 0 || (!diff && n < name_len))
			low = end < high ? end + 1 : high;
		else
			high = line;
	}
	return NULL;
}

/* --- values */

static uint64_t read_reg(const struct btf_args *a, uint32_t i)
{
	return a->size == 8 ? get_u64(a->p + 8 * i, a->big) : get_u32(a->p + 4 * i, a->big);
}

static uint32_t kind_number(const char *p, const char *end)
{
	uint32_t v = 0;

	for (; p < end && *p >= '0' && *p <= '9' && v < NUMBER_MAX; p++)
		v = v * 10 + (*p - '0');
	return v;
}

/* Appends " [NAME]" of the first constant of enumeration @number with this value. */
static void add_constant(struct buf *out, const struct btf_args *a, uint32_t number, uint64_t v)
{
	const char *line, *end, *p, *next, *colon, *digit, *stop;
	uint64_t n;
	char key[16];
	size_t len;

	snprintf(key, sizeof(key), "#%05u", number);
	line = btf_proto_find(a->text, a->text_len, key, strlen(key), &len);
	end = line ? line + len : NULL;
	for (p = line ? memchr(line, ' ', len) : NULL; p; p = next) {
		p++;
		next = memchr(p, ' ', end - p);
		colon = memchr(p, ':', (next ? next : end) - p);
		if (!colon)
			continue;
		stop = next ? next : end;
		digit = colon + 1;
		digit += digit < stop && *digit == '-';
		if (digit == stop)
			continue;
		for (n = 0; digit < stop && *digit >= '0' && *digit <= '9'; digit++)
			n = n * 10 + (*digit - '0');
		n = colon[1] == '-' ? -n : n;
		if (digit < stop || (a->size == 8 ? n != v : (uint32_t)n != v))
			continue;
		buf_add(out, " [", 2);
		text_sanitise(out, p, colon - p, false);
		buf_addch(out, ']');
		return;
	}
}

/*
 * Appends a value that the kernel prints as complex: "(STRUCT)[0x1:0x2]", all registers that the
 * size fills. Returns false if the registers end before, which ends the arguments.
 */
static bool add_complex(struct buf *out, const struct btf_args *a, uint32_t *i, char kind,
			uint32_t bytes)
{
	buf_addch(out, '(');
	buf_addstr(out, kind == 's' ? "STRUCT" : kind == 'n' ? "UNION" :
			kind == 'f' ? "FLOAT" : "ENUM64");
	buf_addstr(out, ")[");
	buf_add_0x(out, read_reg(a, *i));
	for (uint32_t x = a->size; x < bytes; x += a->size) {
		buf_addch(out, ':');
		if (++*i >= a->n) {
			buf_addstr(out, "...]");
			return false;
		}
		buf_add_0x(out, read_reg(a, *i));
	}
	buf_addch(out, ']');
	return true;
}

/* Appends a value by @kind, the text after the colon of a parameter. False ends the arguments. */
static bool add_kind_value(struct buf *out, const struct btf_args *a, uint32_t *i, const char *kind,
			   const char *end)
{
	char c = kind < end ? *kind : '?';
	uint64_t v = read_reg(a, *i);
	int64_t s;

	if (c && strchr("snfE", c))
		return add_complex(out, a, i, c, kind_number(kind + 1, end));
	if (c == 'i' || c == 'e' || (c == 'u' && a->plain_ints)) {
		s = a->size == 8 ? (int64_t)v : (int32_t)v;
		if (s < 0)
			buf_addch(out, '-');
		buf_add_dec(out, s < 0 ? -(uint64_t)s : (uint64_t)s);
		if (c == 'e' && kind + 1 < end && !a->plain_enums)
			add_constant(out, a, kind_number(kind + 1, end), v);
		return true;
	}
	if (c != 'p' && c != 'u')
		buf_addch(out, '?');
	buf_add_0x(out, v);
	return true;
}

void btf_print_args(const char *line, size_t len, const struct btf_args *a, struct buf *out)
{
	const char *end = line + len, *p = memchr(line, ' ', len), *next, *stop, *colon;
	uint32_t i = 0;
	bool more = p;

	buf_addch(out, '(');
	for (; more; p = next, i++) {
		p++;
		next = memchr(p, ' ', end - p);
		if (i >= a->n) {
			buf_addstr(out, "...");
			break;
		}
		stop = next ? next : end;
		colon = memchr(p, ':', stop - p);
		text_sanitise(out, p, (colon ? colon : stop) - p, false);
		buf_addch(out, '=');
		more = add_kind_value(out, a, &i, colon ? colon + 1 : stop, stop) && next;
		if (more)
			buf_add(out, ", ", 2);
	}
	buf_addch(out, ')');
}
