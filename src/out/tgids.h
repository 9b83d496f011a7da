/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which process a task belongs to, where the file says it. */
#ifndef FTR_OUT_TGIDS_H
#define FTR_OUT_TGIDS_H

#include "trace/trace.h"

/* pid -> thread group, as (void *)(uintptr_t); empty where the recording did not ask for it. */
void tgids_read(struct map *tgids, const struct trace *t);

#endif
