/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A formatter that FTR_PLUGIN_LATE() does not name. */
#include "ftr/plugin.h"

static int format(const struct ftr_record *r, struct ftr_out *out, void *priv)
{
	(void)r;
	(void)out;
	(void)priv;
	return FTR_PASS;
}

static const struct ftr_formatter formatters[] = {
	{ "sched", "sched_switch", NULL, NULL, format, NULL },
	{ "sched", "sched_waking", NULL, NULL, format, NULL },
	{ .event = NULL },
};

FTR_PLUGIN_LATE("sched:sched_switch");
const struct ftr_plugin ftr_plugin = { FTR_PLUGIN_HEAD, .name = "bad-late", .formatters = formatters };
