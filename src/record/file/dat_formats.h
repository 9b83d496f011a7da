/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats of events in the form for the writer of a trace file. */
#ifndef FTR_RECORD_DAT_FORMATS_H
#define FTR_RECORD_DAT_FORMATS_H

#include <stdbool.h>
#include <stddef.h>

#include "file/write/dat_write.h"
#include "record/capture/capture_formats.h"

/*
 * Lists the built-in formats (system "ftrace") or the others, sorted by system. Returns their
 * number. The caller frees *v; the texts are borrowed.
 */
size_t dat_formats_list(const struct format_files *f, bool builtin, struct dat_write_format **v);

#endif
