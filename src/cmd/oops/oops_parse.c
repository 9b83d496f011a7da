/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr oops parse: makes trace files of the dumps in a log. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/mem.h"
#include "cmd/oops/oops_verbs.h"
#include "text/text_file.h"
#include "text/text_formats.h"

#define LOG_MAX (1u << 30)	/* bytes; parsing takes up to four times as much memory */

struct oops_parse_args {
	const char *output, *formats;
	bool quiet;
};

#define AT(member) offsetof(struct oops_parse_args, member)
const struct opt oops_parse_options[] = {
	OPT_GROUP("Input"),
	{ 0, "formats", "FILE|DIR", "read formats from a trace file, a folder or a bundle",
	  opt_str, AT(formats) },
	OPT_GROUP("Output"),
	{ 'o', "output", "FILE", "write FILE; further dumps go to FILE.2, FILE.3, ...", opt_str,
	  AT(output) },
	OPT_GROUP("Messages"),
	{ 'q', "quiet", NULL, "print no remarks on standard error", cmd_set_quiet, AT(quiet) },
	OPT_END
};

static void print_counts(const char *path, const struct log_dump *d, const struct text_counts *c)
{
	struct buf b = {0};

	buf_printf(&b, "'%s': %zu record%s", path, c->records, c->records == 1 ? "" : "s");
	if (c->events)
		buf_printf(&b, ", %zu of %zu events with fields", c->with_fields, c->events);
	if (*d->instance)
		buf_printf(&b, ", instance '%s'", d->instance);
	if (c->others)
		buf_printf(&b, ", %zu of too many events: 'other_event', with their names in the "
			   "text", c->others);
	if (d->headless)
		buf_addstr(&b, ", the dump has no beginning");
	if (!d->ended)
		buf_addstr(&b, ", the dump has no end");
	cmd_notice("%s", b.data);
	buf_release(&b);
}

/* Prints the faults in the lines of @d. Returns true if lines are missing or unknown. */
static bool print_faults(const char *log, const struct log_dump *d)
{
	if (d->disordered && (d->sorted || !d->made_times))
		cmd_notice("'%s': %zu record%s of a dump after later ones of the same CPU%s", log,
			   d->disordered, d->disordered == 1 ? "" : "s",
			   d->sorted ? ": they are sorted by time" : " got the times of those");
	if (d->dropped)
		cmd_warn("'%s': the kernel's log has dropped %" PRIu64 " line%s of a dump", log,
			 d->dropped, d->dropped == 1 ? "" : "s");
	if (d->without_flags)
		cmd_notice("'%s': %zu record%s no flags: whether interrupts were off is unknown",
			   log, d->without_flags, d->without_flags == 1 ? " has" : "s have");
	if (d->lazy_depths)
		cmd_notice("'%s': %zu record%s a preempt-lazy-depth, which no field of a file has",
			   log, d->lazy_depths, d->lazy_depths == 1 ? " has" : "s have");
	if (d->unknown)
		cmd_warn("'%s': %zu line%s of a dump %s not understood, the first is line %u", log,
			 d->unknown, d->unknown == 1 ? "" : "s", d->unknown == 1 ? "is" : "are",
			 d->first_unknown);
	return d->dropped || d->unknown;
}

/* Returns FTR_OK, FTR_DAMAGED, or -1 with @err. */
static int write_dump(const struct oops_parse_args *p, const char *log, const struct log_dump *d,
		      size_t n, const struct format_files *formats, struct ftr_error *err)
{
	char *path = n ? xasprintf("%s.%zu", p->output, n + 1) : xstrdup(p->output);
	struct text_counts counts;
	int ret = text_file_write(path, d, formats, NULL, &counts, err);

	if (!ret)
		print_counts(path, d, &counts);
	if (!ret && print_faults(log, d))
		ret = FTR_DAMAGED;
	free(path);
	return ret;
}

/* Returns FTR_OK, FTR_DAMAGED, or -1 with @err. */
static int write_dumps(const struct oops_parse_args *p, const char *log, const struct log_dumps *d,
		       struct ftr_error *err)
{
	struct format_files formats = {0};
	int ret = text_formats_read(&formats, p->formats, err), status = FTR_OK;
	size_t filled = 0, written = 0;

	/*
	 * If the first dump has all records, a second one, of the panic after the oops, is empty.
	 */
	for (size_t i = 0; i < d->n; i++)
		filled += d->v[i].n > 0;

	if (!ret && !formats.n)
		cmd_notice("no formats of events: they have one field, their text; --formats has "
			   "those of the kernel");
	if (ret >= 0 && d->left_out) {
		cmd_warn("'%s' has %zu dumps: the first %zu are left out, as no more than %d are "
			 "written; a part of the log may have fewer", log, d->left_out + d->n,
			 d->left_out, DUMPS_MAX);
		status = FTR_DAMAGED;
	}
	if (ret >= 0 && filled && filled < d->n)
		cmd_notice("'%s': %zu more dump%s without records", log, d->n - filled,
			   d->n - filled == 1 ? "" : "s");
	for (size_t i = 0; ret >= 0 && i < d->n; i++) {
		if (!d->v[i].n && (filled || written))
			continue;
		ret = write_dump(p, log, &d->v[i], written++, &formats, err);
		if (ret > 0)
			status = ret;
	}
	formats_release(&formats);
	return ret < 0 ? ret : status;
}

static int parse_text(const struct oops_parse_args *p, const char *log, const struct buf *text,
		      struct ftr_error *err)
{
	struct log_lines lines = {0};
	struct log_dumps dumps = {0};
	int ret;

	if (text->len)
		log_lines_split(&lines, text->data, text->len);
	dumps_find(&dumps, &lines);
	if (dumps.n) {
		ret = write_dumps(p, log, &dumps, err);
	} else {
		err_set(err, FTR_FAILED, "'%s' has no dump of ftrace", log);
		ret = err_hint(err, "the kernel writes one with 'ftr start --dump-on-oops'");
	}
	dumps_release(&dumps);
	log_lines_release(&lines);
	return ret;
}

int oops_parse(const struct cmd *self, int argc, char **argv)
{
	struct ftr_error err = {0};
	const char *log, *name;
	struct buf text = {0};
	struct oops_parse_args p = {0};
	int status, first = cmd_parse(self, argc, argv, &p, &status);

	if (first < 0)
		return status;
	if (argc - first != 1 || !p.output) {
		err_set(&err, FTR_USAGE, p.output ? "parse takes one log"
						  : "no output file was given");
		err_hint(&err, "ftr oops parse LOG -o FILE, - for standard input");
		return cmd_fail(&err);
	}
	log = argv[first];
	name = strcmp(log, "-") ? log : "standard input";
	if (io_read_text(log, LOG_MAX, &text))
		status = err_sys(&err, "cannot read '%s'", name);
	else
		status = parse_text(&p, name, &text, &err);
	buf_release(&text);
	return status < 0 ? cmd_fail(&err) : status;
}
