/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loaded when sched_switch is met; says so on stderr. */
#include <stdio.h>

#include "ftr/plugin.h"

static int format(const struct ftr_record *r, struct ftr_out *out, void *priv)
{
	(void)priv;
	ftr_out_str(out, "late: ");
	ftr_out_default(out, r);
	return FTR_DONE;
}

static int init(struct ftr_init *in)
{
	(void)in;
	fputs("late: loaded\n", stderr);
	return FTR_DONE;
}

static const struct ftr_formatter formatters[] = {
	{ "sched", "sched_swi*", NULL, NULL, format, NULL },
	{ NULL, "not_there", NULL, NULL, format, NULL },
	{ .event = NULL },
};

FTR_PLUGIN_LATE("*:not_there sched:sched_swi*");
const struct ftr_plugin ftr_plugin = { FTR_PLUGIN_HEAD, .name = "late", .formatters = formatters, .init = init };
