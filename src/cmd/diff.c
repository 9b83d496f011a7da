/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr diff: compares two profiles by name and module, since addresses differ from boot to boot. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/term.h"
#include "base/text.h"
#include "cmd/command_parts.h"
#include "cmd/profile_columns.h"
#include "model/why/why_account.h"

enum { A, B, SIDES };
enum sort_by { BY_DIFF, BY_RATIO, BY_A, BY_B, BY_NAME };

struct diff_args {
	struct span_args spans;		/* first: SPAN_* and SELECT_* options write to it */
	struct profile_column of;
	enum sort_by sort;
	bool has_of, on_cpu, csv, raw, why;
};

static int set_of(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct diff_args *a = ctx;

	(void)o;
	a->has_of = true;
	return field_parse(&a->of, arg, err);
}

static int set_sort(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	static const char *const words[] = { "diff", "ratio", "a", "b", "name", NULL };
	struct diff_args *a = ctx;
	int word = opt_word(o, arg, words, err);

	if (word < 0)
		return -1;
	a->sort = word;
	return 0;
}

#define AT(member) offsetof(struct diff_args, member)
static const struct opt options[] = {
	OPT_GROUP("Spans"),
	SPAN_KIND_OPTS,
	OPT_GROUP("Selection, by the record that begins a span"),
	SELECT_RECORDS,
	OPT_GROUP("Rows and columns"),
	{ 0, "of", "COLUMN", "compare this column: total (default), avg, max, count, ...",
	  set_of, 0 },
	{ 0, "sort", "KEY", "sort by diff (default; up, down), ratio, a, b or name", set_sort, 0 },
	{ 0, "on-cpu", NULL, "leave out the time in which the task did not run", opt_flag,
	  AT(on_cpu) },
	{ 0, "why", NULL, "compare where the time of tasks went: the rows of ftr why", opt_flag,
	  AT(why) },
	OPT_GROUP("Output"),
	{ 0, "csv", NULL, "print CSV, times in nanoseconds", opt_flag, AT(csv) },
	{ 0, "raw", NULL, "csv: put no ' before what a spreadsheet takes for a formula", opt_flag,
	  AT(raw) },
	{ 0, "json", NULL, "print a JSON array, times in nanoseconds", opt_flag, AT(spans.json) },
	SPAN_QUIET_OPT,
	OPT_END
};

static const char *const examples[] = {
	"ftr diff before.dat after.dat               what takes longer, or less long",
	"ftr diff --of p99 --kind syscall a.dat b.dat",
	"ftr diff --sort ratio --csv a.dat b.dat",
	NULL
};

/* --- rows: one for each name, module and kind */

struct diff_row {
	char *name, *module;		/* ->module is "" if the function has none */
	uint32_t kind;
	struct profile_row side[SIDES];
};

struct profile_diff {
	const struct diff_args *args;
	struct diff_row *rows;
	size_t n, cap;
	const char *path[SIDES];
	char *kinds[SPAN_KINDS_MAX];	/* names of kinds, or NULL if no row has the kind */
	uint64_t marks[SIDES][SPAN_MARKS], below_0[SIDES];
	bool is_ns;
};

/* Adds a row for each row of a profile that counted spans. */
static void add_profile(struct profile_diff *d, int side, const struct span_profile *p,
			const struct model *m)
{
	for (size_t i = 1; i < profile_rows(p); i++) {
		const struct profile_row *r = profile_row(p, i);
		struct buf name = {0}, module = {0};
		const char *mod;
		size_t len;

		if (!r->count)
			continue;
		profile_add_name(p, r, &name);
		buf_addstr(&module, "");
		mod = profile_module(p, r, &len);
		if (mod)
			text_sanitise(&module, mod, len, false);
		d->rows = xgrow(d->rows, &d->cap, d->n + 1, sizeof(*d->rows));
		d->rows[d->n] = (struct diff_row){ .name = buf_take(&name),
						   .module = buf_take(&module), .kind = r->id };
		profile_row_merge(&d->rows[d->n++].side[side], r);
		if (!d->kinds[r->id])
			d->kinds[r->id] = xstrdup(model_kind_name(m, r->id));
	}
	memcpy(d->marks[side], profile_marks(p), sizeof(d->marks[side]));
	d->below_0[side] = profile_below_0(p);
}

static int by_name(const void *a, const void *b)
{
	const struct diff_row *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (!order)
		order = strcmp(x->module, y->module);
	return order ? order : (x->kind > y->kind) - (x->kind < y->kind);
}

/* Merges rows with the same name: in one file, too, static functions can share a name. */
static void merge_rows(struct profile_diff *d)
{
	size_t n = 0;

	if (!d->n)
		return;
	qsort(d->rows, d->n, sizeof(*d->rows), by_name);
	for (size_t i = 0; i < d->n; i++) {
		struct diff_row *r = &d->rows[i];

		if (!n || by_name(&d->rows[n - 1], r)) {
			d->rows[n++] = *r;
			continue;
		}
		for (int side = A; side < SIDES; side++) {
			profile_row_merge(&d->rows[n - 1].side[side], &r->side[side]);
			dist_release(&r->side[side].d);
		}
		free(r->name);
		free(r->module);
	}
	d->n = n;
}

/* --- figures */

static double row_value(const struct profile_diff *d, const struct diff_row *r, int side)
{
	return field_value(&d->args->of, &r->side[side]);
}

static double row_diff(const struct profile_diff *d, const struct diff_row *r)
{
	return row_value(d, r, B) - row_value(d, r, A);
}

/* Returns true if both files have such spans, and the value of A is above 0. */
static bool row_has_ratio(const struct profile_diff *d, const struct diff_row *r)
{
	return r->side[A].count && r->side[B].count && row_value(d, r, A) > 0;
}

static double row_ratio(const struct profile_diff *d, const struct diff_row *r)
{
	return row_value(d, r, B) / row_value(d, r, A);
}

static const struct profile_diff *sorting;

static double sort_value(const struct diff_row *r)
{
	switch (sorting->args->sort) {
	case BY_DIFF:
		return fabs(row_diff(sorting, r));
	case BY_RATIO:
		if (row_has_ratio(sorting, r))
			return row_ratio(sorting, r);
		return r->side[A].count ? 0 : INFINITY;
	case BY_A:
		return row_value(sorting, r, A);
	case BY_B:
		return row_value(sorting, r, B);
	case BY_NAME:
		break;
	}
	return 0;
}

static int by_value(const void *a, const void *b)
{
	double x = sort_value(a), y = sort_value(b);

	if (x != y)
		return x < y ? 1 : -1;
	return by_name(a, b);
}

/* --- text */

static bool has_count_columns(const struct profile_diff *d)
{
	return !field_is_count(&d->args->of);
}

static bool is_time_in_ns(const struct profile_diff *d)
{
	return d->is_ns && !field_is_count(&d->args->of);
}

static void add_path(struct buf *b, char letter, const char *path)
{
	buf_printf(b, "# %c: ", letter);
	text_sanitise(b, path, strlen(path), false);
	buf_addch(b, '\n');
}

static void add_number(struct buf *b, const struct profile_diff *d, double v, int width, bool sign)
{
	int digits = has_count_columns(d) ? 3 : 0;

	if (is_time_in_ns(d))
		v /= 1000;
	if (sign && v != 0)
		buf_printf(b, " %+*.*f", width, digits, v);
	else
		buf_printf(b, " %*.*f", width, digits, v);
}

static void add_values(struct buf *b, const struct profile_diff *d, const struct diff_row *r)
{
	for (int side = A; side < SIDES; side++) {
		if (r->side[side].count)
			add_number(b, d, row_value(d, r, side), 12, false);
		else
			buf_printf(b, " %12s", "-");
	}
	add_number(b, d, row_diff(d, r), 13, true);
	if (row_has_ratio(d, r))
		buf_printf(b, " %8.3f", row_ratio(d, r));
	else if (r->side[A].count && r->side[B].count)
		buf_printf(b, " %8s", "-");
	else
		buf_printf(b, " %8s", r->side[A].count ? "only A" : "only B");
	if (has_count_columns(d))
		buf_printf(b, " %8" PRIu64 " %8" PRIu64, r->side[A].count, r->side[B].count);
}

static void add_marks(struct buf *b, const struct profile_diff *d, int side)
{
	struct buf marks = {0};

	span_add_marks(&marks, d->marks[side], d->below_0[side]);
	if (marks.len)
		buf_printf(b, "# %c: %s", 'A' + side, marks.data + strlen("# "));
	buf_release(&marks);
}

static void print_buf(struct buf *b)
{
	fwrite(b->data, 1, b->len, stdout);
	buf_release(b);
}

static void print_text(const struct profile_diff *d)
{
	const char *unit = is_time_in_ns(d) ? " (us)" : "";
	char title[FIELD_NAME_MAX + 16];
	struct buf b = {0};

	add_path(&b, 'A', d->path[A]);
	add_path(&b, 'B', d->path[B]);
	buf_addch(&b, '#');
	for (int side = A; side < SIDES; side++) {
		snprintf(title, sizeof(title), "%s %c%s", field_title(&d->args->of), 'A' + side,
			 unit);
		buf_printf(&b, " %12s", title);
	}
	snprintf(title, sizeof(title), "Diff%s", unit);
	buf_printf(&b, " %13s %8s", title, "Ratio");
	if (has_count_columns(d))
		buf_printf(&b, " %8s %8s", "Count A", "Count B");
	buf_addstr(&b, "   Function\n");
	for (size_t i = 0; i < d->n; i++) {
		const struct diff_row *r = &d->rows[i];

		buf_addch(&b, ' ');
		add_values(&b, d, r);
		buf_printf(&b, "   %s", r->name);
		if (*r->module && strcmp(r->module, "[kernel]"))
			buf_printf(&b, " [%s]", r->module);
		buf_addch(&b, '\n');
	}
	add_marks(&b, d, A);
	add_marks(&b, d, B);
	print_buf(&b);
}

/* --- CSV and JSON */

static void print_csv(const struct profile_diff *d)
{
	struct buf b = {0};

	buf_addstr(&b, "function,module,kind,a,b,diff,ratio,count_a,count_b\n");
	for (size_t i = 0; i < d->n; i++) {
		const struct diff_row *r = &d->rows[i];

		field_add_csv(&b, r->name, d->args->raw);
		buf_addch(&b, ',');
		field_add_csv(&b, r->module, d->args->raw);
		buf_addch(&b, ',');
		field_add_csv(&b, d->kinds[r->kind], d->args->raw);
		for (int side = A; side < SIDES; side++) {
			buf_addch(&b, ',');
			if (r->side[side].count)
				buf_printf(&b, "%.0f", row_value(d, r, side));
		}
		buf_printf(&b, ",%.0f,", row_diff(d, r));
		if (row_has_ratio(d, r))
			buf_printf(&b, "%.6f", row_ratio(d, r));
		buf_printf(&b, ",%" PRIu64 ",%" PRIu64 "\n", r->side[A].count, r->side[B].count);
	}
	print_buf(&b);
}

static json_t *json_value(const struct profile_diff *d, const struct diff_row *r, int side)
{
	return r->side[side].count ? json_integer(llround(row_value(d, r, side))) : json_null();
}

static void print_json(const struct profile_diff *d)
{
	json_t *all = json_array(), *o;

	for (size_t i = 0; i < d->n; i++) {
		const struct diff_row *r = &d->rows[i];

		o = json_object();
		json_object_set_new(o, "function", json_string(r->name));
		json_object_set_new(o, "module",
				    *r->module ? json_string(r->module) : json_null());
		json_object_set_new(o, "kind", json_string(d->kinds[r->kind]));
		json_object_set_new(o, "a", json_value(d, r, A));
		json_object_set_new(o, "b", json_value(d, r, B));
		json_object_set_new(o, "diff", json_integer(llround(row_diff(d, r))));
		json_object_set_new(o, "ratio",
				    row_has_ratio(d, r) ? json_real(row_ratio(d, r)) : json_null());
		json_object_set_new(o, "count_a", json_integer(r->side[A].count));
		json_object_set_new(o, "count_b", json_integer(r->side[B].count));
		json_array_append_new(all, o);
	}
	json_dumpf(all, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(12));
	putchar('\n');
	json_decref(all);
}

/* --- the command */

struct diff_pass {
	const struct diff_args *args;
	struct span_profile *profile;
};

static void span_begins(void *ctx, struct span *s, const struct trace_rec *r)
{
	struct diff_pass *p = ctx;

	s->is_shown = span_is_selected(&p->args->spans, r);
}

static void span_ends(void *ctx, struct span *s, const struct trace_rec *r)
{
	struct diff_pass *p = ctx;

	(void)r;
	if (s->is_shown)
		profile_end(p->profile, s);
}

/* A name may change, so only numbers are compared before the end. */
static bool is_accounted(void *ctx, const struct task *t)
{
	const struct filter_spec *spec = &((const struct diff_args *)ctx)->spans.select.spec;
	size_t i = 0;

	while (i < spec->nr_pids && spec->pids[i] != t->pid)
		i++;
	return !spec->nr_pids || i < spec->nr_pids;
}

static void add_account_row(struct profile_diff *d, int side, const struct why *w,
			    const struct why_row *r)
{
	struct buf name = {0};
	struct diff_row *row;

	why_add_row(w, r, &name);
	d->rows = xgrow(d->rows, &d->cap, d->n + 1, sizeof(*d->rows));
	row = &d->rows[d->n++];
	*row = (struct diff_row){ .name = buf_take(&name), .module = xstrdup("") };
	row->side[side] = (struct profile_row){ .count = r->count, .total = r->time };
}

/* Adds the accounts of the selected tasks of a file to one side of the rows. */
static int read_accounts(struct profile_diff *d, int side, struct diff_args *a,
			 struct ftr_error *err)
{
	struct why_opts wo = { .names_only = true, .to = UINT64_MAX, .wants = is_accounted,
			       .ctx = a };
	struct why *w = why_new(&wo);
	struct model *m = why_read(&a->spans, w, err);
	const struct why_account *accounts;
	int ret = m ? 0 : -1;
	size_t n;

	if (m) {
		accounts = why_accounts(w, &n);
		for (size_t i = 0; i < n; i++) {
			const struct why_row *r;

			if (!accounts[i].task ||
			    !span_task_is_selected(&a->spans, m, accounts[i].task))
				continue;
			for (r = why_row(w, accounts[i].first); r; r = why_row(w, r->next))
				add_account_row(d, side, w, r);
		}
		if (!d->kinds[0])
			d->kinds[0] = xstrdup("why");
	}
	why_free(w);
	model_free(m);
	return ret;
}

/* Adds the profile of a file to one side of the rows. Returns -1 with @err. */
static int read_side(struct profile_diff *d, int side, struct diff_args *a, struct ftr_error *err)
{
	static const struct span_ops ops = { .begin = span_begins, .end = span_ends };
	struct profile_opts po = { .on_cpu = a->on_cpu, .buckets = field_is_percentile(&a->of) };
	struct model_opts o = { .pairs = &a->spans.pairs, .instance = a->spans.instance };
	struct diff_pass reading = { a, NULL };
	struct model *m;
	int ret = -1;

	if (span_kinds(&a->spans, 1u << SPAN_FUNCTION_GRAPH, &o.kinds, err))
		return -1;
	reading.profile = profile_new(&po);
	m = model_new(a->spans.select.traces, a->spans.select.nr_traces, &o, &ops, &reading, err);
	if (m) {
		profile_bind(reading.profile, m);
		span_read(&a->spans, m, NULL);
		ret = span_check(&a->spans, m, o.kinds, a->on_cpu, err);
		add_profile(d, side, reading.profile, m);
		if (!ret && profile_rows(reading.profile) == 1)
			span_report_none(&a->spans, &o, SPAN_NONE_SPANS);
	}
	profile_free(reading.profile);
	model_free(m);
	return ret;
}

/* Opens, compares and prints both files. Returns -1 with @err. */
static int compare_files(struct diff_args *a, char **files, struct ftr_error *err)
{
	struct profile_diff d = { .args = a, .path = { files[A], files[B] } };
	const struct trace *of_a, *of_b;
	int ret = 0;

	for (int side = A; side < SIDES && !ret; side++)
		ret = span_open(&a[side].spans, 0, 1, &files[side], err);
	if (!ret) {
		of_a = a[A].spans.select.traces[0];
		of_b = a[B].spans.select.traces[0];
		d.is_ns = of_a->clock_is_ns;
		ret = span_check_clocks_of(of_a, of_b, err);
	}
	for (int side = A; side < SIDES && !ret; side++)
		ret = a->why ? read_accounts(&d, side, &a[side], err) :
		      read_side(&d, side, &a[side], err);
	if (!ret) {
		merge_rows(&d);
		sorting = &d;
		if (d.n)
			qsort(d.rows, d.n, sizeof(*d.rows), by_value);
		term_pager_start();
		(a->spans.json ? print_json : a->csv ? print_csv : print_text)(&d);
	}
	for (size_t i = 0; i < d.n; i++) {
		free(d.rows[i].name);
		free(d.rows[i].module);
		dist_release(&d.rows[i].side[A].d);
		dist_release(&d.rows[i].side[B].d);
	}
	for (size_t i = 0; i < SPAN_KINDS_MAX; i++)
		free(d.kinds[i]);
	free(d.rows);
	return ret;
}

/* Parses the words once for each file, so that both sides have all options. */
static int run_diff(const struct cmd *self, int argc, char **argv)
{
	struct diff_args a[SIDES] = {0};
	struct ftr_error err = {0};
	int status, first = 0;

	for (int side = A; side < SIDES && first >= 0; side++) {
		first = cmd_parse(self, argc, argv, &a[side], &status);
		if (!a[side].has_of)
			field_parse(&a[side].of, "total", NULL);
	}
	if (first >= 0 && a->why && a->has_of && strcmp(a->of.name, "total") &&
	    strcmp(a->of.name, "count")) {
		err_set(&err, FTR_USAGE, "--why compares total or count, not %s", a->of.name);
		err_hint(&err, "leave --of out");
		status = cmd_fail(&err);
	} else if (first >= 0 && argc - first != SIDES) {
		err_set(&err, FTR_USAGE, "two files are compared, not %d", argc - first);
		err_hint(&err, "ftr diff BEFORE.dat AFTER.dat");
		status = cmd_fail(&err);
	} else if (first >= 0 && compare_files(a, argv + first, &err)) {
		status = cmd_fail(&err);
	}
	if (a[A].spans.signal)
		a[B].spans.signal = 0;		/* report the signal once */
	for (int side = SIDES - 1; side >= A; side--)
		status = span_close(&a[side].spans, status);
	return status;
}

const struct cmd cmd_diff = {
	.name = "diff",
	.usage = "[OPTIONS] FILE FILE",
	.summary = "compare how long functions and other spans took in two files",
	.examples = examples,
	.options = options,
	.run = run_diff,
};
