/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the buffer that a crash left, and the skeleton of its boot; reads that skeleton. */
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
#include "oops/collect/collect_priv.h"

#define SKELETON_SUFFIX ".front"

/* --- lines "key=value" of a skeleton */

/* Keys that are valid for the whole boot. */
static const char *const boot_keys[] = {
	"boot_id", "kernel_values", "kallsyms_order", "symbol_times", "modules",
};
/* Keys that are valid only for the skeleton, which was written before the recording. */
static const char *const skeleton_keys[] = { "wall_end", "recovered", "keep_bytes" };

/* Returns true for a line "key=..." of a listed key, or of an instance, "key.NAME=...". */
static bool is_listed(const char *line, size_t len, const char *const *v, size_t n)
{
	size_t key_len;

	while (n--) {
		key_len = strlen(v[n]);
		if (len > key_len && !memcmp(line, v[n], key_len) &&
		    (line[key_len] == '=' || line[key_len] == '.'))
			return true;
	}
	return false;
}

/*
 * Appends the lines that are valid for the trace. @armed: the setup of the skeleton is that of the
 * buffer.
 */
static void add_skeleton_lines(const struct dat *d, bool armed, struct buf *out)
{
	const char *p = d->ftr_meta.p, *end = p ? p + d->ftr_meta.len : NULL, *nl;
	bool wanted;

	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		nl = nl ? nl : end;
		wanted = armed ? !is_listed(p, nl - p, skeleton_keys,
					    sizeof(skeleton_keys) / sizeof(*skeleton_keys)) :
				 is_listed(p, nl - p, boot_keys,
					   sizeof(boot_keys) / sizeof(*boot_keys));
		if (!wanted || nl == p)
			continue;
		buf_add(out, p, nl - p);
		buf_addch(out, '\n');
	}
}

static char *collect_armed_instance(const char *skeleton)
{
	struct ftr_error err = {0};
	struct dat *d = dat_open(skeleton, &err);
	const char *v = NULL;
	size_t len;
	char *name;

	if (d)
		v = dat_ftr_value(d, COLLECT_INSTANCE_KEY, &len);
	name = v ? xstrndup(v, len) : NULL;
	dat_close(d);
	return name;
}

char *found_trace_lines(const struct found_trace *f, struct buf *lines)
{
	const char *instance = f->original ? f->original : f->instance, *name = "", *main_of;
	struct ftr_error err = {0};
	struct dat *d = f->skeleton ? dat_open(f->skeleton, &err) : NULL;
	size_t len;

	main_of = d ? dat_ftr_value(d, COLLECT_INSTANCE_KEY, &len) : NULL;
	if (d)
		add_skeleton_lines(d, main_of, lines);
	if (!main_of)
		buf_printf(lines, COLLECT_INSTANCE_KEY "=%s\n", instance);
	else if ((len != strlen(instance) || memcmp(main_of, instance, len)) &&
		 dat_find_buffer(d, instance))
		name = instance;
	dat_close(d);
	return xstrdup(name);
}

/* --- the skeleton of the boot */

/* Returns the path of this boot's skeleton, even if there is none; the caller frees. */
static char *this_skeleton_path(const struct collect_plan *p)
{
	char *id = io_line_at(AT_FDCWD, "/proc/sys/kernel/random/boot_id");
	char *path = xasprintf("%s/%s" SKELETON_SUFFIX, p->dir, id ? id : "");

	free(id);
	return path;
}

static bool is_file(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISREG(st.st_mode);
}

struct found_skeleton {
	char *path;
	uint64_t nr;			/* number of its boot; 0: unknown */
	struct timespec at;
};

static int by_age(const void *a, const void *b)
{
	const struct found_skeleton *x = a, *y = b;

	/* numbers first, as the clock may have been wrong */
	if (x->nr != y->nr)
		return x->nr < y->nr ? 1 : -1;
	if (x->at.tv_sec != y->at.tv_sec)
		return x->at.tv_sec < y->at.tv_sec ? 1 : -1;
	return x->at.tv_nsec < y->at.tv_nsec ? 1 : x->at.tv_nsec > y->at.tv_nsec ? -1 : 0;
}

/* Lists the skeletons of other boots than this one, the newest first. Returns their number. */
static size_t list_skeletons(const struct collect_plan *p, struct found_skeleton **v)
{
	char *mine = this_skeleton_path(p), *id;
	size_t n = 0, cap = 0, len, end = strlen(SKELETON_SUFFIX);
	DIR *dir = opendir(p->dir);
	struct dirent *e;
	struct stat st;

	*v = NULL;
	while (dir && (e = readdir(dir))) {
		char *path = xasprintf("%s/%s", p->dir, e->d_name);

		len = strlen(path);
		if (len < end || strcmp(path + len - end, SKELETON_SUFFIX) || !is_file(path) ||
		    !strcmp(path, mine) || stat(path, &st)) {
			free(path);
			continue;
		}
		*v = xgrow(*v, &cap, n + 1, sizeof(**v));
		id = xstrndup(e->d_name, strlen(e->d_name) - end);
		(*v)[n++] = (struct found_skeleton){ path, oops_boot_nr(p->dir, id), st.st_mtim };
		free(id);
	}
	if (dir)
		closedir(dir);
	free(mine);
	if (n)
		qsort(*v, n, sizeof(**v), by_age);
	return n;
}

/*
 * Returns the newest skeleton of an earlier boot, or NULL; the caller frees. If @text is not 0, the
 * kernel was at that address in the boot.
 */
static char *choose_skeleton(const struct collect_plan *p, uint64_t text)
{
	const struct dat_blob *symbols;
	struct found_skeleton *v;
	size_t n = list_skeletons(p, &v);
	char *found = NULL;
	uint64_t then;

	for (size_t i = 0; i < n; i++) {
		struct ftr_error err = {0};
		struct dat *d = found ? NULL : dat_open(v[i].path, &err);

		symbols = d ? dat_text(d, DAT_KALLSYMS) : NULL;
		then = symbols ? collect_text_address(symbols->p, symbols->len) : 0;
		dat_close(d);
		if (then && (!text || then == text))
			found = v[i].path;
		else
			free(v[i].path);
	}
	free(v);
	return found;
}

/* Sets ->skeleton, and for an earlier boot ->boot. */
static void find_skeleton(struct found_trace *f, const struct tfs *t, const struct collect_plan *p)
{
	struct buf symbols = {0};
	uint64_t text_now = 0;

	if (!f->earlier) {
		f->skeleton = this_skeleton_path(p);
		if (!is_file(f->skeleton)) {
			free(f->skeleton);
			f->skeleton = NULL;
		}
		return;
	}
	last_boot_read(&f->boot, t, f->instance);
	if (!io_read_at(AT_FDCWD, "/proc/kallsyms", &symbols))
		text_now = collect_text_address(symbols.data, symbols.len);
	buf_release(&symbols);
	f->skeleton = choose_skeleton(p, collect_text_then(&f->boot, text_now));
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

/* Returns true for a buffer that ftrace_dump() has printed: it takes the records out. */
static bool is_printed(const struct tfs *t, const char *instance)
{
	return is_off(t, instance) && !tfs_has_data(t, instance);
}

/*
 * Returns the instance that @name was copied from while the kernel booted, by
 * trace_instance=NAME=FROM, or NULL; the caller frees.
 */
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

/*
 * Returns the stopped buffer with records of an earlier boot, or NULL. If 7.2 has made a copy of
 * the buffer, it returns the copy, as the buffer may record again.
 */
static const char *find_earlier(struct found_trace *f, const struct tfs *t,
				const struct strv *names, bool armed)
{
	char *cmdline = io_line_at(AT_FDCWD, "/proc/cmdline");
	const char *found = NULL;
	bool sure;

	for (size_t i = 0; i < names->n && !f->original; i++) {
		/*
		 * last_boot_info exists for buffers that survive a boot. 7.2 shows there whether
		 * the data is of this boot, 6.12 does not: arming has emptied the buffer then.
		 */
		if (!last_boot_holds(t, names->v[i], &sure) || (!sure && armed) ||
		    !is_stopped(t, names->v[i]))
			continue;
		f->original = cmdline ? copied_from(cmdline, names->v[i]) : NULL;
		if (!found || f->original)
			found = names->v[i];
	}
	free(cmdline);
	return found;
}

/*
 * Returns the instance that this boot has armed, if @fits is true for it: @armed_name, or if that
 * is NULL one of the instances in question. NULL if there is none.
 */
static const char *find_armed(const struct tfs *t, const struct strv *names, const char *armed_name,
			      bool (*fits)(const struct tfs *t, const char *instance))
{
	if (armed_name && *armed_name && !tfs_exists(t, armed_name, "trace"))
		return NULL;
	if (armed_name)
		return fits(t, armed_name) ? armed_name : NULL;
	for (size_t i = 0; i < names->n; i++)
		if ((!strcmp(names->v[i], "ftr-oops") ||
		     tfs_exists(t, names->v[i], "last_boot_info")) && fits(t, names->v[i]))
			return names->v[i];
	return fits(t, "") ? "" : NULL;
}

/* Sets @err. If a crash was collected, only the file is left of it. */
static void set_nothing_found(const struct collect_plan *p, bool armed, struct ftr_error *err)
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

int found_trace_look(struct found_trace *f, const struct tfs *t, const struct collect_plan *p,
		     struct ftr_error *err)
{
	char *mine = this_skeleton_path(p), *line;
	bool armed = is_file(mine);
	char *armed_name = armed ? collect_armed_instance(mine) : NULL;
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
		name = find_armed(t, &names, armed_name, is_stopped);
	if (!name && armed && !p->instance) {
		name = find_armed(t, &names, armed_name, is_printed);
		f->printed = name;
	}
	if (!name) {
		set_nothing_found(p, armed, err);
		ret = p->if_any ? 1 : -1;
		goto out;
	}
	f->instance = xstrdup(name);
	line = tfs_line(t, name, "buffer_total_size_kb");
	f->bytes = (uint64_t)strtoull(line, NULL, 10) * 1024;
	free(line);
	find_skeleton(f, t, p);
	ret = 0;
out:
	strv_release(&names);
	free(armed_name);
	return ret;
}

void found_trace_release(struct found_trace *f)
{
	free(f->instance);
	free(f->original);
	free(f->skeleton);
	last_boot_release(&f->boot);
}
