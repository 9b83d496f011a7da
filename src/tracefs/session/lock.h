/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The exclusive lock on the parts of tracefs that exist once for the whole kernel. */
#ifndef FTR_TRACEFS_LOCK_H
#define FTR_TRACEFS_LOCK_H

#include "base/err.h"
#include "tracefs/files/tfs.h"

/* Takes the lock. Returns its descriptor, or -1 with @err, which names the holder. */
int global_lock(const struct tfs *t, struct ftr_error *err);
/* The holder, as "pid 77, 'ftr record -e sched'"; NULL if there is none. The caller frees. */
char *global_lock_holder(const struct tfs *t);
/* Releases the lock, also for children that inherited @fd and did not exec yet. @fd may be -1. */
void global_unlock(int fd);

#endif
