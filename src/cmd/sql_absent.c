/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ftr sql, and --sql of ftr export, of a build without SQLite: WITHOUT_SQLITE=1, or its headers
 * were missing.
 */
#include "cmd/command_parts.h"

static const struct opt options[] = { OPT_END };

static int fail_without(struct ftr_error *err)
{
	err_set(err, FTR_FAILED, "this ftr was built without SQLite");
	return err_hint(err, "install libsqlite3-dev, and build ftr again");
}

int sql_export(const struct selection *s, const char *query, const char *format, int fd,
	       struct ftr_error *err)
{
	(void)s;
	(void)query;
	(void)format;
	(void)fd;
	return fail_without(err);
}

bool sql_has_table(const struct selection *s, const char *name)
{
	(void)s;
	(void)name;
	return false;
}

int sql_export_engine(const struct selection *s, const struct engine_export *e, int fd,
		      struct ftr_error *err)
{
	(void)s;
	(void)e;
	(void)fd;
	return fail_without(err);
}

static int run_sql(const struct cmd *self, int argc, char **argv)
{
	struct ftr_error err = {0};

	(void)self;
	(void)argc;
	(void)argv;
	fail_without(&err);
	return cmd_fail(&err);
}

const struct cmd cmd_sql = {
	.name = "sql",
	.usage = "[OPTIONS] [FILE]... [QUERY]",
	.summary = "answer queries in SQL from trace files (not in this build)",
	.options = options,
	.run = run_sql,
};
