/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The per-CPU buffers' counters. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "tracefs/files/tfs.h"

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

static void parse_stat_line(const char *line, struct tfs_stats *st)
{
	size_t i, n;

	for (i = 0; i < sizeof(stat_lines) / sizeof(*stat_lines); i++) {
		n = strlen(stat_lines[i].name);
		if (!strncmp(line, stat_lines[i].name, n))
			*(uint64_t *)((char *)st + stat_lines[i].offset) =
				strtoull(line + n, NULL, 10);
	}
}

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
	char text[1024], *line;		/* 9 lines, which the kernel hands out at once */
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	*st = (struct tfs_stats){0};
	if (n < 0)
		return -1;
	text[n] = '\0';
	for (line = text; line; line = line ? line + 1 : NULL) {
		parse_stat_line(line, st);
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

/* Records that can still be read; what was overwritten or consumed is not in ->entries. */
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
