/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Another plugin that is called 'probe'. */
#include "ftr/plugin.h"

const struct ftr_plugin ftr_plugin = { FTR_PLUGIN_HEAD, .name = "probe" };
