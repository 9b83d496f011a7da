/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Follows members and pointers through BTF types. */
#include "event/btf/btf.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/text.h"
#include "event/btf/btf_read.h"

#define MEMBER_BYTES	12	/* u32 name, u32 type, u32 offset in bits */
#define PARAM_BYTES	8	/* u32 name, u32 type */
#define NESTED_MAX	16	/* depth of structures without a name */
#define MEMBERS_MAX	100000	/* most members that are compared with one name */
#define INDEX_MAX	1000000
#define SIZE_MAX_SANE	(1ull << 32)	/* largest element of an array in bytes */
#define POINTER_BYTES	8
#define INT_REGS	6

struct btf_set {
	struct btf *v;
	size_t n;
};

struct btf_set *btf_set_new(const struct btf_file *v, size_t n, struct ftr_error *err)
{
	struct btf_set *s = xcalloc(1, sizeof(*s));
	size_t i;

	s->v = xcalloc(n + 1, sizeof(*s->v));
	if (!n || btf_open(&s->v[0], &v[0], NULL, err)) {
		if (!n)
			err_set(err, FTR_FAILED, "no BTF: nothing is there");
		btf_set_free(s);
		return NULL;
	}
	for (i = s->n = 1; i < n; i++)
		s->n += !btf_open(&s->v[s->n], &v[i], &s->v[0], NULL);
	return s;
}

void btf_set_free(struct btf_set *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		btf_close(&s->v[i]);
	free(s->v);
	free(s);
}

/* Finds the first type with that name and one of two kinds. Returns false if there is none. */
static bool find_named(const struct btf_set *s, const char *name, enum btf_kind kind,
		       enum btf_kind other, struct btf_type *t)
{
	const struct btf *b;
	const char *is;

	for (b = s->v; b < s->v + s->n; b++)
		for (uint32_t id = b->first_id; id - b->first_id < b->nr_types; id++) {
			if (!btf_type_by_id(b, id, t) || (t->kind != kind && t->kind != other))
				continue;
			is = btf_name_at(b, t->name);
			if (is && !strcmp(is, name))
				return true;
		}
	return false;
}

static int find_func_proto(const struct btf_set *s, const char *func, struct btf_type *proto,
			   struct ftr_error *err)
{
	struct btf_type t;

	if (find_named(s, func, BTF_FUNC, BTF_FUNC, &t) &&
	    btf_type_by_id(t.in, t.size, proto) && proto->kind == BTF_FUNC_PROTO &&
	    proto->nr <= BTF_PARAMS_MAX)
		return 0;
	return err_set(err, FTR_FAILED, "the kernel's BTF has no function '%s'", func);
}

static uint32_t param_type(const struct btf_type *proto, uint32_t i)
{
	return get_u32(proto->rest + PARAM_BYTES * i + 4, proto->in->big);
}

static const char *param_name(const struct btf_type *proto, uint32_t i)
{
	const char *name = btf_name_at(proto->in, get_u32(proto->rest + PARAM_BYTES * i,
							  proto->in->big));

	return name ? name : "";
}

/* --- walking */

/* The state of a walk: the current type, and the steps that lead to its value. */
struct btf_walk {
	const struct btf *b;
	uint32_t id;
	bool     address;	/* the value is in memory, at the address of the last step */
	uint32_t bit_off, bits;	/* a bit field, from the byte at the address of the last step */
	struct btf_value *v;
	struct ftr_error *err;
};

struct path_member {
	const struct btf *b;
	uint32_t id, bits;
	uint64_t bit_off;
};

static bool is_struct(const struct btf_type *t)
{
	return t->kind == BTF_STRUCT || t->kind == BTF_UNION;
}

static bool find_member(const struct btf_type *t, const char *name, int depth, uint32_t *looks,
			struct path_member *m)
{
	struct btf_type inner;
	const uint8_t *p;
	const char *is;
	uint64_t off;

	for (uint32_t i = 0; i < t->nr && (*looks)++ < MEMBERS_MAX; i++) {
		p = t->rest + MEMBER_BYTES * i;
		is = btf_name_at(t->in, get_u32(p, t->in->big));
		off = get_u32(p + 8, t->in->big);
		*m = (struct path_member){ .b = t->in, .id = get_u32(p + 4, t->in->big),
				      .bits = t->kflag ? off >> 24 : 0,
				      .bit_off = t->kflag ? off & 0xffffff : off };
		if (is && !strcmp(is, name))
			return true;
		if (!is || *is || depth >= NESTED_MAX ||
		    !btf_skip_modifiers(t->in, m->id, &inner) || !is_struct(&inner))
			continue;
		off = m->bit_off;
		if (find_member(&inner, name, depth + 1, looks, m)) {
			m->bit_off += off;
			return true;
		}
	}
	return false;
}

/* Returns the size of a type in bytes, 0 if it has none. */
static uint64_t type_size(const struct btf *b, uint32_t id, int depth)
{
	struct btf_type t;

	if (depth > NESTED_MAX || !btf_skip_modifiers(b, id, &t))
		return 0;
	switch (t.kind) {
	case BTF_PTR:
		return POINTER_BYTES;
	case BTF_ARRAY:
		return type_size(t.in, get_u32(t.rest, t.in->big), depth + 1) *
		       get_u32(t.rest + 8, t.in->big);
	case BTF_INT:
	case BTF_STRUCT:
	case BTF_UNION:
	case BTF_ENUM:
	case BTF_ENUM64:
	case BTF_FLOAT:
		return t.size;
	default:
		return 0;
	}
}

static int push_step(struct btf_walk *w, int64_t off)
{
	if (w->v->nr_steps == BTF_STEPS_MAX)
		return err_set(w->err, FTR_FAILED, "more than %d pointers to follow",
			       BTF_STEPS_MAX);
	w->v->step[w->v->nr_steps++] = off;
	w->address = true;
	return 0;
}

/* Users may confuse "->" and "."; BTF knows which of them is right. */
static int enter_member(struct btf_walk *w, const char *op, const char *name)
{
	bool arrow = *op == '-';
	uint32_t looks = 0;
	struct btf_type t;
	struct path_member m;

	if (!btf_skip_modifiers(w->b, w->id, &t) || (t.kind != BTF_PTR && !is_struct(&t)))
		return err_set(w->err, FTR_FAILED, "the expression before '%s%s' is not a "
			       "structure", arrow ? "->" : ".", name);
	if (arrow != (t.kind == BTF_PTR))
		return err_set(w->err, FTR_FAILED, "the expression before '%s%s' is a %s: write "
			       "'%s%s'", arrow ? "->" : ".", name, arrow ? "structure" : "pointer",
			       arrow ? "." : "->", name);
	if (arrow && (!btf_skip_modifiers(t.in, t.size, &t) || !is_struct(&t)))
		return err_set(w->err, FTR_FAILED, "the expression before '->%s' does not point to "
			       "a structure", name);
	if (!find_member(&t, name, 0, &looks, &m)) {
		const char *of = btf_name_at(t.in, t.name);

		return err_set(w->err, FTR_FAILED, "%s '%s' has no member '%s'",
			       t.kind == BTF_UNION ? "union" : "structure", of ? of : "", name);
	}
	if (arrow && push_step(w, 0))
		return -1;
	if (!w->address)
		return err_set(w->err, FTR_FAILED, "it is in a structure that is passed by value");
	w->v->step[w->v->nr_steps - 1] += m.bit_off / 8;
	w->b = m.b;
	w->id = m.id;
	w->bits = m.bits;
	w->bit_off = m.bit_off % 8;
	return 0;
}

static int enter_element(struct btf_walk *w, long at)
{
	struct btf_type t;
	uint64_t size;

	if (!btf_skip_modifiers(w->b, w->id, &t) || (t.kind != BTF_PTR && t.kind != BTF_ARRAY))
		return err_set(w->err, FTR_FAILED, "the expression before '[%ld]' is not an array",
			       at);
	w->b = t.in;
	w->id = t.kind == BTF_PTR ? t.size : get_u32(t.rest, t.in->big);
	size = type_size(w->b, w->id, 0);
	if (!size)
		return err_set(w->err, FTR_FAILED, "what '[%ld]' selects has no size", at);
	if (size > SIZE_MAX_SANE)
		return err_set(w->err, FTR_FAILED, "what '[%ld]' selects is too large", at);
	if (t.kind == BTF_PTR)
		return push_step(w, at * (int64_t)size);
	if (!w->address)
		return err_set(w->err, FTR_FAILED, "it is in an array that is passed by value");
	w->v->step[w->v->nr_steps - 1] += at * (int64_t)size;
	return 0;
}

static size_t path_word_len(const char *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	return n;
}

/* --- the type of the value */

static bool is_char(const struct btf *b, uint32_t id)
{
	struct btf_type t;

	return btf_skip_modifiers(b, id, &t) && t.kind == BTF_INT && t.size == 1;
}

static bool number_type(const struct btf_type *t, struct btf_value *v)
{
	bool is_signed = t->kind == BTF_INT ? get_u32(t->rest, t->in->big) & BTF_INT_SIGNED :
			 t->kind != BTF_PTR;
	uint32_t size = t->kind == BTF_PTR ? POINTER_BYTES : t->size;

	if ((t->kind != BTF_INT && t->kind != BTF_PTR && t->kind != BTF_ENUM &&
	     t->kind != BTF_ENUM64) || !size || size > 8 || (size & (size - 1)))
		return false;
	snprintf(v->type, sizeof(v->type), "%c%u",
		 t->kind == BTF_PTR ? 'x' : is_signed ? 's' : 'u', size * 8);
	return true;
}

/* Sets the type b<width>@<offset>/<container>; the container is aligned to its size. */
static bool bit_field_type(struct btf_walk *w, const struct btf_type *t)
{
	int64_t *off = &w->v->step[w->v->nr_steps - 1], back;
	uint32_t size = t->size, bit;

	for (; size <= 8; size *= 2) {
		back = *off % size;
		bit = w->bit_off + back * 8;
		if (bit + w->bits > size * 8)
			continue;
		*off -= back;
		snprintf(w->v->type, sizeof(w->v->type), "b%u@%u/%u", w->bits, bit, size * 8);
		return true;
	}
	return false;
}

/* Follows "->member", ".member" and "[N]" from @at to the end of @path. Sets the value's type. */
static int follow_path(struct btf_walk *w, const char *path, const char *at)
{
	struct btf_value *v = w->v;
	const char *name;
	struct btf_type t;
	char *end, *word;
	long index;
	int ret;

	while (*at) {
		v->bad_at = at - path + (!strncmp(at, "->", 2) ? 2 : *at == '.');
		if (w->bits)
			return err_set(w->err, FTR_FAILED, "the expression before '%s' is a bit "
				       "field", at);
		name = at + (*at == '-' ? 2 : 1);
		if (*at == '[') {
			index = strtol(name, &end, 0);
			if (end == name || *end != ']' || index < 0 || index > INDEX_MAX)
				return err_set(w->err, FTR_USAGE,
					       "'%s' is not an index of an array", at);
			at = end + 1;
			ret = enter_element(w, index);
		} else if ((*at != '.' && strncmp(at, "->", 2)) || !path_word_len(name)) {
			return err_set(w->err, FTR_USAGE, "'%s' does not lead to a member", at);
		} else {
			word = xstrndup(name, path_word_len(name));
			ret = enter_member(w, at, word);
			free(word);
			at = name + path_word_len(name);
		}
		if (ret)
			return -1;
	}
	v->bad_at = 0;
	v->kind = BTF_IS_AGGREGATE;
	if (!btf_skip_modifiers(w->b, w->id, &t))
		return err_set(w->err, FTR_FAILED, "it has no type");
	if (w->bits && t.kind == BTF_INT && t.size && t.size <= 8) {
		v->kind = BTF_IS_NUMBER;
		return bit_field_type(w, &t) ? 0 :
			err_set(w->err, FTR_FAILED, "it is a bit field that no probe can read");
	}
	if (number_type(&t, v)) {
		v->kind = t.kind == BTF_PTR && is_char(t.in, t.size) ? BTF_IS_CHARS : BTF_IS_NUMBER;
		return 0;
	}
	if (t.kind == BTF_ARRAY && is_char(t.in, get_u32(t.rest, t.in->big)))
		v->kind = BTF_IS_CHAR_ARRAY;
	return w->address ? 0 : err_set(w->err, FTR_FAILED, "it is neither a number nor a pointer");
}

/* --- the start of a path */

static int find_param(const struct btf_type *proto, const char *func, const char *name,
		      struct ftr_error *err)
{
	struct buf all = {0};
	int64_t n;

	for (uint32_t i = 0; i < proto->nr; i++)
		if (!strcmp(param_name(proto, i), name))
			return i;
	if (!strncmp(name, "$arg", 4) && !text_number(name + 4, 1, proto->nr, &n))
		return n - 1;
	for (uint32_t i = 0; i < proto->nr; i++)
		buf_printf(&all, "%s%s", i ? ", " : "", param_name(proto, i));
	err_set(err, FTR_FAILED, "'%s' has no argument '%s'", func, name);
	if (proto->nr)
		err_hint(err, "its arguments are: %.400s", all.data);
	else
		err_hint(err, "it has none");
	buf_release(&all);
	return -1;
}

int btf_func_value(const struct btf_set *s, const char *func, const char *path,
		   struct btf_value *v, struct ftr_error *err)
{
	size_t n = (*path == '$') + path_word_len(path + (*path == '$'));
	char *name = xstrndup(path, n);
	struct btf_walk w = { .v = v, .err = err };
	struct btf_type proto;
	int ret;

	*v = (struct btf_value){ .param = BTF_NO_PARAM };
	ret = find_func_proto(s, func, &proto, err);
	if (ret)
		goto out;
	w.b = proto.in;
	w.id = proto.size;
	if (strcmp(name, "$retval")) {
		v->param = find_param(&proto, func, name, err);
		ret = v->param < 0 ? -1 : 0;
		w.id = ret ? 0 : param_type(&proto, v->param);
	} else if (!w.id) {
		ret = err_set(err, FTR_FAILED, "'%s' returns nothing", func);
	}
	if (!ret)
		ret = follow_path(&w, path, path + n);
out:
	free(name);
	return ret;
}

int btf_struct_value(const struct btf_set *s, const char *name, const char *path,
		     struct btf_value *v, struct ftr_error *err)
{
	struct btf_walk w = { .v = v, .err = err };
	struct btf_type t;
	const char *at = path + 2;
	uint32_t looks = 0;
	struct path_member m;
	char *first;
	int ret;

	*v = (struct btf_value){ .param = BTF_NO_PARAM };
	if (!find_named(s, name, BTF_STRUCT, BTF_UNION, &t))
		return err_set(err, FTR_FAILED, "the kernel's BTF has no structure '%s'", name);
	if (strncmp(path, "->", 2) || !path_word_len(at))
		return err_set(err, FTR_USAGE, "'%s' does not lead to a member", path);
	v->bad_at = 2;
	first = xstrndup(at, path_word_len(at));
	ret = find_member(&t, first, 0, &looks, &m) ? 0 :
	      err_set(err, FTR_FAILED, "structure '%s' has no member '%s'", name, first);
	if (!ret)
		ret = push_step(&w, m.bit_off / 8);
	w.b = m.b;
	w.id = m.id;
	w.bits = m.bits;
	w.bit_off = m.bit_off % 8;
	if (!ret)
		ret = follow_path(&w, path, at + path_word_len(at));
	free(first);
	return ret;
}

int btf_param_reg(const struct btf_set *s, const char *func, int param, struct ftr_error *err)
{
	struct btf_type proto, t;
	int ret = find_func_proto(s, func, &proto, err);

	for (int i = 0; !ret && i <= param; i++) {
		if (!btf_skip_modifiers(proto.in, param_type(&proto, i), &t) || is_struct(&t) ||
		    t.kind == BTF_FLOAT || (t.kind != BTF_PTR && t.size > 8))
			ret = err_set(err, FTR_FAILED, "argument %d of '%s' is passed by value, "
				      "and not in one register", i + 1, func);
	}
	if (!ret && param >= INT_REGS)
		ret = err_set(err, FTR_FAILED, "argument %d of '%s' is on the stack", param + 1,
			      func);
	return ret ? -1 : param;
}

int btf_params(const struct btf_set *s, const char *func, struct strv *names,
	       struct ftr_error *err)
{
	struct btf_type proto;

	if (find_func_proto(s, func, &proto, err))
		return -1;
	for (uint32_t i = 0; i < proto.nr; i++)
		strv_add(names, param_name(&proto, i));
	return 0;
}
