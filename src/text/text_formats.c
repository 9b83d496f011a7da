/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads formats of events: from a trace file, a directory like "events" of tracefs, or a text. */
#include "text/text_formats.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "file/read/dat.h"
#include "text/log/line_scan.h"

#define FORMAT_BYTES_MAX (1 << 20)	/* limit for a format file */
#define RELEASE_MAX	 64		/* __NEW_UTS_LEN of include/uapi/linux/utsname.h */

static int read_dat(struct format_files *f, const char *path, struct ftr_error *err)
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

static void read_event(struct format_files *f, int dir, const char *system, const char *event)
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

/* Appends the sorted names in the directory @path below @dir. */
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

static int read_directory(struct format_files *f, const char *path, struct ftr_error *err)
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

static const char mark[] = "@@FILE ";

/* Returns the next line that starts with the mark, from @p on, or NULL. */
static const char *next_mark(const char *p, const char *start, const char *end)
{
	while ((p = memmem(p, end - p, mark, sizeof(mark) - 1)) && p > start && p[-1] != '\n')
		p++;
	return p;
}

/* Adds a format: the line "@@FILE ./SYSTEM/EVENT/format" and its text. */
static void add_part(struct format_files *f, const char *p, const char *end)
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

static int read_file(struct format_files *f, const char *path, struct ftr_error *err)
{
	const char *start, *end, *p, *next;
	struct buf text = {0};
	int ret = 0;

	if (io_read_input(path, &text)) {
		buf_release(&text);
		return err_sys(err, "cannot read '%s'", path);
	}
	if (text.len > sizeof(mark) && memmem(text.data, text.len < 4096 ? text.len : 4096, mark,
					      sizeof(mark) - 1)) {
		start = text.data;
		end = start + text.len;
		for (p = next_mark(start, start, end); p; p = next) {
			next = next_mark(p + 1, start, end);
			add_part(f, p, next ? next : end);
		}
	} else {
		ret = read_dat(f, path, err);
	}
	buf_release(&text);
	return ret;
}

int text_formats_read(struct format_files *f, const char *path, struct ftr_error *err)
{
	struct stat st;
	struct tfs t;
	int ret;

	if (!path) {
		if (!tfs_open(&t, NULL)) {
			formats_read_all(f, &t, false);
			f->running = true;
			tfs_close(&t);
		}
		return 0;
	}
	if (stat(path, &st))
		return err_sys(err, "cannot read '%s'", path);
	ret = (S_ISDIR(st.st_mode) ? read_directory : read_file)(f, path, err);
	if (ret || f->n)
		return ret;
	err_set(err, FTR_FAILED, "'%s' has no formats of events", path);
	return err_hint(err, "it may be a trace file, a directory as tracefs' events, or a text "
			"with '@@FILE SYSTEM/EVENT/format' before each");
}

/* --- the formats of a text's own kernel */

/* Parses "6.1.0-56-amd64". The text is untrusted, and the release becomes the name of a file. */
static struct span_text scan_release(struct line_scanner s)
{
	struct span_text t = { s.p, 0 };
	uint64_t v;

	if (!scan_number(&s, &v) || !scan_char(&s, '.') || !scan_number(&s, &v))
		return t;
	while (s.p < s.end && (scan_is_name[(unsigned char)*s.p] || strchr(".-+~", *s.p)))
		s.p++;
	t.len = s.p - t.p;
	return t.len <= RELEASE_MAX ? t : (struct span_text){ t.p, 0 };
}

struct span_text text_kernel_release(struct span_text text)
{
	static const char *const before[] = {
		"Linux version ", "latency trace v1.1.5 on ", "Not tainted ", "Tainted: ",
		"# os release : ",
	};
	const char *end = text.p + text.len, *first = end, *at, *p;
	struct span_text found = { text.p, 0 }, t;

	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++) {
		for (p = text.p; p < first; p = at + 1) {
			at = memmem(p, end - p, before[i], strlen(before[i]));
			if (!at || at >= first)
				break;
			p = at + strlen(before[i]);
			/* the letters of the taints */
			while (p < end && (*p == ' ' || (*p >= 'A' && *p <= 'Z')))
				p++;
			t = scan_release((struct line_scanner){ p, end });
			if (!t.len)
				continue;
			found = t;
			first = at;
		}
	}
	return found;
}

char *text_formats_of(const char *path, struct span_text release)
{
	static const char *const ends[] = { "", ".dat", ".fmt" };
	struct stat st;
	char *file;

	for (size_t i = 0; release.len && i < sizeof(ends) / sizeof(*ends); i++) {
		file = xasprintf("%s/%.*s%s", path, (int)release.len, release.p, ends[i]);
		if (!stat(file, &st))
			return file;
		free(file);
	}
	return NULL;
}
