/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Creates, renames or removes the output files of a recording. */
#include "record/file/outfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "file/read/dat_regions.h"
#include "file/write/dat_join.h"

/*
 * Creates a file in the directory @dir, named *name or, if that exists, *name with a number. Sets
 * *name to the name, or to NULL if 100 names exist. Returns a descriptor, or -1 with errno.
 */
static int create_numbered(int dir, char **name)
{
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	char *base = *name;
	int fd, i;

	for (i = 0; i < 100; i++) {
		*name = i ? xasprintf("%s-%d", base, i) : xstrdup(base);
		fd = openat(dir, place_base(*name), flags, 0600);
		if (fd >= 0 || errno != EEXIST)
			break;
		free(*name);
		*name = NULL;
	}
	free(base);
	return fd;
}

static int place_check_target(const struct dir_file *at, struct ftr_error *err)
{
	struct stat st;

	if (fstatat(at->dir, at->name, &st, AT_SYMLINK_NOFOLLOW) || S_ISREG(st.st_mode))
		return 0;
	err_set(err, FTR_FAILED, "'%s' is %s", at->path,
		S_ISDIR(st.st_mode) ? "a directory" : "not a regular file");
	return err_hint(err, "-o takes the name of a file");
}

static int outfile_explain_create(const char *path, struct ftr_error *err)
{
	err_sys(err, "cannot create '%s'", path);
	return err_hint(err, "-o FILE writes elsewhere, as to -o /tmp/trace.dat");
}

static int place_check_same(const struct dir_file *at, const struct stat *old,
			    struct ftr_error *err)
{
	if (place_is(at, at->name, old))
		return 0;
	err_set(err, FTR_FAILED, "'%s' was replaced by another file meanwhile", at->path);
	return err_hint(err, "-o FILE writes elsewhere");
}

/* Creates the temporary file; @unseen: without a name, if that is possible. */
static int outfile_create(struct outfile *o, const struct dir_file *at, bool unseen,
			  struct ftr_error *err)
{
	o->at = place_dup(at);
	o->path = xstrdup(at->path);
	o->fd = unseen ? place_tmpfile(&o->at) : -1;
	if (o->fd >= 0)
		return 0;
	o->part_path = xasprintf("%s.part-%d", o->path, (int)getpid());
	o->fd = create_numbered(o->at.dir, &o->part_path);
	if (o->fd >= 0)
		return 0;
	outfile_explain_create(o->path, err);
	free(o->part_path);
	free(o->path);
	place_release(&o->at);
	*o = (struct outfile){0};
	return -1;
}

int outfile_open_at(struct outfile *o, const struct dir_file *at, const struct stat *old,
		    struct ftr_error *err)
{
	*o = (struct outfile){0};
	if (old ? place_check_same(at, old, err) : place_check_target(at, err))
		return -1;
	return outfile_create(o, at, false, err);
}

static int outfile_open_path(struct outfile *o, const char *path, bool unseen,
			     struct ftr_error *err)
{
	struct dir_file at;
	int ret;

	*o = (struct outfile){0};
	if (place_open(&at, path, err)) {
		if (!err->sys)
			return -1;
		errno = err->sys;
		return outfile_explain_create(path, err);
	}
	ret = place_check_target(&at, err);
	if (!ret)
		ret = outfile_create(o, &at, unseen, err);
	place_release(&at);
	return ret;
}

int outfile_open(struct outfile *o, const char *path, struct ftr_error *err)
{
	return outfile_open_path(o, path, false, err);
}

int outfile_open_unseen(struct outfile *o, const char *path, struct ftr_error *err)
{
	return outfile_open_path(o, path, true, err);
}

int outfile_open_nameless(struct outfile *o, struct ftr_error *err)
{
	const char *dir = io_tmpdir();
	char *name;

	*o = (struct outfile){0};
	o->path = xasprintf("%s/ftr-stream", dir);
	if (place_open(&o->at, o->path, err))
		goto fail;
	o->fd = place_tmpfile(&o->at);
	if (o->fd < 0) {
		/* the file system has no O_TMPFILE */
		name = xasprintf("%s-%d", o->at.name, (int)getpid());
		o->fd = create_numbered(o->at.dir, &name);
		if (o->fd >= 0)
			unlinkat(o->at.dir, name, 0);
		free(name);
	}
	if (o->fd >= 0)
		return 0;
	err_sys(err, "cannot create a file in '%s'", dir);
fail:
	err_hint(err, "unsent data is kept there; TMPDIR names another directory");
	place_release(&o->at);
	free(o->path);
	*o = (struct outfile){0};
	return -1;
}

int outfile_begin_copy(struct outfile *o, struct ftr_error *err)
{
	char *path = xasprintf("%s.new-%d", o->path, (int)getpid());
	int fd = create_numbered(o->at.dir, &path);

	if (fd < 0) {
		err_sys(err, "cannot create a file beside '%s'", o->path);
		free(path);
		return -1;
	}
	close(o->fd);
	o->fd = fd;
	o->spool_path = o->part_path;
	o->part_path = path;
	return 0;
}

/* Renames @from to @to, both in the directory of @o. Returns 0, or -1 with @err and errno. */
static int outfile_rename(const struct outfile *o, const char *from, const char *to,
			  struct ftr_error *err)
{
	int dir = o->at.dir;

	if (!renameat(dir, place_base(from), dir, place_base(to)))
		return 0;
	return err_sys(err, "cannot rename '%s' to '%s'", from, to);
}

static void outfile_unlink(const struct outfile *o, const char *path)
{
	if (path && o->at.name)
		unlinkat(o->at.dir, place_base(path), 0);
}

/* Renames @from to the final name; an older file becomes "PATH.old". Returns 0, or -1 with @err. */
static int outfile_rename_to_final(const struct outfile *o, const char *from, struct ftr_error *err)
{
	char *old = xasprintf("%s.old", o->path);
	int ret = 0;

	if (faccessat(o->at.dir, place_base(from), F_OK, AT_SYMLINK_NOFOLLOW))
		ret = err_sys(err, "cannot rename '%s' to '%s'", from, o->path);
	else if (!outfile_rename(o, o->path, old, err) || errno == ENOENT)
		ret = outfile_rename(o, from, o->path, err);
	else
		ret = -1;
	free(old);
	return ret;
}

static void path_forget(char **path)
{
	free(*path);
	*path = NULL;
}

/* In a directory that others can change, our file's name may be another file's by now. */
static int outfile_check_part(const struct outfile *o, struct ftr_error *err)
{
	struct stat st;

	if (!fstat(o->fd, &st) && place_is(&o->at, place_base(o->part_path), &st))
		return 0;
	return err_set(err, FTR_FAILED, "'%s' was removed or replaced", o->part_path);
}

/* Gives a file without a name that of a temporary file. Returns 0, or -1 with @err. */
static int outfile_link(struct outfile *o, struct ftr_error *err)
{
	char fd[32], *name = xasprintf("%s.part-%d", o->path, (int)getpid());

	snprintf(fd, sizeof(fd), "/proc/self/fd/%d", o->fd);
	if (linkat(AT_FDCWD, fd, o->at.dir, place_base(name), AT_SYMLINK_FOLLOW)) {
		err_sys(err, "cannot create '%s'", name);
		free(name);
		return -1;
	}
	o->part_path = name;
	return 0;
}

int outfile_commit(struct outfile *o, struct ftr_error *err)
{
	int ret = !o->part_path && outfile_link(o, err) ? -1 : outfile_check_part(o, err);

	if (!ret && (ret = outfile_rename_to_final(o, o->part_path, err)))
		err_hint(err, "the recording is in '%s'", o->part_path);
	/* in either case the data stays */
	path_forget(&o->part_path);
	outfile_unlink(o, o->spool_path);
	path_forget(&o->spool_path);
	return ret;
}

int outfile_replace(struct outfile *o, const struct stat *old, bool keep, struct ftr_error *err)
{
	if (place_check_same(&o->at, old, err) || outfile_check_part(o, err) ||
	    (keep ? outfile_rename_to_final(o, o->part_path, err)
	     : outfile_rename(o, o->part_path, o->path, err)))
		return -1;
	path_forget(&o->part_path);
	return 0;
}

/* Opens the directory if only the names are known. Returns true if it is open. */
static bool outfile_open_dir(struct outfile *o)
{
	return o->at.name || !place_open(&o->at, o->path, NULL);
}

const char *outfile_keep(struct outfile *o)
{
	char *from = o->spool_path ? o->spool_path : o->part_path;

	if (o->spool_path)
		outfile_unlink(o, o->part_path);
	if (outfile_open_dir(o) && !outfile_rename_to_final(o, from, NULL))
		from = NULL;
	else if (from == o->spool_path)
		o->spool_path = NULL;
	else
		o->part_path = NULL;
	path_forget(&o->part_path);
	path_forget(&o->spool_path);
	if (!from)
		return o->path;
	free(o->path);
	o->path = from;
	return o->path;
}

void outfile_drop(struct outfile *o)
{
	if (outfile_open_dir(o))
		outfile_unlink(o, o->part_path);
}

uint64_t outfile_shrink(const struct outfile *o)
{
	return o->fd < 0 ? 0 : dat_spool_shrink(o->fd);
}

void outfile_release(struct outfile *o)
{
	if (!o->path)
		return;
	close(o->fd);
	outfile_unlink(o, o->part_path);
	outfile_unlink(o, o->spool_path);
	free(o->part_path);
	free(o->spool_path);
	free(o->path);
	place_release(&o->at);
	*o = (struct outfile){0};
}

/* ---- numbered files */

/*
 * Returns the number of a file in the series of @base: 12 for "trace.dat.0012", if @base is
 * "trace.dat". Returns 0 if it is not in the series.
 */
static unsigned int series_number(const char *name, const char *base)
{
	size_t n = strlen(base);
	unsigned long v;
	char *end;

	if (strncmp(name, base, n) || name[n] != '.' || name[n + 1] < '0' || name[n + 1] > '9')
		return 0;
	v = strtoul(name + n + 1, &end, 10);
	return v < 1000000000 && (!*end || *end == '.') ? v : 0;
}

void series_begin(struct file_series *s, const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	char *dir_path = xasprintf("%.*s.", (int)(base - path), path);
	DIR *dir = opendir(dir_path);
	struct dirent *e;
	unsigned int n;

	*s = (struct file_series){0};
	while (dir && (e = readdir(dir))) {
		n = series_number(e->d_name, base);
		if (n > s->last)
			s->last = n;
	}
	if (dir)
		closedir(dir);
	free(dir_path);
}

char *series_next(struct file_series *s, const char *path)
{
	return xasprintf("%s.%04u", path, ++s->last);
}

void series_add(struct file_series *s, const char *name, size_t max)
{
	strv_add(&s->done, name);
	while (s->done.n > max) {
		place_unlink(s->done.v[0]);
		free(s->done.v[0]);
		memmove(s->done.v, s->done.v + 1, --s->done.n * sizeof(*s->done.v));
	}
}

void series_release(struct file_series *s)
{
	strv_release(&s->done);
	*s = (struct file_series){0};
}
