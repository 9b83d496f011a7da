/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plugin whose name can not be used in -O. */
#include "ftr/plugin.h"

const struct ftr_plugin ftr_plugin = { FTR_PLUGIN_HEAD, .name = "bad:name" };
