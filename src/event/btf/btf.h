/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types of the kernel from BTF: prototypes of functions as text for a trace file, arguments of
 * calls printed by them, "(file=0xffff888004be2c00, count=4096)", C declarations, and places of
 * values.
 */
#ifndef FTR_EVENT_BTF_H
#define FTR_EVENT_BTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

/* One file of /sys/kernel/btf; borrowed bytes. */
struct btf_file {
	const char *p;
	size_t len;
};

/*
 * Appends a line for each function and for each enumeration that they use, sorted (strcmp()):
 *
 *	#00000 CONSTANT:VALUE CONSTANT:VALUE ...
 *	NAME PARAMETER:KIND PARAMETER:KIND ...
 *
 * A parameter may have no name. KIND is p (pointer), i and u (signed and unsigned integers, bool is
 * one of these), e0 (enumeration number 0), ? (none, or not known), or with the size in bytes s16
 * (structure), n8 (union), f8 (floating point), E8 (enumeration of 64 bits).
 * kernel/trace/trace_output.c uses no more than that. Modifiers and typedefs are resolved.
 *
 * @v[0] is the kernel's own BTF. The others are those of modules in the order of loading, in which
 * the kernel searches them. Of functions of one name the first is used. @wanted are the names to
 * use, sorted, or NULL for all.
 *
 * The bytes are untrusted; invalid parts are skipped. -1 with @err if @v[0] is no BTF.
 */
int btf_protos(const struct btf_file *v, size_t n, const struct strv *wanted, struct buf *out,
	       struct ftr_error *err);

/*
 * Returns the line of function @name in such a text, without its newline, or NULL. The text is
 * untrusted. In an unsorted text some functions are not found.
 */
const char *btf_proto_find(const char *text, size_t text_len, const char *name, size_t name_len,
			   size_t *len);

/* The registers of a call, as in its record. */
struct btf_args {
	const uint8_t *p;
	uint32_t n;		/* number of registers, of ->size bytes each */
	uint8_t  size;		/* bytes of a long: 4 or 8 */
	bool     big;
	bool     plain_ints;	/* unsigned integers in decimal: kernels before 6.17 */
	bool     plain_enums;	/* enumerations without names of constants: kernels before 7.1 */
	const char *text;	/* the whole text, as it contains the constants */
	size_t   text_len;
};

/* Appends "(name=value, ...)" for a line of btf_proto_find(), in the kernel's form. */
void btf_print_args(const char *line, size_t len, const struct btf_args *a, struct buf *out);

/* --- C declarations of functions: "ssize_t vfs_read(struct file *file, char *buf, ...)" */

/* The functions of one BTF file by name. */
struct btf_decls;

/*
 * Returns the declarations of @f. @kernel: the kernel's own declarations, to which the BTF of a
 * module refers, or NULL. Borrows @kernel and the bytes of @f. Returns NULL with @err if @f is no
 * BTF.
 */
struct btf_decls *btf_decls_new(const struct btf_file *f, const struct btf_decls *kernel,
				struct ftr_error *err);
void btf_decls_free(struct btf_decls *d);

/*
 * Appends the declaration of function @name, without a semicolon. Returns false, with nothing
 * appended, if there is no such function or its types are invalid.
 */
bool btf_decl(const struct btf_decls *d, const char *name, struct buf *out);

/* --- places of values that are written as in C: "sk->__sk_common.skc_state" */

/* BTF of one kernel and its modules: @v[0] is the kernel's own, the bytes are borrowed. */
struct btf_set;
struct btf_set *btf_set_new(const struct btf_file *v, size_t n, struct ftr_error *err);
void btf_set_free(struct btf_set *s);

#define BTF_STEPS_MAX	16

enum btf_value_kind {
	BTF_IS_NUMBER,		/* integers, enumerations, bit fields, pointers */
	BTF_IS_CHARS,		/* a pointer to characters */
	BTF_IS_CHAR_ARRAY,	/* the characters themselves */
	BTF_IS_AGGREGATE,	/* structure, union, array */
};

struct btf_value {
	int param;		/* number of the parameter from 0, or BTF_NO_PARAM */
	uint32_t nr_steps;
	/* each step adds its offset to the base, or to the value read last, and reads there */
	int64_t step[BTF_STEPS_MAX];
	enum btf_value_kind kind;
	char type[24];		/* in the form of probes: u32, x64, b4@2/8; "" if there is none */
	size_t bad_at;		/* after an error: the offset in the path */
};

#define BTF_NO_PARAM	-1	/* the return value, or a structure itself */

/*
 * Resolves @path in function @func: NAME, $argN or $retval, then "->member", ".member" and "[N]".
 * Returns -1 with @err and ->bad_at if that fails.
 */
int btf_func_value(const struct btf_set *s, const char *func, const char *path,
		   struct btf_value *v, struct ftr_error *err);
/* The same for a pointer to structure or union @name: @path is "->member...". */
int btf_struct_value(const struct btf_set *s, const char *name, const char *path,
		     struct btf_value *v, struct ftr_error *err);

/*
 * Returns the number of the integer register of a parameter, 0 to 5 (x86-64: the first six integers
 * or pointers). Returns -1 with @err if it is not passed in such a register.
 */
int btf_param_reg(const struct btf_set *s, const char *func, int param, struct ftr_error *err);
/*
 * Appends the names of the parameters of @func; "" for one without a name. Returns -1 with @err if
 * the function is unknown.
 */
int btf_params(const struct btf_set *s, const char *func, struct strv *names,
	       struct ftr_error *err);

#endif
