/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The process of each task, if the file has it. */
#ifndef FTR_OUTPUT_TASK_TGIDS_H
#define FTR_OUTPUT_TASK_TGIDS_H

#include "trace/trace.h"

/*
 * Fills @tgids: pid -> thread group, as (void *)(uintptr_t). It stays empty if they were not
 * recorded.
 */
void tgids_read(struct map *tgids, const struct trace *t);

#endif
