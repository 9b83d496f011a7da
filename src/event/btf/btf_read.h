/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types of one BTF file, checked when they are read. */
#ifndef FTR_EVENT_BTF_READ_H
#define FTR_EVENT_BTF_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/btf/btf.h"

#define BTF_INT_SIGNED	(1u << 24)	/* in the word after an integer type */
#define BTF_PARAMS_MAX	64

enum btf_kind {
	BTF_VOID, BTF_INT, BTF_PTR, BTF_ARRAY, BTF_STRUCT, BTF_UNION, BTF_ENUM, BTF_FWD,
	BTF_TYPEDEF, BTF_VOLATILE, BTF_CONST, BTF_RESTRICT, BTF_FUNC, BTF_FUNC_PROTO,
	BTF_VAR, BTF_DATASEC, BTF_FLOAT, BTF_DECL_TAG, BTF_TYPE_TAG, BTF_ENUM64, NR_BTF_KINDS,
};

/* Types and strings of one file. Those of a module are numbered after the kernel's. */
struct btf {
	const struct btf *base;
	const uint8_t *types;
	const char *strings;
	uint32_t strings_len;
	uint32_t first_id, first_string;
	bool     big;
	uint32_t *offs;		/* offsets of the types, by id - first_id */
	size_t   nr_types, cap_types;
};

struct btf_type {
	const uint8_t *rest;	/* the data after the type; its length was checked */
	const struct btf *in;
	uint32_t name, size, nr;	/* ->size is the id of a type if the kind refers to one */
	enum btf_kind kind;
	bool kflag;		/* offsets of members contain the sizes of bit fields */
};

/*
 * Opens a file. @base is the kernel's own BTF if @f is a module's. Borrows the bytes. Returns -1
 * with @err if it is no BTF.
 */
int btf_open(struct btf *b, const struct btf_file *f, const struct btf *base,
	     struct ftr_error *err);
void btf_close(struct btf *b);

/* Reads a type. Returns false for void (id 0) and for invalid ids. */
bool btf_type_by_id(const struct btf *b, uint32_t id, struct btf_type *t);
/* Reads the type after typedef, const and the like. */
bool btf_skip_modifiers(const struct btf *b, uint32_t id, struct btf_type *t);
/*
 * Finds the next function with a name after *id, or the first one of @b if *id is 0. Returns false
 * if there are no more: for (id = 0; btf_next_func(b, &id, &name); ).
 */
bool btf_next_func(const struct btf *b, uint32_t *id, const char **name);
/*
 * Returns a name that can be written in a line of text, "" if there is none, NULL if it is invalid.
 */
const char *btf_name_at(const struct btf *b, uint32_t off);
/* The same for names of types: they may have blanks, and in Rust colons and more. */
const char *btf_text_at(const struct btf *b, uint32_t off);

#endif
