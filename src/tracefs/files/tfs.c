/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds and opens tracefs, and reads its files. */
#include "tracefs/files/tfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tracefs/tracefs.h>
#include <unistd.h>

#include "base/io.h"

#define TRACEFS_DEFAULT "/sys/kernel/tracing"

/*
 * Kernel lockdown in the mode that forbids tracing? Nothing in tracefs can be opened then (EPERM
 * even for root); where it was on from the start there is nothing in it.
 */
static bool locked_down(void)
{
	char *line = io_line_at(AT_FDCWD, "/sys/kernel/security/lockdown");
	bool yes = line && strstr(line, "[confidentiality]");

	free(line);
	return yes;
}

int tfs_hint_rights(const char *path, int sys, struct ftr_error *err)
{
	if (sys == EROFS)
		return err_hint(err, "it is mounted read-only; as root: mount -o remount,rw %s",
				path);
	if (sys != EACCES && sys != EPERM)
		return -1;
	if (!geteuid())
		return err_hint(err, "it is refused even to root: see "
				"/sys/kernel/security/lockdown; a container may be in the way");
	return err_hint(err, "run it as root, or let a group in: mount -o "
			"remount,gid=GROUP,mode=770 %s && chmod -R g+rwX %s", path, path);
}

static int explain_rights(const char *path, struct ftr_error *err)
{
	int sys = errno;

	if ((sys == EPERM || sys == ENOENT) && locked_down()) {
		err_set(err, FTR_FAILED, "cannot use tracefs at '%s': the kernel is locked down",
			path);
		return err_hint(err, "lockdown=confidentiality forbids tracing; boot with "
				"lockdown=integrity or without Secure Boot");
	}
	errno = sys;
	err_sys(err, "cannot use tracefs at '%s'", path);
	if (sys == ENOENT && !access(path, F_OK))
		return err_hint(err, "it has no files, as when the kernel is locked down: see "
				"dmesg");
	return tfs_hint_rights(path, sys, err);
}

static int explain_absent(struct ftr_error *err)
{
	struct stat st;

	if (stat(TRACEFS_DEFAULT, &st)) {
		err_set(err, FTR_FAILED, "this kernel has no tracefs");
		return err_hint(err, "it needs CONFIG_TRACING; there is no '%s'", TRACEFS_DEFAULT);
	}
	err_set(err, FTR_FAILED, "tracefs is not mounted");
	return err_hint(err, "as root: mount -t tracefs nodev %s", TRACEFS_DEFAULT);
}

static int find_path(struct tfs *t, struct ftr_error *err)
{
	const char *path = secure_getenv("FTR_TRACEFS");

	if (!path || !*path) {
		path = NULL;
		if (tracefs_tracing_dir_is_mounted(false, &path) <= 0)
			path = NULL;
	}
	if (!path)
		return explain_absent(err);
	t->path = xstrdup(path);
	return 0;
}

int tfs_open(struct tfs *t, struct ftr_error *err)
{
	int fd;

	*t = (struct tfs){ .dirfd = -1 };
	if (find_path(t, err))
		return -1;
	t->dirfd = open(t->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (t->dirfd < 0)
		goto fail;
	/* A group may list the folder and yet not open the files; lockdown shows at a file only. */
	fd = openat(t->dirfd, "current_tracer", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		goto fail;
	close(fd);
	return 0;
fail:
	explain_rights(t->path, err);
	tfs_close(t);
	return -1;
}

void tfs_close(struct tfs *t)
{
	if (!t->path)
		return;
	if (t->dirfd >= 0)
		close(t->dirfd);
	free(t->path);
	*t = (struct tfs){ .dirfd = -1 };
}

const char *tfs_path(struct buf *b, const char *instance, const char *file)
{
	buf_reset(b);
	if (instance && *instance)
		buf_printf(b, "instances/%s/", instance);
	buf_addstr(b, file);
	return b->data;
}

const char *tfs_event_file(struct buf *b, const char *event, const char *file)
{
	size_t n = strcspn(event, ":");

	buf_reset(b);
	buf_printf(b, "events/%.*s/%s/%s", (int)n, event, event + n + !!event[n], file);
	return b->data;
}

bool tfs_exists(const struct tfs *t, const char *instance, const char *file)
{
	struct buf path = {0};
	bool there = !faccessat(t->dirfd, tfs_path(&path, instance, file), F_OK, 0);

	buf_release(&path);
	return there;
}

bool tfs_opens(const struct tfs *t, const char *instance, const char *file)
{
	struct buf path = {0};
	int fd = openat(t->dirfd, tfs_path(&path, instance, file), O_RDONLY | O_CLOEXEC);

	buf_release(&path);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

int tfs_read(const struct tfs *t, const char *instance, const char *file, struct buf *out,
	     struct ftr_error *err)
{
	struct buf path = {0};
	int ret, sys;

	buf_reset(out);
	ret = io_read_at(t->dirfd, tfs_path(&path, instance, file), out);
	sys = errno;
	if (ret)
		err_sys(err, "cannot read '%s/%s'", t->path, path.data);
	buf_release(&path);
	errno = sys;
	return ret;
}

char *tfs_line(const struct tfs *t, const char *instance, const char *file)
{
	struct buf path = {0};
	char *line = io_line_at(t->dirfd, tfs_path(&path, instance, file));

	buf_release(&path);
	return line ? line : xstrdup("");
}

/*
 * header_page: "field: char data;\toffset:16;\tsize:4080;\tsigned:1;": the sub-buffer ends where
 * data does.
 */
static uint32_t subbuf_from_header(const char *text)
{
	const char *data = strstr(text, " data;");
	unsigned int offset, size;

	if (!data || sscanf(data, " data; offset:%u; size:%u;", &offset, &size) != 2)
		return 0;
	return offset + size;
}

uint32_t tfs_subbuf_size(const struct tfs *t, const char *instance)
{
	char *line = tfs_line(t, instance, "buffer_subbuf_size_kb");
	unsigned long kb = strtoul(line, NULL, 10);
	struct buf text = {0};
	uint32_t size = 0;

	free(line);
	if (kb && kb <= UINT32_MAX / 1024)
		return kb * 1024;
	if (!tfs_read(t, NULL, "events/header_page", &text, NULL))
		size = subbuf_from_header(text.data);
	buf_release(&text);
	return size ? size : (uint32_t)sysconf(_SC_PAGESIZE);
}
