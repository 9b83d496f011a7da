/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr graph: prints calls and other spans of each task as a tree. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/term.h"
#include "base/text.h"
#include "cmd/command_parts.h"
#include "cmd/frame/command.h"
#include "cmd/frame/span_commands.h"
#include "output/graph_text.h"

#define WRITE_AT	(64u << 10)	/* bytes that are written at once */

struct graph_args {
	struct span_args spans;		/* first: SPAN_* and SELECT_* options write to it */
	struct graph_opts graph;
	struct span_limit min;		/* --min, as parsed */
	bool comments, why;
};

static int set_depth(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct graph_args *a = ctx;
	int64_t n;

	(void)o;
	if (text_number(arg, 1, UINT16_MAX, &n))
		return err_set(err, FTR_USAGE, "--depth takes a number from 1 on, not '%s'", arg);
	a->graph.depth = n;
	return 0;
}

static int set_min(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct graph_args *a = ctx;

	(void)o;
	if (!span_limit_parse(&a->min, arg))
		return 0;
	err_set(err, FTR_USAGE, "--min takes a time, not '%s'", arg);
	return err_hint(err, "write it as 100us or 2ms");
}

#define AT(member) offsetof(struct graph_args, graph.member)
static const struct opt options[] = {
	OPT_GROUP("Input"),
	SELECT_FILES,
	OPT_GROUP("Spans"),
	{ 0, "kind", "KIND", "function_graph (default), syscall, irq, softirq, work, ...",
	  opt_strv, SPAN_AT(kinds) },
	{ 0, "pair", "NAME=BEGIN,END[,KEY]",
	  "make spans from event BEGIN to END, of a task or field KEY", opt_strv, SPAN_AT(pairs) },
	SPAN_BUFFER_OPT,
	OPT_GROUP("Selection, by the record that begins a span"),
	SELECT_RECORDS,
	OPT_GROUP("Functions"),
	{ 'l', NULL, "FUNC", "print only functions of this name or glob (repeatable)", opt_strv,
	  AT(only) },
	{ 'n', NULL, "FUNC", "leave out FUNC; what it calls moves up (repeatable)", opt_strv,
	  AT(without) },
	{ 'g', NULL, "FUNC", "print only FUNC and what it calls (repeatable)",
	  opt_strv, AT(below) },
	{ 0, "callers", "FUNC", "print only the calls that lead to FUNC (repeatable)",
	  opt_strv, AT(callers) },
	{ 0, "depth", "N", "print at most N levels", set_depth, 0 },
	{ 0, "min", "TIME", "leave out what took less than TIME, as 100us", set_min, 0 },
	{ 0, "comments", NULL, "print the events inside of calls also with --min", opt_flag,
	  offsetof(struct graph_args, comments) },
	{ 0, "fold", NULL, "fold equal neighbours into one: count, sum, min, max",
	  opt_flag, AT(fold) },
	OPT_GROUP("Output"),
	{ 0, "args", NULL, "print arguments, where they were recorded", opt_flag, AT(args) },
	{ 0, "retval", NULL, "print returned values, where they were recorded",
	  opt_flag, AT(retval) },
	{ 0, "retaddr", NULL, "print where calls return to, where it was recorded", opt_flag,
	  AT(retaddr) },
	{ 0, "why", NULL, "print where the time of each outermost call went, as ftr why",
	  opt_flag, offsetof(struct graph_args, why) },
	SPAN_QUIET_OPT,
	OPT_END
};

static const char *const examples[] = {
	"ftr graph                           all calls of trace.dat, task by task",
	"ftr graph -g vfs_read --min 100us --pid 1234 a.dat",
	"ftr graph --callers kmalloc --depth 5",
	NULL
};

/* --- one pass */

struct graph_pass {
	const struct graph_args *args;
	/* --why: the first pass asks for each outermost call, the second prints the answers */
	struct why_question *questions;
	size_t nr_questions, cap_questions, nr_answered;
	bool asks;
	struct buf block;
	struct span_blocks *blocks;
	struct graph_text *graph;
	struct buf out;
	bool started, stop;
	int error;			/* errno of a failed write, or 0 */
	uint64_t marks[SPAN_MARKS], below_0;
	uint64_t longest;		/* duration of the longest selected span */
};

/* Writes the collected text. The pager starts with the first line; until then progress is shown. */
static void write_text(struct graph_pass *p)
{
	if (!p->started)
		term_pager_start();
	p->started = true;
	if (!p->error && io_write_all(STDOUT_FILENO, p->out.data, p->out.len))
		p->error = errno;
	p->stop = p->error;
	buf_reset(&p->out);
}

/* Returns false if it is not known when the call began or ended. */
static bool ask_question(struct graph_pass *p, const struct span_block *b,
			 const struct block_node *n)
{
	if (n->kind == BLOCK_EVENT || n->is_open || n->duration == SPAN_UNKNOWN)
		return false;
	if (!p->asks)
		return true;
	p->questions = xgrow(p->questions, &p->cap_questions, p->nr_questions + 1,
			     sizeof(*p->questions));
	p->questions[p->nr_questions++] = (struct why_question){
		.file = b->task->file, .pid = b->task->pid, .begin = n->begin,
		.end = n->begin + n->duration,
	};
	return true;
}

/*
 * Appends the block with the account of each outermost call below it. Of a block, the next call
 * that is no part of the one before is an outermost one.
 */
static void add_explained_block(struct graph_pass *p, const struct span_block *b)
{
	const struct graph_line *lines;
	const char *text, *nl;
	size_t n, end = 0;
	bool asked = false;

	buf_reset(&p->block);
	graph_add_block(p->graph, b, &p->block);
	lines = graph_lines(p->graph, &n);
	text = p->block.data;
	/* the blank line between two blocks */
	if (n && *text == '\n' && !p->started && !p->out.len)
		text++, lines++, n--;
	for (size_t i = 0; i <= n; i++) {
		bool is_outermost = i < n && lines[i].kind != GRAPH_HEAD && lines[i].node >= end;

		if (asked && !p->asks && (i == n || is_outermost)) {
			const struct buf *answer = &p->questions[p->nr_answered++].text;

			buf_add(&p->out, answer->data, answer->len);
		}
		if (i == n)
			break;
		if (is_outermost) {
			end = lines[i].node + b->nodes[lines[i].node].size;
			asked = ask_question(p, b, &b->nodes[lines[i].node]);
		}
		nl = strchr(text, '\n');
		if (!p->asks)
			buf_add(&p->out, text, nl + 1 - text);
		text = nl + 1;
	}
}

static void block_ready(void *ctx, const struct span_block *b)
{
	struct graph_pass *p = ctx;

	if (p->args->why)
		add_explained_block(p, b);
	else
		graph_add_block(p->graph, b, &p->out);
	if (p->asks)
		return;
	if (p->out.len >= (p->started ? WRITE_AT : 1))
		write_text(p);
}

static void span_begins(void *ctx, struct span *s, const struct trace_rec *r)
{
	struct graph_pass *p = ctx;

	s->is_shown = span_is_selected(&p->args->spans, r);
	blocks_begin(p->blocks, s, r);
}

static void span_ends(void *ctx, struct span *s, const struct trace_rec *r)
{
	struct graph_pass *p = ctx;

	(void)r;
	for (size_t i = 0; s->is_shown && i < SPAN_MARKS; i++)
		p->marks[i] += s->marks >> i & 1;
	p->below_0 += s->is_shown && s->below_0;
	if (s->is_shown && s->duration != SPAN_UNKNOWN && s->duration > p->longest)
		p->longest = s->duration;
	blocks_end(p->blocks, s);
}

static void event_comes(void *ctx, struct task *t, const struct trace_rec *r)
{
	struct graph_pass *p = ctx;

	if ((!p->args->min.given || p->args->comments) && span_is_selected(&p->args->spans, r))
		blocks_event(p->blocks, t, r);
}

static const struct span_ops printing_ops = {
	.begin = span_begins, .end = span_ends, .event = event_comes,
};

/* Explains an empty graph by the first cause: the selection, the names of functions, --min. */
static void graph_explain_empty(struct graph_args *a, const struct model_opts *o,
				const struct graph_pass *p)
{
	const struct {
		const char *option;
		const struct strv *globs;
	} names[] = {
		{ "-g", &a->graph.below }, { "--callers", &a->graph.callers },
		{ "-l", &a->graph.only },
	};

	if (span_report_none(&a->spans, o, SPAN_NONE_SPANS))
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (span_report_no_name(&a->spans, o, names[i].option, names[i].globs))
			return;
	if (a->min.given && p->longest < a->graph.min)
		span_report_longest(&a->spans, "span", "--min", p->longest);
}

/* Reads the records into the pass. Returns the model, or NULL with @err. */
static struct model *read_graph(struct graph_args *a, const struct model_opts *o,
				struct graph_pass *p, struct ftr_error *err)
{
	struct model *m = model_new(a->spans.select.traces, a->spans.select.nr_traces, o,
				    &printing_ops, p, err);

	if (!m)
		return NULL;
	p->blocks = blocks_new(a->graph.args, block_ready, p);
	p->graph = graph_new(&a->graph, a->spans.select.traces, m);
	span_read(&a->spans, m, &p->stop);
	if (p->stop || !span_check(&a->spans, m, o->kinds, false, err))
		return m;
	model_free(m);
	return NULL;
}

static void graph_pass_release(struct graph_pass *p)
{
	graph_free(p->graph);
	blocks_free(p->blocks);
	buf_release(&p->out);
	buf_release(&p->block);
}

/* Asks for the accounts of the calls that are to be printed. Returns -1 with @err. */
static int explain_calls(struct graph_args *a, const struct model_opts *o, struct graph_pass *p,
			 struct ftr_error *err)
{
	struct graph_pass first = { .args = a, .asks = true };
	struct model *m = read_graph(a, o, &first, err);
	int ret = m ? 0 : -1;

	model_free(m);
	graph_pass_release(&first);
	p->questions = first.questions;
	p->nr_questions = first.nr_questions;
	if (!ret && p->nr_questions)
		ret = why_explain(&a->spans, p->questions, p->nr_questions, err);
	return ret;
}

/* Reads the records and prints the graph. Returns -1 with @err. */
static int print_graph(struct graph_args *a, const struct model_opts *o, struct graph_pass *p,
		       struct ftr_error *err)
{
	struct model *m = read_graph(a, o, p, err);

	if (!m)
		return -1;
	if (!p->started)
		graph_explain_empty(a, o, p);
	span_add_marks(&p->out, p->marks, p->below_0);
	if (p->out.len)
		write_text(p);
	model_free(m);
	if (!p->error)
		return 0;
	errno = p->error;
	return err_write(err, "cannot write to standard output");
}

static int run_model(struct graph_args *a, struct ftr_error *err)
{
	struct model_opts o = { .pairs = &a->spans.pairs, .instance = a->spans.instance };
	struct graph_pass p = { .args = a };
	int ret;

	if (span_kinds(&a->spans, 1u << SPAN_FUNCTION_GRAPH, &o.kinds, err))
		return -1;
	if (__builtin_popcount(o.kinds) + a->spans.pairs.n != 1) {
		err_set(err, FTR_USAGE, "a graph shows one kind of spans");
		return err_hint(err, "leave out all but one --kind or --pair");
	}
	if (a->why && a->graph.fold) {
		err_set(err, FTR_USAGE, "--why and --fold do not go together");
		return err_hint(err, "a folded line stands for several calls, each of which has an "
				"account");
	}
	if (a->min.given && span_limit_of(&a->spans, "--min", &a->min, &a->graph.min, err))
		return -1;
	a->graph.files = a->spans.select.nr_traces > 1;
	a->graph.lines = a->why;
	ret = a->why ? explain_calls(a, &o, &p, err) : 0;
	if (!ret)
		ret = print_graph(a, &o, &p, err);
	graph_pass_release(&p);
	for (size_t i = 0; i < p.nr_questions; i++)
		buf_release(&p.questions[i].text);
	free(p.questions);
	return ret;
}

static int run_graph(const struct cmd *self, int argc, char **argv)
{
	struct graph_args a = {0};
	struct ftr_error err = {0};
	int status, first = cmd_parse(self, argc, argv, &a, &status);

	if (first >= 0 && (span_open(&a.spans, first, argc, argv, &err) || run_model(&a, &err)))
		/* A closed pipe is no error: its reader has seen enough. */
		status = err.sys == EPIPE ? FTR_OK : cmd_fail(&err);
	strv_release(&a.graph.only);
	strv_release(&a.graph.without);
	strv_release(&a.graph.below);
	strv_release(&a.graph.callers);
	return span_close(&a.spans, status);
}

const struct cmd cmd_graph = {
	.name = "graph",
	.usage = "[OPTIONS] [FILE...]",
	.summary = "print each task's calls as a call graph",
	.examples = examples,
	.options = options,
	.flags = CMD_EVERYDAY,
	.run = run_graph,
};
