/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The directory of installed plugins: the only object that depends on where the program is
 * installed.
 */
#include "event/plugin/plugin_priv.h"

const char *plug_installed_dir(void)
{
	return FTR_PLUGIN_DIR;
}
