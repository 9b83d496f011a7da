/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An option without a place for its value. */
#include "ftr/plugin.h"

static const struct ftr_option options[] = { { .name = "x", .type = FTR_INT }, { .name = NULL } };
const struct ftr_plugin ftr_plugin = { FTR_PLUGIN_HEAD, .name = "bad-option", .options = options };
