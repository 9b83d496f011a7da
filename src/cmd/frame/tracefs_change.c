/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a change of tracefs: it stands in full, or nothing of it does. */
#include "cmd/frame/tracefs_change.h"

#include <string.h>

#include "base/sig.h"
#include "cmd/frame/command.h"
#include "tracefs/files/tfs.h"

static int check_held_signal(struct ftr_error *err)
{
	int sig = sig_held();

	if (!sig)
		return 0;
	err_set(err, 128 + sig, "interrupted (%s)", strsignal(sig));
	return err_hint(err, "tracefs is as it was before");
}

static int in_session(struct session *s, enum change_end end,
		      int (*make)(struct session *s, void *ctx, struct ftr_error *err), void *ctx)
{
	struct ftr_error err = {0}, later = {0};
	int ret = end == CHANGE_STANDS ? session_stand_alone(s, &err) : 0;

	if (!ret)
		ret = make(s, ctx, &err);
	if (!ret && end == CHANGE_STANDS)
		ret = check_held_signal(&err) ? -1 : session_stand(s, &err);
	ret = ret ? cmd_fail(&err) : FTR_OK;
	if (session_close(s, &later))
		ret = ret ? ret : cmd_fail(&later);
	return ret;
}

int cmd_change(enum change_end end,
	       int (*make)(struct session *s, void *ctx, struct ftr_error *err), void *ctx)
{
	struct ftr_error err = {0};
	struct session *s;
	struct tfs tfs;
	int status;

	sig_hold();
	if (tfs_open(&tfs, &err))
		return cmd_fail(&err);
	s = session_open(&tfs, &err);
	status = s ? in_session(s, end, make, ctx) : cmd_fail(&err);
	tfs_close(&tfs);
	return status;
}
