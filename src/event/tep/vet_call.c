/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The helpers that a print fmt may call: what libtraceevent knows, and what can be written in its
 * terms.
 */
#include "event/tep/vet.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef int (*call_fn)(struct vet *v, const char *as, struct vet_expr *e);

int vet_string(struct vet *v, struct buf *out)
{
	buf_addch(out, '"');
	for (; v->lex.kind == LEX_STR; lex_next(&v->lex)) {
		for (size_t i = 0; i < v->lex.len; i++) {
			char c = v->lex.tok[i];

			/*
			 * libtraceevent fails on a raw tab or newline between quotes (maple_tree,
			 * ext4 have them).
			 */
			if (c == '\t' || c == '\n')
				buf_addstr(out, c == '\t' ? "\\t" : "\\n");
			else if ((unsigned char)c < ' ' || c == 0x7f)
				return vet_no(v, "print fmt has a control character");
			else
				buf_addch(out, c);
		}
	}
	buf_addch(out, '"');
	return 0;
}

static bool is_dynamic(const struct ev_field *f)
{
	return f->kind == EV_DATA_LOC || f->kind == EV_REL_LOC;
}

/* "(field)" of a __data_loc or __rel_loc field, written as "AS(field)". */
static int call_dynamic_as(struct vet *v, const char *as, struct vet_expr *e)
{
	const struct ev_field *f = vet_field(v);

	if (!f)
		return -1;
	if (!is_dynamic(f))
		return vet_no(v, "print fmt takes field '%s' for a dynamic one", f->name);
	buf_printf(&v->args, "%s(%.*s)", as, (int)v->lex.len, v->lex.tok);
	e->field = f;
	lex_next(&v->lex);
	return vet_expect(v, ")");
}

static int call_text(struct vet *v, const char *as, struct vet_expr *e)
{
	e->kind = VET_TEXT;
	if (call_dynamic_as(v, as, e))
		return -1;
	/* 0 bytes of mask make libtraceevent write outside its buffer. */
	if (!strcmp(as, "__get_cpumask"))
		v->dry = true;
	if (lex_is(&v->lex, "["))
		return vet_no(v, "print fmt indexes a string");
	return 0;
}

static int call_get_array(struct vet *v, const char *as, struct vet_expr *e)
{
	e->kind = VET_DYN;
	if (call_dynamic_as(v, as, e))
		return -1;
	if (lex_is(&v->lex, "["))
		return vet_no(v, "print fmt indexes a dynamic array");
	return 0;
}

static int call_array_len(struct vet *v, const char *as, struct vet_expr *e)
{
	if (call_dynamic_as(v, as, e))
		return -1;
	if (e->field->kind == EV_REL_LOC)
		return vet_no(v, "print fmt takes the length of a __rel_loc array");
	return 0;
}

/* --- __print_flags, __print_symbolic */

static void add_list_entry(struct buf *list, uint64_t value, const struct buf *name)
{
	buf_printf(list, "%s{%" PRIu64 ",%s}", list->len ? "," : "", value, name->data);
}

/*
 * The constant and the comma of "{ constant, "name" }"; *known is false where it names what only
 * the kernel knows.
 */
static int entry_value(struct vet *v, uint64_t *value, bool *known)
{
	size_t start = v->args.len;
	struct lex before = v->lex;
	unsigned int depth = v->depth;
	struct vet_expr e;

	*known = !vet_expr(v, &e);
	v->args.len = start;
	v->args.data[start] = 0;
	if (*known && !e.is_const)
		return vet_no(v, "print fmt has a table entry that is not a constant");
	if (*known) {
		*value = e.value;
		return vet_expect(v, ",");
	}
	/*
	 * Enum names that the kernel did not convert: such an entry is left out, its value shows
	 * as a number.
	 */
	v->depth = depth;
	v->lex = before;
	v->unknown = false;
	for (int n = 0; v->lex.kind != LEX_END && v->lex.kind != LEX_BAD; lex_next(&v->lex)) {
		if (++v->nodes > 4000)
			return vet_no(v, "print fmt is too long");
		n += lex_is(&v->lex, "(") ? 1 : lex_is(&v->lex, ")") ? -1 : 0;
		if (lex_is(&v->lex, "{") || lex_is(&v->lex, "}"))
			break;
		if (!n && lex_is(&v->lex, ","))
			return vet_expect(v, ",");
	}
	return vet_no(v, "print fmt has a broken table");
}

/* The terminators { -1, NULL } and { 0, ((void *)0) } that some tables show. */
static int entry_end(struct vet *v)
{
	size_t start = v->args.len;
	struct vet_expr e;
	int ret = vet_expr(v, &e);

	v->args.len = start;
	v->args.data[start] = 0;
	if (!ret && e.is_const && !e.value)
		return 0;
	return ret ? ret : vet_no(v, "print fmt has a table entry without a string");
}

static int parse_list_entry(struct vet *v, struct buf *list, bool symbolic)
{
	struct buf name = { 0 };
	uint64_t value = 0;
	bool known;
	int ret = -1;

	if (vet_expect(v, "{") || entry_value(v, &value, &known))
		goto out;
	if (v->lex.kind != LEX_STR) {
		if (entry_end(v))
			goto out;
		known = false;
	} else if (vet_string(v, &name)) {
		goto out;
	}
	if (vet_expect(v, "}"))
		goto out;
	if (known)
		add_list_entry(list, value, &name);
	/* Fields are not sign-extended by libtraceevent: the same number in 32 bits. */
	if (known && symbolic && (int64_t)value < 0 && (int64_t)value >= INT32_MIN)
		add_list_entry(list, (uint32_t)value, &name);
	ret = 0;
out:
	buf_release(&name);
	return ret;
}

static int parse_name_list(struct vet *v, bool symbolic)
{
	struct buf list = { 0 };
	int ret = 0;

	do
		ret = parse_list_entry(v, &list, symbolic);
	while (!ret && lex_take(&v->lex, ","));
	if (!ret)
		ret = vet_expect(v, ")");
	/* One entry must stand there: a value that does not occur, for a mask or a number. */
	if (!ret && !list.len)
		buf_addstr(&list, "{9223372036854775807,\"?\"}");
	if (!ret)
		buf_printf(&v->args, ",%s)", list.data);
	buf_release(&list);
	return ret;
}

static int table_subject(struct vet *v, const char *as)
{
	struct vet_expr x;

	buf_printf(&v->args, "%s(", as);
	if (vet_expr(v, &x) || vet_expect(v, ","))
		return -1;
	if (x.kind == VET_TEXT || x.kind == VET_DYN || x.address)
		return vet_no(v, "print fmt looks up what is not a number");
	return 0;
}

static int call_symbolic(struct vet *v, const char *as, struct vet_expr *e)
{
	e->kind = VET_TEXT;
	return table_subject(v, as) || parse_name_list(v, true) ? -1 : 0;
}

static int call_flags(struct vet *v, const char *as, struct vet_expr *e)
{
	e->kind = VET_TEXT;
	if (table_subject(v, as))
		return -1;
	buf_addch(&v->args, ',');
	if (v->lex.kind != LEX_STR)
		return vet_no(v, "print fmt has flags without a delimiter");
	return vet_string(v, &v->args) || vet_expect(v, ",") || parse_name_list(v, false) ? -1 : 0;
}

/* --- __print_hex, __print_array */

/* The bytes that are surely there: 0 when it depends on the record. */
static uint64_t sure_bytes(const struct vet_expr *e)
{
	return e->field->kind == EV_ARRAY || e->field->kind == EV_FIXED ? e->field->size : 0;
}

static int parse_bytes(struct vet *v, struct vet_expr *e)
{
	if (vet_expr(v, e) || vet_expect(v, ","))
		return -1;
	if (e->kind != VET_DYN && e->kind != VET_FIELD)
		return vet_no(v, "print fmt prints an array that is not a field");
	if (e->kind == VET_FIELD && is_dynamic(e->field))
		return vet_no(v, "print fmt prints the location of an array");
	buf_addch(&v->args, ',');
	return 0;
}

static int parse_count(struct vet *v, struct vet_expr *n)
{
	if (vet_expr(v, n))
		return -1;
	if (n->kind == VET_TEXT || n->kind == VET_DYN || n->address)
		return vet_no(v, "print fmt has a length that is not a number");
	return 0;
}

static int call_print_hex(struct vet *v, const char *as, struct vet_expr *e)
{
	struct vet_expr bytes, n;

	e->kind = VET_TEXT;
	buf_printf(&v->args, "%s(", as);
	if (parse_bytes(v, &bytes) || parse_count(v, &n) || vet_expect(v, ")"))
		return -1;
	buf_addch(&v->args, ')');
	if (!n.is_const || n.value > sure_bytes(&bytes))
		v->dry = true;
	return 0;
}

static int call_print_array(struct vet *v, const char *as, struct vet_expr *e)
{
	struct vet_expr bytes, n, size;

	e->kind = VET_TEXT;
	v->dry = true;
	buf_printf(&v->args, "%s(", as);
	if (parse_bytes(v, &bytes) || parse_count(v, &n) || vet_expect(v, ","))
		return -1;
	buf_addch(&v->args, ',');
	if (parse_count(v, &size) || vet_expect(v, ")"))
		return -1;
	if (!size.is_const || !size.value || size.value > 8 || size.value & (size.value - 1))
		return vet_no(v, "print fmt prints an array of odd elements");
	buf_addch(&v->args, ')');
	return 0;
}

/* __print_dynamic_array(field, size), since Linux 6.13, in terms of __print_array(). */
static int call_print_dynamic(struct vet *v, const char *as, struct vet_expr *e)
{
	const struct ev_field *f = vet_field(v);
	struct vet_expr size;
	size_t at;

	if (!f || f->kind != EV_DATA_LOC)
		return f ? vet_no(v, "print fmt takes field '%s' for a dynamic one", f->name) : -1;
	e->kind = VET_TEXT;
	v->dry = true;
	lex_next(&v->lex);
	if (vet_expect(v, ","))
		return -1;
	at = v->args.len;
	if (vet_expr(v, &size) || vet_expect(v, ")"))
		return -1;
	v->args.len = at;
	if (!size.is_const || !size.value || size.value > 8 || size.value & (size.value - 1))
		return vet_no(v, "print fmt prints an array of odd elements");
	buf_printf(&v->args, "%s(__get_dynamic_array(%s),(__get_dynamic_array_len(%s)/%u),%u)", as,
		   f->name, f->name, (unsigned int)size.value, (unsigned int)size.value);
	return 0;
}

/* --- what has a plain value */

/* __builtin_expect(x, n), and helpers that return their argument. */
static int call_same_value(struct vet *v, const char *as, struct vet_expr *e)
{
	struct vet_expr hint;
	size_t end;

	(void)as;
	if (vet_expr(v, e))
		return -1;
	end = v->args.len;
	if (lex_take(&v->lex, ",")) {
		if (vet_expr(v, &hint))
			return -1;
		v->args.len = end;
		v->args.data[end] = 0;
	}
	return vet_expect(v, ")");
}

/* Nothing in a record is a compile-time constant. */
static int call_constant_p(struct vet *v, const char *as, struct vet_expr *e)
{
	struct vet_expr x;

	(void)as;
	if (vet_expr(v, &x) || vet_expect(v, ")"))
		return -1;
	vet_const(v, e, 0);
	return 0;
}

static uint32_t sizeof_type(const struct vet *v, const char *type)
{
	static const struct { const char *name; uint8_t size; } types[] = {
		{ "char", 1 }, { "u8", 1 }, { "s8", 1 }, { "__u8", 1 }, { "bool", 1 },
		{ "unsigned char", 1 }, { "short", 2 }, { "u16", 2 }, { "s16", 2 }, { "__u16", 2 },
		{ "__be16", 2 }, { "__le16", 2 }, { "unsigned short", 2 }, { "int", 4 },
		{ "unsigned int", 4 }, { "unsigned", 4 }, { "u32", 4 }, { "s32", 4 },
			{ "__u32", 4 },
		{ "__s32", 4 }, { "__be32", 4 }, { "__le32", 4 }, { "u64", 8 }, { "s64", 8 },
		{ "__u64", 8 }, { "__s64", 8 }, { "long long", 8 }, { "unsigned long long", 8 },
		{ "__be64", 8 }, { "__le64", 8 }, { "dma_addr_t", 8 },
	};

	if (!strcmp(type, "long") || !strcmp(type, "unsigned long") || !strcmp(type, "size_t"))
		return v->long_size;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(type, types[i].name))
			return types[i].size;
	return 0;
}

/*
 * sizeof(type) and sizeof(REC->field): libtraceevent 1.7.1 frees a token twice there, a number it
 * is then.
 */
static int call_size(struct vet *v, const char *as, struct vet_expr *e)
{
	char type[48] = "";
	struct vet_expr x;
	uint32_t size = 0;
	size_t n = 0;

	(void)as;
	if (lex_is(&v->lex, "REC") || lex_is(&v->lex, "(")) {
		if (vet_expr(v, &x))
			return -1;
		if (x.kind == VET_FIELD)
			size = x.field->size;
	} else {
		for (; v->lex.kind == LEX_NAME &&
		     n + v->lex.len + 2 < sizeof(type); lex_next(&v->lex))
			n += snprintf(type + n, sizeof(type) - n, "%s%.*s", n ? " " : "",
				      (int)v->lex.len, v->lex.tok);
		size = sizeof_type(v, type);
	}
	if (!size || !lex_take(&v->lex, ")"))
		return vet_no(v, "print fmt takes the size of a kernel type");
	vet_const(v, e, size);
	return 0;
}

static const struct {
	const char *name;
	call_fn call;
	const char *as;
} calls[] = {
	{ "__get_str", call_text, "__get_str" },
	{ "__get_rel_str", call_text, "__get_str" },
	{ "__get_bitmask", call_text, "__get_bitmask" },
	{ "__get_rel_bitmask", call_text, "__get_bitmask" },
	{ "__get_cpumask", call_text, "__get_cpumask" },
	{ "__get_rel_cpumask", call_text, "__get_cpumask" },
	{ "__get_dynamic_array", call_get_array, "__get_dynamic_array" },
	{ "__get_rel_dynamic_array", call_get_array, "__get_dynamic_array" },
	{ "__get_sockaddr", call_get_array, "__get_dynamic_array" },
	{ "__get_rel_sockaddr", call_get_array, "__get_dynamic_array" },
	{ "__get_dynamic_array_len", call_array_len, "__get_dynamic_array_len" },
	{ "__get_rel_dynamic_array_len", call_array_len, "__get_dynamic_array_len" },
	{ "__print_flags", call_flags, "__print_flags" },
	{ "__print_flags_u64", call_flags, "__print_flags" },
	{ "__print_symbolic", call_symbolic, "__print_symbolic" },
	{ "__print_symbolic_u64", call_symbolic, "__print_symbolic" },
	{ "__print_hex", call_print_hex, "__print_hex" },
	{ "__print_hex_str", call_print_hex, "__print_hex_str" },
	{ "__print_array", call_print_array, "__print_array" },
	{ "__print_dynamic_array", call_print_dynamic, "__print_array" },
	{ "__builtin_expect", call_same_value, NULL },
	{ "__builtin_constant_p", call_constant_p, NULL },
	{ "sizeof", call_size, NULL },
	{ "pte_val", call_same_value, NULL },
	{ "pmd_val", call_same_value, NULL },
	{ "pud_val", call_same_value, NULL },
	{ "pgd_val", call_same_value, NULL },
	{ "native_make_pte", call_same_value, NULL },
	{ "native_make_pmd", call_same_value, NULL },
	{ "native_make_pud", call_same_value, NULL },
	{ "native_make_pgd", call_same_value, NULL },
};

/* What a plugin may have registered. "p" is the kernel's trace_seq. */
static int call_foreign(struct vet *v, const char *name, size_t len, struct vet_expr *e)
{
	struct vet_expr x;

	buf_printf(&v->args, "%.*s(", (int)len, name);
	do {
		if (v->lex.kind == LEX_NAME && v->lex.len == 1 && *v->lex.tok == 'p') {
			lex_next(&v->lex);
			buf_addstr(&v->args, "0,");
			continue;
		}
		if (vet_expr(v, &x))
			return -1;
		buf_addch(&v->args, ',');
	} while (lex_take(&v->lex, ","));
	v->args.data[v->args.len - 1] = ')';
	*e = (struct vet_expr){ .kind = v->foreign_text ? VET_TEXT : VET_NUM, .start = e->start };
	return vet_expect(v, ")");
}

int vet_call(struct vet *v, const char *name, size_t len, struct vet_expr *e)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (strlen(calls[i].name) == len && !memcmp(calls[i].name, name, len))
			return calls[i].call(v, calls[i].as, e);
	if (v->foreign)
		return call_foreign(v, name, len, e);
	return vet_no(v, "print fmt calls the kernel's '%.*s()'", (int)(len < 60 ? len : 60), name);
}
