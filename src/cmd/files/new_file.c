/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/files/new_file.h"

#include "cmd/frame/command.h"
#include "cmd/frame/selection.h"

int set_drop(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	return rewrite_drop_parse(arg, (struct rewrite_drop *)((char *)ctx + o->off), err);
}

int set_in_and_out(const char **in, const char **out, const char *name, int argc, char **argv,
		   int first, struct ftr_error *err)
{
	if (first < argc && !*out)
		*out = argv[--argc];
	if (first < argc && !*in)
		*in = argv[first++];
	if (first < argc)
		return err_set(err, FTR_USAGE, "unexpected word '%s'", argv[first]);
	*in = *in ? *in : TRACE_FILE;
	if (*out)
		return 0;
	err_set(err, FTR_USAGE, "the new file has no name");
	return err_hint(err, "'ftr %s FILE NEW-FILE'", name);
}

void notice_totals(const char *path, const struct rewrite_totals *t)
{
	struct buf line = {0};

	rewrite_add_totals(path, t, &line);
	cmd_notice("%s", line.data);
	buf_release(&line);
}
