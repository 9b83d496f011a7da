/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* blk_op_str(): names of block operations, which print fmts of f2fs ask for. */
#include "ftr/plugin.h"

/*
 * include/linux/blk_types.h. What 5.10 and 6.1 number differently (7, 11, 13, 15, 17: zones and
 * WRITE_SAME) stays a number.
 */
static const struct {
	uint32_t op;
	const char *name;
} ops[] = {
	{ 0, "READ" }, { 1, "WRITE" }, { 2, "FLUSH" }, { 3, "DISCARD" }, { 5, "SECURE_ERASE" },
	{ 9, "WRITE_ZEROES" }, { 19, "ZONE_RESET_ALL" }, { 34, "DRV_IN" }, { 35, "DRV_OUT" },
};

static int op_str(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
		  uint64_t *num)
{
	(void)r;
	(void)num;
	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
		if (ops[i].op != args[0].num)
			continue;
		ftr_out_str(out, ops[i].name);
		return FTR_DONE;
	}
	return FTR_PASS;
}

static const struct ftr_function functions[] = {
	{ "blk_op_str", "s:i", op_str },
	{ NULL, NULL, NULL },
};

FTR_PLUGIN_LATE("");

const struct ftr_plugin ftr_plugin = {
	FTR_PLUGIN_HEAD,
	.name = "block",
	.description = "names of block operations",
	.functions = functions,
};
