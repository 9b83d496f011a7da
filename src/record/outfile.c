/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Creates, renames or drops the output file. */
#include "record/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

/*
 * Disk space taken before the recording can fill the disk: symbols and formats need some 10 MiB,
 * and without them the data is hard to read.
 */
#define META_BYTES (16 << 20)

/* The folder of @path. The caller frees. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return xstrdup(".");
	return xstrndup(path, slash == path ? 1 : slash - path);
}

/*
 * As the sysctl fs.protected_symlinks has it, which does not cover names that we resolve: whoever
 * may write to a folder could have our file take the place of any other.
 */
static bool planted(const char *path, const struct stat *link)
{
	char *folder = folder_of(path);
	struct stat st;
	bool bad = !stat(folder, &st) && st.st_mode & S_IWOTH && link->st_uid != geteuid() &&
		   link->st_uid != st.st_uid;

	free(folder);
	return bad;
}

/* The folder of a link's target is where the user wants the data. NULL with @err. */
static char *resolve(const char *path, struct ftr_error *err)
{
	struct stat st;
	char *real;

	if (lstat(path, &st) || !S_ISLNK(st.st_mode))
		return xstrdup(path);
	if (planted(path, &st)) {
		err_set(err, FTR_FAILED, "'%s' is a link of user %d in a folder open to all", path,
			(int)st.st_uid);
		err_hint(err, "-o takes another name");
		return NULL;
	}
	real = realpath(path, NULL);
	return real ? real : xstrdup(path);
}

/* A new file, under @name or one like it. */
static int create(char **name)
{
	char *base = *name;
	int fd, i;

	for (i = 0; i < 100; i++) {
		*name = i ? xasprintf("%s-%d", base, i) : xstrdup(base);
		fd = open(*name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd >= 0 || errno != EEXIST)
			break;
		free(*name);
		*name = NULL;
	}
	free(base);
	return fd;
}

static int check_target(const char *path, struct ftr_error *err)
{
	struct stat st;

	if (stat(path, &st) || S_ISREG(st.st_mode))
		return 0;
	err_set(err, FTR_FAILED, "'%s' is %s", path,
		S_ISDIR(st.st_mode) ? "a folder" : "no regular file");
	return err_hint(err, "-o takes the name of a file");
}

void outfile_reserve(int fd)
{
	fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, META_BYTES);
}

int outfile_open(struct outfile *o, const char *path, struct ftr_error *err)
{
	memset(o, 0, sizeof(*o));
	if (check_target(path, err))
		return -1;
	o->path = resolve(path, err);
	if (!o->path)
		return -1;
	o->part_path = xasprintf("%s.part-%d", o->path, (int)getpid());
	o->fd = create(&o->part_path);
	if (o->fd >= 0) {
		outfile_reserve(o->fd);
		return 0;
	}
	err_sys(err, "cannot create '%s'", path);
	err_hint(err, "-o FILE writes elsewhere, as to -o /tmp/trace.dat");
	free(o->part_path);
	free(o->path);
	memset(o, 0, sizeof(*o));
	return -1;
}

/* Where the file system has no O_TMPFILE. */
static int create_unnamed(const char *path)
{
	char *name = xasprintf("%s-%d", path, (int)getpid());
	int fd = create(&name);

	if (fd >= 0)
		unlink(name);
	free(name);
	return fd;
}

int outfile_open_nameless(struct outfile *o, struct ftr_error *err)
{
	const char *dir = secure_getenv("TMPDIR");

	memset(o, 0, sizeof(*o));
	dir = dir && *dir ? dir : "/var/tmp";
	o->path = xasprintf("%s/ftr-stream", dir);
	o->fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (o->fd < 0)
		o->fd = create_unnamed(o->path);
	if (o->fd >= 0) {
		outfile_reserve(o->fd);
		return 0;
	}
	err_sys(err, "cannot create a file in '%s'", dir);
	err_hint(err, "what is not sent yet is kept there; TMPDIR names another folder");
	free(o->path);
	memset(o, 0, sizeof(*o));
	return -1;
}

int outfile_begin_copy(struct outfile *o, struct ftr_error *err)
{
	char *path = xasprintf("%s.new-%d", o->path, (int)getpid());
	int fd = create(&path);

	if (fd < 0) {
		err_sys(err, "cannot create a file beside '%s'", o->path);
		free(path);
		return -1;
	}
	outfile_reserve(fd);
	close(o->fd);
	o->fd = fd;
	o->spool_path = o->part_path;
	o->part_path = path;
	return 0;
}

/* An older file becomes "PATH.old". */
static int take_name(const struct outfile *o, const char *from, struct ftr_error *err)
{
	char *old = xasprintf("%s.old", o->path);
	int ret = 0;

	if (access(from, F_OK))
		ret = err_sys(err, "cannot rename '%s' to '%s'", from, o->path);
	else if (rename(o->path, old) && errno != ENOENT)
		ret = err_sys(err, "cannot rename '%s' to '%s'", o->path, old);
	else if (rename(from, o->path))
		ret = err_sys(err, "cannot rename '%s' to '%s'", from, o->path);
	free(old);
	return ret;
}

static void forget(char **path)
{
	free(*path);
	*path = NULL;
}

int outfile_commit(struct outfile *o, struct ftr_error *err)
{
	int ret = take_name(o, o->part_path, err);

	if (ret)
		err_hint(err, "the recording is in '%s'", o->part_path);
	/* Either way the data stays. */
	forget(&o->part_path);
	if (o->spool_path)
		unlink(o->spool_path);
	forget(&o->spool_path);
	return ret;
}

const char *outfile_keep(struct outfile *o)
{
	char *from = o->spool_path ? o->spool_path : o->part_path;

	if (o->spool_path)
		unlink(o->part_path);
	if (!take_name(o, from, NULL))
		from = NULL;
	else if (from == o->spool_path)
		o->spool_path = NULL;
	else
		o->part_path = NULL;
	forget(&o->part_path);
	forget(&o->spool_path);
	if (!from)
		return o->path;
	free(o->path);
	o->path = from;
	return o->path;
}

void outfile_release(struct outfile *o)
{
	if (!o->path)
		return;
	close(o->fd);
	if (o->part_path)
		unlink(o->part_path);
	if (o->spool_path)
		unlink(o->spool_path);
	free(o->part_path);
	free(o->spool_path);
	free(o->path);
	memset(o, 0, sizeof(*o));
}
