/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The formats of events that a dump may have. */
#ifndef FTR_OOPS_FORMATS_H
#define FTR_OOPS_FORMATS_H

#include "base/err.h"
#include "record/capture/formats.h"

/*
 * Of a trace file, a folder as tracefs' events, or a text with "@@FILE SYSTEM/EVENT/format" before
 * each; NULL: of the running kernel, if they can be read.
 */
int oops_formats_read(struct formats *f, const char *path, struct ftr_error *err);

#endif
