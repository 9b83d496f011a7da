/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr sql of a build without SQLite: WITHOUT_SQLITE=1, or its headers were missing. */
#include "cmd/frame/command.h"

static const struct opt options[] = { OPT_END };

static int run_sql(const struct cmd *self, int argc, char **argv)
{
	struct ftr_error err = {0};

	(void)self;
	(void)argc;
	(void)argv;
	err_set(&err, FTR_FAILED, "this ftr was built without SQLite");
	err_hint(&err, "install libsqlite3-dev, and build ftr again");
	return cmd_fail(&err);
}

const struct cmd cmd_sql = {
	.name = "sql",
	.usage = "[OPTIONS] [FILE]... [QUERY]",
	.summary = "answer queries in SQL from trace files (not in this build)",
	.options = options,
	.run = run_sql,
};
