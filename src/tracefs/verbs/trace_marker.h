/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes records of a user: trace_marker and trace_marker_raw. */
#ifndef FTR_TRACEFS_VERBS_TRACE_MARKER_H
#define FTR_TRACEFS_VERBS_TRACE_MARKER_H

#include <stdint.h>

#include "base/err.h"
#include "tracefs/files/tfs.h"

/*
 * Writes @text to the buffer of @instance (NULL = top), as one record, or as several if it is too
 * long for one. Returns 0, or -1 with @err, which has the number of bytes that were written.
 */
int mark_text(const struct tfs *t, const char *instance, const char *text, struct ftr_error *err);
/* The same for trace_marker_raw: a number, and bytes for a reader that knows their format. */
int mark_raw(const struct tfs *t, const char *instance, uint32_t id, const char *text,
	     struct ftr_error *err);

#endif
