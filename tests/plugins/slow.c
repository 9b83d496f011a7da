/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Texts of switches and wakings take long, but in the first thread of a program: it draws. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

#include "ftr/plugin.h"

static int64_t us;

static int format(const struct ftr_record *r, struct ftr_out *out, void *priv)
{
	(void)priv;
	if (syscall(SYS_gettid) != getpid())
		usleep(us);
	ftr_out_default(out, r);
	return FTR_DONE;
}

static const struct ftr_option options[] = {
	{ "us", FTR_INT, &us, "1000", "so many microseconds" },
	{ .name = NULL },
};

static const struct ftr_formatter formatters[] = {
	{ "sched", "sched_*", NULL, NULL, format, NULL },
	{ .event = NULL },
};

const struct ftr_plugin ftr_plugin = {
	FTR_PLUGIN_HEAD, .name = "slow", .options = options, .formatters = formatters,
};
