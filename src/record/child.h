/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recorded command: forked early, held until tracing is on, waited for. */
#ifndef FTR_RECORD_CHILD_H
#define FTR_RECORD_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* Exit statuses for what went wrong before the command ran; as env(1) and timeout(1) have them. */
enum { CHILD_FAILED = 125, CHILD_NOT_EXECUTABLE = 126, CHILD_NOT_FOUND = 127 };

struct child {
	pid_t pid;			/* 0 = none */
	int   go_fd;			/* write end: a byte releases it */
	int   exec_fd;			/* read end: why exec failed; end of file when it worked */
	bool  own_session;		/* the terminal's signals do not reach it by themselves */
};

/*
 * Forks. The child keeps our process group, terminal, and the signal dispositions that we were
 * started with, and waits. @user (may be NULL): uid, gid and groups of that user are taken before
 * exec, and if that user is not us, the child has a session of its own, without a terminal. The
 * command is looked up (PATH) before anything is changed in tracefs: -1 with err->code
 * CHILD_NOT_FOUND / CHILD_NOT_EXECUTABLE.
 */
int child_fork(struct child *c, char *const argv[], const char *user, struct ftr_error *err);
/* Lets it run. -1 with err->code 126 or 127 when exec failed after all. */
int child_release(struct child *c, struct ftr_error *err);
/* It must not run: ends and reaps it. */
void child_cancel(struct child *c);

/*
 * Signals, for record with and without a command. child_signals_init() blocks SIGINT, SIGTERM,
 * SIGHUP, SIGQUIT, SIGCHLD before threads are made and routes them to a signalfd.
 */
enum child_event { CHILD_EXITED, CHILD_STOP, CHILD_TIMEOUT, CHILD_TICK };
int child_signals_init(struct ftr_error *err);
/*
 * Waits for: the command's end (*status = its exit status, 128+n for a signal), a signal that ends
 * the recording, or @timeout_ns (0 = none). SIGINT from the terminal reaches the command by itself:
 * we go on waiting for it, a second one stops the recording; signals sent to us alone (si_code
 * SI_USER, and SIGHUP of a terminal whose session we lead) are passed on to the command. Without a
 * command the first signal is CHILD_STOP. Returns CHILD_TICK after @tick_ns (0 = none). Both times
 * count from the call. *signo tells which signal came last, 0 for none. @c may be NULL or hold no
 * command.
 */
enum child_event child_wait(struct child *c, uint64_t timeout_ns, uint64_t tick_ns, int *status,
			    int *signo);

#endif
