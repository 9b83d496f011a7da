/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types of one BTF file, checked as they are read: what the users of BTF in this folder share. */
#ifndef FTR_EVENT_BTF_READ_H
#define FTR_EVENT_BTF_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/btf/btf.h"

#define BTF_INT_SIGNED	(1u << 24)	/* in the word behind an integer */
#define BTF_PARAMS_MAX	64

enum btf_kind {
	BTF_VOID, BTF_INT, BTF_PTR, BTF_ARRAY, BTF_STRUCT, BTF_UNION, BTF_ENUM, BTF_FWD,
	BTF_TYPEDEF, BTF_VOLATILE, BTF_CONST, BTF_RESTRICT, BTF_FUNC, BTF_FUNC_PROTO,
	BTF_VAR, BTF_DATASEC, BTF_FLOAT, BTF_DECL_TAG, BTF_TYPE_TAG, BTF_ENUM64, NR_BTF_KINDS,
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

struct btf_type {
	const uint8_t *rest;	/* what is behind it: checked to be there */
	const struct btf *in;
	uint32_t name, size, nr;	/* ->size is a type's id for kinds that refer to one */
	enum btf_kind kind;
	bool kflag;		/* members: their offsets have the sizes of bit fields */
};

/* @base: the kernel's own, for a module's. Borrows the bytes. -1 when it is no BTF. */
int btf_open(struct btf *b, const struct btf_file *f, const struct btf *base,
	     struct ftr_error *err);
void btf_close(struct btf *b);

/* False for void (id 0) and for ids that are none. */
bool btf_type_by_id(const struct btf *b, uint32_t id, struct btf_type *t);
/* The same behind typedef, const and their like. */
bool btf_skip_modifiers(const struct btf *b, uint32_t id, struct btf_type *t);
/*
 * The next function behind *id, or the first of @b for *id 0, of those that have a name. False
 * when there is none: for (id = 0; btf_next_func(b, &id, &name); ).
 */
bool btf_next_func(const struct btf *b, uint32_t *id, const char **name);
/* A name that can stand in a line of text, "" for none; NULL for anything else. */
const char *btf_name_at(const struct btf *b, uint32_t off);
/* The same for names of types: they may have blanks, and in Rust colons and more. */
const char *btf_text_at(const struct btf *b, uint32_t off);

#endif
