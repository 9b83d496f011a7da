/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Says whose record it is, before the text that there would be. */
#include "ftr/plugin.h"

static int format(const struct ftr_record *r, struct ftr_out *out, void *priv)
{
	(void)priv;
	ftr_out_str(out, "of ");
	ftr_out_comm(out, ftr_record_pid(r));
	ftr_out_str(out, ": ");
	ftr_out_default(out, r);
	return FTR_DONE;
}

static const struct ftr_formatter formatters[] = {
	{ "sched", "sched_switch", NULL, NULL, format, NULL },
	{ .event = NULL },
};

const struct ftr_plugin ftr_plugin = { FTR_PLUGIN_HEAD, .name = "task", .formatters = formatters };
