/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plugin whose author forgot FTR_PLUGIN_HEAD. */
#include "ftr/plugin.h"

const struct ftr_plugin ftr_plugin = { .abi = FTR_PLUGIN_ABI, .name = "bad-head" };
