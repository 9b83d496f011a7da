/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr extract: writes the kernel's buffers to a trace file. */
#include "base/mem.h"
#include "cmd/command_parts.h"
#include "cmd/frame/command.h"
#include "cmd/frame/tracefs_change.h"
#include "record/extract_buffers.h"

struct extract_opts {
	struct extract_plan plan;
	struct strv buffers;		/* -B: instances */
	bool all, top, quiet;
	struct buf summary;
};

#define IN(field) .off = offsetof(struct extract_opts, field)

#define BUFFER_ROW \
	{ 'B', "buffer", "INSTANCE", "use INSTANCE (repeatable)", opt_strv, IN(buffers) }
#define FILE_ROWS \
	{ 'o', "output", "FILE", "write FILE (trace.dat); an older one becomes FILE.old", opt_str, \
	  IN(plan.out_path) }, \
	{ 0, "date", NULL, "note the date: times can then be shown as time of day", \
	  opt_flag, IN(plan.date) }, \
	{ 0, "force", NULL, "continue even if others read the same buffer",	\
	  opt_flag, IN(plan.force) },	\
	{ 'q', "quiet", NULL, "print errors and warnings only", opt_flag, IN(quiet) }

static const struct opt options[] = {
	OPT_GROUP("What"),
	BUFFER_ROW,
	{ 'a', "all-instances", NULL, "use all instances", opt_flag, IN(all) },
	{ 't', "top", NULL, "with -B, -a: include the top level", opt_flag, IN(top) },
	{ 's', "snapshot", NULL, "take the snapshot instead of the buffer", opt_flag,
	  IN(plan.snapshot) },
	OPT_GROUP("The file"),
	FILE_ROWS,
	OPT_END
};

const struct opt extract_snapshot_options[] = { BUFFER_ROW, FILE_ROWS, OPT_END };

static const char *const examples[] = {
	"ftr extract",
	"ftr extract -s -o crash.dat",
	"ftr extract -a -t -o all.dat",
	NULL
};

static int make_extract(struct session *s, void *ctx, struct ftr_error *err)
{
	struct extract_opts *o = ctx;
	struct strv instances = {0}, *names = &o->plan.instances;
	size_t i;

	if (o->top || (!o->all && !o->buffers.n))
		strv_add(names, "");
	for (i = 0; i < o->buffers.n; i++)
		if (!strv_has(names, o->buffers.v[i]))
			strv_add(names, o->buffers.v[i]);
	if (o->all && tfs_instances(session_tfs(s), &instances, err))
		return -1;
	for (i = 0; i < instances.n; i++)
		if (!strv_has(names, instances.v[i]))
			strv_add(names, instances.v[i]);
	strv_release(&instances);
	if (names->n)
		return extract_run(s, &o->plan, &o->summary, err);
	err_set(err, FTR_FAILED, "there are no instances");
	return err_hint(err, "without -a the top level is meant");
}

static int extract_buffers(const struct cmd *self, int argc, char **argv, bool snapshot)
{
	struct extract_opts o = {
		.plan = { .out_path = "trace.dat", .snapshot = snapshot, .notice = cmd_notice,
			  .warn = cmd_warn },
	};
	struct ftr_error err = {0};
	int status, first = cmd_parse(self, argc, argv, &o, &status);

	if (first < 0)
		goto out;
	cmd_quiet |= o.quiet;
	if (first < argc) {
		err_set(&err, FTR_USAGE, "unexpected word '%s'", argv[first]);
		err_hint(&err, "-o names the file, -B an instance; 'ftr record' runs commands");
		status = cmd_fail(&err);
		goto out;
	}
	status = cmd_change(CHANGE_GOES, make_extract, &o);
	cmd_line(&o.summary, "");
out:
	strv_release(&o.buffers);
	strv_release(&o.plan.instances);
	buf_release(&o.summary);
	return status;
}

static int run_extract(const struct cmd *self, int argc, char **argv)
{
	return extract_buffers(self, argc, argv, false);
}

int extract_snapshot(const struct cmd *self, int argc, char **argv)
{
	return extract_buffers(self, argc, argv, true);
}

const struct cmd cmd_extract = {
	.name = "extract",
	.usage = "[OPTIONS]",
	.summary = "write the buffers, or the snapshot, into a trace file",
	.examples = examples,
	.options = options,
	.run = run_extract,
};
