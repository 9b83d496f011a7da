/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats out of files, folders and the running kernel. */
#include "oops/dump_formats.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "file/read/dat.h"

#define FORMAT_BYTES_MAX (1 << 20)

static int read_live(struct formats *f)
{
	struct tfs t;

	if (tfs_open(&t, NULL))
		return 0;
	formats_read_all(f, &t, false);
	tfs_close(&t);
	return 0;
}

static int read_dat(struct formats *f, const char *path, struct ftr_error *err)
{
	struct dat *d = dat_open(path, err);
	const struct dat_format *v;
	char *event;
	size_t n;

	if (!d)
		return -1;
	n = dat_formats(d, DAT_EVENT_FORMATS, &v);
	for (size_t i = 0; i < n; i++) {
		const char *p = v[i].text.p, *end = p + v[i].text.len, *nl;

		nl = memchr(p, '\n', end - p);
		if (!nl || nl - p < 7 || memcmp(p, "name: ", 6))
			continue;
		event = xstrndup(p + 6, nl - p - 6);
		formats_add(f, v[i].system, event, p, end - p);
		free(event);
	}
	dat_close(d);
	return 0;
}

/* --- a folder: SYSTEM/EVENT/format */

static void read_event(struct formats *f, int dir, const char *system, const char *event)
{
	char *path = xasprintf("%s/%s/format", system, event);
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct buf text = {0};

	if (fd >= 0) {
		if (!io_read_max(fd, FORMAT_BYTES_MAX, &text) && text.len)
			formats_add(f, system, event, text.data, text.len);
		close(fd);
	}
	buf_release(&text);
	free(path);
}

/* Names in the folder @path below @dir. */
static void list_names(int dir, const char *path, struct strv *names)
{
	int fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (*e->d_name != '.')
			strv_add(names, e->d_name);
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
	strv_sort_unique(names);
}

static int read_folder(struct formats *f, const char *path, struct ftr_error *err)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct strv systems = {0}, events;

	if (dir < 0)
		return err_sys(err, "cannot read '%s'", path);
	list_names(dir, ".", &systems);
	for (size_t i = 0; i < systems.n; i++) {
		events = (struct strv){0};
		list_names(dir, systems.v[i], &events);
		for (size_t j = 0; j < events.n; j++)
			read_event(f, dir, systems.v[i], events.v[j]);
		strv_release(&events);
	}
	strv_release(&systems);
	close(dir);
	return 0;
}

/* --- a text of many */

static const char mark[] = "@@FILE ";

/* The next line that begins with the mark, from @p on. */
static const char *next_mark(const char *p, const char *begin, const char *end)
{
	while ((p = memmem(p, end - p, mark, sizeof(mark) - 1)) && p > begin && p[-1] != '\n')
		p++;
	return p;
}

/* "./SYSTEM/EVENT/format" */
static void add_part(struct formats *f, const char *p, const char *end)
{
	const char *nl = memchr(p, '\n', end - p);
	struct strv parts = {0};
	char *path;

	if (!nl)
		return;
	path = xstrndup(p + sizeof(mark) - 1, nl - p - (sizeof(mark) - 1));
	strv_split(&parts, path, "/");
	if (parts.n >= 3)
		formats_add(f, parts.v[parts.n - 3], parts.v[parts.n - 2], nl + 1, end - nl - 1);
	strv_release(&parts);
	free(path);
}

static void read_bundle(struct formats *f, const struct buf *text)
{
	const char *begin = text->data, *end = begin + text->len, *p, *next;

	for (p = next_mark(begin, begin, end); p; p = next) {
		next = next_mark(p + 1, begin, end);
		add_part(f, p, next ? next : end);
	}
}

static int read_file(struct formats *f, const char *path, struct ftr_error *err)
{
	struct buf text = {0};
	int ret = 0;

	if (io_read_input(path, &text)) {
		buf_release(&text);
		return err_sys(err, "cannot read '%s'", path);
	}
	if (text.len > sizeof(mark) && memmem(text.data, text.len < 4096 ? text.len : 4096, mark,
					      sizeof(mark) - 1))
		read_bundle(f, &text);
	else
		ret = read_dat(f, path, err);
	buf_release(&text);
	return ret;
}

int oops_formats_read(struct formats *f, const char *path, struct ftr_error *err)
{
	struct stat st;
	int ret;

	if (!path)
		return read_live(f);
	if (stat(path, &st))
		return err_sys(err, "cannot read '%s'", path);
	ret = (S_ISDIR(st.st_mode) ? read_folder : read_file)(f, path, err);
	if (ret || f->n)
		return ret;
	err_set(err, FTR_FAILED, "'%s' has no formats of events", path);
	return err_hint(err, "it may be a trace file, a folder as tracefs' events, or a text with "
			"'@@FILE SYSTEM/EVENT/format' before each");
}
