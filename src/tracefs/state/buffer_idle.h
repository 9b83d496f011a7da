/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks if a buffer is free to use. */
#ifndef FTR_TRACEFS_STATE_BUFFER_IDLE_H
#define FTR_TRACEFS_STATE_BUFFER_IDLE_H

#include "tracefs/files/tfs.h"

/*
 * Returns true if the top level or @instance is free to use: tracer nop, no event enabled, an empty
 * buffer, and no reader of trace_pipe*. If not, *why (may be NULL; the caller frees) has the
 * reason: "tracer 'function' is set", "the buffer holds 120 events", "'cat' (pid 77) reads
 * trace_pipe". *why is NULL if it is idle.
 */
bool tfs_idle(const struct tfs *t, const char *instance, char **why);
/* The same, but ignores triggers that this user's ftr trigger added. */
bool tfs_idle_but_ours(const struct tfs *t, const char *instance, char **why);

#endif
