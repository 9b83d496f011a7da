/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* kgsl, the driver of Adreno GPUs in Android's kernels 3.4 and later: power states, constants. */
#include "ftr/plugin.h"

/*
 * The states that all versions of kgsl_pwrstate_to_str() that have them know by the same names.
 * 0x20, 0x40 and 0x100 meant several things one after another.
 */
static const struct {
	uint32_t    state;
	const char *name;
} states[] = {
	{ 0x00, "NONE" }, { 0x01, "INIT" }, { 0x02, "ACTIVE" }, { 0x04, "NAP" },
	{ 0x08, "SLEEP" }, { 0x10, "SUSPEND" }, { 0x80, "SLUMBER" },
};

static int pwrstate(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
		    uint64_t *num)
{
	(void)r;
	(void)num;
	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
		if (states[i].state != (uint32_t)args[0].num)
			continue;
		ftr_out_str(out, states[i].name);
		return FTR_DONE;
	}
	return FTR_PASS;
}

static const struct ftr_function functions[] = {
	{ "kgsl_pwrstate_to_str", "s:i", pwrstate },
	{ NULL, NULL, NULL },
};

/* Where KGSL_EVENT_CANCELLED was another number it was a macro, which formats do not name. */
static const struct ftr_constant constants[] = {
	{ "KGSL_USER_MEM_TYPE_PMEM", 0 }, { "KGSL_USER_MEM_TYPE_ASHMEM", 1 },
	{ "KGSL_USER_MEM_TYPE_ADDR", 2 }, { "KGSL_USER_MEM_TYPE_ION", 3 },
	{ "KGSL_EVENT_RETIRED", 1 }, { "KGSL_EVENT_CANCELLED", 2 },
	{ NULL, 0 },
};

FTR_PLUGIN_LATE("");

const struct ftr_plugin ftr_plugin = {
	FTR_PLUGIN_HEAD,
	.name = "kgsl",
	.description = "states and constants of the driver of Adreno GPUs",
	.functions = functions,
	.constants = constants,
};
