/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any control file by its name: finding it, and whether reading it has effects. */
#include "tracefs/files/control_find.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

static const struct {
	const char *name;
	enum content_kind kind;
} kinds[] = {
	{ "trace_pipe",     CONTENT_TEXT_PIPE },
	{ "trace_pipe_raw", CONTENT_RAW },
	{ "snapshot_raw",   CONTENT_RAW },
	{ "free_buffer",    CONTENT_NEVER },
	{ "timerlat_fd",    CONTENT_NEVER },	/* the reader becomes the latency thread */
};

static enum content_kind content_kind_of(const char *path, const struct stat *st)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t i;

	if (S_ISDIR(st->st_mode))
		return CONTENT_FOLDER;
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return kinds[i].kind;
	return CONTENT_PLAIN;
}

int content_list(const struct tfs *t, const char *path, struct strv *out, struct ftr_error *err)
{
	int fd = openat(t->dirfd, *path ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;

	if (!dir) {
		err_sys(err, "cannot list '%s/%s'", t->path, path);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	while ((d = readdir(dir)))
		if (*d->d_name != '.')
			strv_take(out, xasprintf("%s%s", d->d_name,
						 d->d_type == DT_DIR ? "/" : ""));
	closedir(dir);
	strv_sort_unique(out);
	return 0;
}

/* Sets @err: no file @path; the hint has the closest name in the last directory that exists. */
static void explain_missing_file(const struct tfs *t, const char *path, struct ftr_error *err)
{
	char *copy = xstrdup(path), *folder, *miss, *next;
	struct strv names = {0};
	const char *near = NULL;

	for (miss = copy; (next = strchr(miss, '/')); miss = next + 1) {
		*next = '\0';
		if (faccessat(t->dirfd, copy, F_OK, 0))
			break;
		*next = '/';
	}
	folder = xstrndup(path, miss > copy ? miss - copy - 1 : 0);
	if (!content_list(t, folder, &names, NULL) && names.n)
		near = text_closest(miss, names.v);
	err_set(err, FTR_FAILED, "there is no control file '%s' in tracefs", path);
	if (near)
		err_hint(err, "did you mean '%s%s%s'?", folder, *folder ? "/" : "", near);
	else
		err_hint(err, "'ftr show %s' lists what there is", *folder ? folder : ".");
	strv_release(&names);
	free(folder);
	free(copy);
}

int content_find(const struct tfs *t, const char *instance, int cpu, const char *name, char **path,
		 enum content_kind *kind, struct ftr_error *err)
{
	struct buf b = {0}, full = {0};
	struct strv parts = {0};
	bool leads_out;
	struct stat st;
	int ret = 0;

	*path = NULL;
	strv_split(&parts, name, "/");
	leads_out = *name == '/' || !parts.n || strv_has(&parts, "..");
	strv_release(&parts);
	if (leads_out) {
		err_set(err, FTR_USAGE, "'%s' is not a control file of tracefs", name);
		return err_hint(err, "give a name below '%s', as events/sched/enable", t->path);
	}
	if (tfs_check_instance(t, instance, err))
		return -1;
	if (cpu >= 0)
		buf_printf(&b, "per_cpu/cpu%d/", cpu);
	buf_addstr(&b, name);
	while (b.len > 1 && b.data[b.len - 1] == '/')
		b.data[--b.len] = '\0';
	tfs_path(&full, instance, b.data);
	if (!fstatat(t->dirfd, full.data, &st, 0)) {
		*kind = content_kind_of(full.data, &st);
		*path = xstrdup(full.data);
	} else if (errno == ENOENT || errno == ENOTDIR) {
		explain_missing_file(t, full.data, err);
		ret = -1;
	} else {
		ret = err_sys(err, "cannot look at '%s/%s'", t->path, full.data);
	}
	buf_release(&b);
	buf_release(&full);
	return ret;
}
