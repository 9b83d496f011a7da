/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What commands share that change tracefs. */
#ifndef FTR_CMD_CHANGE_H
#define FTR_CMD_CHANGE_H

#include "base/err.h"
#include "tracefs/session/session.h"

/* What becomes of the changes when the command ends. */
enum change_end {
	CHANGE_STANDS,		/* until ftr reset: start, set, trigger, probe */
	CHANGE_GOES,		/* put back at once: hist, stream */
};

/*
 * Opens tracefs and a session, and runs @make, with SIGINT and its like
 * held: look for them by sig_held() or sig_wait(). When @make fails, or one of them came to a
 * change that was to stand, everything is put back. Says what failed; returns the exit status,
 * 128+n for a signal.
 */
int cmd_change(enum change_end end,
	       int (*make)(struct session *s, void *ctx, struct ftr_error *err), void *ctx);

#endif
