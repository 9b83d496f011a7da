/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The numbered files of one recording: FILE.0001, FILE.0002, ... */
#include "record/file/file_series.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/dir_file.h"

/* "trace.dat.0012", with "trace.dat": 12; 0 if it is none of them. */
static unsigned int number_of(const char *name, const char *base)
{
	size_t n = strlen(base);
	unsigned long v;
	char *end;

	if (strncmp(name, base, n) || name[n] != '.' || name[n + 1] < '0' || name[n + 1] > '9')
		return 0;
	v = strtoul(name + n + 1, &end, 10);
	return v < 1000000000 && (!*end || *end == '.') ? v : 0;
}

void series_begin(struct series *s, const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	char *folder = xasprintf("%.*s.", (int)(base - path), path);
	DIR *dir = opendir(folder);
	struct dirent *e;
	unsigned int n;

	*s = (struct series){0};
	while (dir && (e = readdir(dir))) {
		n = number_of(e->d_name, base);
		if (n > s->last)
			s->last = n;
	}
	if (dir)
		closedir(dir);
	free(folder);
}

char *series_next(struct series *s, const char *path)
{
	return xasprintf("%s.%04u", path, ++s->last);
}

void series_add(struct series *s, const char *name, size_t max)
{
	strv_add(&s->done, name);
	while (s->done.n > max) {
		place_unlink(s->done.v[0]);
		free(s->done.v[0]);
		memmove(s->done.v, s->done.v + 1, --s->done.n * sizeof(*s->done.v));
	}
}

void series_release(struct series *s)
{
	strv_release(&s->done);
	*s = (struct series){0};
}
