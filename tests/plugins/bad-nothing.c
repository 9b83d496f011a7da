/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A shared object that is no plugin. */
#include "ftr/plugin.h"

int some_function(void);
int some_function(void)
{
	return 0;
}
