/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An oops in this boot that printed the buffer took the records out of it: the log has them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "file/read/dat.h"
#include "oops/collect/collect_old.h"
#include "oops/collect/collect_priv.h"
#include "oops/dump_file.h"
#include "oops/dump_formats.h"

/* The last one of that buffer, else one whose beginning the log has lost. */
static const struct dump *find_dump(const struct dumps *all, const char *instance)
{
	size_t i;

	for (i = all->n; i--;)
		if (!all->v[i].headless && !strcmp(all->v[i].instance, instance))
			return &all->v[i];
	return all->n && all->v[0].headless ? &all->v[0] : NULL;
}

/* The log goes on: what a file has of it begins as what there is now. */
static bool begins_with(const struct dump *d, const char *path)
{
	struct ftr_error err = {0};
	struct dat *dat = dat_open(path, &err);
	const struct dat_blob *had = dat ? dat_text(dat, DAT_FTR_OOPS) : NULL;
	bool is = had && had->len && had->len <= d->oops.len &&
		  !memcmp(had->p, d->oops.data, had->len);

	dat_close(dat);
	return is;
}

/* The file of @dir that has this dump, or NULL: reading takes nothing out of the log. */
static char *taken_already(const struct dump *d, const char *dir)
{
	struct strv names = {0};
	char *name = NULL;

	collect_list(dir, ".dat", &names);
	for (size_t i = names.n; i-- && !name;)
		if (begins_with(d, names.v[i]))
			name = xstrdup(names.v[i]);
	strv_release(&names);
	return name;
}

static void say_no_dump(const char *taken, struct ftr_error *err)
{
	if (taken) {
		err_set(err, FTR_FAILED, "no buffer has the trace of a crash: what an oops printed "
			"of it is in '%s' already", taken);
		err_hint(err, "'ftr oops disarm' and 'ftr oops arm' begin anew");
		return;
	}
	err_set(err, FTR_FAILED, "no buffer has the trace of a crash: what was armed is off and "
		"empty, and the kernel's log has no dump of it");
	err_hint(err, "an oops prints the buffer to the console: 'ftr oops parse' reads what a "
		 "console or another machine kept");
}

static int write_dump(const struct found_trace *f, const struct dump *d, const char *dir,
		      const char *path, struct buf *summary, struct ftr_error *err)
{
	struct formats formats = {0};
	struct buf lines = {0};
	struct oops_counts counts;
	mode_t mask = umask(0077);
	int ret = oops_formats_read(&formats, f->front, err);

	collect_add_nr(dir, &lines);
	if (!ret)
		ret = oops_file_write(path, d, &formats, &lines, &counts, err);
	buf_release(&lines);
	umask(mask);
	formats_release(&formats);
	if (ret)
		return -1;
	buf_printf(summary, "%s: ", path);
	text_grouped(summary, counts.records);
	buf_printf(summary, " record%s", counts.records == 1 ? "" : "s");
	if (d->headless)
		buf_addstr(summary, ", the kernel's log has lost those before it");
	if (d->dropped)
		buf_printf(summary, ", the kernel's log has dropped %" PRIu64 " lines", d->dropped);
	if (d->unknown)
		buf_printf(summary, ", %zu lines of the dump are not understood", d->unknown);
	return d->unknown || d->dropped ? 1 : 0;
}

int collect_log_write(const struct found_trace *f, const struct collect_plan *p, const char *path,
		      struct buf *summary, struct ftr_error *err)
{
	struct log_lines lines = {0};
	struct dumps dumps = {0};
	const struct dump *d;
	struct buf log = {0};
	char *taken;
	int ret;

	collect_show(p, "looking for the dump of the buffer in the kernel's log");
	collect_read_kmsg(&log);
	if (log.len)
		log_lines_split(&lines, log.data, log.len);
	dumps_find(&dumps, &lines);
	d = find_dump(&dumps, f->instance);
	taken = d ? taken_already(d, p->dir) : NULL;
	if (d && !taken) {
		ret = write_dump(f, d, p->dir, path, summary, err);
	} else {
		say_no_dump(taken, err);
		ret = p->if_any ? 2 : -1;
	}
	free(taken);
	dumps_release(&dumps);
	log_lines_release(&lines);
	buf_release(&log);
	return ret;
}
