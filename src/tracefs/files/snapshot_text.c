/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the file "snapshot" says of its buffer: freed or allocated. */
#include "tracefs/files/snapshot_text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "tracefs/files/control.h"

/*
 * An empty snapshot reads "# * Snapshot is freed *" or "... allocated *"; one with records is
 * allocated.
 */
char *snapshot_canon(const char *text)
{
	bool freed = strstr(text, "Snapshot is freed") || !strcmp(text, "freed") ||
		     !strcmp(text, "0");

	return xstrdup(freed ? "freed" : "allocated");
}

int snapshot_head(const struct tfs *t, const char *path, char *text, size_t size)
{
	int fd = openat(t->dirfd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t len = 0;
	ssize_t n = 0;
	int sys;

	if (fd < 0)
		return -1;
	while (len < size - 1 && (n = read(fd, text + len, size - 1 - len)) > 0)
		len += n;
	sys = errno;
	text[len] = '\0';
	close(fd);
	errno = sys;
	return n < 0 && !len ? -1 : 0;
}

static bool says_freed(const struct tfs *t, const char *path)
{
	char text[SNAPSHOT_HEAD_BYTES];

	return !snapshot_head(t, path, text, sizeof(text)) && strstr(text, "Snapshot is freed");
}

bool snapshot_allocated(const struct tfs *t, const char *instance)
{
	struct buf path = {0};
	bool no = says_freed(t, tfs_path(&path, instance, "snapshot"));

	buf_release(&path);
	return !no;
}

/*
 * What was freed is freed again; what was allocated and is free by now stays so: allocating it
 * would take a snapshot.
 */
int snapshot_restore(const struct tfs *t, const char *path, const char *old, struct ftr_error *err)
{
	if (strcmp(old, "freed") || says_freed(t, path) || !control_write(t, path, O_TRUNC, "0"))
		return 0;
	return err_sys(err, "cannot free the snapshot '%s/%s'", t->path, path);
}
