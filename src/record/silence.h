/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why nothing comes: what is turned off, and is none of the plan's. */
#ifndef FTR_RECORD_SILENCE_H
#define FTR_RECORD_SILENCE_H

#include <stdbool.h>

#include "base/mem.h"
#include "record/setup/setup.h"

/*
 * Looks while all is still set up, before the recording turns tracing off itself, and appends what
 * it finds to @out, with "; " between: "kprobes are off (...)". @stopped: it ended by --stop-on,
 * which turns tracing off as well. What is on costs a read or two a buffer.
 */
void silence_look(const struct tfs *t, const struct rec_setup *up, bool stopped, struct buf *out);

#endif
