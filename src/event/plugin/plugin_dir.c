/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The folder of installed plugins: the only object that knows where the program is installed. */
#include "event/plugin/plugin_priv.h"

const char *plug_installed_folder(void)
{
	return FTR_PLUGIN_DIR;
}
