/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sub-buffers that are read one by one, on a tree that looks like tracefs, and reads that fail. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "fake_file.h"
#include "record/cpu/live_recording.h"
#include "tap.h"
#include "tracefs/files/tfs.h"

#define SUBBUF 4096
#define ONE    "instances/one/"

static char root[] = "/tmp/ftr-raw.XXXXXX";

static void test_reads(struct raw_reader *r)
{
	static const char zero[SUBBUF];
	uint8_t mem[SUBBUF];
	struct ftr_error err;
	const int *cpus;
	char *want;

	TAP_EQ(raw_cpus(r, &cpus), 3, "CPUs");
	TAP_OK(cpus[0] == 0 && cpus[1] == 2 && cpus[2] == 10, "in their order");
	memset(mem, 'x', SUBBUF);
	TAP_EQ(raw_read(r, 0, mem, &err), 1, "a sub-buffer that is not full");
	TAP_OK(!memcmp(mem, "abc", 3) && !memcmp(mem + 3, zero, SUBBUF - 3), "zeroes follow it");
	TAP_EQ(raw_read(r, 0, mem, &err), 0, "and nothing more");
	TAP_EQ(raw_read(r, 1, mem, &err), 0, "a CPU without data");
	want = xasprintf("cannot read '%s/instances/one/per_cpu/cpu10/trace_pipe_raw'", root);
	TAP_OK(raw_read(r, 2, mem, &err) == -1 && err.sys == EISDIR && strstr(err.msg, want),
	       "a read that fails says of what and why");
	free(want);
}

int main(void)
{
	struct tfs t = {0};
	struct raw_reader *r;
	struct ftr_error err;
	char *dir;

	if (!mkdtemp(root))
		return 1;
	fake_file(root, ONE "per_cpu/cpu0/trace_pipe_raw", "abc", 3);
	fake_file(root, ONE "per_cpu/cpu2/trace_pipe_raw", "", 0);
	/* reading a directory fails */
	fake_file(root, ONE "per_cpu/cpu10/trace_pipe_raw/none", "", 0);
	fake_file(root, ONE "buffer_size_kb", "8\n", 2);
	t.path = root;
	t.dirfd = open(root, O_RDONLY | O_DIRECTORY);
	r = raw_open(&t, "one", &err);
	if (TAP_OK(r != NULL, "all CPUs open"))
		test_reads(r);
	raw_close(r);
	fake_file(root, ONE "per_cpu/cpu3/stats", "", 0);
	TAP_OK(!raw_open(&t, "one", &err) && err.sys == ENOENT, "a CPU without the file");
	close(t.dirfd);
	dir = xasprintf("rm -r %s", root);
	if (system(dir))
		return 1;
	free(dir);
	return tap_done();
}
