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
 * set_event_notrace_pid of @instance, if the kernel has these files. Call it when the threads run,
 * before the command does: later threads and processes are not covered. sched_switch from and to
 * other tasks is still traced. Returns 0, or -1 with @err.
 */
int own_threads_hide(struct session *s, const char *instance, pid_t also, struct ftr_error *err);

/*
 * The same for threads that were started later, during tracing. The notes of own_threads_hide() for
 * restoring stay valid. If @only, the lists have no pids of others, so pids of threads that have
 * ended are removed.
 */
void own_threads_hide_again(const struct tfs *t, const char *instance, pid_t also, bool only);

/*
 * Our threads are hidden, but not the work of kernel threads for them: journal, writeback, disk
 * driver. Returns true if some of @enabled ("system/event") or of the functions of @p belong to the
 * file system or the disk of the file @fd; it then appends a warning to @out. Returns false if only
 * some tasks are traced.
 */
bool own_writes_traced(const struct rec_plan *p, int fd, const struct strv *enabled,
		       struct buf *out);
/*
 * Finds the type of the file system and its device in the lines of /proc/self/mountinfo. Returns
 * false if the device number is not found.
 */
bool mountinfo_find(const char *mountinfo, unsigned int major, unsigned int minor, struct buf *type,
		    struct buf *device);

#endif
