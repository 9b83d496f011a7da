/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr recover: finishes the trace files of killed recorders. */
#include "record/rescue/rescue.h"

#include <string.h>

#include "cmd/frame/command.h"

struct recover_opts {
	struct recover_plan plan;
	bool quiet;
};

static int set_recover_packing(void *ctx, const struct opt *o, const char *arg,
			       struct ftr_error *err)
{
	struct recover_opts *opts = ctx;

	if (!strcmp(arg, "any"))
		opts->plan.packing = packing_of_metadata();
	else if (packing_parse(arg, &opts->plan.packing))
		return err_set(err, FTR_USAGE, "--%s takes none, zstd, zlib, zstd:LEVEL (1 to 22), "
			       "zlib:LEVEL (1 to 9) or any, not '%s'", o->name, arg);
	return 0;
}

#define AT(member) .off = offsetof(struct recover_opts, member)
static const struct opt options[] = {
	{ 'o', "output", "FILE", "write a new FILE instead; an older one becomes FILE.old",
	  opt_str, AT(plan.out_path) },
	{ 0, "from", "FILE", "take formats, symbols, task names from this trace file",
	  opt_str, AT(plan.from) },
	{ 0, "compression", "HOW", "compress formats and symbols: none, zstd, zlib, zstd:LEVEL",
	  set_recover_packing, 0 },
	{ 'q', "quiet", NULL, "print errors and warnings only", opt_flag, AT(quiet) },
	OPT_END
};

static const char *const examples[] = {
	"ftr recover trace.dat                        finish trace.dat",
	"ftr recover trace.dat -o whole.dat           write another file",
	"ftr recover trace.dat.cpu* -o trace.dat      what trace-cmd record left",
	NULL
};

static int run_recover(const struct cmd *self, int argc, char **argv)
{
	struct recover_opts o = {
		.plan = { .notice = cmd_notice, .warn = cmd_warn, .damages = cmd_damages,
			  .packing = packing_of_metadata() },
	};
	struct strv files = {0};
	struct ftr_error err = {0};
	struct buf summary = {0};
	int status, first = cmd_parse(self, argc, argv, &o, &status), ret;

	if (first < 0)
		goto out;
	cmd_quiet |= o.quiet;
	for (; first < argc; first++)
		strv_add(&files, argv[first]);
	if (!files.n)
		strv_add(&files, "trace.dat");
	o.plan.files = &files;
	ret = recover_run(&o.plan, &summary, &err);
	status = ret < 0 ? cmd_fail(&err) : ret ? FTR_DAMAGED : FTR_OK;
	if (summary.len)
		cmd_notice("%s", summary.data);
out:
	strv_release(&files);
	buf_release(&summary);
	return status;
}

const struct cmd cmd_recover = {
	.name = "recover",
	.usage = "[OPTIONS] [FILE | NAME.cpuN...]",
	.summary = "finish a trace file whose recorder was killed",
	.examples = examples,
	.options = options,
	.run = run_recover,
};
