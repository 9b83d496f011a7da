/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines that are put together column by column: report --fields, and the default line where more
 * than the default stands in it (--ts-diff, --boundary, -w).
 */
#ifndef FTR_OUT_COLUMNS_H
#define FTR_OUT_COLUMNS_H

#include "out/out.h"

#define COLUMNS_MAX 64

struct columns;

/*
 * "comm,pid,time,event,next_pid": names of columns, or of event fields. A name that is neither in
 * any event of any file is an error (FTR_USAGE). NULL on failure.
 */
struct columns *columns_parse(const char *list, struct trace *const *traces, size_t nr_traces,
			      struct ftr_error *err);
/* Names of columns that are no field of an event, NULL behind the last. */
const char *columns_known(size_t i);
void columns_free(struct columns *c);
/*
 * The sink for @c (NULL: the default line) and @opts: one that can't be used by several threads
 * where a line depends on the one before.
 */
const struct out_ops *columns_ops(const struct columns *c, const struct out_opts *opts);

#endif
