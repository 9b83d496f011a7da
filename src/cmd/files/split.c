/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr split: writes parts of a trace file as files. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/files/new_file.h"
#include "cmd/frame/command.h"
#include "cmd/frame/selection.h"
#include "rewrite/rewrite.h"
#include "rewrite/split_parts.h"

#define PARTS_MAX 9999		/* files of one run */

struct split_args {
	struct selection select;	/* first: SELECT_* options write to it */
	const char *out;
	enum split_by by;
	const char *by_option;		/* the option that set ->by */
	uint64_t size;
	uint64_t unit_ns;		/* of ->size, for SPLIT_TIME */
	const char *marker;
	struct filter_spec marker_spec;
	struct filter *marker_filter;
	bool per_cpu, repeat;
	struct strv buffers;		/* -B */
	bool top, promote, quiet;
	const char *top_name;		/* -b */
	struct rewrite_drop drop;
};

/* --- options */

static const struct split_kind {
	const char *name;
	enum split_by by;
	uint64_t unit_ns;
} split_kinds[] = {
	{ "seconds", SPLIT_TIME, 1000000000 },
	{ "milliseconds", SPLIT_TIME, 1000000 },
	{ "microseconds", SPLIT_TIME, 1000 },
	{ "events", SPLIT_EVENTS, 0 },
	{ "pages", SPLIT_PAGES, 0 },
	{ "parts", SPLIT_PARTS, 0 },
	{ "marker", SPLIT_MARKERS, 0 },
	{ "each", SPLIT_NOT, 0 },
};

/* Notes the kind of parts of an option. Returns the kind, or NULL with @err if there is another. */
static const struct split_kind *set_kind(struct split_args *a, const struct opt *o,
					 struct ftr_error *err)
{
	const struct split_kind *k = split_kinds;

	while (strcmp(k->name, o->name))
		k++;
	if (a->by_option && strcmp(a->by_option, o->name)) {
		err_set(err, FTR_USAGE, "--%s and --%s are two kinds of parts", a->by_option,
			o->name);
		err_hint(err, "split a part once more with the other one");
		return NULL;
	}
	a->by_option = o->name;
	a->by = k->by;
	a->unit_ns = k->unit_ns;
	return k;
}

static int set_size(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct split_args *a = ctx;
	const struct split_kind *k = set_kind(a, o, err);
	int64_t n, most;

	if (!k)
		return -1;
	most = k->by == SPLIT_PARTS ? PARTS_MAX : INT64_MAX / (k->unit_ns ? k->unit_ns : 1);
	if (text_number(arg, 1, most, &n))
		return err_set(err, FTR_USAGE, "--%s takes a number from 1 to %" PRId64
			       ", not '%s'", o->name, most, arg);
	a->size = n;
	return 0;
}

static int set_marker(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct split_args *a = ctx;

	a->marker = arg;
	return set_kind(a, o, err) ? 0 : -1;
}

static int set_each(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	static const char *const words[] = { "cpu", "buffer", NULL };
	struct split_args *a = ctx;
	int word = opt_word(o, arg, words, err);

	if (word < 0 || !set_kind(a, o, err))
		return -1;
	a->by = word ? SPLIT_BUFFERS : SPLIT_CPUS;
	return 0;
}

static int set_around(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct split_args *a = ctx;

	(void)o;
	return filter_set_around(&a->select.spec, arg, err);
}

#define AT(member) .off = offsetof(struct split_args, member)
static const struct opt options[] = {
	OPT_GROUP("Parts"),
	{ 's', "seconds", "N", "a part has N seconds", set_size, 0 },
	{ 'm', "milliseconds", "N", "a part has N milliseconds", set_size, 0 },
	{ 'u', "microseconds", "N", "a part has N microseconds", set_size, 0 },
	{ 'e', "events", "N", "a part has N events", set_size, 0 },
	{ 'p', "pages", "N", "a part has N sub-buffers of each CPU", set_size, 0 },
	{ 'c', "per-cpu", NULL, "with -e: a part has N events of each CPU", opt_flag, AT(per_cpu) },
	{ 'r', "repeat", NULL, "write all parts, not the first one alone", opt_flag, AT(repeat) },
	{ 0, "parts", "N", "N parts of the same time", set_size, 0 },
	{ 0, "marker", "GLOB", "each text of trace_marker that matches starts a part",
	  set_marker, 0 },
	{ 0, "each", "WHAT", "a part for each cpu, or for each buffer", set_each, 0 },
	OPT_GROUP("Records"),
	SELECT_RECORDS,
	{ 0, "around", "TIME", "select a second before and after TIME; TIME,20ms: so much",
	  set_around, 0 },
	{ 'C', NULL, "CPU", "as --cpu", selection_set_cpus, 0 },
	{ 'B', "buffer", "INSTANCE", "select INSTANCE, not the top level (repeatable)",
	  opt_strv, AT(buffers) },
	{ 0, "top", NULL, "with -B: select the top level, too", opt_flag, AT(top) },
	OPT_GROUP("Files"),
	{ 'i', "input", "FILE", "read FILE (default " TRACE_FILE "; -: standard input)", opt_strv,
	  SELECT_AT(files) },
	{ 'o', "output", "FILE", "write FILE.1, or FILE.0001 and so on (default: as the input)",
	  opt_str, AT(out) },
	{ 't', "promote", NULL, "make the instance of -B the top level", opt_flag, AT(promote) },
	{ 'b', "rename-top", "NAME", "make the top level the instance NAME", opt_str,
	  AT(top_name) },
	DROP_OPTION(offsetof(struct split_args, drop)),
	{ 'q', "quiet", NULL, "print errors and warnings only", opt_flag, AT(quiet) },
	OPT_END
};

static const char *const examples[] = {
	"ftr split --since 1234.5 --until 1235        these records in trace.dat.1",
	"ftr split -r -e 100000 -o part               part.0001, part.0002, ...",
	"ftr split --event 'sched:*' -C 0-3 -o sched  these events alone",
	NULL
};

/* --- operands: [FILE] [START [END]] */

static bool is_time(const char *word)
{
	struct filter_when w;
	struct ftr_error err = {0};

	return !filter_when_parse(&w, word, &err);
}

static int split_operands(struct split_args *a, int argc, char **argv, int first,
			  struct ftr_error *err)
{
	if (first < argc && !a->select.files.n && !is_time(argv[first]))
		strv_add(&a->select.files, argv[first++]);
	if (first < argc && selection_set_since(a, NULL, argv[first++], err))
		return -1;
	if (first < argc && selection_set_until(a, NULL, argv[first++], err))
		return -1;
	if (first < argc)
		return err_set(err, FTR_USAGE, "unexpected word '%s'", argv[first]);
	if (a->select.files.n > 1) {
		err_set(err, FTR_USAGE, "one file is split at a time");
		return err_hint(err, "'ftr split -i FILE'");
	}
	if (a->per_cpu && a->by == SPLIT_EVENTS)
		a->by = SPLIT_EVENTS_CPU;
	a->repeat |= a->by >= SPLIT_PARTS;
	return 0;
}

/* --- markers */

static bool has_marker_event(struct trace *t)
{
	struct ev_format *v;
	size_t i, n = event_meta_formats(&t->meta, "ftrace", &v);

	for (i = 0; i < n && strcmp(v[i].name, "print"); i++)
		;
	return i < n;
}

/* The kernel ends a text with a newline if it has none. */
static int compile_marker(struct split_args *a, struct ftr_error *err)
{
	const struct event_meta *meta = &a->select.traces[0]->meta;
	struct buf rule = {0};
	const char *at;
	int ret;

	if (!a->marker)
		return 0;
	if (!has_marker_event(a->select.traces[0])) {
		err_set(err, FTR_FAILED, "'%s' has no texts of trace_marker",
			a->select.traces[0]->dat->path);
		return err_hint(err, "'ftr info FILE' lists the events of a file");
	}
	buf_addstr(&rule, "ftrace:print: buf ~ \"");
	for (int i = 0; i < 2; i++) {
		for (at = a->marker; *at; at++) {
			if (*at == '"')
				buf_addch(&rule, '\\');
			buf_addch(&rule, *at);
		}
		buf_addstr(&rule, i ? "\n\"" : "\" || buf ~ \"");
	}
	ret = filter_add(&a->marker_spec, rule.data, false, err) ||
	      filter_compile(&a->marker_spec, &meta, 1, &a->marker_filter, err) ? -1 : 0;
	buf_release(&rule);
	return ret;
}

/* --- the buffers of a part */

static int check_buffers(const struct split_args *a, struct dat *d, struct ftr_error *err)
{
	size_t i;

	for (i = 0; i < a->buffers.n; i++)
		if (!*a->buffers.v[i] || !dat_find_buffer(d, a->buffers.v[i]))
			return err_set(err, FTR_FAILED, "'%s' has no instance '%s'", d->path,
				       a->buffers.v[i]);
	if (a->promote && a->buffers.n != 1)
		return err_set(err, FTR_USAGE, "-t takes one -B NAME, which becomes the top level");
	if (a->promote && a->top && !a->top_name) {
		err_set(err, FTR_USAGE, "with -t --top there are two top levels");
		return err_hint(err, "-b NAME makes the one of the file an instance");
	}
	if (a->top_name && (!*a->top_name || dat_find_buffer(d, a->top_name)))
		return err_set(err, FTR_USAGE, "-b takes the name of a new instance, not '%s'",
			       a->top_name);
	return d->nr_buffers ? 0 : err_set(err, FTR_FAILED, "'%s' has no buffer", d->path);
}

/* Leaves out the CPUs that are not selected. */
static void select_cpus(const uint64_t *cpus, struct rewrite_buffer *b)
{
	size_t i, n = 0;
	int cpu;

	for (i = 0; i < b->n; i++) {
		cpu = b->cpus[i].from->cpu;
		if (!cpus || (cpu >= 0 && cpu < TRACE_CPU_BITS && cpus[cpu / 64] >> cpu % 64 & 1))
			b->cpus[n++] = b->cpus[i];
	}
	b->n = n;
}

/* Returns true if records are left out by something else than CPUs and times. */
static bool has_filter(const struct filter_spec *s)
{
	return s->rules || s->events.n || s->comms.n || s->nr_pids || s->no_hardirq ||
	       s->no_softirq;
}

static void fill_buffer(const struct split_args *a, struct dat_buffer *from,
			struct rewrite_buffer *b)
{
	const struct selection *s = &a->select;
	bool top = !*from->name;
	const char *name = top ? a->top_name : a->promote ? "" : NULL;

	rewrite_buffer_all(b, s->traces[0], from);
	select_cpus(s->spec.cpus, b);
	if (has_filter(&s->spec))
		b->filter = s->filters[0];
	if (!name)
		return;
	free(b->name);
	b->name = xstrdup(name);
}

/*
 * Lists the buffers of a part, the top level first: an empty one if nothing else is. Returns their
 * number. The caller releases them.
 */
static size_t list_buffers(const struct split_args *a, struct rewrite_buffer **v)
{
	struct dat *d = a->select.traces[0]->dat;
	struct rewrite_buffer first;
	size_t i, n = 1, top = 0;
	bool is_top;

	*v = xcalloc(d->nr_buffers + 1, sizeof(**v));
	for (i = 0; i < d->nr_buffers; i++) {
		is_top = !*d->buffers[i].name;
		if (a->buffers.n && !(is_top ? a->top : strv_has(&a->buffers, d->buffers[i].name)))
			continue;
		fill_buffer(a, &d->buffers[i], &(*v)[n]);
		if (!*(*v)[n].name)
			top = n;
		n++;
	}
	if (!top) {
		rewrite_buffer_all(&(*v)[0], a->select.traces[0], &d->buffers[0]);
		(*v)[0].n = 0;
		(*v)[0].name[0] = '\0';
		return n;
	}
	first = (*v)[top];
	memmove(*v + 2, *v + 1, (top - 1) * sizeof(**v));
	(*v)[1] = first;
	memmove(*v, *v + 1, --n * sizeof(**v));
	return n;
}

/* --- parts */

static void report_part(const struct split_plan *plan, const char *path, uint64_t nr,
			const struct rewrite_totals *t)
{
	struct buf line = {0};

	rewrite_add_totals(path, t, &line);
	if (plan->by == SPLIT_CPUS)
		buf_printf(&line, ", CPU %" PRIu64, nr);
	else if (plan->by == SPLIT_BUFFERS && *plan->bufs[nr].name)
		buf_printf(&line, ", instance '%s'", plan->bufs[nr].name);
	cmd_notice("%s", line.data);
	buf_release(&line);
}

/* Writes the next part, unless it is empty. Returns 0, or -1 with @err. */
static int write_part(const struct split_args *a, const struct split_plan *plan,
		      struct split_parts *parts, unsigned int *nr, struct ftr_error *err)
{
	struct rewrite_plan p = {
		.format = rewrite_format_of(plan->trace->dat), .meta = plan->trace,
		.bufs = plan->bufs, .n = plan->n, .drop = a->drop,
		.with_data = plan->by == SPLIT_BUFFERS,
	};
	char *path = a->repeat ? xasprintf("%s.%04u", a->out, *nr + 1) : xasprintf("%s.1", a->out);
	struct rewrite_totals sum;
	uint64_t part;
	int ret = 0;

	p.path = path;
	if (*nr == PARTS_MAX) {
		ret = err_set(err, FTR_FAILED, "there are more than %d parts", PARTS_MAX);
		err_hint(err, "the first %d are written; make larger ones, or split a part again",
			 PARTS_MAX);
	} else {
		ret = rewrite_file(&p, &sum, err);
	}
	part = split_copied(parts);
	if (!ret && sum.events) {
		++*nr;
		report_part(plan, path, part, &sum);
	}
	free(path);
	return ret;
}

static int write_parts(const struct split_args *a, const struct split_plan *plan,
		       struct ftr_error *err)
{
	struct split_parts *parts = split_new(plan);
	unsigned int nr = 0;
	int ret = 0;

	while (!ret && (a->repeat || !nr) && split_next(parts))
		ret = write_part(a, plan, parts, &nr, err);
	split_free(parts);
	if (!ret && !nr) {
		ret = err_set(err, FTR_FAILED, "no record is selected: no file is written");
		selection_report_none(&a->select, false);
	}
	return ret;
}

static int split_file(struct split_args *a, struct ftr_error *err)
{
	struct selection *s = &a->select;
	struct split_plan plan = { .by = a->by };
	struct rewrite_buffer *bufs;
	int ret;

	if (selection_open(s, err))
		return -1;
	if (s->nr_traces != 1) {
		err_set(err, FTR_USAGE, "'%s' has several traces", s->files.v[0]);
		return err_hint(err, "'ftr import' makes a file of each");
	}
	if (!a->out && !strcmp(s->files.v[0], DAT_INPUT))
		return err_set(err, FTR_USAGE, "parts of standard input need a name: -o FILE");
	a->out = a->out ? a->out : s->files.v[0];
	if (selection_compile(s, err) || compile_marker(a, err) ||
	    check_buffers(a, s->traces[0]->dat, err))
		return -1;
	if (a->by == SPLIT_TIME && !s->traces[0]->clock_is_ns) {
		err_set(err, FTR_USAGE, "the clock of this file does not count time");
		return err_hint(err, "-e N counts events, -p N sub-buffers");
	}
	plan.trace = s->traces[0];
	plan.since = s->range.since;
	plan.until = s->range.until;
	plan.since_is_start = s->spec.since.kind != FILTER_ANY_TIME;
	plan.size = a->size * (a->unit_ns ? a->unit_ns : 1);
	plan.marker = a->marker_filter;
	plan.n = list_buffers(a, &bufs);
	plan.bufs = bufs;
	ret = write_parts(a, &plan, err);
	rewrite_buffers_free(bufs, plan.n);
	return ret;
}

static int run_split(const struct cmd *self, int argc, char **argv)
{
	struct split_args a = {0};
	struct ftr_error err = {0};
	int status, first = cmd_parse(self, argc, argv, &a, &status), damaged;

	if (first < 0)
		goto out;
	cmd_quiet |= a.quiet;
	status = FTR_OK;
	if (split_operands(&a, argc, argv, first, &err) || split_file(&a, &err))
		status = cmd_fail(&err);
	damaged = selection_report_damages(&a.select);
	status = status ? status : damaged;
out:
	filter_free(a.marker_filter);
	filter_spec_release(&a.marker_spec);
	strv_release(&a.buffers);
	selection_release(&a.select);
	return status;
}

const struct cmd cmd_split = {
	.name = "split",
	.usage = "[OPTIONS] [FILE] [START [END]]",
	.summary = "write parts of a trace file as files",
	.examples = examples,
	.options = options,
	.run = run_split,
};
