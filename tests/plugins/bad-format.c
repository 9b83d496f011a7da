/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A formatter without a function. */
#include "ftr/plugin.h"

static const struct ftr_formatter formatters[] = { { .system = "a", .event = "b" }, { .event = NULL } };
const struct ftr_plugin ftr_plugin = { FTR_PLUGIN_HEAD, .name = "bad-format", .formatters = formatters };
