/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Empties ring buffers. Their records can't be restored. */
#ifndef FTR_TRACEFS_FILES_BUFFER_CLEAR_H
#define FTR_TRACEFS_FILES_BUFFER_CLEAR_H

#include "base/err.h"
#include "tracefs/files/tfs.h"

/* Empties the buffer of @cpu (-1 = of all CPUs) of @instance (NULL = top). */
int clear_buffer(const struct tfs *t, const char *instance, int cpu, struct ftr_error *err);

#endif
