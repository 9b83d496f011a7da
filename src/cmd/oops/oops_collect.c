/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr oops collect: makes a file of the trace that survived a crash. */
#include "oops/collect/collect.h"

#include <stddef.h>

#include "base/text.h"
#include "cmd/oops/oops_verbs.h"

#define KEEP_MAX 100000

struct oops_collect_args {
	struct collect_plan plan;
	bool quiet;
};

static int set_keep(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct oops_collect_args *c = ctx;
	int64_t n;

	(void)o;
	if (text_number(arg, 0, KEEP_MAX, &n))
		return err_set(err, FTR_USAGE,
			       "--keep takes a number of files, 0 for all, not '%s'", arg);
	c->plan.keep = n;
	return 0;
}

const struct opt oops_collect_options[] = {
	{ 'B', "buffer", "INSTANCE", "take INSTANCE, whatever stopped it", opt_str,
	  offsetof(struct oops_collect_args, plan.instance) },
	{ 0, "dir", "DIR", "find fronts in DIR, write files there (" OOPS_DIR ")", opt_str,
	  offsetof(struct oops_collect_args, plan.dir) },
	{ 0, "keep", "N", "keep the newest N collected files (10); 0: all",
	  set_keep, 0 },
	{ 0, "if-any", NULL, "end with 0 though no crash left a trace", opt_flag,
	  offsetof(struct oops_collect_args, plan.if_any) },
	{ 'q', "quiet", NULL, "print errors and warnings only", cmd_set_quiet,
	  offsetof(struct oops_collect_args, quiet) },
	OPT_END
};

int oops_collect(const struct cmd *self, int argc, char **argv)
{
	struct oops_collect_args c = { .plan = { .dir = OOPS_DIR, .keep = 10, .notice = cmd_notice,
					  .warn = cmd_warn, .damages = cmd_damages } };
	struct buf path = {0}, summary = {0};
	struct ftr_error err = {0};
	int status, first = cmd_parse(self, argc, argv, &c, &status), ret;
	struct tfs t;

	if (first < 0)
		return status;
	if (first < argc) {
		err_set(&err, FTR_USAGE, "unexpected word '%s'", argv[first]);
		err_hint(&err, "-B names the buffer, --dir the directory");
		return cmd_fail(&err);
	}
	if (line_wanted(false) && !cmd_quiet)
		c.plan.line = line_show;
	if (tfs_open(&t, &err))
		return cmd_fail(&err);
	ret = collect_run(&t, &c.plan, &path, &summary, &err);
	tfs_close(&t);
	line_end();
	status = ret < 0 ? cmd_fail(&err) : ret ? FTR_DAMAGED : FTR_OK;
	if (summary.len)
		cmd_notice("%s", summary.data);
	if (ret >= 0 && path.len)
		cmd_print("%s\n", path.data);
	else if (!ret)
		cmd_notice("%s", err.msg);
	buf_release(&path);
	buf_release(&summary);
	return status;
}
