/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr convert: writes a trace file with another version, another compression, or less metadata. */
#include <stdlib.h>
#include <string.h>

#include "cmd/files/new_file.h"
#include "cmd/frame/command.h"
#include "cmd/frame/selection.h"
#include "cmd/frame/trace_input.h"
#include "rewrite/rewrite.h"

struct convert_args {
	const char *in, *out;
	int version;
	struct compress_opts packing;
	bool packing_set, quiet;
	struct rewrite_drop drop;
};

/* --- options */

static int set_version(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	static const char *const words[] = { "6", "7", NULL };
	struct convert_args *a = ctx;
	int word = opt_word(o, arg, words, err);

	if (word < 0)
		return -1;
	a->version = 6 + word;
	return 0;
}

static int set_packing(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct convert_args *a = ctx;

	a->packing_set = true;
	if (!strcmp(arg, "any")) {
		a->packing = packing_of_metadata();
		a->packing.data = true;
	} else if (packing_parse(arg, &a->packing)) {
		return err_set(err, FTR_USAGE, "--%s takes none, zstd, zlib, zstd:LEVEL (1 to 22), "
			       "zlib:LEVEL (1 to 9) or any, not '%s'", o->name, arg);
	}
	return 0;
}

#define AT(member) .off = offsetof(struct convert_args, member)
static const struct opt options[] = {
	{ 'i', "input", "FILE", "read FILE (default " TRACE_FILE "; -: standard input)", opt_str,
	  AT(in) },
	{ 'o', "output", "FILE", "write FILE; an older one becomes FILE.old", opt_str, AT(out) },
	{ 0, "file-version", "N", "write file version 6 or 7 (default)", set_version, 0 },
	{ 0, "compression", "HOW", "none, zstd, zlib, zstd:LEVEL, any (default: as the input)",
	  set_packing, 0 },
	DROP_OPTION(offsetof(struct convert_args, drop)),
	{ 'q', "quiet", NULL, "print errors and warnings only", opt_flag, AT(quiet) },
	OPT_END
};

static const char *const examples[] = {
	"ftr convert trace.dat small.dat --compression zstd --drop formats",
	"ftr convert --file-version 6 trace.dat old.dat      for old readers",
	"ftr convert --compression none trace.dat plain.dat",
	NULL
};

static int set_operands(struct convert_args *a, int argc, char **argv, int first,
			struct ftr_error *err)
{
	if (set_in_and_out(&a->in, &a->out, "convert", argc, argv, first, err))
		return -1;
	if (a->version != 6 || !a->packing.name)
		return 0;
	return err_set(err, FTR_USAGE, "files of version 6 are not compressed");
}

/* --- the file */

static void notice_v6_lacks(struct trace *t, const char *path)
{
	struct buf lacks = {0};

	if (rewrite_v6_lacks(t->dat, &lacks))
		cmd_notice("%s: version 6 has no place for: %s", path, lacks.data);
	buf_release(&lacks);
}

static int convert_trace(const struct convert_args *a, struct trace *t, struct ftr_error *err)
{
	struct rewrite_plan p = {
		.path = a->out, .format = rewrite_format_of(t->dat), .meta = t, .drop = a->drop,
		.keep_empty = true,
	};
	struct rewrite_totals sum;
	int ret;

	p.n = rewrite_buffers_all(t, &p.bufs);
	p.format.version = a->version;
	if (a->packing_set)
		p.format.packing = a->packing;
	ret = rewrite_file(&p, &sum, err);
	if (!ret) {
		notice_totals(a->out, &sum);
		if (a->version == 6)
			notice_v6_lacks(t, a->out);
	}
	rewrite_buffers_free(p.bufs, p.n);
	return ret;
}

static int run_convert(const struct cmd *self, int argc, char **argv)
{
	struct convert_args a = { .version = 7 };
	struct ftr_error err = {0};
	struct trace *t = NULL;
	int status, first = cmd_parse(self, argc, argv, &a, &status);

	if (first < 0)
		return status;
	cmd_quiet |= a.quiet;
	status = FTR_OK;
	if (set_operands(&a, argc, argv, first, &err) || !(t = trace_open_last(a.in, &err)) ||
	    convert_trace(&a, t, &err))
		status = cmd_fail(&err);
	if (t && cmd_damages(trace_damages(t)) && !status)
		status = FTR_DAMAGED;
	trace_close(t);
	return status;
}

const struct cmd cmd_convert = {
	.name = "convert",
	.usage = "[OPTIONS] [FILE] NEW-FILE",
	.summary = "change the version or the compression of a trace file",
	.examples = examples,
	.options = options,
	.run = run_convert,
};
