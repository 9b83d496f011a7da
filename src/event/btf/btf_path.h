/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a value lies that C would call "sk->__sk_common.skc_state", by the kernel's BTF. */
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
	/* the base, or what was read so far, plus this, is an address that is read next */
	int64_t step[BTF_STEPS_MAX];
	enum btf_value_kind kind;
	char type[24];		/* as probes write it: u32, x64, b4@2/8; "" where there is none */
	size_t bad_at;		/* after an error: the place in the path */
};

#define BTF_NO_PARAM	-1	/* the returned value, or a structure by itself */

/*
 * @path: NAME, $argN or $retval, then "->member", ".member" and "[N]", seen from function @func. -1
 * with @err and ->bad_at.
 */
int btf_func_value(const struct btf_set *s, const char *func, const char *path,
		   struct btf_value *v, struct ftr_error *err);
/* The same behind a pointer to structure (or union) @name: @path is "->member...". */
int btf_struct_value(const struct btf_set *s, const char *name, const char *path,
		     struct btf_value *v, struct ftr_error *err);

/*
 * The integer register of a parameter, 0 to 5 (x86-64: the first six that are integers or
 * pointers). -1 with @err for those that are passed otherwise.
 */
int btf_param_reg(const struct btf_set *s, const char *func, int param, struct ftr_error *err);
/* The names of its parameters; "" where one has none. -1 with @err when it is not known. */
int btf_params(const struct btf_set *s, const char *func, struct strv *names,
	       struct ftr_error *err);

#endif
