/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the place of a value written as in C, "sk->__sk_common.skc_state", by the kernel's BTF. */
#ifndef FTR_EVENT_BTF_PATH_H
#define FTR_EVENT_BTF_PATH_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "event/btf/btf.h"

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
	int param;		/* from 0 */
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
 * -1 with @err and ->bad_at.
 */
int btf_func_value(const struct btf_set *s, const char *func, const char *path,
		   struct btf_value *v, struct ftr_error *err);
/* The same for a pointer to structure or union @name: @path is "->member...". */
int btf_struct_value(const struct btf_set *s, const char *name, const char *path,
		     struct btf_value *v, struct ftr_error *err);

/*
 * The number of the integer register of a parameter, 0 to 5 (x86-64: the first six integers or
 * pointers). -1 with @err if it is not passed in such a register.
 */
int btf_param_reg(const struct btf_set *s, const char *func, int param, struct ftr_error *err);
/*
 * The names of the parameters of @func; "" for one without a name. -1 with @err if the function is
 * unknown.
 */
int btf_params(const struct btf_set *s, const char *func, struct strv *names,
	       struct ftr_error *err);

#endif
