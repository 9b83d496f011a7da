/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which tasks and CPUs a buffer has no events of. */
#ifndef FTR_RECORD_CAPTURE_CAPTURE_FILTERS_H
#define FTR_RECORD_CAPTURE_CAPTURE_FILTERS_H

#include "record/capture/capture.h"

/*
 * Notes what set_event_pid, set_event_notrace_pid, options/event-fork and tracing_cpumask of
 * @instance (NULL: top level) are now, where they limit what is recorded. The file has them as keys
 * of these names (file/read/dat.h) for its buffer @name. A second call replaces what the first
 * noted.
 */
void filters_note(struct capture *c, const char *name, const char *instance);

#endif
