/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the format files of events, each once, and again after its module was replaced. */
#include "record/capture/capture_formats.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"

static struct format_file *find_latest_format(const struct format_files *f, const char *system,
					      const char *event)
{
	char *name = xasprintf("%s/%s", system, event);
	uintptr_t at = (uintptr_t)textmap_get(&f->latest, name, strlen(name));

	free(name);
	return at ? &f->v[at - 1] : NULL;
}

static int read_event_format(struct format_files *f, const struct tfs *t, const char *system,
			     const char *event)
{
	char *path = xasprintf("events/%s/%s/format", system, event);
	struct buf text = {0};
	int ret = io_read_at(t->dirfd, path, &text);

	if (!ret && text.len)
		formats_add(f, system, event, text.data, text.len);
	buf_release(&text);
	free(path);
	return ret;
}

/* Appends the names of the directories in @path. */
static void list_directories(const struct tfs *t, const char *path, struct strv *out)
{
	int fd = openat(t->dirfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((e = readdir(dir)))
		if (e->d_name[0] != '.' && (e->d_type == DT_DIR || e->d_type == DT_UNKNOWN))
			strv_add(out, e->d_name);
	closedir(dir);
}

bool formats_add(struct format_files *f, const char *system, const char *event, const char *text,
		 size_t len)
{
	const struct format_file *old = find_latest_format(f, system, event);
	struct buf copy = {0};
	char *name;

	if (old && old->len == len && !memcmp(old->text, text, len))
		return false;
	buf_add(&copy, text, len);
	f->v = xgrow(f->v, &f->cap, f->n + 1, sizeof(*f->v));
	f->v[f->n++] = (struct format_file){ .system = xstrdup(system), .event = xstrdup(event),
					.text = buf_take(&copy), .len = len };
	name = xasprintf("%s/%s", system, event);
	textmap_put(&f->latest, name, strlen(name), (void *)(uintptr_t)f->n);
	free(name);
	return true;
}

int formats_read(struct format_files *f, const struct tfs *t, const char *name)
{
	const char *slash = strchr(name, '/');
	char *system;
	int ret;

	if (!slash) {
		errno = EINVAL;
		return -1;
	}
	system = xstrndup(name, slash - name);
	ret = read_event_format(f, t, system, slash + 1);
	free(system);
	return ret;
}

void formats_read_system(struct format_files *f, const struct tfs *t, const char *system,
			 bool again)
{
	char *path = xasprintf("events/%s", system);
	struct strv events = {0};
	size_t i;

	list_directories(t, path, &events);
	for (i = 0; i < events.n; i++)
		if (again || !find_latest_format(f, system, events.v[i]))
			read_event_format(f, t, system, events.v[i]);
	strv_release(&events);
	free(path);
}

void formats_read_all(struct format_files *f, const struct tfs *t, bool again)
{
	struct strv systems = {0};
	size_t i;

	list_directories(t, "events", &systems);
	for (i = 0; i < systems.n; i++)
		formats_read_system(f, t, systems.v[i], again);
	strv_release(&systems);
}

void formats_copy(struct format_files *to, const struct format_files *from)
{
	size_t i;

	for (i = 0; i < from->n; i++)
		formats_add(to, from->v[i].system, from->v[i].event, from->v[i].text,
			    from->v[i].len);
}

void formats_release(struct format_files *f)
{
	size_t i;

	for (i = 0; i < f->n; i++) {
		free(f->v[i].system);
		free(f->v[i].event);
		free(f->v[i].text);
	}
	free(f->v);
	textmap_release(&f->latest);
	*f = (struct format_files){0};
}
