/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plugin without a name, and without anything else. */
#include "ftr/plugin.h"

const struct ftr_plugin ftr_plugin = { FTR_PLUGIN_HEAD, .name = NULL };
