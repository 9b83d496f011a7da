/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ftr why: prints the account of a task's time, with causes. --in and --between restrict it to
 * intervals, which a first pass over the files finds.
 */
#include <fnmatch.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/term.h"
#include "base/text.h"
#include "cmd/command_parts.h"
#include "cmd/frame/command_output.h"
#include "cmd/frame/span_commands.h"
#include "model/flame/folded_stacks.h"
#include "model/why/why_account.h"
#include "output/svg.h"
#include "output/why_text.h"

#define DEPTH_TREE	16		/* wakers that --tree follows */

struct why_args {
	struct span_args spans;		/* first: SPAN_* and SELECT_* options write to it */
	struct why_tasks tasks;		/* without a word: all that --in has */
	const char *in, *between, *worst, *depth, *output;
	bool tree, folded;
	uint64_t nr_worst;		/* UINT64_MAX: all */
	uint32_t nr_depth;
	/* the intervals of --in and --between */
	struct why_found *found;
	size_t nr_found, cap_found;
};

/* An interval that the first pass has found. */
struct why_found {
	uint64_t from, to;
	uint32_t file;
	int32_t pid;
};

#define AT(member) offsetof(struct why_args, member)
static const struct opt options[] = {
	OPT_GROUP("Input"),
	SELECT_FILES,
	SPAN_BUFFER_OPT,
	OPT_GROUP("Which time"),
	{ 0, "in", "CALL", "only the slowest calls of this name, as openat",
	  opt_str, AT(in) },
	{ 0, "worst", "N", "the N slowest of --in (default 1), or all", opt_str, AT(worst) },
	{ 0, "between", "GLOB,GLOB", "only between two texts that were written to trace_marker",
	  opt_str, AT(between) },
	{ 0, "pair", "NAME=BEGIN,END[,KEY]",
	  "make spans from event BEGIN to END (repeatable)", opt_strv, SPAN_AT(pairs) },
	SELECT_WHERE,
	OPT_GROUP("Output"),
	{ 0, "tree", NULL, "print all rows of what wakers did, and of their wakers", opt_flag,
	  AT(tree) },
	{ 0, "depth", "N", "follow N wakers, one after the other (default 1)", opt_str, AT(depth) },
	{ 0, "folded", NULL, "print lines 'a;b;c NUMBER' for flame graphs", opt_flag, AT(folded) },
	{ 'o', "output", "FILE", "draw a flame graph into FILE.svg", opt_str, AT(output) },
	{ 0, "json", NULL, "print JSON, times in nanoseconds", opt_flag, SPAN_AT(json) },
	SPAN_QUIET_OPT,
	OPT_END
};

static const char *const examples[] = {
	"ftr why 1234                     where the time of task 1234 went, and why",
	"ftr why --in openat 'make*'      the slowest openat of tasks called make*",
	"ftr why --tree bash-217 a.dat    also what those did that it waited for",
	NULL
};

/* --- arguments */

static int parse_number(const char *option, const char *text, uint64_t *n, struct ftr_error *err)
{
	int64_t v;

	if (!text_number(text, 0, UINT32_MAX, &v)) {
		*n = v;
		return 0;
	}
	err_set(err, FTR_USAGE, "'%s' of %s is no number", text, option);
	return err_hint(err, "write it as %s 3", option);
}

/* Parses the task among the operands. Returns the index of the first file, or -1 with @err. */
static int parse_operands(struct why_args *a, int first, int argc, char **argv,
			  struct ftr_error *err)
{
	const struct filter_spec *spec = &a->spans.select.spec;
	bool chosen = a->in || spec->nr_pids || spec->comms.n;

	if (first < argc && access(argv[first], F_OK)) {
		why_tasks_parse(&a->tasks, argv[first]);
		return first + 1;
	}
	if (chosen)
		return first;
	if (first < argc) {
		err_set(err, FTR_USAGE, "'%s' is a file, not a task", argv[first]);
		return err_hint(err, "'ftr why TASK %s': a PID, NAME-PID or a glob", argv[first]);
	}
	err_set(err, FTR_USAGE, "no task is given");
	return err_hint(err, "'ftr why TASK [FILE...]': a PID, NAME-PID or a glob; 'ftr sched "
			"states' lists the tasks");
}

static int check_options(struct why_args *a, struct ftr_error *err)
{
	uint64_t depth = a->tree ? DEPTH_TREE : 1;

	a->nr_worst = 1;
	if (a->worst && !strcmp(a->worst, "all"))
		a->nr_worst = UINT64_MAX;
	else if (a->worst && parse_number("--worst", a->worst, &a->nr_worst, err))
		return -1;
	if (a->depth && parse_number("--depth", a->depth, &depth, err))
		return -1;
	a->nr_depth = depth < DEPTH_TREE ? depth : DEPTH_TREE;
	if (a->worst && !a->in) {
		err_set(err, FTR_USAGE, "--worst needs --in");
		return err_hint(err, "'ftr why --in openat --worst 5'");
	}
	if (a->between && a->in) {
		err_set(err, FTR_USAGE, "--in and --between do not go together");
		return err_hint(err, "--since and --until go with both");
	}
	if (a->between && !strchr(a->between, ',')) {
		err_set(err, FTR_USAGE, "'%s' of --between has no comma", a->between);
		return err_hint(err, "write it as --between 'begin*,end*'");
	}
	if (a->spans.json + a->folded + !!a->output > 1) {
		err_set(err, FTR_USAGE, "--json, --folded and -o do not go together");
		return err_hint(err, "each is an output of its own");
	}
	return 0;
}

/* --- the first pass: intervals */

static int compare_found(const void *a, const void *b)
{
	const struct why_found *x = a, *y = b;
	uint64_t dx = x->to - x->from, dy = y->to - y->from;

	if (dx != dy)
		return dx < dy ? 1 : -1;
	return (x->from > y->from) - (x->from < y->from);
}

static void found_add(struct why_args *a, const struct why_found *f)
{
	a->found = xgrow(a->found, &a->cap_found, a->nr_found + 1, sizeof(*a->found));
	a->found[a->nr_found++] = *f;
}

/* The state of the first pass. */
struct why_search {
	struct why_args *args;
	struct model *model;
	char *begin, *end;		/* globs of --between */
	struct why_found open;		/* an interval whose end was not met yet */
	bool is_open;
};

/* Returns true if the operand and the options select the task. */
static bool is_wanted(const struct why_args *a, const struct model *m, const struct task *t)
{
	return t->pid && span_task_is_selected(&a->spans, m, t) && why_tasks_have(&a->tasks, m, t);
}

static void span_found(void *ctx, struct span *s, const struct trace_rec *r)
{
	struct why_search *search = ctx;

	(void)r;
	if (!span_counts(s) || s->context || !s->task ||
	    !span_has_name(&search->args->spans, search->model, s) ||
	    !is_wanted(search->args, search->model, s->task))
		return;
	found_add(search->args, &(struct why_found){
		.from = s->begin, .to = s->end, .file = s->file, .pid = s->task->pid });
}

static void marker_met(void *ctx, struct task *t, const struct trace_rec *r)
{
	struct why_search *search = ctx;
	const struct ev_field *f;
	const uint8_t *text;
	uint32_t len;
	char *line;

	(void)t;
	if (!r->rec.fmt || strcmp(r->rec.fmt->name, "print") || ev_format_ready(r->rec.fmt))
		return;
	f = ev_field(r->rec.fmt, "buf");
	if (!f || !ev_get_bytes(&r->rec, f, &text, &len))
		return;
	line = xstrndup((const char *)text, strnlen((const char *)text, len));
	line[strcspn(line, "\n")] = '\0';
	if (!search->is_open && !fnmatch(search->begin, line, 0)) {
		search->open = (struct why_found){ .from = r->ts, .file = r->file };
		search->is_open = true;
	} else if (search->is_open && !fnmatch(search->end, line, 0)) {
		search->open.to = r->ts;
		search->is_open = false;
		found_add(search->args, &search->open);
	}
	free(line);
}

static int find_intervals(struct why_args *a, struct ftr_error *err)
{
	static const struct span_ops span_ops = { .end = span_found };
	static const struct span_ops marker_ops = { .event = marker_met };
	const uint32_t named = 1u << SPAN_SYSCALL | 1u << SPAN_FUNCTION_GRAPH | 1u << SPAN_PROBE |
			       1u << SPAN_MARKER;
	struct model_opts o = { .kinds = a->in ? named : 0, .pairs = &a->spans.pairs,
				.instance = a->spans.instance };
	struct why_search search = { .args = a };
	char *comma;

	if (a->between) {
		search.begin = xstrdup(a->between);
		comma = strchr(search.begin, ',');
		*comma = '\0';
		search.end = comma + 1;
	}
	if (a->in)
		strv_add(&a->spans.names, a->in);
	search.model = model_new(a->spans.select.traces, a->spans.select.nr_traces, &o,
				 a->in ? &span_ops : &marker_ops, &search, err);
	if (!search.model) {
		free(search.begin);
		return -1;
	}
	span_read(&a->spans, search.model, NULL);
	model_free(search.model);
	free(search.begin);
	if (!a->nr_found && !a->spans.signal) {
		if (a->in)
			err_set(err, FTR_FAILED, "no '%s' has begin and end in the files", a->in);
		else
			err_set(err, FTR_FAILED, "no two markers are '%s'", a->between);
		return err_hint(err, a->in ? "'ftr profile --kind syscall' and 'ftr profile' list "
				"what was recorded" : "'ftr report --event print' lists them");
	}
	qsort(a->found, a->nr_found, sizeof(*a->found), compare_found);
	if (a->in && a->nr_found > a->nr_worst)
		a->nr_found = a->nr_worst;
	return 0;
}

/* --- the second pass */

struct why_run {
	struct why_args *args;
	struct model *model;
	struct why *why;
};

/* A name may change, so only numbers are compared before the end. */
static bool is_accounted(void *ctx, const struct task *t)
{
	const struct why_run *run = ctx;
	const struct why_args *a = run->args;

	return !a->in && (!a->tasks.pid || t->pid == a->tasks.pid);
}

static int compare_intervals(const void *a, const void *b)
{
	const struct why_span *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->from > y->from) - (x->from < y->from);
}

/* Returns the intervals of --between, for all tasks; the caller frees. */
static struct why_span *all_intervals(const struct why_args *a, size_t *n)
{
	struct why_span *v = xcalloc(a->nr_found + 1, sizeof(*v));

	for (*n = 0; *n < a->nr_found; ++*n)
		v[*n] = (struct why_span){ a->found[*n].from, a->found[*n].to,
					   a->found[*n].file };
	qsort(v, *n, sizeof(*v), compare_intervals);
	return v;
}

static int compare_owners(const void *a, const void *b)
{
	const struct why_found *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->from > y->from) - (x->from < y->from);
}

/* Adds the intervals of --in, those of a task that overlap joined. */
static void add_intervals(struct why_run *run)
{
	struct why_found *v = run->args->found, in;
	size_t n = run->args->nr_found;

	qsort(v, n, sizeof(*v), compare_owners);
	for (size_t i = 0; i < n;) {
		in = v[i++];
		for (; i < n && v[i].file == in.file && v[i].pid == in.pid &&
		       v[i].from < in.to; i++)
			in.to = v[i].to > in.to ? v[i].to : in.to;
		why_add_span(run->why, in.file, in.pid, in.from, in.to);
	}
}

/* --- output */

static bool is_ns(const struct why_args *a)
{
	return a->spans.select.traces[0]->clock_is_ns;
}

static struct why_text text_of(const struct why_run *run)
{
	return (struct why_text){
		.why = run->why, .model = run->model,
		.traces = (const struct trace *const *)run->args->spans.select.traces,
	};
}

static void add_tree(const struct why_run *run, const struct why_account *acc, uint32_t first,
		     struct buf *b)
{
	const struct why_text t = text_of(run);

	for (uint32_t nr = first; nr; nr = why_row(run->why, nr)->next) {
		why_text_add_row(&t, acc, why_row(run->why, nr), b);
		add_tree(run, acc, why_row(run->why, nr)->first, b);
	}
}

/* Appends the command that prints the records of the longest stay. */
static void add_longest(const struct why_run *run, const struct why_account *acc, struct buf *b)
{
	const struct why_text t = text_of(run);
	const struct why_row *most = NULL;

	for (uint32_t nr = acc->first; nr; nr = why_row(run->why, nr)->next) {
		const struct why_row *r = why_row(run->why, nr);

		if (!most || r->longest > most->longest)
			most = r;
	}
	if (!most)
		return;
	buf_addstr(b, "# longest: ");
	why_text_add_time(&t, acc, 0, most->longest, b);
	buf_addstr(b, is_ns(run->args) ? " ms " : " ");
	why_add_row(run->why, most, b);
	buf_addstr(b, "\n#   ");
	span_add_report(&run->args->spans, acc->task->file, most->longest_at,
			most->longest_at + most->longest, b);
	buf_addch(b, '\n');
}

static void print_text(const struct why_run *run, const struct why_account *acc, bool is_first)
{
	const struct selection *s = &run->args->spans.select;
	const struct why_text t = text_of(run);
	struct buf b = {0};

	buf_addstr(&b, is_first ? "# " : "\n# ");
	why_text_add_title(&t, acc, run->args->in, &b);
	if (s->nr_traces > 1)
		buf_printf(&b, " in %s", s->traces[acc->task->file]->dat->path);
	buf_addch(&b, '\n');
	why_text_add_heading(&t, acc, &b);
	if (run->args->tree || run->args->depth) {
		add_tree(run, acc, acc->first, &b);
	} else {
		for (uint32_t nr = acc->first; nr; nr = why_row(run->why, nr)->next) {
			why_text_add_row(&t, acc, why_row(run->why, nr), &b);
			why_text_add_inside(&t, acc, why_row(run->why, nr), &b);
		}
	}
	add_longest(run, acc, &b);
	why_text_add_hints(&t, acc, &b);
	fwrite(b.data, 1, b.len, stdout);
	buf_release(&b);
}

static void add_explained(const struct why_run *run, const struct why_account *acc,
			  struct buf *b)
{
	const struct why_text t = text_of(run);

	for (uint32_t nr = acc->first; nr; nr = why_row(run->why, nr)->next) {
		buf_addstr(b, "    ");
		why_text_add_row(&t, acc, why_row(run->why, nr), b);
	}
}

static json_t *row_list(const struct why_run *run, uint32_t first)
{
	json_t *list = json_array(), *o;
	uint64_t sector, nr_sector;
	struct buf b = {0};

	for (uint32_t nr = first; nr; nr = why_row(run->why, nr)->next) {
		const struct why_row *r = why_row(run->why, nr);

		o = json_object();
		json_object_set_new(o, "what", json_string(why_word(r)));
		json_object_set_new(o, "in", why_add_label(run->why, r, &b) ?
				    json_string(b.data) : json_null());
		buf_reset(&b);
		json_object_set_new(o, "cause", why_add_cause(run->why, r, &b) ?
				    json_string(b.data) : json_null());
		buf_reset(&b);
		json_object_set_new(o, "time", json_integer(r->time));
		json_object_set_new(o, "count", json_integer(r->count));
		json_object_set_new(o, "longest", json_integer(r->longest));
		json_object_set_new(o, "longest_at", json_integer(r->longest_at));
		if (r->worker && why_waker(run->why, r))
			json_object_set_new(o, "worker",
					    json_integer(why_waker(run->why, r)->pid));
		if (why_longest_request(run->why, r, &sector, &nr_sector)) {
			json_object_set_new(o, "longest_sector", json_integer(sector));
			json_object_set_new(o, "longest_nr_sector", json_integer(nr_sector));
		}
		json_object_set_new(o, "rows", row_list(run, r->first));
		json_array_append_new(list, o);
	}
	buf_release(&b);
	return list;
}

static json_t *account_object(const struct why_run *run, const struct why_account *acc)
{
	json_t *o = json_object();
	struct buf b = {0};

	model_add_task(run->model, acc->task, &b);
	json_object_set_new(o, "task", json_string(b.data));
	json_object_set_new(o, "pid", json_integer(acc->task->pid));
	json_object_set_new(o, "file", json_integer(acc->task->file));
	json_object_set_new(o, "from", json_integer(acc->from));
	json_object_set_new(o, "to", json_integer(acc->to));
	json_object_set_new(o, "time", json_integer(acc->time));
	json_object_set_new(o, "rows", row_list(run, acc->first));
	buf_release(&b);
	return o;
}

/* Adds the rows to folded stacks: those without others inside of them have the time. */
static void fold_rows(const struct why_run *run, struct folded_stacks *folded, uint32_t from,
		      uint32_t first)
{
	struct buf b = {0};

	for (uint32_t nr = first; nr; nr = why_row(run->why, nr)->next) {
		const struct why_row *r = why_row(run->why, nr);
		uint32_t way;

		why_add_row(run->why, r, &b);
		way = folded_add_frame(folded, from, folded_add_name(folded, b.data, b.len));
		buf_reset(&b);
		if (r->first)
			fold_rows(run, folded, way, r->first);
		else
			folded_add(folded, way, 0, r->time);
	}
	buf_release(&b);
}

static int draw_accounts(const struct why_run *run, struct folded_stacks *folded,
			 struct ftr_error *err)
{
	struct flame_look look = { .title = "why: where time went",
				   .unit = is_ns(run->args) ? NULL : "units" };
	struct buf svg = {0};
	int ret = 0;

	folded_sort(folded);
	if (run->args->folded) {
		folded_print(folded, 1, &svg);
		fwrite(svg.len ? svg.data : "", 1, svg.len, stdout);
	} else {
		flame_draw(&svg, folded, &look);
		ret = output_write(&svg, run->args->output, err);
	}
	buf_release(&svg);
	return ret;
}

static bool is_printed(const struct why_run *run, const struct why_account *acc)
{
	return acc->task && acc->time && is_wanted(run->args, run->model, acc->task);
}

static int print_accounts(const struct why_run *run, struct ftr_error *err)
{
	const struct why_args *a = run->args;
	json_t *list = a->spans.json ? json_array() : NULL;
	struct folded_stacks *folded = a->folded || a->output ? folded_new() : NULL;
	struct why_account *acc;
	size_t n, shown = 0;
	struct buf b = {0};
	uint32_t name;
	int ret = 0;

	acc = why_accounts(run->why, &n);
	for (size_t i = 0; i < n; i++) {
		if (!is_printed(run, &acc[i]))
			continue;
		acc[i].first = why_sort(run->why, acc[i].first);
		if (!shown++ && !list && !folded)
			term_pager_start();
		if (list) {
			json_array_append_new(list, account_object(run, &acc[i]));
		} else if (folded) {
			model_add_task(run->model, acc[i].task, &b);
			name = folded_add_name(folded, b.data, b.len);
			fold_rows(run, folded, folded_add_frame(folded, 0, name), acc[i].first);
			buf_reset(&b);
		} else {
			print_text(run, &acc[i], shown == 1);
		}
	}
	if (list) {
		json_dumpf(list, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
		putchar('\n');
		json_decref(list);
	}
	if (!shown && !a->spans.signal) {
		err_set(err, FTR_FAILED, a->tasks.word ? "no task '%s' in the files" :
			"the options select no task", a->tasks.word);
		ret = err_hint(err, "'ftr sched states' lists the tasks");
	} else if (folded) {
		ret = draw_accounts(run, folded, err);
	}
	folded_free(folded);
	buf_release(&b);
	return ret;
}

/* Makes the selected time part of the account, and has all records read. */
static void set_range(struct why_args *a, struct why_opts *o)
{
	struct out_range *range = &a->spans.select.range;

	o->from = range->since;
	o->to = range->until;
	range->since = 0;
	range->until = UINT64_MAX;
}

struct model *why_read(struct span_args *a, struct why *w, struct ftr_error *err)
{
	struct model_opts o = { .kinds = why_kinds(), .instance = a->instance };
	struct model *m = model_new(a->select.traces, a->select.nr_traces, &o, why_ops(), w, err);

	if (!m)
		return NULL;
	why_bind(w, m);
	span_read(a, m, NULL);
	if (model_met_switch(m) || a->signal)
		return m;
	span_fail_no_switches(a, err);
	model_free(m);
	return NULL;
}

static int run_accounts(struct why_args *a, struct ftr_error *err)
{
	struct why_run run = { .args = a };
	struct why_opts o = { .depth = a->nr_depth, .wants = is_accounted, .ctx = &run };
	struct why_span *between = NULL;
	int ret = -1;

	if (span_check_clocks(&a->spans, err))
		return -1;
	if ((a->in || a->between) && find_intervals(a, err))
		return -1;
	set_range(a, &o);
	if (a->between)
		o.in = between = all_intervals(a, &o.nr_in);
	run.why = why_new(&o);
	if (a->in)
		add_intervals(&run);
	run.model = why_read(&a->spans, run.why, err);
	if (run.model)
		ret = print_accounts(&run, err);
	why_free(run.why);
	model_free(run.model);
	free(between);
	return ret;
}

/* --- accounts for other commands */

int why_explain(const struct span_args *a, struct why_question *q, size_t n, struct ftr_error *err)
{
	struct why_args args = { .spans = *a };
	struct why_run run = { .args = &args };
	struct why_opts o = { .depth = 1, .to = UINT64_MAX };
	size_t *nr = xcalloc(n + 1, sizeof(*nr)), all;
	struct why_account *acc;
	int ret = -1;

	/* a borrowed copy, which is not released: all records are read */
	args.spans.verdicts = (struct slots){0};
	args.spans.select.range = (struct out_range){ .until = UINT64_MAX };
	args.in = "";
	o.wants = is_accounted;
	o.ctx = &run;
	run.why = why_new(&o);
	for (size_t i = 0; i < n; i++)
		if (q[i].pid)
			nr[i] = why_add_account(run.why, q[i].file, q[i].pid, q[i].begin, q[i].end);
	run.model = why_read(&args.spans, run.why, err);
	if (run.model) {
		ret = 0;
		acc = why_accounts(run.why, &all);
		for (size_t i = 0; i < n; i++) {
			if (!q[i].pid)
				continue;
			acc[nr[i]].first = why_sort(run.why, acc[nr[i]].first);
			if (a->json)
				q[i].rows = row_list(&run, acc[nr[i]].first);
			else
				add_explained(&run, &acc[nr[i]], &q[i].text);
		}
	}
	free(nr);
	why_free(run.why);
	model_free(run.model);
	return ret;
}

static int run_why(const struct cmd *self, int argc, char **argv)
{
	struct why_args a = {0};
	struct ftr_error err = {0};
	int status, first = cmd_parse(self, argc, argv, &a, &status);

	if (first >= 0) {
		first = check_options(&a, &err) ? -1 : parse_operands(&a, first, argc, argv, &err);
		if (first < 0 || span_open(&a.spans, first, argc, argv, &err) ||
		    run_accounts(&a, &err))
			status = cmd_fail(&err);
	}
	free(a.found);
	return span_close(&a.spans, status);
}

const struct cmd cmd_why = {
	.name = "why",
	.usage = "[OPTIONS] TASK [FILE...]",
	.summary = "account for the time of a task, with the causes of its waits",
	.examples = examples,
	.options = options,
	.run = run_why,
};
