/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plugin of another ABI. */
#include "ftr/plugin.h"

const struct ftr_plugin ftr_plugin = { sizeof(struct ftr_plugin), FTR_PLUGIN_ABI + 1, .name = "bad-abi" };
