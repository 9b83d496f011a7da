/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Empties ring buffers. What they hold is no state: it can't be put back. */
#ifndef FTR_TRACEFS_CLEAR_H
#define FTR_TRACEFS_CLEAR_H

#include "base/err.h"
#include "tracefs/files/tfs.h"

/* The buffers of all CPUs of @instance (NULL = top), or that of one @cpu (-1 = all). */
int clear_buffer(const struct tfs *t, const char *instance, int cpu, struct ftr_error *err);

#endif
