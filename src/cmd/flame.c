/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr flame: draws times of spans, stacks, or times off the CPU as a flame graph. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/flame_source.h"
#include "cmd/frame/command.h"
#include "cmd/frame/command_output.h"
#include "output/svg.h"

struct flame_args {
	struct flame_source of;		/* first: options of spans and records write to it */
	bool folded, reverse, diff;
	const char *output;
};

#define AT(member) offsetof(struct flame_args, member)
static const struct opt options[] = {
	OPT_GROUP("Input"),
	SELECT_FILES,
	OPT_GROUP("What to draw (default: the self times of spans)"),
	FLAME_SOURCE_OPTS,
	OPT_GROUP("Selection, by the record that begins a span or has the stack"),
	SELECT_RECORDS,
	OPT_GROUP("Output"),
	{ 'o', "output", "FILE", "write to FILE.svg instead of standard output", opt_str,
	  AT(output) },
	{ 0, "folded", NULL, "print lines 'a;b;c NUMBER' instead of a picture",
	  opt_flag, AT(folded) },
	{ 0, "reverse", NULL, "begin stacks with the innermost frame", opt_flag, AT(reverse) },
	{ 0, "diff", NULL, "compare the files OLD and NEW: what grew, what shrank", opt_flag,
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

/* --- checks */

static int check_args(const struct flame_args *a, int first, int argc, struct ftr_error *err)
{
	if (flame_source_check(&a->of, err))
		return -1;
	if (a->folded && a->output) {
		err_set(err, FTR_USAGE, "--folded and -o do not go together");
		return err_hint(err, "'ftr flame --folded > FILE' writes lines");
	}
	if (!a->folded && !a->output && isatty(STDOUT_FILENO)) {
		err_set(err, FTR_USAGE, "a picture is not written to a terminal");
		return err_hint(err, "'-o FILE.svg' writes it to a file, --folded prints lines");
	}
	if (!a->diff || (argc - first == 2 && !a->of.spans.select.files.n))
		return 0;
	err_set(err, FTR_USAGE, "--diff needs two files");
	return err_hint(err, "'ftr flame --diff OLD NEW'");
}

/* --- output */

static void add_files(struct buf *b, const struct flame_args *a)
{
	for (size_t i = 0; i < a->of.spans.select.nr_traces; i++)
		buf_printf(b, "%s%s", i ? ", " : "", a->of.spans.select.traces[i]->dat->path);
}

static void add_title(struct buf *b, const struct flame_args *a)
{
	const struct strv *kinds = &a->of.spans.kinds, *pairs = &a->of.spans.pairs;

	switch (flame_source_of(&a->of)) {
	case FLAME_SELF:
		buf_addstr(b, "self time: ");
		if (!kinds->n && !pairs->n)
			buf_addstr(b, "function_graph");
		for (size_t i = 0; i < kinds->n; i++)
			buf_printf(b, "%s%s", i ? ", " : "", kinds->v[i]);
		for (size_t i = 0; i < pairs->n; i++)
			buf_printf(b, "%s%s", i || kinds->n ? ", " : "", pairs->v[i]);
		break;
	case FLAME_STACKS:
		buf_printf(b, "kernel stacks%s%s", a->of.weight ? " by " : "",
			   a->of.weight ? a->of.weight : "");
		break;
	case FLAME_OFF_CPU:
		buf_addstr(b, "time off the CPU");
		break;
	}
	if (a->reverse)
		buf_addstr(b, ", reversed");
	buf_addstr(b, " - ");
}

/* Draws the folded stacks of a[0], and of a[1] too with --diff. */
static int draw_picture(const struct flame_args *a, const struct folded_stacks *w,
			struct ftr_error *err)
{
	struct flame_look look = { .note = a->of.marks.data, .is_diff = a->diff };
	struct buf svg = {0}, title = {0};
	int ret;

	if (a->of.weight)
		look.unit = a->of.weight;
	else if (flame_source_of(&a->of) == FLAME_STACKS)
		look.unit = "stacks";
	else if (!a->of.spans.select.traces[0]->clock_is_ns)
		look.unit = "units";
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

static int print_stacks(const struct flame_args *a, struct folded_stacks *w, struct ftr_error *err)
{
	struct folded_stacks *reversed = a->reverse ? folded_reverse(w) : NULL;
	struct folded_stacks *shown = reversed ? reversed : w;
	struct buf lines = {0};
	int ret = 0;

	folded_sort(shown);
	if (a->folded) {
		folded_print(shown, a->diff ? 2 : 1, &lines);
		fwrite(lines.len ? lines.data : "", 1, lines.len, stdout);
		buf_release(&lines);
	} else {
		ret = draw_picture(a, shown, err);
	}
	folded_free(reversed);
	return ret;
}

/* --- the command */

/* Opens each file of --diff on its own, so that --since +1s counts from the start of that file. */
static int open_files(struct flame_args *a, int first, int argc, char **argv,
		      struct ftr_error *err)
{
	for (int i = 0; a->diff && i < 2; i++)
		if (span_open(&a[i].of.spans, first + i, first + i + 1, argv, err))
			return -1;
	return a->diff ? 0 : span_open(&a->of.spans, first, argc, argv, err);
}

/* Reads the stacks of one file or two, and prints or draws them. Returns -1 with @err. */
static int run_stacks(struct flame_args *a, struct ftr_error *err)
{
	struct folded_stacks *w = folded_new();
	int ret = 0;

	/* The times of both sides need one unit; counted stacks have none. */
	if (a->diff && flame_source_of(&a->of) != FLAME_STACKS)
		ret = span_check_clocks_of(a[0].of.spans.select.traces[0],
					   a[1].of.spans.select.traces[0], err);
	if (!ret)
		ret = flame_source_read(&a->of, 0, a->diff, w, err);
	if (!ret && a->diff && !a->of.spans.signal)
		ret = flame_source_read(&a[1].of, 1, true, w, err);
	for (int i = 0; !ret && a->folded && i <= a->diff; i++)
		if (a[i].of.none.len)
			cmd_notice("%s", a[i].of.none.data);
	/* An empty picture is an error. Empty folded output is valid for programs. */
	if (!ret && !a->folded && a[0].of.is_empty && (!a->diff || a[1].of.is_empty))
		ret = span_fail_empty(&a->of.spans, a->of.none.len ? a->of.none.data : NULL, err);
	if (!ret)
		ret = print_stacks(a, w, err);
	folded_free(w);
	return ret;
}

static int run_flame(const struct cmd *self, int argc, char **argv)
{
	struct flame_args a[2];
	struct ftr_error err = {0};
	int status, first;

	memset(a, 0, sizeof(a));
	first = cmd_parse(self, argc, argv, &a[0], &status);
	if (first < 0)
		return span_close(&a[0].of.spans, status);
	if (a[0].diff)
		cmd_parse(self, argc, argv, &a[1], &status);
	if (check_args(a, first, argc, &err) || open_files(a, first, argc, argv, &err) ||
	    run_stacks(a, &err))
		status = cmd_fail(&err);
	flame_source_release(&a[0].of);
	flame_source_release(&a[1].of);
	if (a->diff)
		status = span_close(&a[1].of.spans, status);
	return span_close(&a->of.spans, status);
}

const struct cmd cmd_flame = {
	.name = "flame",
	.usage = "[OPTIONS] [FILE...]",
	.summary = "draw where time was spent, or stacks came from, as a flame graph",
	.examples = examples,
	.options = options,
	.run = run_flame,
};
