/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A function without code. */
#include "ftr/plugin.h"

static const struct ftr_function functions[] = { { "f", "i:i", NULL }, { NULL, NULL, NULL } };
const struct ftr_plugin ftr_plugin = { FTR_PLUGIN_HEAD, .name = "bad-call", .functions = functions };
