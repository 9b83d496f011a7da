/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is there what is to be probed? The kernel takes a tracepoint (since 6.13) and a module that are
 * not there, as they may come, and any offset in a file; a misspelt one would never fire, without a
 * word.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/text.h"
#include "tracefs/files/modules.h"
#include "tracefs/probe/probe_priv.h"

#define TRACEPOINT "__tracepoint_"	/* struct tracepoint of each, see DEFINE_TRACE() */

/* Out of the lines "ADDRESS TYPE NAME [MODULE]" of kallsyms. */
static void read_tracepoints(struct strv *out)
{
	struct buf text = {0};
	const char *p;

	if (!io_read_at(AT_FDCWD, "/proc/kallsyms", &text))
		for (p = text.data; (p = strstr(p, " " TRACEPOINT));) {
			p += strlen(" " TRACEPOINT);
			strv_take(out, xstrndup(p, strcspn(p, "\t\n ")));
		}
	buf_release(&text);
}

static int check_tracepoint(const char *name, struct ftr_error *err)
{
	struct strv names = {0};
	const char *near;
	int ret = 0;

	read_tracepoints(&names);
	/* a kernel that keeps symbols of functions alone does not tell */
	if (names.n && !strv_has(&names, name)) {
		near = text_closest(name, names.v);
		ret = err_set(err, FTR_FAILED, "this kernel has no tracepoint '%s'", name);
		if (near)
			err_hint(err, "did you mean '%s'?", near);
		else
			err_hint(err, "a module's tracepoints are there once it is loaded");
	}
	strv_release(&names);
	return ret;
}

static int check_module(const char *place, struct ftr_error *err)
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

/* "PATH:0x1234..." */
static int check_offset(const char *place, struct ftr_error *err)
{
	const char *colon = strrchr(place, ':');
	char *path = colon ? xstrndup(place, colon - place) : NULL, *end;
	uint64_t offset = colon ? strtoull(colon + 1, &end, 0) : 0;
	struct stat st;
	int ret = 0;

	/* What can't be seen is the kernel's to judge. */
	if (path && end > colon + 1 && !stat(path, &st) && S_ISREG(st.st_mode) &&
	    offset >= (uint64_t)st.st_size) {
		ret = err_set(err, FTR_FAILED, "offset 0x%" PRIx64 " is beyond the end of '%s'",
			      offset, path);
		err_hint(err, "it has 0x%" PRIx64 " bytes", (uint64_t)st.st_size);
	}
	free(path);
	return ret;
}

int probe_check_there(const struct probe_line *l, struct ftr_error *err)
{
	switch (l->kind) {
	case PROBE_TPROBE:
		return check_tracepoint(l->place, err);
	case PROBE_KPROBE:
		return strchr(l->place, ':') ? check_module(l->place, err) : 0;
	case PROBE_UPROBE:
		return check_offset(l->place, err);
	default:
		return 0;
	}
}
