/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes an error for a refused write to a control file: what was wrong, and how to fix it. */
#ifndef FTR_TRACEFS_EXPLAIN_H
#define FTR_TRACEFS_EXPLAIN_H

#include "base/err.h"
#include "tracefs/files/tfs.h"

/*
 * @sys: errno of the write of @value to @file of @instance. @log: the kernel's text in error_log,
 * or NULL. Returns -1 with errno @sys.
 */
int explain_refusal(const struct tfs *t, const char *instance, const char *file, const char *value,
		    int sys, const char *log, struct ftr_error *err);

#endif
