/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SIGPIPE: ignored by us, but not by the commands that we start. */
#include "base/sig.h"

#include <signal.h>
#include <stddef.h>

static struct sigaction pipe_before;

void sig_ignore_pipe(void)
{
	struct sigaction ign = { .sa_handler = SIG_IGN };

	sigaction(SIGPIPE, &ign, &pipe_before);
}

void sig_restore_pipe(void)
{
	sigaction(SIGPIPE, &pipe_before, NULL);
}
