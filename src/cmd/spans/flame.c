/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr flame: where time went, or stacks came from, as a flame graph. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "cmd/frame/output.h"
#include "cmd/spans/spans.h"
#include "model/flame/flame.h"
#include "out/flame/flame.h"
#include "out/svg.h"

struct flame_args {
	struct span_args spans;		/* first: its own rows */
	bool stacks, off_cpu;
	const char *weight;
	bool folded, reverse, diff;
	const char *output;

	struct buf marks;		/* what is in no sum, or nothing */
};

#define AT(member) offsetof(struct flame_args, member)
static const struct opt options[] = {
	OPT_GROUP("Input"),
	SELECT_FILES,
	OPT_GROUP("What it is of: the self times of spans, if it is not one of the others"),
	SPAN_KIND_OPTS,
	{ 0, "stacks", NULL, "kernel stacks: how many there are", opt_flag, AT(stacks) },
	{ 0, "weight", "FIELD", "kernel stacks: the sum of this field of their records", opt_str,
	  AT(weight) },
	{ 0, "off-cpu", NULL, "time off the CPU, by state and the stack at sched_switch", opt_flag,
	  AT(off_cpu) },
	OPT_GROUP("Selection: by the record that begins a span, or has the stack"),
	SELECT_RECORDS,
	OPT_GROUP("Output"),
	{ 'o', "output", "FILE", "write the picture to FILE.svg, not to standard output", opt_str,
	  AT(output) },
	{ 0, "folded", NULL, "print lines 'a;b;c NUMBER', no picture", opt_flag, AT(folded) },
	{ 0, "reverse", NULL, "the innermost frame first", opt_flag, AT(reverse) },
	{ 0, "diff", NULL, "of two files, OLD and NEW: what became more and less", opt_flag,
	  AT(diff) },
	SPAN_QUIET_OPT,
	OPT_END
};

static const char *const examples[] = {
	"ftr flame -o calls.svg           self time of the functions of trace.dat",
	"ftr flame --off-cpu --comm 'kworker*' -o off.svg a.dat",
	"ftr flame --stacks --folded --diff old.dat new.dat",
	NULL
};

/* --- what is wanted */

static enum flame_of flame_of(const struct flame_args *a)
{
	if (a->off_cpu)
		return FLAME_OFF_CPU;
	return a->stacks || a->weight ? FLAME_STACKS : FLAME_SELF;
}

static int refuse_both(const char *one, const char *other, const char *hint, struct ftr_error *err)
{
	err_set(err, FTR_USAGE, "%s and %s do not go together", one, other);
	return err_hint(err, "%s", hint);
}

static int check_kinds(const struct flame_args *a, struct ftr_error *err)
{
	static const char hint[] = "it is of self times, of kernel stacks, or of time off the CPU";
	const char *one = a->off_cpu ? "--off-cpu" : a->weight ? "--weight" : "--stacks";

	if (a->off_cpu && (a->stacks || a->weight))
		return refuse_both(one, a->weight ? "--weight" : "--stacks", hint, err);
	if (flame_of(a) != FLAME_SELF && (a->spans.kinds.n || a->spans.pairs.n))
		return refuse_both(one, a->spans.kinds.n ? "--kind" : "--pair", hint, err);
	return 0;
}

static int check_output(const struct flame_args *a, struct ftr_error *err)
{
	if (a->folded && a->output)
		return refuse_both("--folded", "-o", "'ftr flame --folded > FILE' writes lines",
				   err);
	if (a->folded || a->output || !isatty(STDOUT_FILENO))
		return 0;
	err_set(err, FTR_USAGE, "a picture is not for a terminal");
	return err_hint(err, "'-o FILE.svg' writes it to a file, --folded prints lines");
}

static int check_args(const struct flame_args *a, int first, int argc, struct ftr_error *err)
{
	if (check_kinds(a, err) || check_output(a, err))
		return -1;
	if (!a->diff || (argc - first == 2 && !a->spans.select.files.n))
		return 0;
	err_set(err, FTR_USAGE, "--diff is of two files");
	return err_hint(err, "'ftr flame --diff OLD NEW'");
}

/* --- reading */

static bool is_selected(void *ctx, const struct trace_rec *r)
{
	return span_is_selected(ctx, r);
}

static int check_stacks(const struct flame_args *a, const struct flame *f, struct ftr_error *err)
{
	const char *path = a->spans.select.traces[0]->dat->path;

	if (a->spans.signal)
		return 0;
	if (!flame_met_stack(f)) {
		err_set(err, FTR_FAILED, "no kernel stacks in '%s'", path);
		return err_hint(err, "'ftr record -T -e EVENT ...' records them");
	}
	if (!a->weight || flame_met_weight(f))
		return 0;
	err_set(err, FTR_FAILED, "no stack of a record with a number '%s' in '%s'", a->weight,
		path);
	return err_hint(err, "'ftr report -R' prints the fields of each record");
}

static int check_read(const struct flame_args *a, const struct model *m, uint32_t kinds,
		      const struct flame *f, struct ftr_error *err)
{
	switch (flame_of(a)) {
	case FLAME_STACKS:
		return check_stacks(a, f, err);
	case FLAME_OFF_CPU:
		if (model_met_switch(m) || a->spans.signal)
			return 0;
		return span_say_no_switches(&a->spans, err);
	case FLAME_SELF:
		break;
	}
	return span_check(&a->spans, m, kinds, false, err);
}

/* Without the "# " and the newline of a table's last line. */
static void say_marks(struct flame_args *a, const struct flame *f)
{
	struct buf line = {0};

	span_add_marks(&line, flame_marks(f), flame_below_0(f));
	if (line.len)
		buf_add(&a->marks, line.data + 2, line.len - 3);
	buf_release(&line);
	if (a->marks.len && a->diff)
		cmd_say("'%s': %s", a->spans.select.traces[0]->dat->path, a->marks.data);
	else if (a->marks.len)
		cmd_say("%s", a->marks.data);
}

static int read_ways(struct flame_args *a, unsigned int column, struct ways *w,
		     struct ftr_error *err)
{
	struct model_opts o = { .pairs = &a->spans.pairs, .instance = a->spans.instance };
	struct flame_opts fo = { .of = flame_of(a), .column = column, .weight = a->weight,
				 .is_selected = is_selected, .ctx = &a->spans };
	struct flame *f;
	struct model *m;
	int ret = -1;

	if (fo.of == FLAME_SELF &&
	    span_kinds(&a->spans, 1u << SPAN_FUNCTION_GRAPH, &o.kinds, err))
		return -1;
	f = flame_new(&fo, w);
	m = model_new(a->spans.select.traces, a->spans.select.nr_traces, &o, flame_ops(f), f, err);
	if (m) {
		flame_bind(f, m);
		span_read(&a->spans, m, NULL);
		flame_end(f);
		ret = check_read(a, m, o.kinds, f, err);
		if (!ret)
			say_marks(a, f);
	}
	flame_free(f);
	model_free(m);
	return ret;
}

/* --- output */

static void add_files(struct buf *b, const struct flame_args *a)
{
	for (size_t i = 0; i < a->spans.select.nr_traces; i++)
		buf_printf(b, "%s%s", i ? ", " : "", a->spans.select.traces[i]->dat->path);
}

static void add_kinds(struct buf *b, const struct flame_args *a)
{
	if (!a->spans.kinds.n && !a->spans.pairs.n)
		buf_addstr(b, "function_graph");
	for (size_t i = 0; i < a->spans.kinds.n; i++)
		buf_printf(b, "%s%s", i ? ", " : "", a->spans.kinds.v[i]);
	for (size_t i = 0; i < a->spans.pairs.n; i++)
		buf_printf(b, "%s%s", i || a->spans.kinds.n ? ", " : "", a->spans.pairs.v[i]);
}

static void add_title(struct buf *b, const struct flame_args *a)
{
	switch (flame_of(a)) {
	case FLAME_SELF:
		buf_addstr(b, "self time: ");
		add_kinds(b, a);
		break;
	case FLAME_STACKS:
		buf_printf(b, "kernel stacks%s%s", a->weight ? " by " : "",
			   a->weight ? a->weight : "");
		break;
	case FLAME_OFF_CPU:
		buf_addstr(b, "time off the CPU");
		break;
	}
	if (a->reverse)
		buf_addstr(b, ", reversed");
	buf_addstr(b, " - ");
}

static const char *unit_of(const struct flame_args *a)
{
	if (a->weight)
		return a->weight;
	if (flame_of(a) == FLAME_STACKS)
		return "stacks";
	return a->spans.select.traces[0]->clock_is_ns ? NULL : "units";
}

/* @a: one, or with --diff two. */
static int draw_picture(const struct flame_args *a, const struct ways *w, struct ftr_error *err)
{
	struct flame_look look = { .unit = unit_of(a), .note = a->marks.data, .is_diff = a->diff };
	struct buf svg = {0}, title = {0};
	int ret;

	add_title(&title, a);
	add_files(&title, a);
	if (a->diff) {
		buf_addstr(&title, " and then ");
		add_files(&title, a + 1);
		look.note = "as wide as in the second file; red: more itself than in the first, "
			    "blue: less";
	}
	look.title = title.data;
	flame_draw(&svg, w, &look);
	ret = output_write(&svg, a->output, err);
	buf_release(&svg);
	buf_release(&title);
	return ret;
}

static void print_folded(const struct flame_args *a, const struct ways *w)
{
	struct buf lines = {0};

	ways_fold(w, a->diff ? 2 : 1, &lines);
	fwrite(lines.len ? lines.data : "", 1, lines.len, stdout);
	buf_release(&lines);
}

static int show_ways(const struct flame_args *a, struct ways *w, struct ftr_error *err)
{
	struct ways *turned = a->reverse ? ways_reverse(w) : NULL, *shown = turned ? turned : w;
	int ret = 0;

	ways_sort(shown);
	if (a->folded)
		print_folded(a, shown);
	else
		ret = draw_picture(a, shown, err);
	ways_free(turned);
	return ret;
}

/* --- the command */

/* Each file of --diff is opened as if it were alone: times from its own begin select in it. */
static int open_files(struct flame_args *a, int first, int argc, char **argv,
		      struct ftr_error *err)
{
	for (int i = 0; a->diff && i < 2; i++)
		if (span_open(&a[i].spans, first + i, first + i + 1, argv, err))
			return -1;
	return a->diff ? 0 : span_open(&a->spans, first, argc, argv, err);
}

static int run_ways(struct flame_args *a, struct ftr_error *err)
{
	struct ways *w = ways_new();
	int ret = read_ways(a, 0, w, err);

	if (!ret && a->diff && !a->spans.signal)
		ret = read_ways(a + 1, 1, w, err);
	if (!ret)
		ret = show_ways(a, w, err);
	ways_free(w);
	return ret;
}

static int close_files(struct flame_args *a, int status)
{
	for (size_t i = 0; i < 2; i++)
		buf_release(&a[i].marks);
	if (a->diff)
		status = span_close(&a[1].spans, status);
	return span_close(&a->spans, status);
}

static int run_flame(const struct cmd *self, int argc, char **argv)
{
	struct flame_args a[2];
	struct ftr_error err = {0};
	int status, first;

	memset(a, 0, sizeof(a));
	first = cmd_parse(self, argc, argv, &a[0], &status);
	if (first < 0)
		return span_close(&a[0].spans, status);
	if (a[0].diff)
		cmd_parse(self, argc, argv, &a[1], &status);
	if (check_args(a, first, argc, &err) || open_files(a, first, argc, argv, &err) ||
	    run_ways(a, &err))
		status = cmd_fail(&err);
	return close_files(a, status);
}

const struct cmd cmd_flame = {
	.name = "flame",
	.usage = "[OPTIONS] [FILE...]",
	.summary = "draw where time was spent, or stacks came from, as a flame graph",
	.examples = examples,
	.options = options,
	.run = run_flame,
};
