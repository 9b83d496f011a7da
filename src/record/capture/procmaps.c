/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads address maps of traced processes and build-ids of their files while the processes live. */
#include "record/capture/procmaps.h"

#include <dirent.h>
#include <elf.h>
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
#include "record/setup/worker_thread.h"

enum {
	PHDRS_MAX = 64,
	NOTES_MAX = 64 << 10,		/* bytes of one PT_NOTE */
	ID_MAX = 64,			/* bytes; 20 of SHA-1 are usual */

	PROCESSES_MAX = 4096,
	BYTES_MAX = 32 << 20,		/* limit for all maps */
	PAUSE_MAX_MS = 200,
	PAUSE_CHILDREN_MS = 10,
	IDLE_SHARE = 20,		/* a pause is so many times as long as a reading */
};

struct mapped_process {
	pid_t pid;
	bool  gone;
	char *exe;
	struct buf text;		/* /proc/PID/maps */
};

struct procmaps {
	struct mapped_process *v;
	size_t n, cap;
	struct map by_pid;		/* pids seen so far -> m */
	size_t bytes, missing;
	bool children;
	struct textmap seen;		/* paths of files -> m */
	struct strv files;		/* "BUILDID PATH" */

	struct worker_thread worker;
};

/* --- build-ids */

static bool read_elf_at(int fd, void *to, size_t n, uint64_t at)
{
	return at <= INT64_MAX - n && pread(fd, to, n, at) == (ssize_t)n;
}

static uint32_t pad_note(uint32_t n)
{
	return (n + 3) & ~3u;
}

/*
 * Appends the build-id from the notes. Notes of 64-bit files also have 4-byte words and alignment,
 * except for kinds that are ignored here.
 */
static bool search_notes(const uint8_t *p, size_t n, struct buf *out)
{
	Elf32_Nhdr note;
	uint64_t name, desc, i;

	for (; n >= sizeof(note); p += desc, n -= desc) {
		memcpy(&note, p, sizeof(note));
		name = sizeof(note);
		desc = name + pad_note(note.n_namesz);
		if (note.n_namesz > NOTES_MAX || note.n_descsz > NOTES_MAX ||
		    desc + note.n_descsz > n)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
		    !memcmp(p + name, "GNU", sizeof("GNU")) && note.n_descsz &&
		    note.n_descsz <= ID_MAX) {
			for (i = 0; i < note.n_descsz; i++)
				buf_printf(out, "%02x", p[desc + i]);
			return true;
		}
		desc += pad_note(note.n_descsz);
		if (desc > n)
			return false;
	}
	return false;
}

static bool read_notes(int fd, uint64_t at, uint64_t n, struct buf *out)
{
	uint8_t *p;
	bool found;

	if (!n || n > NOTES_MAX)
		return false;
	p = xmalloc(n);
	found = read_elf_at(fd, p, n, at) && search_notes(p, n, out);
	free(p);
	return found;
}

static bool find_id_64(int fd, struct buf *out)
{
	Elf64_Ehdr head;
	Elf64_Phdr ph;
	unsigned int i;

	if (!read_elf_at(fd, &head, sizeof(head), 0) || head.e_phentsize != sizeof(ph))
		return false;
	for (i = 0; i < head.e_phnum && i < PHDRS_MAX; i++) {
		if (!read_elf_at(fd, &ph, sizeof(ph), head.e_phoff + i * sizeof(ph)))
			return false;
		if (ph.p_type == PT_NOTE && read_notes(fd, ph.p_offset, ph.p_filesz, out))
			return true;
	}
	return false;
}

static bool find_id_32(int fd, struct buf *out)
{
	Elf32_Ehdr head;
	Elf32_Phdr ph;
	unsigned int i;

	if (!read_elf_at(fd, &head, sizeof(head), 0) || head.e_phentsize != sizeof(ph))
		return false;
	for (i = 0; i < head.e_phnum && i < PHDRS_MAX; i++) {
		if (!read_elf_at(fd, &ph, sizeof(ph), (uint64_t)head.e_phoff + i * sizeof(ph)))
			return false;
		if (ph.p_type == PT_NOTE && read_notes(fd, ph.p_offset, ph.p_filesz, out))
			return true;
	}
	return false;
}

bool build_id_read(int fd, struct buf *out)
{
	const uint8_t order = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ELFDATA2MSB : ELFDATA2LSB;
	uint8_t ident[EI_NIDENT];

	if (!read_elf_at(fd, ident, sizeof(ident), 0) || memcmp(ident, ELFMAG, SELFMAG) ||
	    ident[EI_DATA] != order)
		return false;
	return ident[EI_CLASS] == ELFCLASS64 ? find_id_64(fd, out) :
	       ident[EI_CLASS] == ELFCLASS32 && find_id_32(fd, out);
}

/* --- files */

struct file_mapping {
	uint64_t start, end;
	bool     executable;
	const char *path;		/* ends at the end of the line */
	size_t   path_len;
};

static const char *skip_word(const char *p)
{
	p += strcspn(p, " \n");
	return p + strspn(p, " ");
}

/* Parses "START-END rwxp OFFSET DEV INODE    PATH". Returns false if there is no path. */
static bool parse_mapping(const char *line, const char *end, struct file_mapping *out)
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

/*
 * Adds the build-ids of a process's files to ->files, each once. The links in map_files lead to the
 * mapped files even if their paths belong to other files by now.
 */
static void add_mapped_files(struct procmaps *m, const struct mapped_process *p)
{
	const char *at = p->text.data, *nl;
	struct buf id = {0};
	struct file_mapping mp;
	char *path, *link;
	int fd;

	for (; (nl = strchr(at, '\n')); at = nl + 1) {
		if (!parse_mapping(at, nl, &mp) || !mp.executable || *mp.path != '/')
			continue;
		path = xstrndup(mp.path, mp.path_len);
		if (!textmap_put(&m->seen, path, strlen(path), m)) {
			link = xasprintf("/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)p->pid,
					 mp.start, mp.end);
			fd = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
			if (fd >= 0 && build_id_read(fd, &id))
				strv_take(&m->files, xasprintf("%s %s", id.data, path));
			if (fd >= 0)
				close(fd);
			free(link);
			buf_release(&id);
		}
		free(path);
	}
}

/* --- processes */

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
	m->v[m->n++] = (struct mapped_process){ .pid = pid };
}

/*
 * Reads the map of a process. If it is empty, the task is about to end or is a kernel thread: the
 * last map stays.
 */
static void read_maps(struct procmaps *m, struct mapped_process *p)
{
	char *path = xasprintf("/proc/%d/maps", (int)p->pid), *link, exe[PATH_MAX];
	struct buf text = {0};
	ssize_t n;

	if (io_read_at(AT_FDCWD, path, &text)) {
		p->gone = errno == ENOENT || errno == ESRCH;
	} else if (text.len && (text.len != p->text.len ||
				memcmp(text.data, p->text.data, text.len))) {
		m->bytes += text.len - p->text.len;
		buf_release(&p->text);
		p->text = text;
		text = (struct buf){0};
		link = xasprintf("/proc/%d/exe", (int)p->pid);
		n = readlink(link, exe, sizeof(exe));
		if (n > 0 && n < (ssize_t)sizeof(exe)) {
			free(p->exe);
			p->exe = xstrndup(exe, n);
		}
		free(link);
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

/* Reads the maps of all processes, including children that it finds meanwhile. */
static void read_processes(struct procmaps *m)
{
	struct dirent *e;
	char *path;
	size_t i;
	DIR *dir;

	for (i = 0; i < m->n; i++) {
		if (m->v[i].gone)
			continue;
		read_maps(m, &m->v[i]);
		if (!m->children)
			continue;
		path = xasprintf("/proc/%d/task", (int)m->v[i].pid);
		dir = opendir(path);
		while (dir && (e = readdir(dir)))
			if (e->d_name[0] != '.')
				read_children(m, m->v[i].pid, e->d_name);
		if (dir)
			closedir(dir);
		free(path);
	}
}

/* --- the thread */

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

/* --- after the thread has ended */

size_t procmaps_n(const struct procmaps *m)
{
	size_t i, n = 0;

	for (i = 0; i < m->n; i++)
		n += !!m->v[i].text.len;
	return n;
}

void procmaps_text(pid_t pid, const char *exe, const char *maps, struct buf *out)
{
	const char *at, *nl;
	struct buf lines = {0};
	struct file_mapping mp;
	unsigned int n = 0;

	for (at = maps; (nl = strchr(at, '\n')); at = nl + 1) {
		if (!parse_mapping(at, nl, &mp))
			continue;
		buf_printf(&lines, "%" PRIx64 " %" PRIx64 " %.*s\n", mp.start, mp.end,
			   (int)mp.path_len, mp.path);
		n++;
	}
	buf_printf(out, "%x %x ", (unsigned int)pid, n);
	/* newlines are escaped as in /proc/PID/maps: the text after one would be a mapping */
	for (; *exe; exe++)
		if (*exe == '\n')
			buf_addstr(out, "\\012");
		else
			buf_addch(out, *exe);
	buf_addch(out, '\n');
	buf_add(out, lines.data, lines.len);
	buf_add(out, "", 1);
	buf_release(&lines);
}

void procmaps_option(const struct procmaps *m, size_t i, struct buf *out)
{
	const struct mapped_process *p = m->v, *end = m->v + m->n;

	while (p < end && (!p->text.len || i--))
		p++;
	if (p == end)
		procmaps_text(0, "?", "", out);
	else
		procmaps_text(p->pid, p->exe ? p->exe : "?", p->text.data, out);
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
