/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists the collected files of a directory in the order of their collects, and removes old ones. */
#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/read/dat.h"
#include "oops/collect/collect_priv.h"
#define FILE_END ".dat"

static size_t count_digits(const char *p)
{
	size_t n = 0;

	while (isdigit((unsigned char)p[n]))
		n++;
	return n;
}

/* Returns the length of "YYYYMMDD-HHMMSS", perhaps with "-N", or 0 if @name starts otherwise. */
static size_t time_length(const char *name)
{
	size_t n = sizeof("YYYYMMDD-HHMMSS") - 1, more;

	if (count_digits(name) != 8 || name[8] != '-' || count_digits(name + 9) != 6)
		return 0;
	more = name[n] == '-' ? count_digits(name + n + 1) : 0;
	return more ? n + 1 + more : n;
}

void collect_list(const char *dir, const char *end, struct strv *out)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	size_t n;

	while (d && (e = readdir(d))) {
		n = time_length(e->d_name);
		if (n && !strcmp(e->d_name + n, end))
			strv_take(out, xasprintf("%s/%s", dir, e->d_name));
	}
	if (d)
		closedir(d);
	strv_sort_unique(out);
}

/* --- the order */

struct collected_file {
	const char *path;
	uint64_t nr;			/* 0: unknown */
	int64_t mtime;			/* seconds */
};

/* Reads number and time of a file. Returns false if no collect has made it, or if it is damaged. */
static bool inspect_collected(const char *path, struct collected_file *out)
{
	struct ftr_error err = {0};
	struct dat *d = dat_open(path, &err);
	const struct dat_blob *oops;
	const char *nr;
	struct stat st;
	bool is_ours = false;
	size_t len;

	if (!d || stat(path, &st))
		goto out;
	nr = dat_ftr_value(d, COLLECT_NR_KEY, &len);
	*out = (struct collected_file){ path, nr ? strtoull(nr, NULL, 10) : 0, st.st_mtime };
	oops = dat_text(d, DAT_FTR_OOPS);
	is_ours = out->nr || dat_ftr_value(d, COLLECT_INSTANCE_KEY, &len) || (oops && oops->len);
out:
	dat_close(d);
	return is_ours;
}

/* Sorts by number, as the times in the names are those of a clock that may have been wrong. */
static int by_collect_order(const void *a, const void *b)
{
	const struct collected_file *x = a, *y = b;

	if (x->nr != y->nr)
		return x->nr < y->nr ? -1 : 1;
	if (x->mtime != y->mtime && !x->nr)
		return x->mtime < y->mtime ? -1 : 1;
	return strcmp(x->path, y->path);
}

static struct collected_file *list_collected(const struct strv *names, size_t *n)
{
	struct collected_file *all = xcalloc(names->n + 1, sizeof(*all));

	*n = 0;
	for (size_t i = 0; i < names->n; i++)
		*n += inspect_collected(names->v[i], &all[*n]);
	qsort(all, *n, sizeof(*all), by_collect_order);
	return all;
}

char *collect_newest(const char *dir)
{
	struct strv names = {0};
	struct collected_file *all;
	char *newest;
	size_t n;

	collect_list(dir, FILE_END, &names);
	all = list_collected(&names, &n);
	newest = n ? xstrdup(all[n - 1].path) : NULL;
	free(all);
	strv_release(&names);
	return newest;
}

void collect_add_nr(const char *dir, struct buf *lines)
{
	struct strv names = {0};
	struct collected_file *all;
	size_t n;

	collect_list(dir, FILE_END, &names);
	all = list_collected(&names, &n);
	buf_printf(lines, COLLECT_NR_KEY "=%" PRIu64 "\n", n ? all[n - 1].nr + 1 : 1);
	free(all);
	strv_release(&names);
}

void collect_remove_old(const char *dir, size_t keep, const char *newest,
			void (*notice)(const char *fmt, ...))
{
	struct strv names = {0};
	struct collected_file *all;
	size_t n;

	if (!keep)
		return;
	collect_list(dir, FILE_END, &names);
	all = list_collected(&names, &n);
	for (size_t i = 0; i + keep < n; i++)
		if (strcmp(all[i].path, newest) && !unlink(all[i].path))
			notice("removed '%s': --keep %zu", all[i].path, keep);
	free(all);
	strv_release(&names);
}
