/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Another value for a constant that the plugin 'probe' has. */
#include "ftr/plugin.h"

static const struct ftr_constant constants[] = { { "PROBE_X", 4 }, { NULL, 0 } };
const struct ftr_plugin ftr_plugin = { FTR_PLUGIN_HEAD, .name = "bad-constant", .constants = constants };
