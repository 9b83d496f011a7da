/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Empties ring buffers: opening a trace file with O_TRUNC does it. */
#include "tracefs/files/buffer_clear.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int cannot_clear(const struct tfs *t, const char *path, const char *instance, int cpu,
			struct ftr_error *err)
{
	bool missing = errno == ENOENT;
	struct buf dir = {0};
	int sys = errno;

	err_sys(err, "cannot clear '%s/%s'", t->path, path);
	tfs_hint_rights(t->path, sys, err);
	if (missing && instance && !tfs_exists(t, NULL, tfs_path(&dir, instance, "")))
		err_set(err, FTR_FAILED, "no instance '%s'", instance);
	else if (missing && cpu >= 0)
		err_set(err, FTR_FAILED, "there is no buffer of CPU %d", cpu);
	buf_release(&dir);
	return -1;
}

int clear_buffer(const struct tfs *t, const char *instance, int cpu, struct ftr_error *err)
{
	struct buf path = {0};
	char file[48] = "trace";
	int fd, ret = 0;

	if (cpu >= 0)
		snprintf(file, sizeof(file), "per_cpu/cpu%d/trace", cpu);
	tfs_path(&path, instance, file);
	do {
		fd = openat(t->dirfd, path.data, O_WRONLY | O_TRUNC | O_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	if (fd < 0)
		ret = cannot_clear(t, path.data, instance, cpu, err);
	else
		close(fd);
	buf_release(&path);
	return ret;
}
