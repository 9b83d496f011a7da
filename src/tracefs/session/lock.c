/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The exclusive lock: flock() on tracefs' root folder, which the kernel releases at any death. */
#include "tracefs/session/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/io.h"
#include "tracefs/session/journal.h"

/*
 * /proc/locks: "1: FLOCK  ADVISORY  WRITE 137 00:0c:1 0 EOF" (device in hex). 0 when nobody is
 * found.
 */
static pid_t lock_holder(int fd)
{
	struct buf text = {0};
	struct strv lines = {0};
	unsigned int major, minor;
	unsigned long ino;
	struct stat st;
	pid_t pid = 0;
	size_t i;
	int p;

	if (fstat(fd, &st) || io_read_at(AT_FDCWD, "/proc/locks", &text))
		goto out;
	strv_split(&lines, text.data, "\n");
	for (i = 0; i < lines.n && !pid; i++)
		if (sscanf(lines.v[i], "%*d: FLOCK ADVISORY WRITE %d %x:%x:%lu", &p, &major, &minor,
			   &ino) == 4 &&
		    ino == st.st_ino && major == major(st.st_dev) && minor == minor(st.st_dev))
			pid = p;
out:
	strv_release(&lines);
	buf_release(&text);
	return pid;
}

char *global_lock_holder(const struct tfs *t)
{
	pid_t pid = lock_holder(t->dirfd);
	char *command = pid > 0 ? process_command(pid) : NULL, *text;

	text = command ? xasprintf("pid %d, '%s'", (int)pid, command) : NULL;
	free(command);
	return text;
}

static void explain_locked(int fd, struct ftr_error *err)
{
	pid_t pid = lock_holder(fd);
	char *command = pid > 0 ? process_command(pid) : NULL;

	if (command)
		err_set(err, FTR_FAILED,
			"tracing of the whole kernel is in use by pid %d, '%.300s'", (int)pid,
			command);
	else
		err_set(err, FTR_FAILED,
			"tracing of the whole kernel is in use by another process");
	err_hint(err, "wait for it to end, or leave out what exists once for the kernel");
	free(command);
}

int global_lock(const struct tfs *t, struct ftr_error *err)
{
	int fd = openat(t->dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return err_sys(err, "cannot open '%s'", t->path);
	do {
		ret = flock(fd, LOCK_EX | LOCK_NB);
	} while (ret && errno == EINTR);
	if (!ret)
		return fd;
	if (errno == EWOULDBLOCK)
		explain_locked(fd, err);
	else
		err_sys(err, "cannot lock '%s'", t->path);
	close(fd);
	return -1;
}

void global_unlock(int fd)
{
	if (fd < 0)
		return;
	flock(fd, LOCK_UN);
	close(fd);
}
