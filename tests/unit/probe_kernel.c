/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Features of kernels, by README files of tracefs: what is refused of a kernel that lacks it, and what is said then. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "fake_file.h"
#include "tap.h"
#include "tracefs/probe/dynamic_probe.h"

static char tree[] = "/tmp/ftr-probe-XXXXXX";

/* Lines of the README of each kind of probe, as Linux 7.2 has them, and the words for a kernel that lacks it. */
static const struct { const char *line, *lacks, *hint; } kinds[NR_PROBE_KINDS] = {
	[PROBE_KPROBE] = { "\t    place: [<module>:]<symbol>[+<offset>]|<memaddr>\n",
			   "this kernel has no kprobes (CONFIG_KPROBE_EVENTS)", "" },
	[PROBE_UPROBE] = { "   place (uprobe): <path>:<offset>[%return][(ref_ctr_offset)]\n",
			   "this kernel has no uprobes (CONFIG_UPROBE_EVENTS)", "" },
	[PROBE_EPROBE] = { "\t           e[:[<group>/][<event>]] <attached-group>.<attached-event> [<args>]\n",
			   "this kernel has no event probes (CONFIG_EPROBE_EVENTS)", "" },
	[PROBE_FPROBE] = { "\t           f[:[<group>/][<event>]] <func-name>[%return] [<args>]\n",
			   "this kernel has no function probes (CONFIG_FPROBE_EVENTS, Linux 6.5 and later)",
			   "without --fprobe it becomes a kprobe" },
	[PROBE_TPROBE] = { "\t           t[:[<group>/][<event>]] <tracepoint> [<args>]\n",
			   "this kernel has no tracepoint probes (CONFIG_FPROBE_EVENTS, Linux 6.5 and later)",
			   "-e SYSTEM/EVENT probes the event of the tracepoint" },
};

/* A kernel with probes of all kinds but @lacks. */
static void test_lacks(const struct tfs *t, int lacks)
{
	struct ftr_error err = {0};
	struct buf readme = {0};
	struct probe_kernel k;

	for (int i = 0; i < NR_PROBE_KINDS; i++)
		if (i != lacks)
			buf_addstr(&readme, kinds[i].line);
	fake_file(tree, "README", readme.data, readme.len);
	buf_release(&readme);
	if (!TAP_OK(!probe_kernel_open(&k, t, &err), "a kernel's features"))
		return;
	for (int i = 0; i < NR_PROBE_KINDS; i++) {
		memset(&err, 0, sizeof(err));
		if (i != lacks)
			TAP_OK(!probe_kernel_supports(&k, i, &err), probe_kind_name(i, false));
		else
			TAP_OK(probe_kernel_supports(&k, i, &err) == -1 && err.code == FTR_FAILED &&
			       !strcmp(err.msg, kinds[i].lacks) && !strcmp(err.hint, kinds[i].hint), err.msg);
	}
	probe_kernel_close(&k);
}

int main(void)
{
	struct tfs t = { .path = tree };
	char *path;

	if (!mkdtemp(tree))
		return 1;
	t.dirfd = open(tree, O_RDONLY | O_DIRECTORY);
	for (int lacks = 0; lacks < NR_PROBE_KINDS; lacks++)
		test_lacks(&t, lacks);
	close(t.dirfd);
	path = xasprintf("%s/README", tree);
	unlink(path);
	rmdir(tree);
	free(path);
	return tap_done();
}
