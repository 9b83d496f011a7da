/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr mark: writes a record of one's own into the trace. */
#include <stddef.h>
#include <stdlib.h>

#include "base/text.h"
#include "cmd/frame/command.h"
#include "tracefs/verbs/trace_marker.h"

struct marking {
	const char *instance;
	int64_t raw;			/* -1 = text */
};

static int set_raw(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	(void)o;
	return text_number(arg, 0, UINT32_MAX, &((struct marking *)ctx)->raw) ?
		err_set(err, FTR_USAGE, "--raw takes a number of 32 bits, not '%s'", arg) : 0;
}

static const struct opt options[] = {
	{ 'B', "buffer", "INSTANCE", "write into INSTANCE instead of the top level", opt_str,
	  offsetof(struct marking, instance) },
	{ 0, "raw", "ID", "write bytes behind the number ID (trace_marker_raw)", set_raw, 0 },
	OPT_END
};

static const char *const examples[] = {
	"ftr mark the test begins",
	"ftr mark -B net 'link is down'",
	"ftr mark --raw 7 abcd",
	NULL
};

static char *join_mark_words(char *const *words, int n)
{
	struct buf text = {0};
	int i;

	for (i = 0; i < n; i++)
		buf_printf(&text, "%s%s", i ? " " : "", words[i]);
	return buf_take(&text);
}

static int write_mark(const struct marking *m, const char *text, struct ftr_error *err)
{
	struct tfs t;
	int ret;

	if (tfs_open(&t, err))
		return -1;
	ret = m->raw < 0 ? mark_text(&t, m->instance, text, err)
			 : mark_raw(&t, m->instance, m->raw, text, err);
	tfs_close(&t);
	return ret;
}

static int run_mark(const struct cmd *self, int argc, char **argv)
{
	struct marking m = { .raw = -1 };
	struct ftr_error err = {0};
	int status, first = cmd_parse(self, argc, argv, &m, &status);
	char *text;

	if (first < 0)
		return status;
	if (first == argc || !*argv[first]) {
		err_set(&err, FTR_USAGE, "no text was given");
		err_hint(&err, "ftr mark TEXT");
		return cmd_fail(&err);
	}
	text = join_mark_words(argv + first, argc - first);
	status = write_mark(&m, text, &err) ? cmd_fail(&err) : FTR_OK;
	free(text);
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
