/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds and opens tracefs; reads its files, the counters of its buffers, and their readers. */
#include "tracefs/files/tfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tracefs/tracefs.h>
#include <unistd.h>

#include "base/io.h"
#include "base/text.h"

#define TRACEFS_DEFAULT "/sys/kernel/tracing"

/*
 * True if kernel lockdown is in the mode that forbids tracing. Nothing in tracefs can be opened
 * then (EPERM even for root). If it was on from the start, tracefs is empty.
 */
static bool kernel_is_locked_down(void)
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

	if ((sys == EPERM || sys == ENOENT) && kernel_is_locked_down()) {
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

int tfs_open(struct tfs *t, struct ftr_error *err)
{
	const char *path = secure_getenv("FTR_TRACEFS");
	struct stat st;
	int fd;

	*t = (struct tfs){ .dirfd = -1 };
	if (!path || !*path) {
		path = NULL;
		if (tracefs_tracing_dir_is_mounted(false, &path) <= 0)
			path = NULL;
	}
	if (!path && stat(TRACEFS_DEFAULT, &st)) {
		err_set(err, FTR_FAILED, "this kernel has no tracefs");
		return err_hint(err, "it needs CONFIG_TRACING; there is no '%s'", TRACEFS_DEFAULT);
	}
	if (!path) {
		err_set(err, FTR_FAILED, "tracefs is not mounted");
		return err_hint(err, "as root: mount -t tracefs nodev %s", TRACEFS_DEFAULT);
	}
	t->path = xstrdup(path);
	t->dirfd = open(t->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (t->dirfd < 0)
		goto fail;
	/* A group may list the directory but not open the files; lockdown shows only at a file. */
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

uint32_t tfs_subbuf_size(const struct tfs *t, const char *instance)
{
	char *line = tfs_line(t, instance, "buffer_subbuf_size_kb");
	unsigned long kb = strtoul(line, NULL, 10);
	unsigned int offset, len;
	struct buf text = {0};
	uint32_t size = 0;
	const char *data;

	free(line);
	if (kb && kb <= UINT32_MAX / 1024)
		return kb * 1024;
	/* "field: char data;\toffset:16;\tsize:4080;\tsigned:1;": the sub-buffer ends with data. */
	if (!tfs_read(t, NULL, "events/header_page", &text, NULL)) {
		data = strstr(text.data, " data;");
		if (data && sscanf(data, " data; offset:%u; size:%u;", &offset, &len) == 2)
			size = offset + len;
	}
	buf_release(&text);
	return size ? size : (uint32_t)sysconf(_SC_PAGESIZE);
}

#define STAT(text, member) { text, offsetof(struct tfs_stats, member) }

static const struct {
	const char *name;
	size_t offset;
} stat_lines[] = {
	STAT("entries: ",        entries),
	STAT("overrun: ",        overrun),
	STAT("commit overrun: ", commit_overrun),
	STAT("bytes: ",          bytes),
	STAT("dropped events: ", dropped),
	STAT("read events: ",    read_events),
};

int tfs_stats_open(const struct tfs *t, const char *instance, int cpu)
{
	struct buf path = {0};
	char file[64];
	int fd;

	snprintf(file, sizeof(file), "per_cpu/cpu%d/stats", cpu);
	fd = openat(t->dirfd, tfs_path(&path, instance, file), O_RDONLY | O_CLOEXEC);
	buf_release(&path);
	return fd;
}

int tfs_stats_read(int fd, struct tfs_stats *st)
{
	char text[1024], *line;		/* 9 lines, which the kernel returns in one read */
	ssize_t len = pread(fd, text, sizeof(text) - 1, 0);
	size_t i, n;

	*st = (struct tfs_stats){0};
	if (len < 0)
		return -1;
	text[len] = '\0';
	for (line = text; line; line = line ? line + 1 : NULL) {
		for (i = 0; i < sizeof(stat_lines) / sizeof(*stat_lines); i++) {
			n = strlen(stat_lines[i].name);
			if (!strncmp(line, stat_lines[i].name, n))
				*(uint64_t *)((char *)st + stat_lines[i].offset) =
					strtoull(line + n, NULL, 10);
		}
		line = strchr(line, '\n');
	}
	return 0;
}

int tfs_stats(const struct tfs *t, const char *instance, int cpu, struct tfs_stats *st)
{
	int fd = tfs_stats_open(t, instance, cpu), ret = tfs_stats_read(fd, st), sys = errno;

	if (fd >= 0)
		close(fd);
	errno = sys;
	return ret;
}

static int by_number(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

int tfs_cpus(const struct tfs *t, const char *instance, int **cpus, size_t *n,
	     struct ftr_error *err)
{
	struct buf path = {0};
	struct dirent *d;
	size_t cap = 0;
	int64_t cpu;
	DIR *dir;
	int fd;

	*cpus = NULL;
	*n = 0;
	fd = openat(t->dirfd, tfs_path(&path, instance, "per_cpu"),
		    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		err_sys(err, "cannot list '%s/%s'", t->path, path.data);
		if (fd >= 0)
			close(fd);
		buf_release(&path);
		return -1;
	}
	buf_release(&path);
	while ((d = readdir(dir))) {
		if (strncmp(d->d_name, "cpu", 3) || text_number(d->d_name + 3, 0, 1 << 20, &cpu))
			continue;
		*cpus = xgrow(*cpus, &cap, *n + 1, sizeof(**cpus));
		(*cpus)[(*n)++] = cpu;
	}
	closedir(dir);
	if (*n)
		qsort(*cpus, *n, sizeof(**cpus), by_number);
	return 0;
}

/* ->entries counts records that can still be read, neither overwritten nor consumed ones. */
uint64_t tfs_buffered(const struct tfs *t, const char *instance)
{
	struct tfs_stats st;
	uint64_t sum = 0;
	size_t i, n;
	int *cpus;

	if (tfs_cpus(t, instance, &cpus, &n, NULL))
		return 0;
	for (i = 0; i < n; i++)
		if (!tfs_stats(t, instance, cpus[i], &st))
			sum += st.entries;
	free(cpus);
	return sum;
}

bool tfs_has_data(const struct tfs *t, const char *instance)
{
	return tfs_buffered(t, instance) > 0;
}

/* True if @link, the target of a descriptor, is a trace_pipe of @instance or of one of its CPUs. */
static bool link_is_pipe(const char *link, const char *instance)
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
 * Returns the name of the trace_pipe file that a descriptor in @fd_path ("/proc/PID/fd") has open,
 * NULL if there is none. The caller frees.
 */
static char *find_open_pipe(const char *instance, const char *fd_path, dev_t dev)
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
		if (!link_is_pipe(link, instance) || fstatat(dirfd(dir), d->d_name, &st, 0) ||
		    st.st_dev != dev)
			continue;
		found = xstrdup(strrchr(link, '/') + 1);
	}
	if (dir)
		closedir(dir);
	return found;
}

void tfs_readers(const struct tfs *t, const char *instance, size_t max, struct strv *out)
{
	DIR *proc = opendir("/proc");
	char *file, *path, *comm;
	struct dirent *d;
	struct stat root;

	if (!proc || fstat(t->dirfd, &root))
		goto out;
	while (out->n < max && (d = readdir(proc))) {
		if (!isdigit((unsigned char)d->d_name[0]) || atoi(d->d_name) == getpid())
			continue;
		path = xasprintf("/proc/%s/fd", d->d_name);
		file = find_open_pipe(instance, path, root.st_dev);
		free(path);
		if (!file)
			continue;
		path = xasprintf("/proc/%s/comm", d->d_name);
		comm = io_line_at(AT_FDCWD, path);
		strv_take(out, xasprintf("'%s' (pid %s) reads %s", comm ? comm : "?", d->d_name,
					 file));
		free(comm);
		free(path);
		free(file);
	}
out:
	if (proc)
		closedir(proc);
}

/* Opening a trace file with O_TRUNC empties its buffer. */
int clear_buffer(const struct tfs *t, const char *instance, int cpu, struct ftr_error *err)
{
	struct buf path = {0}, dir = {0};
	char file[48] = "trace";
	int fd, sys, ret = 0;

	if (cpu >= 0)
		snprintf(file, sizeof(file), "per_cpu/cpu%d/trace", cpu);
	tfs_path(&path, instance, file);
	do {
		fd = openat(t->dirfd, path.data, O_WRONLY | O_TRUNC | O_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	if (fd < 0) {
		sys = errno;
		ret = err_sys(err, "cannot clear '%s/%s'", t->path, path.data);
		tfs_hint_rights(t->path, sys, err);
		if (sys == ENOENT && instance &&
		    !tfs_exists(t, NULL, tfs_path(&dir, instance, "")))
			err_set(err, FTR_FAILED, "no instance '%s'", instance);
		else if (sys == ENOENT && cpu >= 0)
			err_set(err, FTR_FAILED, "there is no buffer of CPU %d", cpu);
	} else {
		close(fd);
	}
	buf_release(&dir);
	buf_release(&path);
	return ret;
}
