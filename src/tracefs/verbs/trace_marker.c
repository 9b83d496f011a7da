/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes records to trace_marker and trace_marker_raw. */
#include "tracefs/verbs/trace_marker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

static bool file_reads_0(const struct tfs *t, const char *instance, const char *file)
{
	char *line = tfs_line(t, instance, file);
	bool off = !strcmp(line, "0");

	free(line);
	return off;
}

/* @fmt gets the option -B and the name of @instance, both "" for the top level. Returns -1. */
static int __attribute__((format(printf, 2, 0))) hint_instance(struct ftr_error *err,
							       const char *fmt,
							       const char *instance)
{
	char *word = instance ? text_word(instance) : xstrdup("");

	err_hint(err, fmt, instance ? " -B " : "", word);
	free(word);
	return -1;
}

/*
 * Explains the errno of a write. EBADF: no buffer accepts it, as tracing is off. EINVAL: the option
 * markers is off, or the text is too long. Returns -1.
 */
static int marker_refused(const struct tfs *t, const char *instance, const char *file,
			  struct ftr_error *err)
{
	struct buf path = {0};
	int sys = errno;

	tfs_path(&path, instance, file);
	errno = sys;
	err_sys(err, "cannot write to '%s/%s'", t->path, path.data);
	buf_release(&path);
	if (sys == EBADF && file_reads_0(t, instance, "tracing_on")) {
		err_set(err, FTR_FAILED, "nothing is recorded: tracing_on is 0");
		return hint_instance(err, "'ftr restart%s%s' switches it on", instance);
	}
	if (sys == EINVAL && file_reads_0(t, instance, "options/markers")) {
		err_set(err, FTR_FAILED, "nothing is recorded: the trace option markers is off");
		return hint_instance(err, "'ftr options%s%s markers=on' sets it", instance);
	}
	if (sys == EINVAL)
		return err_hint(err, "it may be too long for one record");
	return sys == EACCES || sys == EPERM ?
		err_hint(err, "run it as root, or let your group write there") : -1;
}

/* Opens a marker for writing. Returns its fd, or -1 with @err. */
static int open_marker(const struct tfs *t, const char *instance, const char *file,
		       struct ftr_error *err)
{
	struct buf path = {0};
	int fd;

	if (tfs_check_instance(t, instance, err))
		return -1;
	fd = openat(t->dirfd, tfs_path(&path, instance, file), O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		marker_refused(t, instance, file, err);
	buf_release(&path);
	return fd;
}

/* The kernel accepts only as much text as fits into a record (tracing_mark_write()). */
int mark_text(const struct tfs *t, const char *instance, const char *text, struct ftr_error *err)
{
	int fd = open_marker(t, instance, "trace_marker", err);
	size_t len = strlen(text), done = 0;
	ssize_t n;

	if (fd < 0)
		return -1;
	while (done < len && (n = write(fd, text + done, len - done)) > 0)
		done += n;
	if (done < len)
		marker_refused(t, instance, "trace_marker", err);
	close(fd);
	if (done < len && done)
		err_hint(err, "the first %zu of %zu bytes are in the trace", done, len);
	return done < len ? -1 : 0;
}

int mark_raw(const struct tfs *t, const char *instance, uint32_t id, const char *text,
	     struct ftr_error *err)
{
	int fd = open_marker(t, instance, "trace_marker_raw", err);
	struct buf data = {0};
	ssize_t n;

	if (fd < 0)
		return -1;
	buf_add(&data, &id, sizeof(id));
	buf_add(&data, text, strlen(text));
	n = write(fd, data.data, data.len);
	if (n < 0)
		marker_refused(t, instance, "trace_marker_raw", err);
	close(fd);
	if (n >= 0 && (size_t)n < data.len)
		n = err_set(err, FTR_FAILED, "the kernel took %zd of %zu bytes", n, data.len);
	buf_release(&data);
	return n < 0 ? -1 : 0;
}
