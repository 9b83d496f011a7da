/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The exclusive lock on what tracefs has once for the whole kernel. */
#ifndef FTR_TRACEFS_LOCK_H
#define FTR_TRACEFS_LOCK_H

#include "base/err.h"
#include "tracefs/files/tfs.h"

/* A descriptor that holds the lock, or -1 with an error that names who holds it. */
int global_lock(const struct tfs *t, struct ftr_error *err);
/* Who holds it, "pid 77, 'ftr record -e sched'"; NULL when nobody does. The caller frees. */
char *global_lock_holder(const struct tfs *t);
/* Also takes it from children that inherited the descriptor and did not yet exec. -1 is fine. */
void global_unlock(int fd);

#endif
