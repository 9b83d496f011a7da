/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the processes that read a buffer's trace_pipe. */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "tracefs/files/tfs.h"

/*
 * Does @link, the target of a descriptor, end in this instance's trace_pipe or one of its per-CPU
 * files?
 */
static bool is_pipe_of(const char *link, const char *instance)
{
	const char *name = strrchr(link, '/'), *inst = strstr(link, "/instances/");
	size_t n = instance ? strlen(instance) : 0;

	if (!name || strncmp(name + 1, "trace_pipe", 10))
		return false;
	if (!n)
		return !inst;
	return inst && !strncmp(inst + 11, instance, n) && inst[11 + n] == '/';
}

/*
 * The name of the trace_pipe file that one of the descriptors in @fd_path ("/proc/PID/fd") is open
 * on, or NULL.
 */
static char *reads_pipe(const char *instance, const char *fd_path, dev_t dev)
{
	DIR *dir = opendir(fd_path);
	struct dirent *d;
	char link[4096], *found = NULL;
	struct stat st;
	ssize_t n;

	while (dir && !found && (d = readdir(dir))) {
		n = readlinkat(dirfd(dir), d->d_name, link, sizeof(link) - 1);
		if (n <= 0)
			continue;
		link[n] = '\0';
		if (!is_pipe_of(link, instance) || fstatat(dirfd(dir), d->d_name, &st, 0) ||
		    st.st_dev != dev)
			continue;
		found = xstrdup(strrchr(link, '/') + 1);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* "'cat' (pid 77) reads trace_pipe" */
static char *describe_reader(const char *pid, const char *file)
{
	char *path = xasprintf("/proc/%s/comm", pid), *comm = io_line_at(AT_FDCWD, path);
	char *text = xasprintf("'%s' (pid %s) reads %s", comm ? comm : "?", pid, file);

	free(comm);
	free(path);
	return text;
}

void tfs_readers(const struct tfs *t, const char *instance, size_t max, struct strv *out)
{
	DIR *proc = opendir("/proc");
	struct dirent *d;
	struct stat root;
	char *file, *path;

	if (!proc || fstat(t->dirfd, &root))
		goto out;
	while (out->n < max && (d = readdir(proc))) {
		if (!isdigit((unsigned char)d->d_name[0]) || atoi(d->d_name) == getpid())
			continue;
		path = xasprintf("/proc/%s/fd", d->d_name);
		file = reads_pipe(instance, path, root.st_dev);
		if (file)
			strv_take(out, describe_reader(d->d_name, file));
		free(path);
		free(file);
	}
out:
	if (proc)
		closedir(proc);
}
