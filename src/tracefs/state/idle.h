/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a buffer is free to use. */
#ifndef FTR_TRACEFS_IDLE_H
#define FTR_TRACEFS_IDLE_H

#include "tracefs/files/tfs.h"

/*
 * Is the top level (or instance) free to use: tracer nop, no event enabled, nothing in the buffer,
 * no reader of trace_pipe*? *why (caller frees) says what is in the way, e.g. "tracer 'function'
 * is set", "the buffer holds 120 events", "'cat' (pid 77) reads trace_pipe"; NULL when idle.
 */
bool tfs_idle(const struct tfs *t, const char *instance, char **why);
/* The same for who sets up beside what this user's ftr trigger added and stands. */
bool tfs_idle_but_ours(const struct tfs *t, const char *instance, char **why);

#endif
