/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saves a trace that survived a crash to the disk, in an order in which nothing can be lost. */
#include "oops/collect/collect.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/text.h"
#include "file/read/dat.h"
#include "oops/collect/collect_priv.h"
#include "record/cpu/recorder.h"
#include "record/rescue/rescue.h"
#include "text/text_file.h"
#include "text/text_formats.h"

#define COPY_BYTES (256u << 10)
#define SHOW_BYTES (1u << 20)
#define TEXT_END   ".txt"
#define PART_END   ".part"
#define CLOCKS_DIFFER 10	/* seconds that the clock of the disk may be off */
#define ROOM_TIMES 3		/* text, sub-buffers and the file are there at the same time */

struct oops_collect {
	const struct tfs *tfs;
	const struct collect_plan *p;
	struct found_trace found;
	char *base;		/* DIR/TIME, the prefix of all file names */
	char *text;		/* path of the kernel's text */
	struct strv raw;	/* paths of the sub-buffers, a file for each CPU */
	struct buf oops;	/* text of the oops */
	struct buf symbols;	/* without a skeleton: the symbols at their addresses then */
	struct strv unplaced;	/* modules whose symbols are missing there */
};

/* --- the directory */

/* Returns -1 with @err if the disk may not have room for the trace. */
static int check_room(const struct oops_collect *c, struct ftr_error *err)
{
	uint64_t need = ROOM_TIMES * c->found.bytes, room;
	struct statvfs st;

	if (statvfs(c->p->dir, &st))
		return err_sys(err, "cannot ask for the room in '%s'", c->p->dir);
	room = (uint64_t)st.f_bavail * st.f_frsize;
	if (room >= need)
		return 0;
	err_set(err, FTR_DAMAGED, "'%s' has room for %" PRIu64 " KiB, and %" PRIu64 " may be "
		"needed: nothing was taken", c->p->dir, room / 1024, need / 1024);
	return err_hint(err, "the trace stays in the kernel until the power is off: make room, or "
			"--dir names another disk");
}

/* Returns true if a file of the directory is called "@name.*". */
static bool has_file_named(const struct oops_collect *c, const char *name)
{
	DIR *dir = opendir(c->p->dir);
	size_t n = strlen(name);
	struct dirent *e;
	bool taken = false;

	while (dir && !taken && (e = readdir(dir)))
		taken = !strncmp(e->d_name, name, n) && e->d_name[n] == '.';
	if (dir)
		closedir(dir);
	return taken;
}

/* Sets ->base to the current time, with "-N" if files of that name exist. */
static void choose_name(struct oops_collect *c)
{
	struct timespec now;
	struct tm tm;
	char time[32], name[64];

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	strftime(time, sizeof(time), "%Y%m%d-%H%M%S", &tm);
	snprintf(name, sizeof(name), "%s", time);
	for (unsigned int n = 2; has_file_named(c, name); n++)
		snprintf(name, sizeof(name), "%s-%u", time, n);
	c->base = xasprintf("%s/%s", c->p->dir, name);
}

/* Writes a file or directory to the disk. Returns 0, or -1 with errno. */
static int sync_path(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -1;
	ret = fsync(fd);
	close(fd);
	return ret;
}

/*
 * Removes incomplete texts of a collect that was interrupted: if a text is not complete, the kernel
 * still had all data. Reports complete ones.
 */
static void report_leftovers(const struct oops_collect *c)
{
	struct strv parts = {0}, texts = {0};

	collect_list(c->p->dir, TEXT_END PART_END, &parts);
	collect_list(c->p->dir, TEXT_END, &texts);
	for (size_t i = 0; i < parts.n; i++)
		unlink(parts.v[i]);
	for (size_t i = 0; i < texts.n; i++)
		c->p->warn("'%s' is an incomplete trace of an interrupted collect",
			   texts.v[i]);
	strv_release(&parts);
	strv_release(&texts);
}

/* --- reading */

void collect_show(const struct collect_plan *p, const char *fmt, ...)
{
	struct buf text = {0};
	va_list ap;

	if (!p->line)
		return;
	buf_addstr(&text, "ftr: ");
	va_start(ap, fmt);
	buf_vprintf(&text, fmt, ap);
	va_end(ap);
	p->line(text.data);
	buf_release(&text);
}

/* Shows the progress. The kernel does not report the size of the whole text. */
static void show_copied(const struct oops_collect *c, uint64_t bytes)
{
	struct buf text = {0};

	text_bytes(&text, bytes);
	collect_show(c->p, "the kernel's text of the buffer: %s", text.data);
	buf_release(&text);
}

static int copy_text(const struct oops_collect *c, int from, int to)
{
	char *room = xmalloc(COPY_BYTES);
	uint64_t all = 0, shown = 0;
	ssize_t n;
	int ret = 0;

	show_copied(c, 0);
	while (!ret && ((n = read(from, room, COPY_BYTES)) > 0 || (n < 0 && errno == EINTR))) {
		if (n > 0)
			ret = io_write_all(to, room, n);
		all += n > 0 ? n : 0;
		if (all - shown < SHOW_BYTES)
			continue;
		show_copied(c, all);
		shown = all;
	}
	free(room);
	return ret || n < 0 ? -1 : 0;
}

/*
 * Saves the kernel's text of the buffer, which gets its name when it is complete and on the disk.
 * Reading `trace` takes nothing out of the buffer.
 */
static int save_text(struct oops_collect *c, struct ftr_error *err)
{
	struct buf path = {0};
	int from = openat(c->tfs->dirfd, tfs_path(&path, c->found.instance, "trace"),
			  O_RDONLY | O_CLOEXEC), to, ret, sys;
	char *part;

	if (from < 0) {
		ret = err_sys(err, "cannot read '%s'", path.data);
		buf_release(&path);
		return ret;
	}
	buf_release(&path);
	c->text = xasprintf("%s" TEXT_END, c->base);
	part = xasprintf("%s" PART_END, c->text);
	to = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	ret = to < 0 || copy_text(c, from, to) || fsync(to) || rename(part, c->text) ||
	      sync_path(c->p->dir) ? -1 : 0;
	sys = errno;
	if (to >= 0)
		close(to);
	if (ret)
		unlink(part);
	free(part);
	close(from);
	if (ret) {
		errno = sys;
		err_write(err, "cannot write '%s'", c->text);
		err_hint(err, "nothing was taken out of the kernel");
	}
	return ret;
}

static int save_raw(struct oops_collect *c, struct ftr_error *err)
{
	struct recorder_opts opts = {0};
	struct recorder *r = recorder_new(c->tfs, c->found.instance, c->base, &opts, err);
	int ret = -1;

	collect_show(c->p, "taking the data of the buffer");
	if (!r || recorder_start(r, err))
		goto out;
	ret = recorder_stop(r, err);
	recorder_keep(r, &c->raw);
	for (size_t i = 0; i < c->raw.n && !ret; i++)
		if (sync_path(c->raw.v[i]))
			ret = err_write(err, "cannot write '%s'", c->raw.v[i]);
	if (!ret && sync_path(c->p->dir))
		ret = err_write(err, "cannot write '%s'", c->p->dir);
out:
	recorder_free(r);
	return ret;
}

/* --- the file */

/* Reports the sources of data, symbols and text, and the missing parts. */
static void report_sources(const struct oops_collect *c, const char *oops)
{
	const struct found_trace *f = &c->found;
	struct buf names = {0};

	c->p->notice("collected %s%s%s of %s", *f->instance ? "instance '" : "the top level",
		     f->instance, *f->instance ? "'" : "",
		     f->earlier ? "the previous boot" : "this boot");
	if (f->skeleton)
		c->p->notice("formats and symbols: '%s'", f->skeleton);
	/* if there is no skeleton, at least the formats are the running kernel's */
	if (c->symbols.len && c->unplaced.n) {
		for (size_t i = 0; i < c->unplaced.n; i++)
			buf_printf(&names, "%s%s", i ? ", " : "", c->unplaced.v[i]);
		c->p->warn("there is no front of that boot: the addresses of these modules are not "
			   "known, and their functions are shown as numbers: %s", names.data);
	} else if (f->earlier && !f->skeleton && !c->symbols.len) {
		c->p->warn("there is no front of that boot, and the address of the kernel is not "
			   "known: names of functions may be wrong");
	}
	buf_release(&names);
	if (*oops)
		c->p->notice("the text of the oops: %s", oops);
	else
		c->p->warn("no text of an oops was found");
}

/*
 * Computes the addresses of the running kernel's symbols in the earlier boot, if it has no
 * skeleton.
 */
static void move_symbols(struct oops_collect *c)
{
	struct buf now = {0}, modules = {0};

	if (!c->found.earlier || c->found.skeleton)
		return;
	if (!io_read_at(AT_FDCWD, "/proc/kallsyms", &now) && now.len &&
	    !io_read_at(AT_FDCWD, "/proc/modules", &modules))
		collect_move_symbols(&c->found.boot, &now, modules.len ? modules.data : "",
				     &c->symbols, &c->unplaced);
	buf_release(&now);
	buf_release(&modules);
}

static int make_trace_file(struct oops_collect *c, const char *path, struct buf *summary,
			   struct ftr_error *err)
{
	struct buf lines = {0};
	char *buffer = found_trace_lines(&c->found, &lines);
	struct recover_plan plan = {
		.symbols = c->symbols.len ? &c->symbols : NULL,
		.buffer = buffer, .lines = &lines,
		.files = &c->raw, .out_path = path, .from = c->found.skeleton, .oops = &c->oops,
		.packing = packing_of_metadata(), .notice = c->p->notice, .warn = c->p->warn,
		.damages = c->p->damages, .ended = true,
	};
	mode_t mask = umask(0077);
	int ret;

	collect_show(c->p, "making '%s'", path);
	collect_add_nr(c->p->dir, &lines);
	ret = recover_run(&plan, summary, err);
	umask(mask);
	free(buffer);
	buf_release(&lines);
	if (ret >= 0 && (sync_path(path) || sync_path(c->p->dir)))
		ret = err_write(err, "cannot write '%s'", path);
	return ret;
}

/*
 * Empties buffers that would be collected as another crash: the original of a copy, and memory that
 * the kernel finds again after the next boot, as the sub-buffers were only read (seen with 6.12).
 */
static int free_original(const struct oops_collect *c, struct ftr_error *err)
{
	const char *name = c->found.original ? c->found.original :
			   c->found.earlier ? c->found.instance : NULL;
	struct buf path = {0};
	int fd, ret = 0;

	if (!name || !tfs_exists(c->tfs, name, "trace"))
		return 0;
	fd = openat(c->tfs->dirfd, tfs_path(&path, name, "trace"),
		    O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		ret = err_sys(err, "cannot empty '%s'", path.data);
	else
		close(fd);
	buf_release(&path);
	return ret;
}

/* Parses "1234.567890:" in a line. Returns nanoseconds, or 0 if the clock does not count time. */
static uint64_t parse_stamp(const char *line)
{
	unsigned long long s, us;
	const char *p = line;
	int n;

	while ((p = strpbrk(p, "0123456789"))) {
		n = 0;
		if (sscanf(p, "%llu.%6llu:%n", &s, &us, &n) == 2 && n && s < UINT32_MAX)
			return s * 1000000000 + us * 1000;
		p += strspn(p, "0123456789.");
	}
	return 0;
}

/* Returns the time of the last record in the text @path, in nanoseconds, or 0. */
static uint64_t last_stamp_ns(const char *path)
{
	char end[4096 + 1], *line;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	off_t from = size > (off_t)sizeof(end) - 1 ? size - (off_t)sizeof(end) + 1 : 0;
	ssize_t n = fd < 0 ? 0 : pread(fd, end, sizeof(end) - 1, from);
	uint64_t ns = 0, at;

	if (fd >= 0)
		close(fd);
	end[n > 0 ? n : 0] = '\0';
	for (line = strtok(end, "\n"); line; line = strtok(NULL, "\n")) {
		at = *line == '#' ? 0 : parse_stamp(line);
		ns = at ? at : ns;
	}
	return ns;
}

static int collect_found(struct oops_collect *c, struct buf *path, struct buf *summary,
			 struct ftr_error *err)
{
	const char *oops;
	struct stat st;
	time_t since = 0;
	int ret;

	report_leftovers(c);
	choose_name(c);
	if (save_text(c, err))
		return -1;
	/*
	 * The skeleton was written when the boot was armed: its crash was later, except for clocks
	 * that differ (a server's, or one that was set meanwhile). Earlier crashes are older by a
	 * boot at least.
	 */
	if (c->found.skeleton && !stat(c->found.skeleton, &st))
		since = st.st_mtime - CLOCKS_DIFFER;
	oops = find_oops_text(c->p, c->found.earlier, since, last_stamp_ns(c->text), &c->oops);
	ret = save_raw(c, err);
	buf_printf(path, "%s.dat", c->base);
	move_symbols(c);
	if (!ret)
		ret = make_trace_file(c, path->data, summary, err);
	if (ret < 0) {
		c->p->warn("the kernel's text of it is left in '%s'", c->text);
		for (size_t i = 0; i < c->raw.n; i++)
			c->p->warn("raw data of a CPU is left in '%s'", c->raw.v[i]);
		return -1;
	}
	report_sources(c, oops);
	/* the file is complete: its parts are not needed any more */
	for (size_t i = 0; i < c->raw.n; i++)
		unlink(c->raw.v[i]);
	unlink(c->text);
	collect_remove_old(c->p->dir, c->p->keep, path->data, c->p->notice);
	return free_original(c, err) ? -1 : ret;
}

/* --- a buffer that an oops has printed: its records are in the kernel's log */

/*
 * Returns the file of @dir that has this dump, or NULL; the caller frees. Reading takes nothing out
 * of the log, which may have grown since: the text in a file is the start of the text now.
 */
static char *find_collected_dump(const struct log_dump *d, const char *dir)
{
	const struct dat_blob *had;
	struct strv names = {0};
	char *name = NULL;
	struct dat *dat;

	collect_list(dir, ".dat", &names);
	for (size_t i = names.n; i-- && !name;) {
		struct ftr_error err = {0};

		dat = dat_open(names.v[i], &err);
		had = dat ? dat_text(dat, DAT_FTR_OOPS) : NULL;
		if (had && had->len && had->len <= d->oops.len &&
		    !memcmp(had->p, d->oops.data, had->len))
			name = xstrdup(names.v[i]);
		dat_close(dat);
	}
	strv_release(&names);
	return name;
}

static int write_dump(const struct found_trace *f, const struct log_dump *d, const char *dir,
		      const char *path, struct buf *summary, struct ftr_error *err)
{
	struct format_files formats = {0};
	struct buf lines = {0};
	struct text_counts counts;
	mode_t mask = umask(0077);
	int ret = text_formats_read(&formats, f->skeleton, err);

	collect_add_nr(dir, &lines);
	if (!ret)
		ret = text_file_write(path, d, &formats, &lines, &counts, err);
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

/*
 * Writes the dump in the log to @path, unless a collected file has it. Returns 0, or 1 if some
 * lines are of unknown form. If there is no dump to write, returns 2 with ->if_any, else -1, in
 * both cases with @err.
 */
static int write_log_dump(const struct found_trace *f, const struct collect_plan *p,
			  const char *path, struct buf *summary, struct ftr_error *err)
{
	const struct log_dump *d = NULL;
	struct log_dumps all = {0};
	struct buf log = {0};
	char *taken;
	size_t i;
	int ret;

	collect_show(p, "looking for the dump of the buffer in the kernel's log");
	collect_read_kmsg(&log);
	dumps_find(&all, log.data, log.len, NULL);
	/* the last dump of the instance, or one whose head the log has lost */
	for (i = all.n; i-- && !d;)
		if (!all.v[i].headless && !strcmp(all.v[i].instance, f->instance))
			d = &all.v[i];
	if (!d && all.n && all.v[0].headless)
		d = &all.v[0];
	taken = d ? find_collected_dump(d, p->dir) : NULL;
	ret = p->if_any ? 2 : -1;
	if (taken) {
		err_set(err, FTR_FAILED, "no buffer has the trace of a crash: what an oops printed "
			"of it is in '%s' already", taken);
		err_hint(err, "'ftr oops disarm' and 'ftr oops arm' begin anew");
	} else if (d) {
		ret = write_dump(f, d, p->dir, path, summary, err);
	} else {
		err_set(err, FTR_FAILED, "no buffer has the trace of a crash: the armed buffer is "
			"off and empty, and the kernel's log has no dump of it");
		err_hint(err, "an oops prints the buffer to the console: 'ftr oops parse' reads "
			 "the log of a console or another machine");
	}
	free(taken);
	dumps_release(&all);
	buf_release(&log);
	return ret;
}

static int collect_printed(struct oops_collect *c, struct buf *path, struct buf *summary,
			   struct ftr_error *err)
{
	int ret;

	choose_name(c);
	buf_printf(path, "%s.dat", c->base);
	ret = write_log_dump(&c->found, c->p, path->data, summary, err);
	if (ret < 0)
		return -1;
	if (ret > 1) {
		buf_reset(path);
		return 0;
	}
	c->p->notice("an oops has printed the buffer: taken out of the kernel's log, names and "
		     "times as 'ftr oops parse' makes them");
	collect_remove_old(c->p->dir, c->p->keep, path->data, c->p->notice);
	return sync_path(c->p->dir) ? err_write(err, "cannot write '%s'", c->p->dir) : ret;
}

int collect_run(const struct tfs *t, const struct collect_plan *p, struct buf *path,
		struct buf *summary, struct ftr_error *err)
{
	struct oops_collect c = { .tfs = t, .p = p };
	int ret = found_trace_look(&c.found, t, p, err);

	if (!ret && io_mkdirs(p->dir, 0700))
		ret = err_sys(err, "cannot make the directory '%s'", p->dir);
	else if (!ret)
		ret = check_room(&c, err) ? -1 :
		      c.found.printed ? collect_printed(&c, path, summary, err) :
		      collect_found(&c, path, summary, err);
	else if (ret > 0)
		ret = 0;
	found_trace_release(&c.found);
	free(c.base);
	free(c.text);
	strv_release(&c.raw);
	buf_release(&c.oops);
	buf_release(&c.symbols);
	strv_release(&c.unplaced);
	return ret;
}
