/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by commands that change tracefs. */
#ifndef FTR_CMD_FRAME_TRACEFS_CHANGE_H
#define FTR_CMD_FRAME_TRACEFS_CHANGE_H

#include "base/err.h"
#include "tracefs/session/session.h"

/* What happens to the changes at the end of the command. */
enum change_end {
	CHANGE_STANDS,		/* they stay until ftr reset: start, set, trigger, probe */
	CHANGE_GOES,		/* they are restored at once: hist, stream */
};

/*
 * Opens tracefs and a session and runs @make, with the signals of sig_hold() held: check for them
 * with sig_held() or sig_wait(). If @make fails, or a signal arrives during a CHANGE_STANDS,
 * everything is restored. Prints the error. Returns the exit status, 128+n for a signal.
 */
int cmd_change(enum change_end end,
	       int (*make)(struct session *s, void *ctx, struct ftr_error *err), void *ctx);

#endif
