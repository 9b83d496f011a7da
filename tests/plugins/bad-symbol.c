/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls what this ftr has not. */
#include "ftr/plugin.h"

void ftr_out_hologram(struct ftr_out *out);

static int format(const struct ftr_record *r, struct ftr_out *out, void *priv)
{
	(void)r;
	(void)priv;
	ftr_out_hologram(out);
	return FTR_DONE;
}

static const struct ftr_formatter formatters[] = { { NULL, "x", NULL, NULL, format, NULL }, { .event = NULL } };
const struct ftr_plugin ftr_plugin = { FTR_PLUGIN_HEAD, .name = "bad-symbol", .formatters = formatters };
