/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns a refused write to a control file into an error that says what was wrong and how to mend
 * it.
 */
#ifndef FTR_TRACEFS_EXPLAIN_H
#define FTR_TRACEFS_EXPLAIN_H

#include "base/err.h"
#include "tracefs/files/tfs.h"

/*
 * @sys: errno of the write of @value to @file of @instance. @log: what the kernel's error_log says
 * of it, or NULL. Returns -1 with errno @sys.
 */
int explain_refusal(const struct tfs *t, const char *instance, const char *file, const char *value,
		    int sys, const char *log, struct ftr_error *err);

#endif
