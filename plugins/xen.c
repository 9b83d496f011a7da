/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* xen_hypercall_name(), and the enums that print fmts of xen events name. */
#include "ftr/plugin.h"

/* include/xen/interface/xen.h; number 48 is arch_0, which x86 uses for machine checks. */
static const char *const names[] = {
	[0] = "set_trap_table", [1] = "mmu_update", [2] = "set_gdt", [3] = "stack_switch",
	[4] = "set_callbacks", [5] = "fpu_taskswitch", [6] = "sched_op_compat",
	[7] = "platform_op", [8] = "set_debugreg", [9] = "get_debugreg",
	[10] = "update_descriptor", [12] = "memory_op", [13] = "multicall",
	[14] = "update_va_mapping", [15] = "set_timer_op", [16] = "event_channel_op_compat",
	[17] = "xen_version", [18] = "console_io", [19] = "physdev_op_compat",
	[20] = "grant_table_op", [21] = "vm_assist", [22] = "update_va_mapping_otherdomain",
	[23] = "iret", [24] = "vcpu_op", [25] = "set_segment_base", [26] = "mmuext_op",
	[27] = "xsm_op", [28] = "nmi_op", [29] = "sched_op", [30] = "callback_op",
	[31] = "xenoprof_op", [32] = "event_channel_op", [33] = "physdev_op", [34] = "hvm_op",
	[35] = "sysctl", [36] = "domctl", [37] = "kexec_op", [38] = "tmem_op",
	[39] = "xc_reserved_op", [40] = "xenpmu_op", [41] = "dm_op", [48] = "mca",
	[49] = "arch_1", [50] = "arch_2", [51] = "arch_3", [52] = "arch_4", [53] = "arch_5",
	[54] = "arch_6", [55] = "arch_7",
};

/* "(mmu_update)", or nothing for a number without a name. */
static int hypercall_name(const struct ftr_record *r, const struct ftr_arg *args,
			  struct ftr_out *out, uint64_t *num)
{
	uint64_t op = args[0].num;

	(void)r;
	(void)num;
	if (op < sizeof(names) / sizeof(*names) && names[op])
		ftr_out_printf(out, "(%s)", names[op]);
	return FTR_DONE;
}

static const struct ftr_function functions[] = {
	{ "xen_hypercall_name", "s:i", hypercall_name },
	{ NULL, NULL, NULL },
};

static const struct ftr_constant constants[] = {
	{ "XEN_LAZY_NONE", 0 }, { "XEN_LAZY_MMU", 1 }, { "XEN_LAZY_CPU", 2 },
	{ "XEN_MC_FL_NONE", 0 }, { "XEN_MC_FL_BATCH", 1 }, { "XEN_MC_FL_ARGS", 2 },
	{ "XEN_MC_FL_CALLBACK", 3 },
	{ "XEN_MC_XE_OK", 0 }, { "XEN_MC_XE_BAD_OP", 1 }, { "XEN_MC_XE_NO_SPACE", 2 },
	{ NULL, 0 },
};

FTR_PLUGIN_LATE("");

const struct ftr_plugin ftr_plugin = {
	FTR_PLUGIN_HEAD,
	.name = "xen",
	.description = "hypercalls by name",
	.functions = functions,
	.constants = constants,
};
