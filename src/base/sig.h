/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals: failing writes are errors to us, and what asks us to end waits until nothing is half
 * done.
 */
#ifndef FTR_BASE_SIG_H
#define FTR_BASE_SIG_H

#include <stdint.h>

/* Ignores SIGPIPE and SIGXFSZ: a reader that goes away is EPIPE, a file size limit EFBIG. */
void sig_write_errors(void);
/*
 * A file that is mapped may be cut short meanwhile, as by a recorder that finishes it (SIGBUS): it
 * is said, and the status is that of damage.
 */
void sig_read_errors(void);
/* Called first then, from the handler; NULL: nothing is. */
void sig_on_read_error(void (*fn)(void));
/* Back to what we were started with: for children, whose parents do not ignore them for them. */
void sig_restore(void);

/*
 * From now on SIGINT, SIGTERM, SIGHUP and SIGQUIT wait (a SIGHUP that is ignored stays ignored):
 * a command that changes tracefs looks for them where it can be undone.
 */
void sig_hold(void);
/* The one that waits, 0 if none does. It goes on waiting. */
int sig_held(void);
/* Waits for one, at most @ns (0: without end), and takes it. 0 when the time is over. */
int sig_wait(uint64_t ns);

#endif
