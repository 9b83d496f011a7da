/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Address maps of traced processes, and build-ids of their files, taken while they live. */
#ifndef FTR_RECORD_PROCMAPS_H
#define FTR_RECORD_PROCMAPS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/mem.h"

/*
 * A thread of its own looks at /proc/PID/maps: often right after the start, then less and less,
 * five times a second in the end (with children: at most a twentieth of the time is spent looking).
 * The last map of a process that was not empty counts: at its end it has none.
 */
struct procmaps;

struct procmaps *procmaps_new(void);
/* Makes the thread, which waits. */
int procmaps_start(struct procmaps *m, struct ftr_error *err);
/* Looks from now on at these processes and, with @children, at those that they fork. Once. */
void procmaps_follow(struct procmaps *m, const pid_t *pids, size_t n, bool children);
/* A last look; ends the thread. The rest is for afterwards. */
void procmaps_stop(struct procmaps *m);
size_t procmaps_n(const struct procmaps *m);	/* processes that had a map */
/* The PROCMAPS option of one of them, with its NUL. */
void procmaps_option(const struct procmaps *m, size_t i, struct buf *out);
/* The same of any process, its program and what its /proc/PID/maps says. */
void procmaps_text(pid_t pid, const char *exe, const char *maps, struct buf *out);
/* "BUILDID PATH" of each file that was mapped as a program, sorted. Borrowed. */
const struct strv *procmaps_files(struct procmaps *m);
/* Processes that are left out, as there were too many. */
size_t procmaps_missing(const struct procmaps *m);
void procmaps_free(struct procmaps *m);

#endif
