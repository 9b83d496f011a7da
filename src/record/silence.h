/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why nothing comes: what is turned off, and is none of the plan's; what the plan leaves out. */
#ifndef FTR_RECORD_SILENCE_H
#define FTR_RECORD_SILENCE_H

#include <stdbool.h>

#include "base/mem.h"
#include "record/setup/plan_apply.h"

/*
 * Looks while all is still set up, before the recording turns tracing off itself, and appends what
 * it finds to @out, with "; " between: "kprobes are off (...)". @stopped: it ended by --stop-on,
 * which turns tracing off as well. What is on costs a read or two a buffer.
 */
void silence_look(const struct tfs *t, const struct rec_setup *up, bool stopped, struct buf *out);
/*
 * Appends what -F or -P leaves out, as silence_look() does. @had_children: it is known that the
 * command had some. False: nothing is left out.
 */
bool silence_of_tasks(const struct rec_plan *p, bool had_children, struct buf *out);
/*
 * Appends that the function tracer of the plan recorded nothing, and why, as far as the plan tells.
 * @off: silence_look() has found the reason.
 */
void silence_of_tracer(const struct rec_setup *up, bool had_children, bool off, struct buf *out);

#endif
