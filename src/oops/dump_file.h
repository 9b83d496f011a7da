/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a dump as a trace.dat file. */
#ifndef FTR_OOPS_DUMP_FILE_H
#define FTR_OOPS_DUMP_FILE_H

#include "base/err.h"
#include "oops/dump_records.h"
#include "oops/log/log_dump.h"

struct formats;

/*
 * Writes a new file @path. If @formats is empty all events get one field, the text. @lines: more
 * lines "key=value" for it, or NULL. -1 with @err.
 */
int oops_file_write(const char *path, const struct dump *d, const struct formats *formats,
		    const struct buf *lines, struct oops_counts *counts, struct ftr_error *err);

#endif
