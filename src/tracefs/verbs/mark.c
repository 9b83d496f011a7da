/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records that are written by hand. */
#include "tracefs/verbs/mark.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_file_0(const struct tfs *t, const char *instance, const char *file)
{
	char *line = tfs_line(t, instance, file);
	bool off = !strcmp(line, "0");

	free(line);
	return off;
}

/* Bad descriptor: no room, as tracing is off. Invalid: the option markers is off, or too long. */
static int marker_refused(const struct tfs *t, const char *instance, const char *path,
			  struct ftr_error *err)
{
	int sys = errno;

	err_sys(err, "cannot write to '%s/%s'", t->path, path);
	if (sys == EBADF && is_file_0(t, instance, "tracing_on")) {
		err_set(err, FTR_FAILED, "nothing is recorded: tracing_on is 0");
		return err_hint(err, "'ftr restart%s%s' switches it on", instance ? " -B " : "",
				instance ? instance : "");
	}
	if (sys == EINVAL && is_file_0(t, instance, "options/markers")) {
		err_set(err, FTR_FAILED, "nothing is recorded: the trace option markers is off");
		return err_hint(err, "'ftr options%s%s markers' sets it", instance ? " -B " : "",
				instance ? instance : "");
	}
	if (sys == EINVAL)
		return err_hint(err, "it may be too long for one record");
	return sys == EACCES || sys == EPERM ?
		err_hint(err, "run it as root, or let your group write there") : -1;
}

/* How much of it the kernel took, or -1. */
static ssize_t write_marker(const struct tfs *t, const char *instance, const char *file,
			    const void *data, size_t len, struct ftr_error *err)
{
	struct buf path = {0};
	ssize_t n = -1;
	int fd;

	if (tfs_check_instance(t, instance, err))
		return -1;
	fd = openat(t->dirfd, tfs_path(&path, instance, file), O_WRONLY | O_CLOEXEC);
	if (fd >= 0)
		n = write(fd, data, len);
	if (n < 0)
		marker_refused(t, instance, path.data, err);
	if (fd >= 0)
		close(fd);
	buf_release(&path);
	return n;
}

int mark_text(const struct tfs *t, const char *instance, const char *text, size_t *cut,
	      struct ftr_error *err)
{
	size_t len = strlen(text);
	ssize_t n = write_marker(t, instance, "trace_marker", text, len, err);

	*cut = n < 0 ? 0 : len - n;
	return n < 0 ? -1 : 0;
}

int mark_raw(const struct tfs *t, const char *instance, uint32_t id, const char *text,
	     struct ftr_error *err)
{
	struct buf data = {0};
	ssize_t n;

	buf_add(&data, &id, sizeof(id));
	buf_add(&data, text, strlen(text));
	n = write_marker(t, instance, "trace_marker_raw", data.data, data.len, err);
	if (n >= 0 && (size_t)n < data.len)
		n = err_set(err, FTR_FAILED, "the kernel took %zd of %zu bytes", n, data.len);
	buf_release(&data);
	return n < 0 ? -1 : 0;
}
