/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A function with a signature that there is not. */
#include "ftr/plugin.h"

static int call(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out, uint64_t *num)
{
	(void)r;
	(void)args;
	(void)out;
	(void)num;
	return FTR_DONE;
}

static const struct ftr_function functions[] = { { "f", "b:i", call }, { NULL, NULL, NULL } };
const struct ftr_plugin ftr_plugin = { FTR_PLUGIN_HEAD, .name = "bad-signature", .functions = functions };
