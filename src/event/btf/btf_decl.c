/* SPDX-License-Identifier: GPL-2.0-or-later */
/* C declarations of functions from BTF types, which may be wrong or circular. */
#include "event/btf/btf.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/search.h"
#include "event/btf/btf_read.h"

#define STEPS_MAX	2000	/* most types read for one declaration; Linux needs about 100 */
#define DEPTH_MAX	64
#define PARAM_BYTES	8	/* u32 name, u32 type */

struct decl_func {
	const char *name;
	uint32_t id;
};

struct btf_decls {
	struct btf b;
	struct decl_func *funcs;	/* by name, then id */
	size_t n, cap;
};

/* --- functions by name */

static int by_name_id(const void *a, const void *b)
{
	const struct decl_func *x = a, *y = b;
	int ret = strcmp(x->name, y->name);

	return ret ? ret : (x->id > y->id) - (x->id < y->id);
}

struct btf_decls *btf_decls_new(const struct btf_file *f, const struct btf_decls *kernel,
				struct ftr_error *err)
{
	struct btf_decls *d = xcalloc(1, sizeof(*d));
	const char *name;

	if (btf_open(&d->b, f, kernel ? &kernel->b : NULL, err)) {
		btf_decls_free(d);
		return NULL;
	}
	for (uint32_t id = 0; btf_next_func(&d->b, &id, &name); ) {
		d->funcs = xgrow(d->funcs, &d->cap, d->n + 1, sizeof(*d->funcs));
		d->funcs[d->n++] = (struct decl_func){ name, id };
	}
	if (d->n)
		qsort(d->funcs, d->n, sizeof(*d->funcs), by_name_id);
	return d;
}

void btf_decls_free(struct btf_decls *d)
{
	if (!d)
		return;
	btf_close(&d->b);
	free(d->funcs);
	free(d);
}

/* --- types */

/* A declaration that is being written: the part before the name, the name, the part after it. */
struct btf_decl {
	struct buf *out;
	size_t start;
	unsigned int steps, depth;
	bool bad;
};

static bool get_type(struct btf_decl *w, const struct btf *b, uint32_t id, struct btf_type *t)
{
	w->bad |= ++w->steps > STEPS_MAX || w->depth > DEPTH_MAX || !btf_type_by_id(b, id, t);
	return !w->bad;
}

/* Appends a word, '(' or '*'; only words are followed by blanks. */
static void add_token(struct btf_decl *w, const char *text)
{
	struct buf *out = w->out;

	if (out->len > w->start && !strchr("(* ", out->data[out->len - 1]))
		buf_addch(out, ' ');
	buf_addstr(out, text);
}

static bool is_qualifier(enum btf_kind k)
{
	return k == BTF_CONST || k == BTF_VOLATILE || k == BTF_RESTRICT || k == BTF_TYPE_TAG;
}

/* Returns the kind of a type without its qualifiers. */
static enum btf_kind unqualified_kind(struct btf_decl *w, const struct btf *b, uint32_t id)
{
	struct btf_type t;

	while (id && get_type(w, b, id, &t)) {
		if (!is_qualifier(t.kind))
			return t.kind;
		id = t.size;
	}
	return BTF_VOID;
}

static bool needs_parens(struct btf_decl *w, const struct btf_type *pointer)
{
	enum btf_kind to = unqualified_kind(w, pointer->in, pointer->size);

	return to == BTF_ARRAY || to == BTF_FUNC_PROTO;
}

/* Writes a qualifier; type tags are the kernel's __user, __rcu, __percpu. */
static void add_qualifier(struct btf_decl *w, const struct btf_type *t)
{
	static const char *const words[NR_BTF_KINDS] = {
		[BTF_CONST] = "const", [BTF_VOLATILE] = "volatile", [BTF_RESTRICT] = "restrict",
	};
	const char *tag = t->kind == BTF_TYPE_TAG ? btf_name_at(t->in, t->name) : NULL;

	if (words[t->kind]) {
		add_token(w, words[t->kind]);
	} else if (tag) {
		add_token(w, "__");
		buf_addstr(w->out, tag);
	}
}

static void add_base(struct btf_decl *w, const struct btf_type *t)
{
	static const char *const words[NR_BTF_KINDS] = {
		[BTF_STRUCT] = "struct", [BTF_UNION] = "union", [BTF_ENUM] = "enum",
		[BTF_ENUM64] = "enum", [BTF_FWD] = "struct", [BTF_INT] = "", [BTF_FLOAT] = "",
		[BTF_TYPEDEF] = "",
	};
	const char *name = btf_text_at(t->in, t->name);
	const char *word = t->kind == BTF_FWD && t->kflag ? "union" : words[t->kind];

	if (!name || !word || (!*name && !*word)) {
		w->bad = true;
		return;
	}
	if (*word)
		add_token(w, word);
	add_token(w, *name ? name : "{...}");
}

/* Writes the part of a declaration before the name. */
static void left_of_type(struct btf_decl *w, const struct btf *b, uint32_t id)
{
	struct btf_type t;
	bool after;

	if (!id) {
		add_token(w, "void");
		return;
	}
	if (!get_type(w, b, id, &t))
		return;
	w->depth++;
	if (t.kind == BTF_PTR) {
		left_of_type(w, t.in, t.size);
		if (needs_parens(w, &t))
			add_token(w, "(");
		add_token(w, "*");
	} else if (is_qualifier(t.kind)) {
		/* "const char", but "*const" and "char __user" */
		after = t.kind == BTF_TYPE_TAG || unqualified_kind(w, t.in, t.size) == BTF_PTR;
		if (!after)
			add_qualifier(w, &t);
		left_of_type(w, t.in, t.size);
		if (after)
			add_qualifier(w, &t);
	} else if (t.kind == BTF_ARRAY) {
		left_of_type(w, t.in, get_u32(t.rest, t.in->big));
	} else if (t.kind == BTF_FUNC_PROTO) {
		left_of_type(w, t.in, t.size);
	} else {
		add_base(w, &t);
	}
	w->depth--;
}

static void right_of_type(struct btf_decl *w, const struct btf *b, uint32_t id);

static void add_params(struct btf_decl *w, const struct btf_type *proto)
{
	const uint8_t *p = proto->rest;
	const char *name;
	uint32_t id;

	buf_addch(w->out, '(');
	w->bad |= proto->nr > BTF_PARAMS_MAX;
	for (uint32_t i = 0; i < proto->nr && !w->bad; i++, p += PARAM_BYTES) {
		if (i)
			buf_addstr(w->out, ", ");
		name = btf_name_at(proto->in, get_u32(p, proto->in->big));
		id = get_u32(p + 4, proto->in->big);
		if (!id && i == proto->nr - 1) {
			buf_addstr(w->out, "...");
			break;
		}
		left_of_type(w, proto->in, id);
		if (name && *name)
			add_token(w, name);
		right_of_type(w, proto->in, id);
	}
	buf_addstr(w->out, proto->nr ? ")" : "void)");
}

static void right_of_type(struct btf_decl *w, const struct btf *b, uint32_t id)
{
	struct btf_type t;

	if (!id || !get_type(w, b, id, &t))
		return;
	w->depth++;
	if (t.kind == BTF_PTR) {
		if (needs_parens(w, &t))
			buf_addch(w->out, ')');
		right_of_type(w, t.in, t.size);
	} else if (is_qualifier(t.kind)) {
		right_of_type(w, t.in, t.size);
	} else if (t.kind == BTF_ARRAY) {
		buf_printf(w->out, "[%u]", get_u32(t.rest + 8, t.in->big));
		right_of_type(w, t.in, get_u32(t.rest, t.in->big));
	} else if (t.kind == BTF_FUNC_PROTO) {
		add_params(w, &t);
		right_of_type(w, t.in, t.size);
	}
	w->depth--;
}

bool btf_decl(const struct btf_decls *d, const char *name, struct buf *out)
{
	struct btf_decl w = { .out = out, .start = out->len };
	/* the first function of a name, as in the kernel's search */
	size_t at = SEARCH_ABOVE(i, 0, d->n, strcmp(d->funcs[i].name, name) < 0);
	struct btf_type t, proto;

	if (at == d->n || strcmp(d->funcs[at].name, name) ||
	    !btf_type_by_id(&d->b, d->funcs[at].id, &t) ||
	    !btf_type_by_id(t.in, t.size, &proto) || proto.kind != BTF_FUNC_PROTO)
		return false;
	left_of_type(&w, t.in, t.size);
	add_token(&w, name);
	right_of_type(&w, t.in, t.size);
	if (w.bad)
		out->len = w.start;
	if (out->data)
		out->data[out->len] = '\0';
	return !w.bad;
}
