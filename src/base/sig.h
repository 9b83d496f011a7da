/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals: a failing write is an error, not a signal. Signals that end the program can be held
 * until no change is half done.
 */
#ifndef FTR_BASE_SIG_H
#define FTR_BASE_SIG_H

#include <stdint.h>

/*
 * Ignores SIGPIPE and SIGXFSZ: write() fails with EPIPE if the reader is gone, and with EFBIG at a
 * file size limit.
 */
void sig_write_errors(void);
/*
 * Handles SIGBUS: a mapped file may be truncated while it is read, for example by the recorder that
 * finishes it. The handler prints a message and exits with FTR_DAMAGED.
 */
void sig_read_errors(void);
/* Sets a function that the handler of SIGBUS calls first; NULL: none. */
void sig_on_read_error(void (*fn)(void));
/*
 * Restores the handling of SIGPIPE and SIGXFSZ that the program was started with. For child
 * processes.
 */
void sig_restore(void);

/*
 * Blocks SIGINT, SIGTERM, SIGHUP and SIGQUIT (an ignored SIGHUP stays ignored). A command that
 * changes tracefs looks for them with sig_held() where it can undo its changes.
 */
void sig_hold(void);
/* Returns a held signal that is pending, 0 if there is none. It stays pending. */
int sig_held(void);
/*
 * Waits for one of them for at most @ns nanoseconds (0: no limit) and consumes it. Returns the
 * signal, 0 on timeout.
 */
int sig_wait(uint64_t ns);

#endif
