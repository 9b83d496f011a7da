/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads formats of events for the texts that are encoded with them. */
#ifndef FTR_TEXT_FORMATS_H
#define FTR_TEXT_FORMATS_H

#include "base/err.h"
#include "record/capture/capture_formats.h"
#include "text/log/log_dump.h"

/*
 * Reads formats of events from @path: a trace file, a directory like "events" of tracefs, or a text
 * with "@@FILE SYSTEM/EVENT/format" before each format. If @path is NULL it reads them from the
 * running kernel, if that is possible. Returns 0, or -1 with @err.
 */
int text_formats_read(struct format_files *f, const char *path, struct ftr_error *err);

/*
 * Returns the release of the kernel that a text names first, "6.1.0-56-amd64": in the line of a
 * boot, of an oops, or at the head of a latency tracer. Empty if there is none.
 */
struct span_text text_kernel_release(struct span_text text);
/*
 * Returns the path of the formats of @release in the directory @path, which has those of several
 * kernels: RELEASE, RELEASE.dat or RELEASE.fmt. NULL if there are none. The caller frees it.
 */
char *text_formats_of(const char *path, struct span_text release);

#endif
