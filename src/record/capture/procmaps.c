/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Address maps of traced processes, and build-ids of their files, taken while they live. */
#include "record/capture/procmaps.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/map.h"
#include "base/now.h"
#include "record/capture/buildid.h"
#include "record/setup/worker_thread.h"

enum {
	PROCESSES_MAX = 4096,
	BYTES_MAX = 32 << 20,		/* of all maps */
	PAUSE_MAX_MS = 200,
	PAUSE_CHILDREN_MS = 10,
	IDLE_SHARE = 20,		/* pauses to looks */
};

struct process {
	pid_t pid;
	bool  gone;
	char *exe;
	struct buf text;		/* /proc/PID/maps */
};

struct procmaps {
	struct process *v;
	size_t n, cap;
	struct map by_pid;		/* those that were met -> m */
	size_t bytes, missing;
	bool children;
	struct textmap seen;		/* paths of files -> m */
	struct strv files;		/* "BUILDID PATH" */

	struct worker worker;
};

/* ---- files */

/* By the link in map_files it is the file that is mapped, whatever its name has become. */
static void add_mapped_file(struct procmaps *m, pid_t pid, const char *range, const char *path)
{
	struct buf id = {0};
	char *link;
	int fd;

	if (textmap_put(&m->seen, path, strlen(path), m))
		return;
	link = xasprintf("/proc/%d/map_files/%s", (int)pid, range);
	fd = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 && build_id_read(fd, &id))
		strv_take(&m->files, xasprintf("%s %s", id.data, path));
	if (fd >= 0)
		close(fd);
	free(link);
	buf_release(&id);
}

struct mapping {
	uint64_t start, end;
	bool     executable;
	const char *path;		/* to the end of the line */
	size_t   path_len;
};

static const char *skip_word(const char *p)
{
	p += strcspn(p, " \n");
	return p + strspn(p, " ");
}

/* "START-END rwxp OFFSET DEV INODE    PATH"; false if it has no name. */
static bool parse_mapping(const char *line, const char *end, struct mapping *out)
{
	const char *p;
	char *at;

	out->start = strtoull(line, &at, 16);
	if (*at != '-')
		return false;
	out->end = strtoull(at + 1, &at, 16);
	if (end - at < 5 || *at != ' ')
		return false;
	out->executable = at[3] == 'x';
	p = skip_word(skip_word(skip_word(skip_word(at + 1))));
	if (p >= end)
		return false;
	out->path = p;
	out->path_len = end - p;
	return true;
}

static void add_mapped_files(struct procmaps *m, const struct process *p)
{
	const char *at = p->text.data, *nl;
	struct mapping mp;
	char range[40], *path;

	for (; (nl = strchr(at, '\n')); at = nl + 1) {
		if (!parse_mapping(at, nl, &mp) || !mp.executable || *mp.path != '/')
			continue;
		snprintf(range, sizeof(range), "%" PRIx64 "-%" PRIx64, mp.start, mp.end);
		path = xstrndup(mp.path, mp.path_len);
		add_mapped_file(m, p->pid, range, path);
		free(path);
	}
}

/* ---- processes */

static void add_mapped_process(struct procmaps *m, pid_t pid)
{
	if (pid <= 0 || map_get(&m->by_pid, pid))
		return;
	map_put(&m->by_pid, pid, m);
	if (m->n == PROCESSES_MAX || m->bytes > BYTES_MAX) {
		m->missing++;
		return;
	}
	m->v = xgrow(m->v, &m->cap, m->n + 1, sizeof(*m->v));
	m->v[m->n++] = (struct process){ .pid = pid };
}

static void read_exe(struct process *p)
{
	char *link = xasprintf("/proc/%d/exe", (int)p->pid), path[PATH_MAX];
	ssize_t n = readlink(link, path, sizeof(path));

	if (n > 0 && n < (ssize_t)sizeof(path)) {
		free(p->exe);
		p->exe = xstrndup(path, n);
	}
	free(link);
}

/* An empty map is that of a task about to end, or of a kernel thread. */
static void read_maps(struct procmaps *m, struct process *p)
{
	char *path = xasprintf("/proc/%d/maps", (int)p->pid);
	struct buf text = {0};

	if (io_read_at(AT_FDCWD, path, &text)) {
		p->gone = errno == ENOENT || errno == ESRCH;
	} else if (text.len && (text.len != p->text.len ||
				memcmp(text.data, p->text.data, text.len))) {
		m->bytes += text.len - p->text.len;
		buf_release(&p->text);
		p->text = text;
		text = (struct buf){0};
		read_exe(p);
		add_mapped_files(m, p);
	}
	buf_release(&text);
	free(path);
}

static void read_children(struct procmaps *m, pid_t pid, const char *tid)
{
	char *path = xasprintf("/proc/%d/task/%s/children", (int)pid, tid), *at, *end;
	struct buf text = {0};
	long child;

	if (!io_read_at(AT_FDCWD, path, &text) && text.len) {
		for (at = text.data; (child = strtol(at, &end, 10)) > 0 && end > at; at = end)
			add_mapped_process(m, child);
	}
	buf_release(&text);
	free(path);
}

static void find_children(struct procmaps *m, pid_t pid)
{
	char *path = xasprintf("/proc/%d/task", (int)pid);
	DIR *dir = opendir(path);
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			read_children(m, pid, e->d_name);
	if (dir)
		closedir(dir);
	free(path);
}

/* Processes that this finds are looked at in the same go. */
static void read_processes(struct procmaps *m)
{
	size_t i;

	for (i = 0; i < m->n; i++) {
		if (m->v[i].gone)
			continue;
		read_maps(m, &m->v[i]);
		if (m->children)
			find_children(m, m->v[i].pid);
	}
}

/* ---- the thread */

static void procmaps_run(void *arg)
{
	struct procmaps *m = arg;
	int64_t pause = 1, before, took, most;
	bool end = worker_wait(&m->worker, -1);

	while (!end) {
		before = now_ms();
		read_processes(m);
		took = now_ms() - before;
		pause = pause * 2;
		most = m->children ? PAUSE_CHILDREN_MS : PAUSE_MAX_MS;
		if (most < took * IDLE_SHARE)
			most = took * IDLE_SHARE;
		if (most > PAUSE_MAX_MS)
			most = PAUSE_MAX_MS;
		if (pause > most)
			pause = most;
		end = worker_wait(&m->worker, pause);
	}
	read_processes(m);
}

struct procmaps *procmaps_new(void)
{
	return xcalloc(1, sizeof(struct procmaps));
}

int procmaps_start(struct procmaps *m, struct ftr_error *err)
{
	return worker_start(&m->worker, "ftr-maps", 0, procmaps_run, m, "reads address maps", err);
}

void procmaps_follow(struct procmaps *m, const pid_t *pids, size_t n, bool children)
{
	size_t i;

	if (!m->worker.started)
		return;
	for (i = 0; i < n; i++)
		add_mapped_process(m, pids[i]);
	m->children = children;
	worker_wake(&m->worker);
}

void procmaps_stop(struct procmaps *m)
{
	if (m)
		worker_stop(&m->worker);
}

/* ---- afterwards */

static const struct process *nth_process(const struct procmaps *m, size_t i)
{
	const struct process *p;

	for (p = m->v; p < m->v + m->n; p++)
		if (p->text.len && !i--)
			return p;
	return NULL;
}

size_t procmaps_n(const struct procmaps *m)
{
	size_t i, n = 0;

	for (i = 0; i < m->n; i++)
		n += !!m->v[i].text.len;
	return n;
}

/* A line end as in /proc/PID/maps: what is behind it would be taken for a mapping. */
static void add_maps_path(struct buf *out, const char *path)
{
	for (; *path; path++)
		if (*path == '\n')
			buf_addstr(out, "\\012");
		else
			buf_addch(out, *path);
}

void procmaps_text(pid_t pid, const char *exe, const char *maps, struct buf *out)
{
	const char *at, *nl;
	struct buf lines = {0};
	struct mapping mp;
	unsigned int n = 0;

	for (at = maps; (nl = strchr(at, '\n')); at = nl + 1) {
		if (!parse_mapping(at, nl, &mp))
			continue;
		buf_printf(&lines, "%" PRIx64 " %" PRIx64 " %.*s\n", mp.start, mp.end,
			   (int)mp.path_len, mp.path);
		n++;
	}
	buf_printf(out, "%x %x ", (unsigned int)pid, n);
	add_maps_path(out, exe);
	buf_addch(out, '\n');
	buf_add(out, lines.data, lines.len);
	buf_add(out, "", 1);
	buf_release(&lines);
}

void procmaps_option(const struct procmaps *m, size_t i, struct buf *out)
{
	const struct process *p = nth_process(m, i);

	procmaps_text(p ? p->pid : 0, p && p->exe ? p->exe : "?", p ? p->text.data : "", out);
}

const struct strv *procmaps_files(struct procmaps *m)
{
	strv_sort_unique(&m->files);
	return &m->files;
}

size_t procmaps_missing(const struct procmaps *m)
{
	return m->missing;
}

void procmaps_free(struct procmaps *m)
{
	size_t i;

	if (!m)
		return;
	procmaps_stop(m);
	for (i = 0; i < m->n; i++) {
		free(m->v[i].exe);
		buf_release(&m->v[i].text);
	}
	free(m->v);
	map_release(&m->by_pid);
	textmap_release(&m->seen);
	strv_release(&m->files);
	free(m);
}
