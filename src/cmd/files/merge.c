/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr merge: writes the records of several trace files as buffers of one. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "cmd/files/new_file.h"
#include "cmd/frame/command.h"
#include "cmd/frame/selection.h"
#include "rewrite/joined_meta.h"
#include "rewrite/rewrite.h"

struct merge_args {
	struct selection select;	/* first: SELECT_* options write to it */
	const char *out;
	struct rewrite_drop drop;
	bool quiet;
};

#define AT(member) .off = offsetof(struct merge_args, member)
static const struct opt options[] = {
	{ 'i', "input", "FILE", "read FILE (repeatable)", opt_strv, SELECT_AT(files) },
	{ 'o', "output", "FILE", "write FILE; an older one becomes FILE.old", opt_str, AT(out) },
	{ 0, "ts-offset", "NS", "add NS nanoseconds to the times of the -i before it",
	  selection_set_ts_offset, 0 },
	{ 0, "date", NULL, "match the files by the time of day", opt_flag, SELECT_AT(date) },
	DROP_OPTION(offsetof(struct merge_args, drop)),
	{ 'q', "quiet", NULL, "print errors and warnings only", opt_flag, AT(quiet) },
	OPT_END
};

static const char *const examples[] = {
	"ftr merge a.dat b.dat -o all.dat             b.dat becomes the instance 'b'",
	"ftr merge --date a.dat b.dat -o fleet.dat    two machines, by the time of day",
	"ftr merge -i a.dat -i b.dat --ts-offset -1500 -o both.dat",
	NULL
};

/* --- names of buffers */

static bool is_taken(const struct rewrite_plan *p, const char *name)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (!strcmp(p->bufs[i].name, name))
			return true;
	return false;
}

/*
 * Returns the name of a buffer of another file than the first: that of the file, for an instance
 * with its name. The caller frees it.
 */
static char *merged_name(const struct rewrite_plan *p, const struct dat *d,
			 const struct dat_buffer *b)
{
	const char *slash = strrchr(d->path, '/'), *base = slash ? slash + 1 : d->path, *dot;
	char *stem, *name;
	unsigned int i;

	dot = strrchr(base, '.');
	stem = xasprintf("%.*s%s%s", (int)(dot && dot > base ? dot - base : (long)strlen(base)),
			 base, *b->name ? "." : "", b->name);
	name = xstrdup(stem);
	for (i = 2; is_taken(p, name); i++) {
		free(name);
		name = xasprintf("%s-%u", stem, i);
	}
	free(stem);
	return name;
}

/* --- times */

/* Stores the number to add to raw times of @t, so that they count as those of @to. */
static int find_shift(const struct trace *t, const struct trace *to, int64_t *shift,
		      struct ftr_error *err)
{
	int64_t ns = (int64_t)((uint64_t)t->ts_add_ns - (uint64_t)to->ts_add_ns);

	if (t->tsc_mult != to->tsc_mult || t->tsc_shift != to->tsc_shift ||
	    t->clock_is_ns != to->clock_is_ns)
		return err_set(err, FTR_FAILED, "the clocks of '%s' and '%s' count different "
			       "units: one file can't have both", to->dat->path, t->dat->path);
	*shift = ns;
	if (t->tsc_mult)
		*shift = (int64_t)(((__int128)ns * ((__int128)1 << t->tsc_shift)) / t->tsc_mult);
	return 0;
}

/* --- the file */

static bool has_data(const struct dat_buffer *b)
{
	size_t i;

	for (i = 0; i < b->nr_cpus; i++)
		if (b->cpus[i].nr_pages)
			return true;
	return false;
}

/* Adds the buffers of another file than the first. Returns 0, or -1 with @err. */
static int add_file(struct rewrite_plan *p, struct trace *t, struct ftr_error *err)
{
	struct rewrite_buffer *b;
	struct buf names = {0};
	struct dat *d = t->dat;
	int64_t shift = 0;
	char *name;
	size_t i;

	if (find_shift(t, p->meta, &shift, err))
		return -1;
	for (i = 0; i < d->nr_buffers; i++) {
		if (!has_data(&d->buffers[i]))
			continue;
		name = merged_name(p, d, &d->buffers[i]);
		p->bufs = xrealloc(p->bufs, (p->n + 1) * sizeof(*p->bufs));
		b = &p->bufs[p->n++];
		rewrite_buffer_all(b, t, &d->buffers[i]);
		free(b->name);
		b->name = name;
		b->shift = shift;
		b->host_times = trace_is_guest(t);
		buf_printf(&names, "%s'%s'", names.len ? ", " : "", name);
		if (strlen(name) >= LIMIT_NAME) {
			err_set(err, FTR_FAILED, "the name '%s' is too long for an instance", name);
			break;
		}
	}
	if (i == d->nr_buffers && names.len)
		cmd_notice("%s: the instance %s", d->path, names.data);
	buf_release(&names);
	return i == d->nr_buffers ? 0 : -1;
}

static int write_merged(const struct merge_args *a, struct rewrite_plan *p, struct ftr_error *err)
{
	struct joined_meta joined;
	struct rewrite_totals sum;
	int ret = joined_meta_make(&joined, p, err);

	p->joined = &joined;
	if (!ret)
		ret = rewrite_file(p, &sum, err);
	if (!ret)
		notice_totals(a->out, &sum);
	if (!ret && joined.renamed)
		cmd_warn("%zu %s another name in another file: the first one is shown",
			 joined.renamed, joined.renamed == 1 ? "task has" : "tasks have");
	joined_meta_release(&joined);
	return ret;
}

static int merge_files(struct merge_args *a, struct ftr_error *err)
{
	struct selection *s = &a->select;
	struct rewrite_plan p = { .path = a->out, .drop = a->drop, .keep_empty = true };
	size_t i;
	int ret = 0;

	if (!a->out) {
		err_set(err, FTR_USAGE, "the new file has no name");
		return err_hint(err, "'ftr merge FILE FILE... -o NEW-FILE'");
	}
	if (s->files.n < 2)
		return err_set(err, FTR_USAGE, "there are no two files to merge");
	if (selection_open(s, err))
		return -1;
	p.meta = s->traces[0];
	p.format = rewrite_format_of(p.meta->dat);
	p.n = rewrite_buffers_all(p.meta, &p.bufs);
	for (i = 0; i < p.n; i++)
		p.bufs[i].host_times = trace_is_guest(p.meta);
	for (i = 1; i < s->nr_traces && !ret; i++)
		ret = add_file(&p, s->traces[i], err);
	if (!ret)
		ret = write_merged(a, &p, err);
	rewrite_buffers_free(p.bufs, p.n);
	return ret;
}

static int run_merge(const struct cmd *self, int argc, char **argv)
{
	struct merge_args a = {0};
	struct ftr_error err = {0};
	int status, first = cmd_parse(self, argc, argv, &a, &status), damaged;

	if (first < 0)
		goto out;
	cmd_quiet |= a.quiet;
	for (; first < argc; first++)
		strv_add(&a.select.files, argv[first]);
	status = merge_files(&a, &err) ? cmd_fail(&err) : FTR_OK;
	damaged = selection_report_damages(&a.select);
	status = status ? status : damaged;
out:
	selection_release(&a.select);
	return status;
}

const struct cmd cmd_merge = {
	.name = "merge",
	.usage = "[OPTIONS] FILE FILE... -o NEW-FILE",
	.summary = "write several trace files as one, each as an instance",
	.examples = examples,
	.options = options,
	.run = run_merge,
};
