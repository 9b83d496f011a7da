/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's explanation of a write that it refused. */
#ifndef FTR_TRACEFS_ERRLOG_H
#define FTR_TRACEFS_ERRLOG_H

#include "tracefs/files/tfs.h"

/* error_log before a write, to show only new entries. */
struct tfs_errlog {
	char *before;
};

void tfs_errlog_mark(const struct tfs *t, const char *instance, struct tfs_errlog *log);
/*
 * Returns the kernel's message, and the command with the caret below it, or NULL. The caller frees.
 * @written: the text written, of which the kernel may have kept only a part. Releases @log.
 */
char *tfs_errlog_new(const struct tfs *t, const char *instance, const char *written,
		     struct tfs_errlog *log);

#endif
