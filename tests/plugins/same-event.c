/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Another formatter of what the plugin 'probe' formats. */
#include "ftr/plugin.h"

static int format(const struct ftr_record *r, struct ftr_out *out, void *priv)
{
	(void)r;
	(void)priv;
	ftr_out_str(out, "same-event");
	return FTR_DONE;
}

static const struct ftr_formatter formatters[] = {
	{ "te?t", "prob*", NULL, NULL, format, NULL }, { .event = NULL },
};
const struct ftr_plugin ftr_plugin = { FTR_PLUGIN_HEAD, .name = "same-event", .formatters = formatters };
