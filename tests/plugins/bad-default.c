/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An option whose default is not of its type. */
#include "ftr/plugin.h"

static int64_t v;
static const struct ftr_option options[] = { { "x", FTR_INT, &v, "many", "" }, { .name = NULL } };
const struct ftr_plugin ftr_plugin = { FTR_PLUGIN_HEAD, .name = "bad-default", .options = options };
