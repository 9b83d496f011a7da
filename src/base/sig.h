/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SIGPIPE: ignored by us, but not by the commands that we start. */
#ifndef FTR_BASE_SIG_H
#define FTR_BASE_SIG_H

/* Ignores SIGPIPE, so that a reader that goes away shows as EPIPE. */
void sig_ignore_pipe(void);
/* Back to what we were started with: for children, whose parents do not ignore it for them. */
void sig_restore_pipe(void);

#endif
