/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which buffer has what a crash left, and which front is of its boot. */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "file/read/dat.h"
#include "oops/arm/armed_boots.h"
#include "oops/collect/collect_old.h"
#include "oops/collect/collect_priv.h"

#define FRONT_END ".front"

static uint64_t this_text_address(void)
{
	struct buf symbols = {0};
	uint64_t v = 0;

	if (!io_read_at(AT_FDCWD, "/proc/kallsyms", &symbols))
		v = collect_text_address(symbols.data, symbols.len);
	buf_release(&symbols);
	return v;
}

/* --- the front */

static uint64_t front_text_address(const char *path)
{
	const struct dat_blob *symbols;
	struct ftr_error err = {0};
	struct dat *d = dat_open(path, &err);
	uint64_t v = 0;

	if (!d)
		return 0;
	symbols = dat_text(d, DAT_KALLSYMS);
	v = collect_text_address(symbols->p, symbols->len);
	dat_close(d);
	return v;
}

static char *this_front(const struct collect_plan *p)
{
	char *id = io_line_at(AT_FDCWD, "/proc/sys/kernel/random/boot_id");
	char *path = xasprintf("%s/%s" FRONT_END, p->dir, id ? id : "");

	free(id);
	return path;
}

static bool is_file(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISREG(st.st_mode);
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n >= k && !strcmp(s + n - k, end);
}

struct front {
	char *path;
	uint64_t nr;			/* of its boot, 0 = it has none */
	struct timespec at;
};

static int by_age(const void *a, const void *b)
{
	const struct front *x = a, *y = b;

	/* the clock may have been wrong */
	if (x->nr != y->nr)
		return x->nr < y->nr ? 1 : -1;
	if (x->at.tv_sec != y->at.tv_sec)
		return x->at.tv_sec < y->at.tv_sec ? 1 : -1;
	return x->at.tv_nsec < y->at.tv_nsec ? 1 : x->at.tv_nsec > y->at.tv_nsec ? -1 : 0;
}

/* The fronts of other boots than this one, the newest first. */
static size_t list_fronts(const struct collect_plan *p, struct front **v)
{
	char *mine = this_front(p), *id;
	DIR *dir = opendir(p->dir);
	struct dirent *e;
	struct stat st;
	size_t n = 0, cap = 0;

	*v = NULL;
	while (dir && (e = readdir(dir))) {
		char *path = xasprintf("%s/%s", p->dir, e->d_name);

		if (!ends_with(path, FRONT_END) || !is_file(path) || !strcmp(path, mine) ||
		    stat(path, &st)) {
			free(path);
			continue;
		}
		*v = xgrow(*v, &cap, n + 1, sizeof(**v));
		id = xstrndup(e->d_name, strlen(e->d_name) - strlen(FRONT_END));
		(*v)[n++] = (struct front){ path, oops_boot_nr(p->dir, id), st.st_mtim };
		free(id);
	}
	if (dir)
		closedir(dir);
	free(mine);
	if (n)
		qsort(*v, n, sizeof(**v), by_age);
	return n;
}

/* The newest front of an earlier boot in which the kernel lay where the buffer says. */
static char *choose_front(const struct collect_plan *p, uint64_t text)
{
	struct front *v;
	size_t n = list_fronts(p, &v);
	char *found = NULL;

	for (size_t i = 0; i < n; i++) {
		uint64_t of_front = found ? 0 : front_text_address(v[i].path);

		if (!found && of_front && (!text || of_front == text))
			found = v[i].path;
		else
			free(v[i].path);
	}
	free(v);
	return found;
}

/* --- the buffer */

static bool is_off(const struct tfs *t, const char *instance)
{
	char *on = tfs_line(t, instance, "tracing_on");
	bool is = strcmp(on, "1") != 0;

	free(on);
	return is;
}

static bool is_stopped(const struct tfs *t, const char *instance)
{
	return is_off(t, instance) && tfs_has_data(t, instance);
}

/* ftrace_dump() takes out what it prints, and leaves it off. */
static bool is_printed(const struct tfs *t, const char *instance)
{
	return is_off(t, instance) && !tfs_has_data(t, instance);
}

/*
 * A buffer that is kept over a boot has this file. 7.2 says there whether the data is of this boot,
 * 6.12 does not: a boot that was armed has emptied the buffer for that.
 */
static bool is_of_earlier_boot(const struct tfs *t, const char *instance, bool armed)
{
	bool sure;

	return last_boot_holds(t, instance, &sure) && (sure || !armed);
}

/* The instance that @name was copied from while the kernel booted: trace_instance=NAME=FROM. */
static char *copied_from(const char *cmdline, const char *name)
{
	static const char key[] = "trace_instance=";
	size_t len = strlen(name);

	for (const char *p = cmdline; (p = strstr(p, key));) {
		p += sizeof(key) - 1;
		if (!strncmp(p, name, len) && p[len] == '=')
			return xstrndup(p + len + 1, strcspn(p + len + 1, " ,^@"));
	}
	return NULL;
}

/* Of a buffer and the copy that 7.2 makes of it the copy: the buffer may record again. */
static const char *find_earlier(struct found_trace *f, const struct tfs *t,
				const struct strv *names, bool armed)
{
	char *cmdline = io_line_at(AT_FDCWD, "/proc/cmdline");
	const char *found = NULL;

	for (size_t i = 0; i < names->n && !f->original; i++) {
		if (!is_of_earlier_boot(t, names->v[i], armed) || !is_stopped(t, names->v[i]))
			continue;
		f->original = cmdline ? copied_from(cmdline, names->v[i]) : NULL;
		if (!found || f->original)
			found = names->v[i];
	}
	free(cmdline);
	return found;
}

/* What this boot armed, if @fits: @told, or one of those that may be. */
static const char *find_armed(const struct tfs *t, const struct strv *names, const char *told,
			      bool (*fits)(const struct tfs *t, const char *instance))
{
	if (told && *told && !tfs_exists(t, told, "trace"))
		return NULL;
	if (told)
		return fits(t, told) ? told : NULL;
	for (size_t i = 0; i < names->n; i++)
		if ((!strcmp(names->v[i], "ftr-oops") ||
		     tfs_exists(t, names->v[i], "last_boot_info")) && fits(t, names->v[i]))
			return names->v[i];
	return fits(t, "") ? "" : NULL;
}

/* After a crash is collected, nothing is left of it but the file. */
static void say_nothing_found(const struct collect_plan *p, bool armed, struct ftr_error *err)
{
	char *newest = collect_newest(p->dir);

	err_set(err, FTR_FAILED, "no buffer has the trace of a crash%s%s%s",
		newest ? ": the last one that was collected is in '" : "", newest ? newest : "",
		newest ? "'" : "");
	free(newest);
	if (armed)
		err_hint(err, "this boot is armed and nothing stopped it; 'ftr oops disarm' ends "
			 "that");
	else
		err_hint(err, "'ftr oops cmdline' prints what keeps one over a crash");
}

static uint64_t buffer_bytes(const struct tfs *t, const char *instance)
{
	char *line = tfs_line(t, instance, "buffer_total_size_kb");
	uint64_t kb = strtoull(line, NULL, 10);

	free(line);
	return kb * 1024;
}

static void know_front(struct found_trace *f, const struct tfs *t, const struct collect_plan *p)
{
	if (!f->earlier) {
		f->front = this_front(p);
		if (!is_file(f->front)) {
			free(f->front);
			f->front = NULL;
		}
		return;
	}
	last_boot_read(&f->boot, t, f->instance);
	f->front = choose_front(p, collect_text_then(&f->boot, this_text_address()));
}

int found_trace_look(struct found_trace *f, const struct tfs *t, const struct collect_plan *p,
		     struct ftr_error *err)
{
	char *mine = this_front(p);
	bool armed = is_file(mine);
	char *told = armed ? collect_armed_instance(mine) : NULL;
	struct strv names = {0};
	const char *name;
	int ret = -1;

	free(mine);
	if (p->instance)
		strv_add(&names, p->instance);
	else if (tfs_instances(t, &names, err))
		goto out;
	if (p->instance && tfs_check_instance(t, p->instance, err))
		goto out;
	name = find_earlier(f, t, &names, armed);
	f->earlier = name;
	if (!name && p->instance && is_stopped(t, p->instance))
		name = p->instance;
	else if (!name && armed)
		name = find_armed(t, &names, told, is_stopped);
	if (!name && armed && !p->instance) {
		name = find_armed(t, &names, told, is_printed);
		f->printed = name;
	}
	if (!name) {
		say_nothing_found(p, armed, err);
		ret = p->if_any ? 1 : -1;
		goto out;
	}
	f->instance = xstrdup(name);
	f->bytes = buffer_bytes(t, name);
	know_front(f, t, p);
	ret = 0;
out:
	strv_release(&names);
	free(told);
	return ret;
}

void found_trace_release(struct found_trace *f)
{
	free(f->instance);
	free(f->original);
	free(f->front);
	last_boot_release(&f->boot);
}
