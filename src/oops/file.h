/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes a trace.dat of a dump. */
#ifndef FTR_OOPS_FILE_H
#define FTR_OOPS_FILE_H

#include "base/err.h"
#include "oops/log/dump.h"

struct formats;

struct oops_counts {
	size_t records, events, with_fields;
};

/* Writes @path anew. @formats may be empty: all events have one field, the text, then. */
int oops_file_write(const char *path, const struct dump *d, const struct formats *formats,
		    struct oops_counts *counts, struct ftr_error *err);

#endif
