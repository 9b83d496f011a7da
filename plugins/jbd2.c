/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions that print fmts of jbd2 events call: jiffies_to_msecs(), jbd2_dev_to_name(). */
#include <inttypes.h>

#include "ftr/plugin.h"

/* ftr finds it in the format of writeback_single_inode; this is for files that lack that. */
static int64_t hz;

static int to_msecs(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
		    uint64_t *num)
{
	(void)r;
	(void)out;
	*num = (args[0].num & 0xffffffff) * 1000 / hz;
	return FTR_DONE;
}

/* Old kernels (2.6) named the device, which offline is its number: 12 bits and 20. */
static int dev_to_name(const struct ftr_record *r, const struct ftr_arg *args,
		       struct ftr_out *out, uint64_t *num)
{
	uint32_t dev = args[0].num;

	(void)r;
	(void)num;
	ftr_out_printf(out, "%" PRIu32 ":%" PRIu32, dev >> 20, dev & 0xfffff);
	return FTR_DONE;
}

static int init(struct ftr_init *in)
{
	if (!hz)
		ftr_init_withdraw(in, "jiffies_to_msecs");
	if (hz >= 0 && hz <= 10000)
		return FTR_DONE;
	ftr_init_error(in, "jbd2:hz is from 0 to 10000, not %" PRId64, hz);
	return FTR_PASS;
}

static const struct ftr_option options[] = {
	{ "hz", FTR_INT, &hz, "0", "CONFIG_HZ of the recorded kernel (0: unknown), for times" },
	{ NULL, FTR_BOOL, NULL, NULL, NULL },
};

static const struct ftr_function functions[] = {
	{ "jiffies_to_msecs", "i:i", to_msecs },
	{ "jbd2_dev_to_name", "s:i", dev_to_name },
	{ NULL, NULL, NULL },
};

FTR_PLUGIN_LATE("");

const struct ftr_plugin ftr_plugin = {
	FTR_PLUGIN_HEAD,
	.name = "jbd2",
	.description = "times and devices of journal events",
	.options = options,
	.functions = functions,
	.init = init,
};
