/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps our own activity out of the trace: our threads, and the writes of a recording. */
#ifndef FTR_RECORD_SETUP_OWN_ACTIVITY_H
#define FTR_RECORD_SETUP_OWN_ACTIVITY_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/mem.h"
#include "record/setup/plan.h"
#include "tracefs/session/session.h"

/*
 * Adds all threads of this process, and the process @also, to set_ftrace_notrace_pid and
 * set_event_notrace_pid of @instance, where the kernel has these files. Call it when the threads
 * run, before the command does: later threads and processes are not covered. sched_switch from and
 * to other tasks is still traced.
 */
int self_hide(struct session *s, const char *instance, pid_t also, struct ftr_error *err);

/*
 * The same for threads started later, during tracing. The notes of self_hide() for restoring stay
 * valid. @only: the lists have no pids of others, so pids of threads that have ended are removed.
 */
void self_hide_again(const struct tfs *t, const char *instance, pid_t also, bool only);

/*
 * Our own threads are hidden, but not the work of kernel threads for them: journal, writeback, disk
 * driver. True if some of @enabled ("system/event") or of the functions of @p belong to the file
 * system or the disk of the file @fd; it then appends a warning to @out. False if only some tasks
 * are traced.
 */
bool near_traced(const struct rec_plan *p, int fd, const struct strv *enabled, struct buf *out);
/*
 * Its parser: finds the type of the file system and its device in the lines of
 * /proc/self/mountinfo.
 */
bool near_mount(const char *mountinfo, unsigned int major, unsigned int minor, struct buf *type,
		struct buf *device);

#endif
