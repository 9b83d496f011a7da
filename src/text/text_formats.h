/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads formats of events for the texts that are encoded with them. */
#ifndef FTR_TEXT_FORMATS_H
#define FTR_TEXT_FORMATS_H

#include "base/err.h"
#include "record/capture/capture_formats.h"

/*
 * Reads formats of events from @path: a trace file, a directory like "events" of tracefs, or a text
 * with "@@FILE SYSTEM/EVENT/format" before each format. If @path is NULL it reads them from the
 * running kernel, if that is possible. Returns 0, or -1 with @err.
 */
int text_formats_read(struct format_files *f, const char *path, struct ftr_error *err);

#endif
