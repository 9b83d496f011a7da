/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/files/new_file.h"

#include "cmd/frame/command.h"

int set_drop(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	return rewrite_drop_parse(arg, (struct rewrite_drop *)((char *)ctx + o->off), err);
}

void notice_totals(const char *path, const struct rewrite_totals *t)
{
	struct buf line = {0};

	rewrite_add_totals(path, t, &line);
	cmd_notice("%s", line.data);
	buf_release(&line);
}
