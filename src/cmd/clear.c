/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr clear: empties ring buffers. */
#include <stddef.h>

#include "base/text.h"
#include "cmd/frame/tracefs_change.h"
#include "tracefs/files/tfs.h"

struct clear_args {
	struct buffer_args args;
	int64_t cpu;
	struct strv names;
};

static int set_clear_cpu(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct clear_args *c = ctx;

	(void)o;
	if (text_number(arg, 0, 1 << 20, &c->cpu))
		return err_set(err, FTR_USAGE, "-c takes the number of a CPU, not '%s'", arg);
	return 0;
}

static const struct opt options[] = {
	OPT_GROUP("Which buffers"),
	BUFFER_OPTS,
	{ 'c', "cpu", "CPU", "empty this CPU's buffer only", set_clear_cpu, 0 },
	OPT_END
};

static const char *const examples[] = {
	"ftr clear             the top level",
	"ftr clear -B net -c 1 of an instance, what CPU 1 recorded",
	"ftr clear -a -t       everything",
	NULL
};

static int clear_buffers(struct clear_args *c)
{
	struct ftr_error err = {0};
	uint64_t n = 0, before, after;
	struct buf text = {0};
	struct tfs t;
	size_t i;
	int ret;

	if (tfs_open(&t, &err))
		return cmd_fail(&err);
	ret = buffers_resolve(&c->args, &t, "trace", &c->names, &err);
	for (i = 0; !ret && i < c->names.n; i++) {
		before = tfs_buffered(&t, c->names.v[i]);
		ret = clear_buffer(&t, c->names.v[i], c->cpu, &err);
		after = ret || c->cpu < 0 ? 0 : tfs_buffered(&t, c->names.v[i]);
		n += before > after ? before - after : 0;
	}
	tfs_close(&t);
	if (ret)
		return cmd_fail(&err);
	buffers_describe(&c->names, &text);
	cmd_notice("cleared %s: %llu event%s", text.data, (unsigned long long)n, n == 1 ? "" : "s");
	buf_release(&text);
	return FTR_OK;
}

static int run_clear_buffers(const struct cmd *self, int argc, char **argv)
{
	struct clear_args c = { .cpu = -1 };
	int status, first = cmd_parse(self, argc, argv, &c, &status);

	if (first >= 0)
		status = no_operands(self, first, argc, argv);
	if (first >= 0 && !status)
		status = clear_buffers(&c);
	buffer_args_release(&c.args);
	strv_release(&c.names);
	return status;
}

const struct cmd cmd_clear = {
	.name = "clear",
	.usage = "[OPTIONS]",
	.summary = "empty ring buffers",
	.examples = examples,
	.options = options,
	.run = run_clear_buffers,
};
