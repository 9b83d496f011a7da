/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr mark: writes a user's record into the trace. */
#include <stddef.h>

#include "base/text.h"
#include "cmd/frame/command.h"
#include "tracefs/verbs/trace_marker.h"

struct mark_args {
	const char *instance;
	int64_t raw;			/* number for trace_marker_raw; -1: write text */
};

static int set_raw(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	(void)o;
	return text_number(arg, 0, UINT32_MAX, &((struct mark_args *)ctx)->raw) ?
		err_set(err, FTR_USAGE, "--raw takes a number of 32 bits, not '%s'", arg) : 0;
}

static const struct opt options[] = {
	{ 'B', "buffer", "INSTANCE", "write into INSTANCE instead of the top level", opt_str,
	  offsetof(struct mark_args, instance) },
	{ 0, "raw", "ID", "write bytes behind the number ID (trace_marker_raw)", set_raw, 0 },
	OPT_END
};

static const char *const examples[] = {
	"ftr mark the test begins",
	"ftr mark -B net 'link is down'",
	"ftr mark --raw 7 abcd",
	NULL
};

static int run_mark(const struct cmd *self, int argc, char **argv)
{
	struct mark_args m = { .raw = -1 };
	struct ftr_error err = {0};
	struct buf text = {0};
	struct tfs t;
	int status, i, ret, first = cmd_parse(self, argc, argv, &m, &status);

	if (first < 0)
		return status;
	if (first == argc || !*argv[first]) {
		err_set(&err, FTR_USAGE, "no text was given");
		err_hint(&err, "ftr mark TEXT");
		return cmd_fail(&err);
	}
	for (i = first; i < argc; i++)
		buf_printf(&text, "%s%s", i > first ? " " : "", argv[i]);
	ret = tfs_open(&t, &err);
	if (!ret) {
		ret = m.raw < 0 ? mark_text(&t, m.instance, text.data, &err)
				: mark_raw(&t, m.instance, m.raw, text.data, &err);
		tfs_close(&t);
	}
	status = ret ? cmd_fail(&err) : FTR_OK;
	buf_release(&text);
	return status;
}

const struct cmd cmd_mark = {
	.name = "mark",
	.usage = "[-B INSTANCE] [--raw ID] TEXT...",
	.summary = "write your own record into the trace",
	.examples = examples,
	.options = options,
	.flags = CMD_WORDS_LAST,
	.run = run_mark,
};
