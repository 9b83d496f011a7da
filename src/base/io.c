/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole reads and writes of files. */
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

#define INPUT_MAX (64u << 20)	/* many times the text of a kernel's events, or of a user */

int io_read_max(int fd, size_t max, struct buf *out)
{
	size_t chunk = 4096, start = out->len;
	ssize_t n;

	for (;;) {
		buf_reserve(out, chunk);
		n = read(fd, out->data + out->len, out->cap - out->len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		out->len += n;
		if (out->len - start > max) {
			errno = EFBIG;
			n = -1;
			break;
		}
		if (chunk < 1 << 20)
			chunk *= 2;
	}
	out->data[out->len] = '\0';
	return n < 0 ? -1 : 0;
}

int io_read_fd(int fd, struct buf *out)
{
	return io_read_max(fd, SIZE_MAX, out);
}

int io_read_input(const char *path, struct buf *out)
{
	return io_read_text(path, INPUT_MAX, out);
}

int io_read_text(const char *path, size_t max, struct buf *out)
{
	bool in = !strcmp(path, "-");
	int fd = in ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), ret, sys;

	if (fd < 0)
		return -1;
	ret = io_read_max(fd, max, out);
	sys = errno;
	if (!in)
		close(fd);
	errno = sys;
	return ret;
}

int io_read_at(int dirfd, const char *path, struct buf *out)
{
	int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);
	int ret, sys;

	if (fd < 0)
		return -1;
	ret = io_read_fd(fd, out);
	sys = errno;
	close(fd);
	errno = sys;
	return ret;
}

int io_write_all(int fd, const void *p, size_t n)
{
	const char *at = p;
	ssize_t done;

	while (n) {
		done = write(fd, at, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -1;
		at += done;
		n -= done;
	}
	return 0;
}

/*
 * A file system lets one thread at a time write to a file (i_rwsem): a large write must not block
 * the threads that record into another part of it.
 */
enum { WRITE_BLOCK = 64 << 10 };

int io_pwrite_all(int fd, const void *p, size_t n, off_t at)
{
	const char *from = p;
	ssize_t done;

	while (n) {
		done = pwrite(fd, from, n < WRITE_BLOCK ? n : WRITE_BLOCK, at);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -1;
		from += done;
		at += done;
		n -= done;
	}
	return 0;
}

const char *io_tmpdir(void)
{
	const char *dir = secure_getenv("TMPDIR");

	return dir && *dir ? dir : "/var/tmp";
}

int io_unnamed(void)
{
	int fd = open(io_tmpdir(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char *name;

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
		return fd;
	name = xasprintf("%s/ftr-XXXXXX", io_tmpdir());
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	free(name);
	return fd;
}

char *io_line_at(int dirfd, const char *path)
{
	struct buf b = {0};

	if (io_read_at(dirfd, path, &b)) {
		buf_release(&b);
		return NULL;
	}
	b.data[strcspn(b.data, "\n")] = '\0';
	return buf_take(&b);
}

int io_mkdirs(const char *path, mode_t mode)
{
	char *copy = xstrdup(path), *p = copy;
	int ret = 0;

	do {
		p = strchr(p + 1, '/');
		if (p)
			*p = '\0';
		ret = mkdir(copy, mode) && errno != EEXIST ? -1 : 0;
		if (p)
			*p = '/';
	} while (p && !ret);
	free(copy);
	return ret;
}
