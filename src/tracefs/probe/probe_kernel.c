/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel of the probes: the kinds that it supports, its types, and whether a target exists. */
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/text.h"
#include "event/btf/btf.h"
#include "tracefs/files/modules.h"
#include "tracefs/probe/probe_priv.h"

#define BTF_DIR "/sys/kernel/btf/"
#define TRACEPOINT "__tracepoint_"	/* struct tracepoint of each, see DEFINE_TRACE() */

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

/* README lists the features of the kernel, in words that its selftests also search for. */
static const struct {
	const char *text;
	unsigned int feature;
} readme_features[] = {
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

enum probe_kind probe_kind_of(char letter, const char *place)
{
	switch (letter) {
	case 'e':
		return PROBE_EPROBE;
	case 'f':
		return PROBE_FPROBE;
	case 't':
		return PROBE_TPROBE;
	}
	return strchr(place, '/') ? PROBE_UPROBE : PROBE_KPROBE;
}

int probe_kernel_open(struct probe_kernel *k, const struct tfs *t, struct ftr_error *err)
{
	struct buf text = {0};
	int ret = tfs_read(t, NULL, "README", &text, err);
	size_t i;

	*k = (struct probe_kernel){ .t = t };
	for (i = 0; !ret && i < sizeof(readme_features) / sizeof(*readme_features); i++)
		if (strstr(text.data, readme_features[i].text))
			k->features |= readme_features[i].feature;
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

/* Appends the path of the kernel's BTF, then the paths of its modules. */
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
	if (i) {
		k->btf = btf_set_new(files, paths.n, err);
	} else if (k->btf_path) {
		err_sys(err, "cannot read '%s'", k->btf_path);
	} else {
		err_set(err, FTR_FAILED,
			"this kernel has no types of arguments (CONFIG_DEBUG_INFO_BTF)");
		err_hint(err, "name registers and offsets: 'size=%%dx:u64', 'x=+16(%%di):u32'");
	}
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

int probe_kernel_supports(const struct probe_kernel *k, enum probe_kind kind, struct ftr_error *err)
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

/* --- targets */

static int target_check_tracepoint(const char *name, struct ftr_error *err)
{
	struct strv names = {0};
	struct buf text = {0};
	const char *near, *p;
	int ret = 0;

	/* A line is "ADDRESS TYPE NAME [MODULE]". */
	if (!io_read_at(AT_FDCWD, "/proc/kallsyms", &text))
		for (p = text.data; (p = strstr(p, " " TRACEPOINT));) {
			p += strlen(" " TRACEPOINT);
			strv_take(&names, xstrndup(p, strcspn(p, "\t\n ")));
		}
	/* A kernel that keeps only the symbols of functions lists no tracepoint. */
	if (names.n && !strv_has(&names, name)) {
		near = text_closest(name, names.v);
		ret = err_set(err, FTR_FAILED, "this kernel has no tracepoint '%s'", name);
		if (near)
			err_hint(err, "did you mean '%s'?", near);
		else
			err_hint(err, "a module's tracepoints are there once it is loaded");
	}
	strv_release(&names);
	buf_release(&text);
	return ret;
}

static int target_check_module(const char *place, struct ftr_error *err)
{
	char *name = xstrndup(place, strcspn(place, ":"));
	struct strv known = {0};
	const char *near;
	int ret = 0;

	modules_installed(&known);
	if (known.n) {
		modules_loaded(&known);
		near = text_closest(name, known.v);
		if (!strv_has(&known, name)) {
			ret = err_set(err, FTR_FAILED, "this kernel has no module '%s'", name);
			if (near)
				err_hint(err, "did you mean '%s'?", near);
			else
				err_hint(err, "'MODULE:FUNCTION' names a function of a module; a "
					 "built-in one has no module");
		}
	}
	strv_release(&known);
	free(name);
	return ret;
}

/* Refuses an offset beyond the end of the file: "PATH:0x1234...". */
static int target_check_offset(const char *place, struct ftr_error *err)
{
	const char *colon = strrchr(place, ':');
	char *path = colon ? xstrndup(place, colon - place) : NULL, *end;
	uint64_t offset = colon ? strtoull(colon + 1, &end, 0) : 0;
	struct stat st;
	int ret = 0;

	/* If the file can't be checked here, the kernel decides. */
	if (path && end > colon + 1 && !stat(path, &st) && S_ISREG(st.st_mode) &&
	    offset >= (uint64_t)st.st_size) {
		ret = err_set(err, FTR_FAILED, "offset 0x%" PRIx64 " is beyond the end of '%s'",
			      offset, path);
		err_hint(err, "it has 0x%" PRIx64 " bytes", (uint64_t)st.st_size);
	}
	free(path);
	return ret;
}

/*
 * The kernel accepts a tracepoint (since 6.13) and a module that do not exist, as they may appear
 * later, and any offset in a file. A probe on a misspelt name would never fire, without an error.
 */
int probe_check_there(const struct probe_line *l, struct ftr_error *err)
{
	switch (l->kind) {
	case PROBE_TPROBE:
		return target_check_tracepoint(l->place, err);
	case PROBE_KPROBE:
		return strchr(l->place, ':') ? target_check_module(l->place, err) : 0;
	case PROBE_UPROBE:
		return target_check_offset(l->place, err);
	default:
		return 0;
	}
}
