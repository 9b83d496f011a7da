/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz target: a whole trace file, opened, every record rendered as ftr report does. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "output/pipeline.h"
#include "trace/trace.h"

#define RECORDS_MAX 100000

/* Enough is enough: a small file can say that it has many records. */
static bool match(void *ctx, const struct trace_rec *r)
{
	unsigned int *n = ctx;

	for (uint32_t i = 0; i < r->rec.len; i++)
		fuzz_sink += r->rec.data[i];
	return ++*n < RECORDS_MAX;
}

static void report(struct trace *t, int null, const struct out_ops *ops, bool raw)
{
	struct trace_iter *it = trace_iter_new(&t, 1, NULL);
	struct out_state out = {
		.ops = ops, .opts.raw = raw, .traces = &t, .nr_traces = 1, .fd = null,
	};
	unsigned int n = 0;
	struct out_match which = { .match = match, .ctx = &n };
	struct ftr_error err = {0};

	out_run(&out, it, &which, &err);
	trace_iter_free(it);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[FUZZ_PATH];
	int fd = fuzz_file(data, size, path), null = open("/dev/null", O_WRONLY);
	struct ftr_error err = {0};
	struct trace *t;

	FUZZ_ASSERT(null >= 0);
	t = trace_open(path, &err);
	if (t) {
		report(t, null, &out_text, false);
		report(t, null, &out_text, true);
		report(t, null, &out_kernel, false);
		dat_verify(t->dat);
	} else {
		FUZZ_ASSERT(*err.msg);
	}
	trace_close(t);
	close(fd);
	close(null);
	return 0;
}
