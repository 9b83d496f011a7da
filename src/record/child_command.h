/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Forks the recorded command early, holds it until tracing is on, and waits for its end. */
#ifndef FTR_RECORD_CHILD_COMMAND_H
#define FTR_RECORD_CHILD_COMMAND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* Exit statuses for failures before the command runs, as in env(1) and timeout(1). */
enum { CHILD_FAILED = 125, CHILD_NOT_EXECUTABLE = 126, CHILD_NOT_FOUND = 127 };

struct child_command {
	pid_t pid;			/* 0 if there is no child */
	int   go_fd;			/* write end of a socket: one byte starts the command */
	int   exec_fd;	/* read end of a pipe: errno of exec; end of file if exec worked */
	bool  own_session;	/* it has a separate session: the terminal sends it no signals */
	bool  had_children;		/* it ended, and had waited for children */
};

/*
 * Forks a child that waits. It keeps our process group and terminal, and the signal dispositions
 * that we were started with. If @user is not NULL, the child takes uid, gid and groups of that user
 * before exec; if that is another user, it has a separate session without a terminal. The command
 * is looked up (PATH) now, before any change of tracefs. Returns 0, or -1 with err->code
 * CHILD_NOT_FOUND, CHILD_NOT_EXECUTABLE or CHILD_FAILED.
 */
int child_fork(struct child_command *c, char *const argv[], const char *user,
	       struct ftr_error *err);
/* Starts the command. Returns 0, or -1 with err->code 126 or 127 if exec fails. */
int child_release(struct child_command *c, struct ftr_error *err);
/* Ends and reaps a child that was not started. */
void child_cancel(struct child_command *c);

/*
 * Signals, for record with and without a command. child_signals_init() blocks SIGINT, SIGTERM,
 * SIGHUP, SIGQUIT, SIGCHLD and routes them to a signalfd. Call it before threads are made. Returns
 * 0, or -1 with @err.
 */
enum child_event { CHILD_EXITED, CHILD_STOP, CHILD_TIMEOUT, CHILD_TICK };
int child_signals_init(struct ftr_error *err);
/*
 * Waits for the command's end (*status gets its exit status, 128+n if a signal ended it), a signal
 * that ends the recording, or @timeout_ns (0 if none). The terminal sends SIGINT to the command,
 * too: the first one does not end the wait, a second one stops the recording. Signals sent to us
 * alone (si_code SI_USER, and SIGHUP of a terminal whose session we lead) are forwarded to the
 * command. If there is no command, the first signal is CHILD_STOP. Returns CHILD_TICK after
 * @tick_ns (0 if none). Both times count from the call. *signo gets the last signal, 0 if none. @c
 * may be NULL or have no command.
 */
enum child_event child_wait(struct child_command *c, uint64_t timeout_ns, uint64_t tick_ns,
			    int *status, int *signo);

#endif
