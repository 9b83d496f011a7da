/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that a command reads: recognised by their bytes, unpacked, made from text. */
#include "cmd/frame/trace_input.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "cmd/frame/command.h"
#include "file/read/dat.h"
#include "file/unpack_file.h"
#include "text/text_file.h"

#define HEAD_BYTES 4096

/* --- remarks */

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

void text_add_counts(struct buf *out, const struct log_dump *d, const struct text_counts *c)
{
	buf_printf(out, "%zu record%s", c->records, plural(c->records));
	if (c->events)
		buf_printf(out, ", %zu of %zu events with fields", c->with_fields, c->events);
	if (*d->instance)
		buf_printf(out, ", instance '%s'", d->instance);
	if (c->others)
		buf_printf(out, ", %zu of too many events: 'other_event', with their names in the "
			   "text", c->others);
	if (d->headless)
		buf_addstr(out, ", the dump has no beginning");
	if (!d->ended)
		buf_addstr(out, ", the dump has no end");
}

void text_add_gaps(struct buf *out, const struct log_dump *d, const struct text_counts *c)
{
	const char *sep = "; it has no ";

	if (d->made_times) {
		buf_printf(out, "%stimes", sep);
		if (d->long_calls)
			buf_printf(out, " (those made up are too far apart at %zu call%s)",
				   d->long_calls, plural(d->long_calls));
		sep = ", no ";
	}
	if (d->without_flags + d->ambiguous_flags) {
		buf_printf(out, "%sflags of %zu record%s", sep,
			   d->without_flags + d->ambiguous_flags,
			   plural(d->without_flags + d->ambiguous_flags));
		if (d->ambiguous_flags)
			buf_printf(out, " (%s)", d->ambiguity);
		if (d->lacks_wakers)
			buf_addstr(out, ", no tasks that woke others");
		sep = ", no ";
	}
	if (d->without_task) {
		buf_printf(out, "%stask of %zu record%s", sep, d->without_task,
			   plural(d->without_task));
		sep = ", no ";
	}
	if (d->without_cpu) {
		buf_printf(out, "%sCPU of %zu record%s, which are on CPU 0", sep, d->without_cpu,
			   plural(d->without_cpu));
		sep = ", no ";
	}
	if (d->without_duration) {
		buf_printf(out, "%sduration of %zu call%s, which is 0", sep, d->without_duration,
			   plural(d->without_duration));
		sep = ", no ";
	}
	if (c->without_args) {
		buf_printf(out, "%sarguments of %zu call%s", sep, c->without_args,
			   plural(c->without_args));
		sep = ", no ";
	}
	if (c->with_fields < c->events)
		buf_printf(out, "%sfields of %zu event%s", sep, c->events - c->with_fields,
			   plural(c->events - c->with_fields));
}

void text_note_damage(struct damage_list *to, const struct log_dump *d, const char *path)
{
	if (d->dropped) {
		damage_note(to, "lines dropped by the kernel's log", path, DAMAGE_NO_OFFSET, -1,
			    NULL);
		to->v[to->n - 1].count = d->dropped;
	}
	if (d->unknown) {
		damage_note(to, "line not understood", path, DAMAGE_NO_OFFSET, -1,
			    "the first is line %u", d->first_unknown);
		to->v[to->n - 1].count = d->unknown;
	}
}

int text_report_none(const struct text_read *r, const char *path, struct ftr_error *err)
{
	struct text_nearest near = {0};

	if (r->input.len)
		near = dumps_nearest(r->input.p, r->input.len);
	err_set(err, FTR_FAILED, "'%s' has no trace: it is no trace.dat file%s, and no text with "
		"records or a dump of ftrace", path, r->input.html ? ", no page with one" : "");
	if (near.line)
		return err_hint(err, "line %u is like %s, but is not understood", near.line,
				near.what);
	return err_hint(err, "the kernel writes a dump with 'ftr start --dump-on-oops'; ftr, "
			"trace-cmd, perf and atrace print text");
}

/* --- from the bytes to a trace */

int input_open(const char *path, bool *cut, struct ftr_error *err)
{
	char head[UNPACK_HEAD];
	int fd = dat_open_input(path, err), to;
	struct stat st;

	*cut = false;
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    pread(fd, head, sizeof(head), 0) != sizeof(head) || !unpack_program(head, sizeof(head)))
		return fd;
	to = unpack_file(fd, path, cut, err);
	close(fd);
	return to;
}

/* Returns true if the file may be a text: another kind of file has bytes that no text has. */
static bool may_be_text(int fd)
{
	char head[HEAD_BYTES];
	ssize_t n = pread(fd, head, sizeof(head), 0), odd = 0;
	struct stat st;

	if (n <= 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || dat_is_binary(head, n))
		return false;
	/* a crash may leave a block of zeros in a log */
	for (ssize_t i = 0; i < n; i++)
		odd += (unsigned char)head[i] < ' ' && !memchr("\t\n\v\f\r\033\b", head[i], 7) &&
		       head[i];
	return odd * 32 < n;
}

int input_check_text(int fd, const char *path, struct ftr_error *err)
{
	char head[HEAD_BYTES];
	ssize_t n = pread(fd, head, sizeof(head), 0);

	if (n <= 0 || !dat_is_binary(head, n))
		return 0;
	err_set(err, FTR_FAILED, "'%s' is no text", path);
	return err_hint(err, "ftr info '%s' shows what it is", path);
}

static void show_progress(const char *what, unsigned int percent)
{
	char text[64];

	snprintf(text, sizeof(text), "ftr: text: %s %u %%", what, percent);
	line_show(text);
}

struct text_progress *input_progress_start(void)
{
	static struct text_progress p = { .show = show_progress };

	p.next = now_ns() + 5ull * TEXT_PROGRESS_NS;
	return line_wanted(false) && !cmd_quiet ? &p : NULL;
}

void input_progress_end(void)
{
	line_end();
}

static void add_trace(struct trace_list *l, struct trace *t)
{
	l->v = xgrow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	l->v[l->n++] = t;
}

/* Makes the trace of one dump. Returns NULL with @err on failure. */
static struct trace *dump_to_trace(const struct log_dump *d, const char *name,
				   struct text_counts *counts, struct ftr_error *err)
{
	struct format_files formats = {0};
	struct trace *t = NULL;
	int fd = io_unnamed();

	if (fd < 0) {
		err_sys(err, "cannot make a file in '%s'", io_tmpdir());
		return NULL;
	}
	if (!text_file_write_fd(fd, name, d, &formats, NULL, counts, err))
		t = trace_open_dat(dat_open_fd(fd, name, err), err);
	close(fd);
	if (t)
		text_note_damage(&t->dat->damages, d, t->dat->path);
	return t;
}

/* Prints the line about a text: its kind, its records, and data that it lacks. */
static void print_kind(const struct text_read *r, const char *path, size_t all, size_t taken,
		       const struct text_counts *counts)
{
	const struct log_dump *d = &r->dumps.v[r->dumps.n - 1];
	struct buf b = {0};

	buf_printf(&b, "'%s' is %s%s: ", path, r->input.html ? "a page with " : "",
		   d->type->title);
	if (all > 1)
		buf_printf(&b, "%zu traces%s, ", all, taken < all ? ", the last one is read" : "");
	if (all > 1)
		buf_printf(&b, "%zu record%s", counts->records, plural(counts->records));
	else
		text_add_counts(&b, d, counts);
	text_add_gaps(&b, d, counts);
	cmd_notice("%s", b.data);
	buf_release(&b);
}

/* Appends a trace for each dump; of the last one alone, if @last. Returns 0, or -1 with @err. */
static int add_dumps(struct trace_list *l, const struct text_read *r, const char *path, bool last,
		     struct ftr_error *err)
{
	size_t nr = 0, all = 0, first = l->n, i;
	struct text_counts sum = {0}, one;
	struct trace *t;
	char *name;

	for (i = 0; i < r->dumps.n; i++)
		all += text_read_takes(r, i);
	for (i = 0; i < r->dumps.n; i++) {
		if (!text_read_takes(r, i) || (++nr < all && last))
			continue;
		name = nr > 1 ? xasprintf("%s#%zu", path, nr) : xstrdup(path);
		t = dump_to_trace(&r->dumps.v[i], name, &one, err);
		free(name);
		if (!t)
			return -1;
		add_trace(l, t);
		sum.records += one.records;
		sum.events += one.events;
		sum.with_fields += one.with_fields;
	}
	t = l->v[first];
	if (r->dumps.left_out)
		damage_note(&t->dat->damages, "dump left out", t->dat->path, DAMAGE_NO_OFFSET, -1,
			    "%zu before the last %d", r->dumps.left_out, DUMPS_MAX);
	print_kind(r, path, all, last ? 1 : all, all > 1 ? &sum : &one);
	return 0;
}

/* Returns 0; 1 if the file is no text with a trace; or -1 with @err. */
static int add_texts(struct trace_list *l, int fd, const char *path, bool last,
		     struct ftr_error *err)
{
	struct text_read r;
	int ret;

	if (!may_be_text(fd))
		return 1;
	ret = text_read(&r, fd, path, NULL, input_progress_start(), err);
	if (!ret && r.dumps.n)
		ret = add_dumps(l, &r, path, last, err);
	else if (!ret)
		ret = text_report_none(&r, path, err);
	text_read_release(&r);
	input_progress_end();
	return ret;
}

static int open_traces(struct trace_list *l, const char *path, bool last, struct ftr_error *err)
{
	size_t before = l->n;
	struct trace *t;
	bool cut;
	int fd = input_open(path, &cut, err), ret;

	if (fd < 0)
		return -1;
	ret = add_texts(l, fd, path, last, err);
	if (ret > 0) {
		t = trace_open_dat(dat_open_fd(fd, path, err), err);
		ret = t ? 0 : -1;
		if (t)
			add_trace(l, t);
	}
	close(fd);
	if (cut && l->n > before)
		damage_note(&l->v[before]->dat->damages, "compressed data damaged or cut",
			    l->v[before]->dat->path, DAMAGE_NO_OFFSET, -1, NULL);
	return ret;
}

int traces_open(struct trace_list *l, const char *path, struct ftr_error *err)
{
	return open_traces(l, path, false, err);
}

struct trace *trace_open_last(const char *path, struct ftr_error *err)
{
	struct trace_list l = {0};
	struct trace *t = open_traces(&l, path, true, err) ? NULL : l.v[0];

	free(l.v);
	return t;
}
