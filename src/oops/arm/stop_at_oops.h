/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stops the buffers of instances when the kernel oopses, so that what led to it stays. */
#ifndef FTR_OOPS_ARM_STOP_AT_OOPS_H
#define FTR_OOPS_ARM_STOP_AT_OOPS_H

#include <stdbool.h>

#include "record/setup/choose_buffers.h"
#include "tracefs/session/session.h"

/*
 * An oops stops the top level by itself, and so does a warning with traceoff_on_warning. Has both
 * stop the instances of @pl as well, a warning if @on_warning, where the kernel can trace its own
 * functions; else nothing is done.
 */
void oops_stops_add(struct session *s, const struct rec_places *pl, bool on_warning);
/* Does an oops stop what is recorded into @instance ("" = top level)? */
bool oops_stops(const struct tfs *t, const char *instance);

#endif
