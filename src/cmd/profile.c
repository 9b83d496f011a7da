/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr profile: how often functions and other spans ran, and how long. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/term.h"
#include "base/text.h"
#include "cmd/frame/command.h"
#include "cmd/frame/span_commands.h"
#include "cmd/profile_columns.h"

#define FIELDS_MAX	24

struct profile_args {
	struct span_args spans;		/* first: SPAN_* and SELECT_* options write to it */
	enum profile_by by;
	struct profile_column fields[FIELDS_MAX], sort;
	size_t nr_fields;
	bool is_usual;			/* ->fields start with the usual columns */
	bool has_sort, tree, on_cpu, csv, raw;
	const char *callers;
};

static void set_usual_fields(struct profile_args *a)
{
	static const char *const usual[] = { "total", "self", "avg", "max", "count" };

	a->is_usual = true;
	for (a->nr_fields = 0; a->nr_fields < 5; a->nr_fields++)
		field_parse(&a->fields[a->nr_fields], usual[a->nr_fields], NULL);
}

/* Adds the column "off" after "self" if the usual columns are printed and lack it. */
static void add_off_field(struct profile_args *a)
{
	if (!a->is_usual || a->nr_fields == FIELDS_MAX)
		return;
	for (size_t i = 0; i < a->nr_fields; i++)
		if (!strcmp(a->fields[i].name, "off"))
			return;
	memmove(&a->fields[3], &a->fields[2], (a->nr_fields++ - 2) * sizeof(*a->fields));
	field_parse(&a->fields[2], "off", NULL);
}

static int set_fields(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct profile_args *a = ctx;
	struct strv names = {0};
	int ret = 0;

	(void)o;
	a->nr_fields = 0;
	a->is_usual = false;
	if (*arg == '+')
		set_usual_fields(a);
	strv_split(&names, arg + (*arg == '+'), ",");
	for (size_t i = 0; i < names.n && !ret; i++) {
		if (a->nr_fields == FIELDS_MAX)
			ret = err_set(err, FTR_USAGE, "--fields takes %d columns", FIELDS_MAX);
		else
			ret = field_parse(&a->fields[a->nr_fields++], names.v[i], err);
	}
	strv_release(&names);
	return ret;
}

static int set_sort(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct profile_args *a = ctx;

	(void)o;
	a->has_sort = true;
	return field_parse(&a->sort, arg, err);
}

static const char *const by_names[] = { "function", "task", "cpu", "module", "kind", NULL };
static const char *const by_titles[] = { "Function", "Task", "CPU", "Module", "Kind" };

static int set_by(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct profile_args *a = ctx;
	int word = opt_word(o, arg, by_names, err);

	if (word < 0)
		return -1;
	a->by = word;
	return 0;
}

#define AT(member) offsetof(struct profile_args, member)
static const struct opt options[] = {
	OPT_GROUP("Input"),
	SELECT_FILES,
	OPT_GROUP("Spans"),
	SPAN_KIND_OPTS,
	OPT_GROUP("Selection, by the record that begins a span"),
	SELECT_RECORDS,
	{ 'l', NULL, "FUNC", "select functions, and other spans, of this name (repeatable)",
	  opt_strv, SPAN_AT(names) },
	OPT_GROUP("Rows and columns"),
	{ 0, "by", "WHAT", "one row for each function (default), task, cpu, module, kind",
	  set_by, 0 },
	{ 0, "tree", NULL, "print one row for each way to a function, indented",
	  opt_flag, AT(tree) },
	{ 0, "callers", "FUNC", "print the callers of FUNC, up to the outermost",
	  opt_str, AT(callers) },
	{ 0, "fields", "[+]LIST", "print these columns: total, self, max, p99, ...; + adds them",
	  set_fields, 0 },
	{ 0, "sort", "COLUMN", "print the largest of this column first (self; trees: total)",
	  set_sort, 0 },
	{ 0, "on-cpu", NULL, "leave out the time in which the task did not run", opt_flag,
	  AT(on_cpu) },
	OPT_GROUP("Output"),
	{ 0, "csv", NULL, "print CSV, times in nanoseconds", opt_flag, AT(csv) },
	{ 0, "raw", NULL, "csv: put no ' before what a spreadsheet takes for a formula", opt_flag,
	  AT(raw) },
	{ 0, "json", NULL, "print a JSON array, times in nanoseconds", opt_flag, AT(spans.json) },
	SPAN_QUIET_OPT,
	OPT_END
};

static const char *const examples[] = {
	"ftr profile                                functions of trace.dat",
	"ftr profile --by task --fields +p50,p99 --pid 1234 a.dat",
	"ftr profile --kind syscall,irq --sort max   what took longest",
	NULL
};

/* --- reading */

struct profile_pass {
	struct profile_args *args;
	struct span_profile *profile;
	const struct model *model;
};

static void span_begins(void *ctx, struct span *s, const struct trace_rec *r)
{
	struct profile_pass *p = ctx;

	s->is_shown = span_is_selected(&p->args->spans, r) &&
		      span_has_name(&p->args->spans, p->model, s);
	profile_begin(p->profile, s);
}

static void span_ends(void *ctx, struct span *s, const struct trace_rec *r)
{
	struct profile_pass *p = ctx;

	(void)r;
	if (s->is_shown)
		profile_end(p->profile, s);
}

static const struct span_ops reading_ops = { .begin = span_begins, .end = span_ends };

/* --- rows in order */

struct profile_rows {
	const struct profile_args *args;
	const struct span_profile *profile;
	const struct profile_row **v;
	size_t n;
	bool is_ns;
	uint32_t file;			/* index of the file that the rows are from */
	const char *path;		/* name of that file if several are read, or NULL */
};

static const struct profile_rows *sorting;

static double sort_value(const struct profile_row *r)
{
	return field_value(&sorting->args->sort, r);
}

static int by_value(const void *a, const void *b)
{
	const struct profile_row *x = *(const struct profile_row *const *)a;
	const struct profile_row *y = *(const struct profile_row *const *)b;
	double vx = sort_value(x), vy = sort_value(y);
	struct buf name[2] = {{0}, {0}};
	int order;

	if (vx != vy)
		return vx < vy ? 1 : -1;
	profile_add_name(sorting->profile, x, &name[0]);
	profile_add_name(sorting->profile, y, &name[1]);
	order = strcmp(name[0].data, name[1].data);
	buf_release(&name[0]);
	buf_release(&name[1]);
	return order ? order : (x > y) - (x < y);
}

static void sort_rows(const struct profile_rows *r)
{
	sorting = r;
	qsort(r->v, r->n, sizeof(*r->v), by_value);
}

/* Returns true if a row counted spans of this file. */
static bool counts_in_file(const struct profile_row *row, uint32_t file)
{
	return row->count && row->file == file;
}

/*
 * Collects the rows of a tree that counted spans, and their parents: each row, then the rows below
 * it, sorted. Rows that come later wait on the stack.
 */
static void collect_tree(struct profile_rows *r)
{
	size_t n = profile_rows(r->profile), cap = 0, from, done = 0;
	const struct profile_row **stack = NULL, *row;
	bool *used = xcalloc(n, sizeof(*used));
	struct profile_rows level = *r;

	/* A row comes after its parent. */
	while (n-- > 1) {
		row = profile_row(r->profile, n);
		used[n] |= counts_in_file(row, r->file);
		used[row->parent] |= used[n];
	}
	n = 0;
	for (uint32_t i = profile_row(r->profile, 0)->first;; i = row->first) {
		level.v = r->v + done;
		level.n = 0;
		for (; i; i = profile_row(r->profile, i)->next)
			if (used[i])
				level.v[level.n++] = profile_row(r->profile, i);
		sort_rows(&level);
		stack = xgrow(stack, &cap, n + level.n, sizeof(*stack));
		for (from = level.n; from-- > 0;)
			stack[n++] = level.v[from];
		if (!n)
			break;
		row = stack[--n];
		r->v[done++] = row;
	}
	free(used);
	free(stack);
	r->n = done;
}

/* --- printing */

static void add_path(struct buf *b, const struct profile_rows *r)
{
	text_sanitise(b, r->path, strlen(r->path), false);
}

/* Prints a table. Widths are perf's: "# %10s %10s", "%12.3f %10.3f". */
static void print_text(const struct profile_rows *r)
{
	const struct profile_args *a = r->args;
	struct buf b = {0};

	if (r->path) {
		buf_printf(&b, "%s# ", r->file ? "\n" : "");
		add_path(&b, r);
		buf_addch(&b, '\n');
	}
	buf_addch(&b, '#');
	for (size_t k = 0; k < a->nr_fields; k++)
		field_add_title(&b, &a->fields[k], r->is_ns);
	buf_printf(&b, "   %s\n", by_titles[a->tree || a->callers ? 0 : a->by]);
	for (size_t i = 0; i < r->n; i++) {
		buf_addch(&b, ' ');
		for (size_t k = 0; k < a->nr_fields; k++)
			field_add_value(&b, &a->fields[k], r->v[i], r->is_ns);
		buf_printf(&b, "   %*s", 2 * (int)r->v[i]->depth, "");
		profile_add_name(r->profile, r->v[i], &b);
		buf_addch(&b, '\n');
	}
	fwrite(b.data, 1, b.len, stdout);
	buf_release(&b);
}

static void print_csv(const struct profile_rows *r)
{
	const struct profile_args *a = r->args;
	struct buf b = {0}, name = {0};

	if (!r->file) {
		printf("%s%s", r->path ? "file," : "",
		       by_names[a->tree || a->callers ? 0 : a->by]);
		for (size_t k = 0; k < a->nr_fields; k++)
			printf(",%s", a->fields[k].name);
		putchar('\n');
	}
	for (size_t i = 0; i < r->n; i++) {
		if (r->path) {
			buf_reset(&name);
			add_path(&name, r);
			field_add_csv(&b, name.data, a->raw);
			buf_addch(&b, ',');
		}
		buf_reset(&name);
		profile_add_name(r->profile, r->v[i], &name);
		field_add_csv(&b, name.data, a->raw);
		for (size_t k = 0; k < a->nr_fields; k++)
			buf_printf(&b, ",%.0f", field_value(&a->fields[k], r->v[i]));
		buf_addch(&b, '\n');
	}
	fwrite(b.len ? b.data : "", 1, b.len, stdout);
	buf_release(&name);
	buf_release(&b);
}

static json_t *row_object(const struct profile_rows *r, const struct profile_row *row)
{
	bool tree = r->args->tree || r->args->callers;
	json_t *o = json_object();
	struct buf name = {0};

	if (r->path) {
		add_path(&name, r);
		json_object_set_new(o, "file", json_string(name.data));
		buf_reset(&name);
	}
	profile_add_name(r->profile, row, &name);
	json_object_set_new(o, by_names[tree ? 0 : r->args->by], json_string(name.data));
	if (tree)
		json_object_set_new(o, "depth", json_integer(row->depth));
	for (size_t k = 0; k < r->args->nr_fields; k++)
		json_object_set_new(o, r->args->fields[k].name,
				    json_integer(llround(field_value(&r->args->fields[k],
								     row))));
	buf_release(&name);
	return o;
}

static void print_file(const struct profile_args *a, const struct span_profile *p, uint32_t file,
		       json_t *all)
{
	struct trace *const *traces = a->spans.select.traces;
	size_t n = profile_rows(p);
	struct profile_rows r = { .args = a, .profile = p, .is_ns = traces[file]->clock_is_ns,
			  .file = file, .v = xcalloc(n, sizeof(*r.v)) };

	if (a->spans.select.nr_traces > 1)
		r.path = traces[file]->dat->path;
	if (a->tree || a->callers) {
		collect_tree(&r);
	} else {
		for (size_t i = 1; i < n; i++)
			if (counts_in_file(profile_row(p, i), file))
				r.v[r.n++] = profile_row(p, i);
		sort_rows(&r);
	}
	if (!all)
		(a->csv ? print_csv : print_text)(&r);
	for (size_t i = 0; all && i < r.n; i++)
		json_array_append_new(all, row_object(&r, r.v[i]));
	free(r.v);
}

static void print_rows(const struct profile_args *a, const struct span_profile *p)
{
	json_t *all = a->spans.json ? json_array() : NULL;
	struct buf marks = {0};

	term_pager_start();
	for (uint32_t file = 0; file < a->spans.select.nr_traces; file++)
		print_file(a, p, file, all);
	if (all) {
		json_dumpf(all, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
		putchar('\n');
		json_decref(all);
	} else if (!a->csv) {
		span_add_marks(&marks, profile_marks(p), profile_below_0(p));
		fwrite(marks.len ? marks.data : "", 1, marks.len, stdout);
		buf_release(&marks);
	}
}

/* Explains an empty profile. Returns true if a cause was found. */
static bool profile_explain_empty(struct profile_args *a, const struct model_opts *o)
{
	char *names[] = { (char *)a->callers, NULL };
	struct strv callers = { .v = names, .n = a->callers != NULL };

	return span_report_none(&a->spans, o, SPAN_NONE_SPANS) ||
	       span_report_no_name(&a->spans, o, "-l", &a->spans.names) ||
	       span_report_no_name(&a->spans, o, "--callers", &callers);
}

/* --- the command */

static int run_model(struct profile_args *a, struct ftr_error *err)
{
	struct profile_opts po = {
		.by = a->by, .on_cpu = a->on_cpu, .buckets = field_is_percentile(&a->sort),
		.tree = a->tree, .callers = a->callers,
	};
	struct model_opts o = { .pairs = &a->spans.pairs, .instance = a->spans.instance };
	struct profile_pass reading = { .args = a };
	struct model *m = NULL;
	int ret = -1;

	if (span_kinds(&a->spans, 1u << SPAN_FUNCTION_GRAPH, &o.kinds, err))
		return -1;
	for (size_t i = 0; i < a->nr_fields; i++)
		po.buckets |= field_is_percentile(&a->fields[i]);
	reading.profile = profile_new(&po);
	m = model_new(a->spans.select.traces, a->spans.select.nr_traces, &o, &reading_ops,
		      &reading, err);
	if (m) {
		profile_bind(reading.profile, m);
		reading.model = m;
		span_read(&a->spans, m, NULL);
		ret = span_check(&a->spans, m, o.kinds, a->on_cpu, err);
		if (!ret && model_met_switch(m))
			add_off_field(a);
		if (!ret && (profile_rows(reading.profile) > 1 || !profile_explain_empty(a, &o) ||
			     a->spans.json || a->csv))
			print_rows(a, reading.profile);
	}
	profile_free(reading.profile);
	model_free(m);
	return ret;
}

static int run_profile(const struct cmd *self, int argc, char **argv)
{
	struct profile_args a = {0};
	struct ftr_error err = {0};
	int status, first = cmd_parse(self, argc, argv, &a, &status);

	if (first < 0)
		return span_close(&a.spans, status);
	if (!a.nr_fields)
		set_usual_fields(&a);
	if (!a.has_sort)
		field_parse(&a.sort, a.tree || a.callers ? "total" : "self", NULL);
	if (span_open(&a.spans, first, argc, argv, &err) || run_model(&a, &err))
		status = cmd_fail(&err);
	return span_close(&a.spans, status);
}

const struct cmd cmd_profile = {
	.name = "profile",
	.usage = "[OPTIONS] [FILE...]",
	.summary = "sum up how often functions and other spans ran, and how long",
	.examples = examples,
	.options = options,
	.flags = CMD_EVERYDAY,
	.run = run_profile,
};
