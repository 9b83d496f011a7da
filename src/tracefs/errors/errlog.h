/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel has to say about a write that it refused. */
#ifndef FTR_TRACEFS_ERRLOG_H
#define FTR_TRACEFS_ERRLOG_H

#include "tracefs/files/tfs.h"

/* error_log as it was before a write: only entries that are new are shown. */
struct tfs_errlog {
	char *before;
};

void tfs_errlog_mark(const struct tfs *t, const char *instance, struct tfs_errlog *log);
/*
 * The kernel's message and the command with the caret below it, or NULL; the caller frees.
 * @written: what was written, of which the kernel may keep a part. @log is released.
 */
char *tfs_errlog_new(const struct tfs *t, const char *instance, const char *written,
		     struct tfs_errlog *log);

#endif
