/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pid lists of events and functions, which select the tasks to trace. */
#ifndef FTR_TRACEFS_VERBS_PID_LISTS_H
#define FTR_TRACEFS_VERBS_PID_LISTS_H

#include <stdbool.h>

#include "tracefs/session/session.h"

enum pid_list {
	PIDS_EVENT,			/* set_event_pid */
	PIDS_EVENT_NOTRACE,
	PIDS_FUNCTION,			/* set_ftrace_pid */
	PIDS_FUNCTION_NOTRACE,
	N_PID_LISTS
};

enum pids_how { PIDS_SET, PIDS_ADD, PIDS_REMOVE };

/* A change of pid lists. */
struct pids_change {
	const char *instance;		/* NULL = top */
	bool lists[N_PID_LISTS];
	enum pids_how how;
	struct strv pids;		/* empty with PIDS_SET: clears the lists */
	bool children;			/* event-fork, function-fork: the kernel adds children */
};

/* Appends the pids of one list; none if the kernel lacks the file. Returns 0, or -1 with @err. */
int pids_read(const struct tfs *t, const char *instance, enum pid_list list, struct strv *out,
	      struct ftr_error *err);
bool pids_available(const struct tfs *t, const char *instance, enum pid_list list);
/* True if the kernel adds children to the lists of events or, @of_functions, of functions. */
bool pids_follow(const struct tfs *t, const char *instance, bool of_functions);
/* Returns 0, or -1 with @err. */
int pids_change(struct session *s, const struct pids_change *c, struct ftr_error *err);

#endif
