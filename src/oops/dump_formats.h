/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the formats of the events in a dump. */
#ifndef FTR_OOPS_DUMP_FORMATS_H
#define FTR_OOPS_DUMP_FORMATS_H

#include "base/err.h"
#include "record/capture/capture_formats.h"

/*
 * @path: a trace file, a folder like "events" of tracefs, or a text with "@@FILE
 * SYSTEM/EVENT/format" before each format. NULL: the running kernel, if its formats can be read. -1
 * with @err.
 */
int oops_formats_read(struct formats *f, const char *path, struct ftr_error *err);

#endif
