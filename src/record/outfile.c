/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Creates, renames or drops the output file. */
#include "record/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

/*
 * Disk space taken before the recording can fill the disk: symbols and formats need some 10 MiB,
 * and without them the data is hard to read. The writer gives back what it does not use.
 */
#define META_BYTES (16 << 20)

/* The folder of a link's target is where the user wants the data. */
static char *resolve(const char *path)
{
	char *real = realpath(path, NULL);

	return real ? real : xstrdup(path);
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

int outfile_open(struct outfile *o, const char *path, struct ftr_error *err)
{
	memset(o, 0, sizeof(*o));
	if (check_target(path, err))
		return -1;
	o->path = resolve(path);
	o->part_path = xasprintf("%s.part-%d", o->path, (int)getpid());
	o->fd = open(o->part_path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (o->fd >= 0) {
		fallocate(o->fd, FALLOC_FL_KEEP_SIZE, 0, META_BYTES);
		return 0;
	}
	err_sys(err, "cannot create '%s'", path);
	err_hint(err, "-o FILE writes elsewhere, as to -o /tmp/trace.dat");
	free(o->part_path);
	free(o->path);
	memset(o, 0, sizeof(*o));
	return -1;
}

int outfile_commit(struct outfile *o, struct ftr_error *err)
{
	char *old = xasprintf("%s.old", o->path);
	int ret = 0;

	if (rename(o->path, old) && errno != ENOENT)
		ret = err_sys(err, "cannot rename '%s' to '%s'", o->path, old);
	else if (rename(o->part_path, o->path))
		ret = err_sys(err, "cannot rename '%s' to '%s'", o->part_path, o->path);
	if (ret)
		err_hint(err, "the recording is in '%s'", o->part_path);
	/* Either way the data stays. */
	free(o->part_path);
	o->part_path = NULL;
	free(old);
	return ret;
}

void outfile_release(struct outfile *o)
{
	if (!o->path)
		return;
	close(o->fd);
	if (o->part_path)
		unlink(o->part_path);
	free(o->part_path);
	free(o->path);
	memset(o, 0, sizeof(*o));
}
