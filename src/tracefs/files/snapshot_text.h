/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads from the file "snapshot" if its buffer is freed or allocated. */
#ifndef FTR_TRACEFS_SNAPSHOT_TEXT_H
#define FTR_TRACEFS_SNAPSHOT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "tracefs/files/tfs.h"

/* More than the header of any tracer, which is followed by records. */
#define SNAPSHOT_HEAD_BYTES 1024

/*
 * Reads the first bytes of @path, the file "snapshot" of an instance or a CPU, as a string. -1 with
 * errno.
 */
int snapshot_head(const struct tfs *t, const char *path, char *text, size_t size);
bool snapshot_allocated(const struct tfs *t, const char *instance);

/*
 * For the table of control files: "freed" or "allocated". The records in the buffer are no state.
 */
char *snapshot_canon(const char *text);
int snapshot_restore(const struct tfs *t, const char *path, const char *old, struct ftr_error *err);

#endif
