/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps our own threads out of the trace. */
#ifndef FTR_RECORD_SETUP_OWN_THREADS_H
#define FTR_RECORD_SETUP_OWN_THREADS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
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

#endif
