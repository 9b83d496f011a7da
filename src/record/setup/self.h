/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps our own threads out of the trace. */
#ifndef FTR_RECORD_SELF_H
#define FTR_RECORD_SELF_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "tracefs/session/session.h"

/*
 * Adds all threads of this process, and the process @also, to set_ftrace_notrace_pid and
 * set_event_notrace_pid of @instance, where the kernel has these files. To be called when the
 * threads run and before the command does: threads and processes made later are not covered.
 * sched_switch from and to other tasks is traced all the same.
 */
int self_hide(struct session *s, const char *instance, pid_t also, struct ftr_error *err);

/*
 * The same for threads that were started later, while tracing goes on. What self_hide() had noted
 * for the time afterwards holds. @only: there is nothing of others in the lists, so that those of
 * threads that have ended leave them.
 */
void self_hide_again(const struct tfs *t, const char *instance, pid_t also, bool only);

#endif
