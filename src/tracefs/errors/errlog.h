/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errors of writes that the kernel refused: its explanation in error_log, and hints. */
#ifndef FTR_TRACEFS_ERRLOG_H
#define FTR_TRACEFS_ERRLOG_H

#include "base/err.h"
#include "tracefs/files/tfs.h"

/* The content of error_log before a write, to show only new entries. */
struct tfs_errlog {
	char *before;
};

void tfs_errlog_mark(const struct tfs *t, const char *instance, struct tfs_errlog *log);
/*
 * Returns the kernel's message, and the command with the caret below it, or NULL if there are no
 * new entries. The caller frees. @written is the text written, of which the kernel may have kept
 * only a part. Releases @log.
 */
char *tfs_errlog_new(const struct tfs *t, const char *instance, const char *written,
		     struct tfs_errlog *log);
/*
 * Explains a refused write of @value to @file of @instance in @err. @sys is its errno, @log the
 * result of tfs_errlog_new() or NULL. Returns -1 with errno @sys.
 */
int explain_refusal(const struct tfs *t, const char *instance, const char *file, const char *value,
		    int sys, const char *log, struct ftr_error *err);

#endif
