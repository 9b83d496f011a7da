/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dry run of libtraceevent's evaluation: the same values by the same rules (64 bits, no signs),
 * with checks.
 */
#include "event/tep/tep_dry_run.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH_MAX	4096
#define DEPTH_MAX	1000

struct dry {
	struct tep_handle *tep;
	const uint8_t *data;
	uint32_t len;
	unsigned int depth;
};

typedef const struct tep_print_arg *node_t;

static bool dry_num(struct dry *d, node_t a, uint64_t *v);

static bool dry_read(struct dry *d, uint64_t off, uint32_t size, uint64_t *v)
{
	if (off > d->len || size > d->len - off)
		return false;
	*v = tep_read_number(d->tep, d->data + off, size);
	return true;
}

/* Where a dynamic field's bytes are; false when outside the record. */
static bool dry_dynamic(struct dry *d, const struct tep_format_field *f, uint64_t *off, uint64_t *n)
{
	uint64_t loc;

	if (!dry_read(d, f->offset, f->size, &loc))
		return false;
	*off = loc & 0xffff;
	if (f->flags & TEP_FIELD_IS_RELATIVE)
		*off += f->offset + f->size;
	if (*off > d->len)
		return false;
	*n = f->size == 2 ? d->len - *off : loc >> 16;
	return *n <= d->len - *off;
}

static bool dry_field_bytes(struct dry *d, const struct tep_format_field *f, uint64_t *n)
{
	if ((uint32_t)f->offset > d->len)
		return false;
	*n = f->size ? (uint64_t)f->size : d->len - f->offset;
	return *n <= d->len - f->offset;
}

static node_t skip_casts(node_t a)
{
	while (a && a->type == TEP_PRINT_TYPE)
		a = a->typecast.item;
	return a;
}

static bool dry_index(struct dry *d, node_t a, uint64_t *v)
{
	node_t base = skip_casts(a->op.left);
	const struct tep_format_field *f;
	uint64_t i, n;

	if (!base || base->type != TEP_PRINT_FIELD || !dry_num(d, a->op.right, &i))
		return false;
	f = base->field.field;
	if (!dry_field_bytes(d, f, &n) || !f->elementsize || i >= n / f->elementsize)
		return false;
	return dry_read(d, f->offset + i * f->elementsize, f->elementsize, v);
}

static uint64_t dry_cast(uint64_t v, const char *type)
{
	if (!strcmp(type, "u8"))
		return v & 0xff;
	if (!strcmp(type, "u16"))
		return v & 0xffff;
	return strcmp(type, "u32") ? v : v & 0xffffffff;
}

static bool dry_compare(const char *op, uint64_t l, uint64_t r, uint64_t *v)
{
	static const char *const ops[] = { "<", ">", "<=", ">=", "==", "!=", "&&", "||" };
	const bool results[] = { l < r, l > r, l <= r, l >= r, l == r, l != r, l && r, l || r };

	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
		if (strcmp(op, ops[i]))
			continue;
		*v = results[i];
		return true;
	}
	return false;
}

static bool dry_compute(const char *op, uint64_t l, uint64_t r, uint64_t *v)
{
	if (dry_compare(op, l, r, v))
		return true;
	switch (op[0]) {
	case '+': *v = l + r; return true;
	case '-': *v = l - r; return true;
	case '*': *v = l * r; return true;
	case '&': *v = l & r; return true;
	case '|': *v = l | r; return true;
	case '<': *v = l << (r & 63); return true;
	case '>': *v = l >> (r & 63); return true;
	case '/': *v = r ? l / r : 0; return r != 0;
	case '%': *v = r ? l % r : 0; return r != 0;
	case '~': *v = ~r; return true;
	case '!': *v = !r; return true;
	}
	return false;
}

static bool dry_op(struct dry *d, node_t a, uint64_t *v)
{
	uint64_t l = 0, r;

	if (!strcmp(a->op.op, "["))
		return dry_index(d, a, v);
	if (!strcmp(a->op.op, "?")) {
		if (!dry_num(d, a->op.left, &l))
			return false;
		return dry_num(d, l ? a->op.right->op.left : a->op.right->op.right, v);
	}
	if (a->op.left->type != TEP_PRINT_NULL && !dry_num(d, a->op.left, &l))
		return false;
	return dry_num(d, a->op.right, &r) && dry_compute(a->op.op, l, r, v);
}

static bool dry_eval(struct dry *d, node_t a, uint64_t *v)
{
	uint64_t off;

	switch (a->type) {
	case TEP_PRINT_ATOM:
		*v = strtoull(a->atom.atom, NULL, 0);
		return true;
	case TEP_PRINT_FIELD:
		return dry_read(d, a->field.field->offset, a->field.field->size, v);
	case TEP_PRINT_TYPE:
		if (!dry_num(d, a->typecast.item, v))
			return false;
		*v = dry_cast(*v, a->typecast.type);
		return true;
	case TEP_PRINT_OP:
		return dry_op(d, a, v);
	case TEP_PRINT_DYNAMIC_ARRAY_LEN:
		return dry_dynamic(d, a->dynarray.field, &off, v);
	default:
		return false;
	}
}

static bool dry_num(struct dry *d, node_t a, uint64_t *v)
{
	bool ok;

	if (!a || ++d->depth > DEPTH_MAX)
		return false;
	ok = dry_eval(d, a, v);
	d->depth--;
	return ok;
}

/* Bytes of the array that __print_hex() or __print_array() is given. */
static bool array_bytes(struct dry *d, node_t a, uint64_t *n)
{
	uint64_t off;

	if (a->type == TEP_PRINT_DYNAMIC_ARRAY)
		return dry_dynamic(d, a->dynarray.field, &off, n);
	return a->type == TEP_PRINT_FIELD && dry_field_bytes(d, a->field.field, n);
}

static bool dry_hex(struct dry *d, node_t a)
{
	uint64_t have, n;

	return array_bytes(d, a->hex.field, &have) && dry_num(d, a->hex.size, &n) && n <= have;
}

static bool dry_array(struct dry *d, node_t a)
{
	uint64_t have, n, size;

	if (!array_bytes(d, a->int_array.field, &have) || !dry_num(d, a->int_array.count, &n) ||
	    !dry_num(d, a->int_array.el_size, &size))
		return false;
	/* libtraceevent does not swap bytes here. */
	if (size > 1 && tep_is_file_bigendian(d->tep) != tep_is_local_bigendian(d->tep))
		return false;
	return size && n <= have / size;
}

static bool dry_cpumask(struct dry *d, node_t a)
{
	uint64_t off, n;

	return a->bitmask.field && dry_dynamic(d, a->bitmask.field, &off, &n) && n;
}

static bool dry_text(struct dry *d, node_t a)
{
	uint64_t v;

	switch (a ? a->type : TEP_PRINT_NULL) {
	case TEP_PRINT_ATOM:
	case TEP_PRINT_FIELD:
	case TEP_PRINT_STRING:
	case TEP_PRINT_BITMASK:
	case TEP_PRINT_DYNAMIC_ARRAY:
	case TEP_PRINT_FUNC:	/* a plugin's */
		return true;
	case TEP_PRINT_CPUMASK:
		return dry_cpumask(d, a);
	case TEP_PRINT_FLAGS:
		return dry_num(d, a->flags.field, &v);
	case TEP_PRINT_SYMBOL:
		return dry_num(d, a->symbol.field, &v);
	case TEP_PRINT_HEX:
	case TEP_PRINT_HEX_STR:
		return dry_hex(d, a);
	case TEP_PRINT_INT_ARRAY:
		return dry_array(d, a);
	case TEP_PRINT_OP:
		if (strcmp(a->op.op, "?"))
			return dry_num(d, a, &v);
		if (!dry_num(d, a->op.left, &v))
			return false;
		return dry_text(d, v ? a->op.right->op.left : a->op.right->op.right);
	default:
		return a && dry_num(d, a, &v);
	}
}

bool dry_run(const struct tep_event *ev, const struct vet_arg *want, size_t nr_want,
	     const uint8_t *data,
	     uint32_t len)
{
	struct dry d = { .tep = ev->tep, .data = data, .len = len };
	node_t a = ev->print_fmt.args;
	uint64_t v, max;

	for (size_t i = 0; i < nr_want; i++, a = a->next) {
		if (!a)
			return false;
		/*
		 * A negative width would make libtraceevent call printf with an argument too few.
		 */
		if (want[i].conv == '*') {
			max = i + 1 < nr_want && want[i + 1].sub[0] == 'h' ? UINT16_MAX : WIDTH_MAX;
			if (!dry_num(&d, a, &v) || v > max)
				return false;
		} else if (!dry_text(&d, a)) {
			return false;
		}
	}
	return true;
}

/* --- soundness, once a format */

static bool sound_arg(const struct tep_event *ev, struct tep_print_arg *a, unsigned int depth);

static bool sound_op(const struct tep_event *ev, struct tep_print_arg *a, unsigned int depth)
{
	struct tep_print_arg *r = a->op.right;

	if (!a->op.op || !a->op.left || !r || !sound_arg(ev, a->op.left, depth))
		return false;
	if (strcmp(a->op.op, "?"))
		return sound_arg(ev, r, depth);
	return r->type == TEP_PRINT_OP && r->op.op && !strcmp(r->op.op, ":") && r->op.left &&
		r->op.right &&
	       sound_arg(ev, r->op.left, depth) && sound_arg(ev, r->op.right, depth);
}

/* Looked up now, not by libtraceevent while printing, where 1.7.1 does not look at the result. */
static bool sound_mask(const struct tep_event *ev, struct tep_print_arg *a)
{
	a->bitmask.field = tep_find_any_field((struct tep_event *)ev, a->bitmask.bitmask);
	if (!a->bitmask.field)
		return false;
	a->bitmask.offset = a->bitmask.field->offset;
	return a->bitmask.field->flags & TEP_FIELD_IS_DYNAMIC;
}

static bool sound_dynamic(const struct tep_print_arg *a)
{
	const struct tep_format_field *f = a->dynarray.field;

	return f && f->flags & TEP_FIELD_IS_DYNAMIC &&
	       !(a->type == TEP_PRINT_DYNAMIC_ARRAY_LEN && f->flags & TEP_FIELD_IS_RELATIVE);
}

static bool sound_flags(const struct tep_event *ev, struct tep_print_arg *x,
			struct tep_print_flag_sym *s,
			unsigned int depth)
{
	for (; s; s = s->next)
		if (!s->value || !s->str)
			return false;
	return sound_arg(ev, x, depth);
}

static bool sound_arg(const struct tep_event *ev, struct tep_print_arg *a, unsigned int depth)
{
	if (!a || ++depth > DEPTH_MAX)
		return false;
	switch (a->type) {
	case TEP_PRINT_NULL:
		return true;
	case TEP_PRINT_FUNC:
		for (a = a->func.args; a; a = a->next)
			if (!sound_arg(ev, a, depth))
				return false;
		return true;
	case TEP_PRINT_ATOM:
		return a->atom.atom;
	case TEP_PRINT_FIELD:
		return a->field.field;
	case TEP_PRINT_FLAGS:
		return sound_flags(ev, a->flags.field, a->flags.flags, depth);
	case TEP_PRINT_SYMBOL:
		return sound_flags(ev, a->symbol.field, a->symbol.symbols, depth);
	case TEP_PRINT_HEX:
	case TEP_PRINT_HEX_STR:
		return sound_arg(ev, a->hex.field, depth) && sound_arg(ev, a->hex.size, depth);
	case TEP_PRINT_INT_ARRAY:
		return sound_arg(ev, a->int_array.field, depth) &&
			sound_arg(ev, a->int_array.count, depth) &&
		       sound_arg(ev, a->int_array.el_size, depth);
	case TEP_PRINT_TYPE:
		return a->typecast.type && sound_arg(ev, a->typecast.item, depth);
	case TEP_PRINT_STRING:
	case TEP_PRINT_BITMASK:
	case TEP_PRINT_CPUMASK:
		return sound_mask(ev, a);
	case TEP_PRINT_DYNAMIC_ARRAY:
	case TEP_PRINT_DYNAMIC_ARRAY_LEN:
		return sound_dynamic(a);
	case TEP_PRINT_OP:
		return sound_op(ev, a, depth);
	default:
		return false;
	}
}

bool dry_sound(const struct tep_event *ev)
{
	for (struct tep_print_arg *a = ev->print_fmt.args; a; a = a->next)
		if (!sound_arg(ev, a, 0))
			return false;
	return true;
}
