/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel at hand takes as a probe, and its types. */
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "event/btf/btf_path.h"
#include "tracefs/probe/dynamic_probe.h"

#define BTF_DIR "/sys/kernel/btf/"

static const struct {
	const char *name, *return_name, *group;
	const char *lacks;
} kinds[NR_PROBE_KINDS] = {
	[PROBE_KPROBE] = { "kprobe", "kretprobe", "kprobes", "kprobes (CONFIG_KPROBE_EVENTS)" },
	[PROBE_UPROBE] = { "uprobe", "uretprobe", "uprobes", "uprobes (CONFIG_UPROBE_EVENTS)" },
	[PROBE_EPROBE] = { "eprobe", "eprobe", "eprobes", "event probes (CONFIG_EPROBE_EVENTS)" },
	[PROBE_FPROBE] = { "fprobe", "fretprobe", "fprobes",
			   "function probes (CONFIG_FPROBE_EVENTS, Linux 6.5 and later)" },
	[PROBE_TPROBE] = { "tprobe", "tprobe", "tracepoints",
			   "tracepoint probes (CONFIG_FPROBE_EVENTS, Linux 6.5 and later)" },
};

/* README says what is built in, in the words that its selftests look for too. */
static const struct {
	const char *text;
	unsigned int feature;
} readme[] = {
	{ "place: [<module>:]<symbol>", PROBE_HAS_KPROBE },
	{ "place (uprobe):", PROBE_HAS_UPROBE },
	{ "e[:[<group>", PROBE_HAS_EPROBE },
	{ "f[:[<group>", PROBE_HAS_FPROBE },
	{ "t[:[<group>", PROBE_HAS_TPROBE },
	{ "<argname>[->field", PROBE_HAS_BTF_ARGS },
	{ "kernel return probes support: $retval, $arg<N>", PROBE_HAS_RET_ARGS },
};

const char *probe_kind_name(enum probe_kind kind, bool is_return)
{
	return is_return ? kinds[kind].return_name : kinds[kind].name;
}

const char *probe_kind_group(enum probe_kind kind)
{
	return kinds[kind].group;
}

int probe_kernel_open(struct probe_kernel *k, const struct tfs *t, struct ftr_error *err)
{
	struct buf text = {0};
	int ret = tfs_read(t, NULL, "README", &text, err);
	size_t i;

	*k = (struct probe_kernel){ .t = t };
	for (i = 0; !ret && i < sizeof(readme) / sizeof(*readme); i++)
		if (strstr(text.data, readme[i].text))
			k->features |= readme[i].feature;
	buf_release(&text);
	return ret;
}

void probe_kernel_close(struct probe_kernel *k)
{
	btf_set_free(k->btf);
	for (size_t i = 0; i < k->nr_btf; i++)
		buf_release(&k->btf_bytes[i]);
	free(k->btf_bytes);
	*k = (struct probe_kernel){0};
}

/* The kernel's own first, modules behind it. */
static void btf_paths(const struct probe_kernel *k, struct strv *paths)
{
	glob_t found = {0};
	size_t i;

	strv_add(paths, k->btf_path ? k->btf_path : BTF_DIR "vmlinux");
	if (!k->btf_path)
		glob(BTF_DIR "*", 0, NULL, &found);
	for (i = 0; i < found.gl_pathc; i++)
		if (strcmp(found.gl_pathv[i], BTF_DIR "vmlinux"))
			strv_add(paths, found.gl_pathv[i]);
	globfree(&found);
}

static int explain_no_btf(const struct probe_kernel *k, struct ftr_error *err)
{
	if (k->btf_path)
		return err_sys(err, "cannot read '%s'", k->btf_path);
	err_set(err, FTR_FAILED, "this kernel has no types of arguments (CONFIG_DEBUG_INFO_BTF)");
	return err_hint(err, "name registers and offsets: 'size=%%dx:u64', 'x=+16(%%di):u32'");
}

const struct btf_set *probe_btf(struct probe_kernel *k, struct ftr_error *err)
{
	struct strv paths = {0};
	struct btf_file *files;
	size_t i;

	if (k->btf)
		return k->btf;
	btf_paths(k, &paths);
	files = xcalloc(paths.n, sizeof(*files));
	k->btf_bytes = xcalloc(paths.n, sizeof(*k->btf_bytes));
	for (i = 0; i < paths.n; i++) {
		if (io_read_at(AT_FDCWD, paths.v[i], &k->btf_bytes[i]) && !i)
			break;
		files[i] = (struct btf_file){ k->btf_bytes[i].data, k->btf_bytes[i].len };
	}
	k->nr_btf = paths.n;
	if (i)
		k->btf = btf_set_new(files, paths.n, err);
	else
		explain_no_btf(k, err);
	if (!k->btf) {
		for (i = 0; i < k->nr_btf; i++)
			buf_release(&k->btf_bytes[i]);
		free(k->btf_bytes);
		k->btf_bytes = NULL;
		k->nr_btf = 0;
	}
	free(files);
	strv_release(&paths);
	return k->btf;
}

int probe_kernel_takes(const struct probe_kernel *k, enum probe_kind kind, struct ftr_error *err)
{
	if (k->features & (1u << kind))
		return 0;
	err_set(err, FTR_FAILED, "this kernel has no %s", kinds[kind].lacks);
	if (kind == PROBE_FPROBE)
		err_hint(err, "without --fprobe it becomes a kprobe");
	else if (kind == PROBE_TPROBE)
		err_hint(err, "-e SYSTEM/EVENT probes the event of the tracepoint");
	return -1;
}
