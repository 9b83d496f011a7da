/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr scrub: writes a trace file in which pseudonyms replace the values that identify. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/io.h"
#include "base/text.h"
#include "cmd/files/new_file.h"
#include "cmd/frame/command.h"
#include "cmd/frame/selection.h"
#include "cmd/frame/trace_input.h"
#include "rewrite/rewrite.h"
#include "rewrite/scrubber.h"

#define KEY_FILE_MAX (1u << 20)

struct scrub_args {
	const char *in, *out;
	bool check, quiet, has_key;
	struct scrub_opts opts;
	struct rewrite_drop drop;
};

/* --- options */

static int scrub_set_keep(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct scrub_args *a = ctx;

	(void)o;
	return scrub_keep_parse(arg, &a->opts, err);
}

static int scrub_read_key(struct scrub_args *a, const char *path, struct ftr_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *bytes = xmalloc(KEY_FILE_MAX);
	ssize_t n = -1, got = 0;
	int ret = 0;

	while (fd >= 0 && got < (ssize_t)KEY_FILE_MAX &&
	       (n = read(fd, bytes + got, KEY_FILE_MAX - got)) > 0)
		got += n;
	if (n < 0)
		ret = err_sys(err, "cannot read the key '%s'", path);
	else if (!got)
		ret = err_set(err, FTR_USAGE, "the key '%s' is empty", path);
	else
		scrub_key_of(&a->opts.key, bytes, got);
	free(bytes);
	if (fd >= 0)
		close(fd);
	return ret;
}

static int scrub_set_key(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct scrub_args *a = ctx;

	a->has_key = true;
	if (*arg == '@')
		return scrub_read_key(a, arg + 1, err);
	if (!*arg)
		return err_set(err, FTR_USAGE, "--%s takes a text or @FILE", o->name);
	scrub_key_of(&a->opts.key, arg, strlen(arg));
	return 0;
}

#define AT(member) .off = offsetof(struct scrub_args, member)
static const struct opt options[] = {
	{ 'i', "input", "FILE", "read FILE (default " TRACE_FILE "; -: standard input)", opt_str,
	  AT(in) },
	{ 'o', "output", "FILE", "write FILE; an older one becomes FILE.old", opt_str, AT(out) },
	{ 0, "key", "KEY", "the same pseudonyms in all files with KEY (@FILE: its bytes)",
	  scrub_set_key, 0 },
	{ 0, "keep", "CLASSES", "tasks, pids, users, paths, strings, ...; sched, files, ...",
	  scrub_set_keep, 0 },
	DROP_OPTION(offsetof(struct scrub_args, drop)),
	{ 0, "check", NULL, "write nothing; print what identifies (status 1) in FILE...", opt_flag,
	  AT(check) },
	{ 'q', "quiet", NULL, "print errors and warnings only", opt_flag, AT(quiet) },
	OPT_END
};

static const char *const examples[] = {
	"ftr scrub trace.dat to-send.dat",
	"ftr scrub --keep sched --key @my.key trace.dat to-send.dat",
	"ftr scrub --check to-send.dat           what still identifies?",
	NULL
};

/* --- the new file */

static void notice_class(const struct scrub_run *s, enum scrub_class c)
{
	struct scrub_sum sum;
	struct buf line = {0};

	scrub_sum(s, c, &sum);
	if (!sum.values)
		return;
	buf_printf(&line, "%-10s ", scrub_class_name(c));
	text_grouped(&line, sum.values);
	buf_printf(&line, " value%s", sum.values == 1 ? "" : "s");
	if (sum.distinct) {
		buf_addstr(&line, ", ");
		text_grouped(&line, sum.distinct);
		buf_addstr(&line, " different");
	}
	cmd_line(&line, "  ");
	buf_release(&line);
}

/* Prints what was replaced. */
static void notice_replaced(const struct scrub_args *a, const struct scrub_run *s,
			    const struct rewrite_totals *sum)
{
	notice_totals(a->out, sum);
	for (int c = 0; c < SCRUB_CLASSES; c++)
		notice_class(s, c);
	if (*scrub_dropped(s))
		cmd_notice("%s: left out: %s", a->out, scrub_dropped(s));
}

static int scrub_trace(const struct scrub_args *a, struct trace *t, struct ftr_error *err)
{
	struct scrub_run *s = scrub_new(t, &a->opts);
	struct rewrite_plan p = {
		.path = a->out, .format = rewrite_format_of(t->dat), .meta = t, .drop = a->drop,
		.keep_empty = true, .scrub = s,
	};
	struct rewrite_totals sum;
	int ret;

	p.n = rewrite_buffers_all(t, &p.bufs);
	p.format.version = 7;
	for (size_t i = 0; i < p.n; i++) {
		scrub_instance(s, p.bufs[i].name);
		scrub_clock(s, p.bufs[i].clock);
	}
	ret = rewrite_file(&p, &sum, err);
	if (!ret)
		notice_replaced(a, s, &sum);
	rewrite_buffers_free(p.bufs, p.n);
	scrub_free(s);
	return ret;
}

static int write_scrubbed(struct scrub_args *a, struct ftr_error *err)
{
	struct trace *t = trace_open_last(a->in, err);
	int status = FTR_OK;

	if (!t || scrub_trace(a, t, err))
		status = cmd_fail(err);
	if (t && cmd_damages(trace_damages(t)) && !status)
		status = FTR_DAMAGED;
	trace_close(t);
	return status;
}

/* --- the check */

static void print_found(const char *path, const struct scrub_found *v, size_t n)
{
	size_t i, widest = strlen("PLACE");
	struct buf number = {0};

	for (i = 0; i < n; i++)
		widest = strlen(v[i].place) > widest ? strlen(v[i].place) : widest;
	cmd_print("%s\n%-10s %12s  %-*s  EXAMPLE\n", path, "CLASS", "VALUES", (int)widest, "PLACE");
	for (i = 0; i < n; i++) {
		buf_reset(&number);
		text_grouped(&number, v[i].values);
		cmd_print("%-10s %12s  %-*s  %s\n", scrub_class_name(v[i].class), number.data,
			  (int)widest, v[i].place, v[i].example);
	}
	buf_release(&number);
}

/* Returns the status of one file. */
static int scrub_check_file(const struct scrub_args *a, const char *path)
{
	struct ftr_error err = {0};
	struct trace *t = trace_open_last(path, &err);
	struct scrub_found *v;
	struct scrub_run *s;
	int status = FTR_OK;
	size_t n;

	if (!t)
		return cmd_fail(&err);
	if (t->dat->big != RING_HOST_BIG) {
		err_set(&err, FTR_FAILED, "'%s' has the byte order of another machine: it can be "
			"checked only on such a one", path);
		trace_close(t);
		return cmd_fail(&err);
	}
	s = scrub_new(t, &a->opts);
	n = scrub_check(s, &v);
	if (n) {
		print_found(path, v, n);
		fflush(stdout);
		cmd_notice("%s: %zu place%s with values that identify", path, n,
			   n == 1 ? "" : "s");
		status = FTR_FAILED;
	}
	free(v);
	scrub_free(s);
	if (cmd_damages(trace_damages(t)))
		status = FTR_DAMAGED;
	trace_close(t);
	return status;
}

static int scrub_check_files(const struct scrub_args *a, int argc, char **argv, int first)
{
	int status, worst = FTR_OK;

	if (a->out) {
		struct ftr_error err = {0};

		err_set(&err, FTR_USAGE, "--check writes no file, so '%s' is of no use", a->out);
		return cmd_fail(&err);
	}
	if (a->in || first >= argc)
		worst = scrub_check_file(a, a->in ? a->in : TRACE_FILE);
	for (; first < argc; first++) {
		status = scrub_check_file(a, argv[first]);
		worst = status > worst ? status : worst;
	}
	return worst;
}

static int run_scrub(const struct cmd *self, int argc, char **argv)
{
	struct scrub_args a = {0};
	struct ftr_error err = {0};
	int status, first = cmd_parse(self, argc, argv, &a, &status);

	if (first < 0)
		return status;
	cmd_quiet |= a.quiet;
	if (!a.has_key && getrandom(&a.opts.key, sizeof(a.opts.key), 0) != sizeof(a.opts.key)) {
		err_sys(&err, "cannot get random bytes for the key");
		return cmd_fail(&err);
	}
	if (a.check)
		return scrub_check_files(&a, argc, argv, first);
	if (set_in_and_out(&a.in, &a.out, self->name, argc, argv, first, &err))
		return cmd_fail(&err);
	return write_scrubbed(&a, &err);
}

const struct cmd cmd_scrub = {
	.name = "scrub",
	.usage = "[OPTIONS] [FILE] NEW-FILE | --check [FILE...]",
	.summary = "replace what identifies by pseudonyms, in a copy of a trace file",
	.examples = examples,
	.options = options,
	.run = run_scrub,
};
