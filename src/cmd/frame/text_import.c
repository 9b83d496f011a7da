/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes trace files of the traces in a text: ftr import, and ftr oops parse. */
#include "cmd/frame/text_import.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "cmd/frame/trace_input.h"
#include "text/text_file.h"
#include "text/text_formats.h"

struct import_args {
	const char *output, *formats;
	const struct text_type *type;
	bool quiet;
};

static int set_type(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct import_args *a = ctx;
	struct buf names = {0};

	(void)o;
	a->type = text_type_find(arg);
	if (a->type)
		return 0;
	for (size_t i = 0; i < text_types_nr; i++)
		buf_printf(&names, "%s%s", i ? ", " : "", text_types[i].name);
	err_set(err, FTR_USAGE, "there is no type '%s' of texts", arg);
	err_hint(err, "--type takes %s", names.data);
	buf_release(&names);
	return -1;
}

#define AT(member) offsetof(struct import_args, member)
const struct opt import_options[] = {
	OPT_GROUP("Input"),
	{ 0, "formats", "FILE|DIR", "read formats from a trace file, a directory or a bundle",
	  opt_str, AT(formats) },
	{ 0, "type", "TYPE", "read it as trace, trace-cmd, report, pipe, perf, dump", set_type,
	  0 },
	OPT_GROUP("Output"),
	{ 'o', "output", "FILE", "write FILE; further traces go to FILE.2, FILE.3, ...", opt_str,
	  AT(output) },
	OPT_GROUP("Messages"),
	{ 'q', "quiet", NULL, "print no remarks on standard error", cmd_set_quiet, AT(quiet) },
	OPT_END
};

static void print_counts(const char *path, const struct log_dump *d, const struct text_counts *c)
{
	struct buf b = {0};

	buf_printf(&b, "'%s': ", path);
	text_add_counts(&b, d, c);
	cmd_notice("%s", b.data);
	buf_release(&b);
}

/* Prints the faults in the lines of @d. Returns true if lines are missing or unknown. */
static bool print_faults(const char *text, const struct log_dump *d, const struct text_counts *c)
{
	if (d->disordered && (d->sorted || !d->made_times))
		cmd_notice("'%s': %zu record%s of a dump after later ones of the same CPU%s", text,
			   d->disordered, d->disordered == 1 ? "" : "s",
			   d->sorted ? ": they are sorted by time" : " got the times of those");
	if (d->dropped)
		cmd_warn("'%s': the kernel's log has dropped %" PRIu64 " line%s of a dump", text,
			 d->dropped, d->dropped == 1 ? "" : "s");
	if (d->without_flags)
		cmd_notice("'%s': %zu record%s no flags: whether interrupts were off is unknown%s",
			   text, d->without_flags, d->without_flags == 1 ? " has" : "s have",
			   d->lacks_wakers ? ", and so is which tasks woke others" : "");
	if (d->long_calls)
		cmd_notice("'%s': the times made up for %zu call%s are further apart than the "
			   "duration", text, d->long_calls, d->long_calls == 1 ? "" : "s");
	if (d->ambiguous_flags)
		cmd_notice("'%s': %zu record%s no flags: %s", text, d->ambiguous_flags,
			   d->ambiguous_flags == 1 ? " has" : "s have", d->ambiguity);
	if (d->without_cpu)
		cmd_warn("'%s': %zu record%s no CPU, and all of them are on CPU 0", text,
			 d->without_cpu, d->without_cpu == 1 ? " has" : "s have");
	if (d->without_task)
		cmd_notice("'%s': %zu record%s no task: that of CPU 0 is called %d, that of CPU 1 "
			   "%d, and so on", text, d->without_task,
			   d->without_task == 1 ? " has" : "s have", DUMP_UNKNOWN_PID,
			   DUMP_UNKNOWN_PID + 1);
	if (d->without_duration)
		cmd_warn("'%s': %zu call%s no duration: 0 stands for it", text,
			 d->without_duration, d->without_duration == 1 ? " has" : "s have");
	if (c->without_args)
		cmd_notice("'%s': %zu call%s arguments of another form, which no field has", text,
			   c->without_args, c->without_args == 1 ? " has" : "s have");
	if (d->results && d->results != d->ends)
		cmd_notice("'%s': %zu of %zu calls have a result, which no field has", text,
			   d->results, d->ends);
	if (d->lazy_depths)
		cmd_notice("'%s': %zu record%s a preempt-lazy-depth, which no field of a file has",
			   text, d->lazy_depths, d->lazy_depths == 1 ? " has" : "s have");
	if (d->unknown)
		cmd_warn("'%s': %zu line%s of a dump %s not understood, the first is line %u",
			 text, d->unknown, d->unknown == 1 ? "" : "s",
			 d->unknown == 1 ? "is" : "are", d->first_unknown);
	return d->dropped || d->unknown;
}

/* Returns FTR_OK, FTR_DAMAGED, or -1 with @err. */
static int write_dump(const struct import_args *p, const char *text, const struct log_dump *d,
		      size_t n, const struct format_files *formats, struct ftr_error *err)
{
	char *path = n ? xasprintf("%s.%zu", p->output, n + 1) : xstrdup(p->output);
	struct text_counts counts;
	int ret = text_file_write(path, d, formats, NULL, &counts, err);

	if (!ret)
		print_counts(path, d, &counts);
	if (!ret && print_faults(text, d, &counts))
		ret = FTR_DAMAGED;
	free(path);
	return ret;
}

/*
 * Reads the formats of --formats. Those of a directory with the formats of several kernels are the
 * ones of the kernel that the text names.
 */
static int read_formats(const struct import_args *p, const char *text, const struct text_read *r,
			struct format_files *formats, struct ftr_error *err)
{
	struct span_text all = { r->input.p, r->input.len }, release;
	struct stat st;
	char *path;
	int ret;

	if (!p->formats)
		return text_formats_read(formats, NULL, err);
	release = text_kernel_release(all);
	path = text_formats_of(p->formats, release);
	if (path)
		cmd_notice("'%s' is of Linux %.*s: its formats are those of '%s'", text,
			   (int)release.len, release.p, path);
	ret = text_formats_read(formats, path ? path : p->formats, err);
	free(path);
	if (ret && release.len && !stat(p->formats, &st) && S_ISDIR(st.st_mode))
		err_hint(err, "the text is of Linux %.*s: a trace file or a directory of that name "
			 "would be taken", (int)release.len, release.p);
	return ret;
}

/* Returns FTR_OK, FTR_DAMAGED, or -1 with @err. */
static int write_dumps(const struct import_args *p, const char *text, const struct text_read *r,
		       struct ftr_error *err)
{
	const struct log_dumps *d = &r->dumps;
	struct format_files formats = {0};
	int ret = read_formats(p, text, r, &formats, err), status = FTR_OK;
	size_t written = 0;

	if (!ret && !formats.n)
		cmd_notice("no formats of events: fields are those of well-known events, and of "
			   "texts that are NAME=VALUE; --formats has those of the kernel");
	if (ret >= 0 && d->left_out) {
		cmd_warn("'%s' has %zu dumps: the first %zu are left out, as no more than %d are "
			 "written; a part of the log may have fewer", text, d->left_out + d->n,
			 d->left_out, DUMPS_MAX);
		status = FTR_DAMAGED;
	}
	if (ret >= 0 && r->filled && r->filled < d->n)
		cmd_notice("'%s': %zu more dump%s without records", text, d->n - r->filled,
			   d->n - r->filled == 1 ? "" : "s");
	for (size_t i = 0; ret >= 0 && i < d->n; i++) {
		if (!text_read_takes(r, i))
			continue;
		ret = write_dump(p, text, &d->v[i], written++, &formats, err);
		if (ret > 0)
			status = ret;
	}
	formats_release(&formats);
	return ret < 0 ? ret : status;
}

/* Returns FTR_OK, FTR_DAMAGED, or -1 with @err. */
static int import_text(const struct import_args *p, const char *path, struct ftr_error *err)
{
	const char *name = strcmp(path, "-") ? path : "standard input";
	struct text_read r;
	int fd, ret;
	bool cut;

	fd = input_open(path, &cut, err);
	if (fd < 0)
		return -1;
	ret = input_check_text(fd, path, err) ? -1 :
	      text_read(&r, fd, name, p->type, input_progress_start(), err);
	close(fd);
	if (ret)
		return ret;
	if (cut)
		cmd_warn("'%s': its compressed data is damaged, or ends too early", name);
	ret = r.dumps.n ? write_dumps(p, name, &r, err) : text_report_none(&r, name, err);
	text_read_release(&r);
	input_progress_end();
	return !ret && cut ? FTR_DAMAGED : ret;
}

int import_run(const struct cmd *self, int argc, char **argv)
{
	struct ftr_error err = {0};
	struct import_args p = {0};
	int status, first = cmd_parse(self, argc, argv, &p, &status);

	if (first < 0)
		return status;
	if (argc - first != 1 || !p.output) {
		err_set(&err, FTR_USAGE, p.output ? "%s takes one text" :
			"no output file was given", self->name);
		err_hint(&err, "ftr %s TEXT -o FILE, - for standard input",
			 strcmp(self->name, "import") ? "oops parse" : "import");
		return cmd_fail(&err);
	}
	status = import_text(&p, argv[first], &err);
	return status < 0 ? cmd_fail(&err) : status;
}
