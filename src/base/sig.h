/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Failing writes are errors to us, not signals; our commands decide for themselves. */
#ifndef FTR_BASE_SIG_H
#define FTR_BASE_SIG_H

/* Ignores SIGPIPE and SIGXFSZ: a reader that goes away is EPIPE, a file size limit EFBIG. */
void sig_write_errors(void);
/* Back to what we were started with: for children, whose parents do not ignore them for them. */
void sig_restore(void);

#endif
