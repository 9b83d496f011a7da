/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are made by programs of tests/oracle. */
#ifndef FTR_UNIT_MADE_H
#define FTR_UNIT_MADE_H

#include <stdlib.h>

#include "base/mem.h"

/* A command of the shell; false: it failed. */
static bool run(const char *fmt, ...)
{
	struct buf cmd = {0};
	va_list ap;
	int ret;

	va_start(ap, fmt);
	buf_vprintf(&cmd, fmt, ap);
	va_end(ap);
	ret = system(cmd.data);
	buf_release(&cmd);
	return !ret;
}

/* The folder of the repository. */
static const char *top(void)
{
	return getenv("FTR_TOP") ? getenv("FTR_TOP") : ".";
}

#endif
