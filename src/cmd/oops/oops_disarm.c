/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr oops disarm: puts back what ftr oops arm changed. */
#include "base/sig.h"
#include "cmd/frame/buffer_options.h"
#include "cmd/oops/oops_verbs.h"
#include "oops/arm/arm.h"

struct disarm {
	bool quiet;
};

const struct opt oops_disarm_options[] = {
	OPT_GROUP("Messages"),
	{ 'q', "quiet", NULL, "print errors and warnings only", cmd_set_quiet,
	  offsetof(struct disarm, quiet) },
	OPT_END
};

static int disarm(struct tfs *t)
{
	struct ftr_error err = {0};
	struct strv others = {0};
	size_t i, n;
	int ret = oops_disarm(t, &n, &others, &err);

	for (i = 0; i < others.n; i++)
		cmd_say("%s", others.v[i]);
	strv_release(&others);
	if (ret)
		return cmd_fail(&err);
	if (n)
		cmd_say("put back %zu change%s", n, n == 1 ? "" : "s");
	else
		cmd_say("nothing is armed");
	return FTR_OK;
}

int oops_disarm_now(const struct cmd *self, int argc, char **argv)
{
	struct ftr_error err = {0};
	struct disarm d = {0};
	struct tfs tfs;
	int status, first = cmd_parse(self, argc, argv, &d, &status);

	if (first < 0)
		return status;
	status = no_operands(self, first, argc, argv);
	if (status)
		return status;
	sig_hold();
	if (tfs_open(&tfs, &err))
		return cmd_fail(&err);
	status = disarm(&tfs);
	tfs_close(&tfs);
	return status;
}
