/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* is_writable_pte(), which print fmts of kvmmmu events of older kernels call. */
#include "ftr/plugin.h"

#define PT_WRITABLE 2	/* of x86 */

static int is_writable_pte(const struct ftr_record *r, const struct ftr_arg *args,
			   struct ftr_out *out, uint64_t *num)
{
	(void)r;
	(void)out;
	*num = args[0].num & PT_WRITABLE;
	return FTR_DONE;
}

static const struct ftr_function functions[] = {
	{ "is_writable_pte", "i:i", is_writable_pte },
	{ NULL, NULL, NULL },
};

FTR_PLUGIN_LATE("");

const struct ftr_plugin ftr_plugin = {
	FTR_PLUGIN_HEAD,
	.name = "kvm",
	.description = "page table entries of x86",
	.functions = functions,
};
