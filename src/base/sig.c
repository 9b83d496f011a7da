/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Failing writes are errors to us, not signals; our commands decide for themselves. */
#include "base/sig.h"

#include <signal.h>
#include <stddef.h>

static const int signals[] = { SIGPIPE, SIGXFSZ };
static struct sigaction before[sizeof(signals) / sizeof(*signals)];

void sig_write_errors(void)
{
	struct sigaction ign = { .sa_handler = SIG_IGN };
	size_t i;

	for (i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &ign, &before[i]);
}

void sig_restore(void)
{
	size_t i;

	for (i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &before[i], NULL);
}
