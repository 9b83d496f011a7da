/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr latency: how long spans took, and how long tasks waited for a CPU. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/term.h"
#include "base/text.h"
#include "cmd/command_parts.h"
#include "cmd/frame/command_output.h"
#include "cmd/frame/listing.h"
#include "cmd/frame/span_commands.h"
#include "cmd/profile_columns.h"
#include "model/span_latency.h"
#include "output/svg.h"
#include "output/svg/heat_map.h"

struct latency_unit {
	const char *name;		/* argument of --unit */
	uint64_t ns;
	const char *label;		/* title of the histogram, as in bcc */
};

struct latency_args {
	struct span_args spans;		/* first: SPAN_* and SELECT_* options write to it */
	const char *by;			/* argument of --by, or NULL */
	const char *key, *heatmap;
	const struct latency_unit *unit;
	bool has_unit;			/* --unit was given */
	struct span_limit limit;	/* --slower, as parsed */
	uint64_t slower;		/* ->limit in units of the clock */
	struct buf of;			/* the operands, for titles */
	bool wakeup, why;
	const char *function;		/* operand that names a function, or NULL */
	uint32_t kinds;
};

static const struct latency_unit units[] = {
	{ "ns", 1, "nsecs" }, { "us", 1000, "usecs" }, { "ms", 1000000, "msecs" },
};
#define USUAL_UNIT (&units[1])

static int set_unit(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	static const char *const words[] = { "ns", "us", "ms", NULL };
	struct latency_args *a = ctx;
	int word = opt_word(o, arg, words, err);

	if (word < 0)
		return -1;
	a->unit = &units[word];
	a->has_unit = true;
	return 0;
}

static int set_slower(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct latency_args *a = ctx;

	(void)o;
	if (!span_limit_parse(&a->limit, arg))
		return 0;
	err_set(err, FTR_USAGE, "--slower takes a time, not '%s'", arg);
	return err_hint(err, "write it as 100us or 2ms");
}

#define AT(member) offsetof(struct latency_args, member)
static const struct opt options[] = {
	OPT_GROUP("Input"),
	SELECT_FILES,
	OPT_GROUP("Spans"),
	{ 0, "key", "FIELD[=FIELD]", "match BEGIN and END by this field (default: by task)",
	  opt_str, AT(key) },
	SPAN_BUFFER_OPT,
	OPT_GROUP("Selection, by the record that begins a span"),
	SELECT_RECORDS,
	OPT_GROUP("Output"),
	{ 0, "by", "GROUP", "one histogram for each task, cpu, name or value of a field",
	  opt_str, AT(by) },
	{ 0, "unit", "UNIT", "print rows in ns, us (default) or ms", set_unit, 0 },
	{ 0, "slower", "TIME", "print each span longer than TIME, as 100us; no histogram",
	  set_slower, 0 },
	{ 0, "why", NULL, "print where the time of each span went: the rows of ftr why", opt_flag,
	  AT(why) },
	{ 0, "heatmap", "FILE", "also write an SVG: when spans ended, how long they took",
	  opt_str, AT(heatmap) },
	{ 0, "json", NULL, "print JSON, times in nanoseconds", opt_flag, SPAN_AT(json) },
	SPAN_QUIET_OPT,
	OPT_END
};

static const char *const examples[] = {
	"ftr latency wakeup                  how long tasks waited for a CPU",
	"ftr latency syscall --by name --pid 1234 a.dat",
	"ftr latency block --slower 10ms --heatmap disk.svg",
	"ftr latency vfs_read                calls of a function, of function_graph",
	"ftr latency kvm:kvm_entry kvm:kvm_exit --key vcpu_id",
	NULL
};

/* --- units */

/* Returns true if durations are in nanoseconds; other clocks count their own units. */
static bool latency_is_ns(const struct latency_args *a)
{
	return a->spans.select.traces[0]->clock_is_ns;
}

static uint64_t divisor_of(const struct latency_args *a)
{
	return latency_is_ns(a) ? a->unit->ns : 1;
}

static const char *latency_label(const struct latency_args *a)
{
	return latency_is_ns(a) ? a->unit->label : "units";
}

/* Returns -1 with @err if an option is a time in seconds but the clock does not count seconds. */
static int check_units(struct latency_args *a, struct ftr_error *err)
{
	if (span_check_clocks(&a->spans, err) ||
	    (a->limit.given &&
	     span_limit_of(&a->spans, "--slower", &a->limit, &a->slower, err)))
		return -1;
	if (!a->has_unit || latency_is_ns(a))
		return 0;
	err_set(err, FTR_USAGE, "--unit is a part of a second, which the clock of '%s' does not "
		"count", a->spans.select.traces[0]->dat->path);
	return err_hint(err, "leave it out: rows are in the units of that clock");
}

/* --- histograms, figures of a distribution */

/* The figures of a group: columns of ftr profile. */
static const struct latency_figure {
	const char *column;
	bool in_text;
} figures[] = {
	{ "avg", true }, { "min", false }, { "p50", true }, { "p90", true }, { "p99", true },
	{ "p99.9", true }, { "max", true },
};
#define EACH_FIGURE(f) \
	const struct latency_figure *f = figures; \
	f < figures + sizeof(figures) / sizeof(*figures); f++

/* Appends the histogram of a group, and its figures below titles. */
static void add_group(const struct latency_args *a, const struct latency_group *g,
		      struct buf *out)
{
	struct profile_row row = { .d = g->d };
	struct profile_column field;

	if (a->by)
		buf_printf(out, "%s%s = %s\n", out->len ? "\n" : "", a->by, g->text);
	log2_draw(out, g->rows, LATENCY_ROWS, latency_label(a));
	buf_addch(out, '#');
	for (EACH_FIGURE(f))
		if (f->in_text && !field_parse(&field, f->column, NULL))
			field_add_title(out, &field, latency_is_ns(a));
	buf_printf(out, " %10s\n ", "Count");
	for (EACH_FIGURE(f))
		if (f->in_text && !field_parse(&field, f->column, NULL))
			field_add_value(out, &field, &row, latency_is_ns(a));
	buf_printf(out, " %10" PRIu64 "\n", g->d.count);
}

/* --- single spans */

static void add_span_head(const struct latency_args *a, struct buf *out)
{
	buf_printf(out, "# %16s %13s  CPU  %-22s %s\n", "begin",
		   latency_is_ns(a) ? "duration (us)" : "duration", "task", "of");
}

static void add_span(const struct latency_args *a, const struct latency_span *s, struct buf *out)
{
	const struct trace *t = a->spans.select.traces[s->file];
	struct buf begin = {0};

	trace_add_time(&begin, t, s->begin, true);
	buf_printf(out, "%18s ", begin.data);
	if (latency_is_ns(a))
		buf_printf(out, "%13.3f", s->duration / 1000.0);
	else
		buf_printf(out, "%13" PRIu64, s->duration);
	buf_printf(out, "  %3d  %-22s %s\n", s->cpu, s->task, s->name);
	buf_release(&begin);
}

/* Appends the last lines: durations that are in no sum, and why. */
static void latency_add_unknown(const struct latency_args *a, const struct model *m,
			 const struct span_latency *l, struct buf *out)
{
	span_add_marks(out, latency_marks(l), latency_below_0(l));
	span_add_unknown(out, m, a->wakeup);
}

/* @answers are the accounts of the longest spans, or NULL. */
static void latency_print_text(const struct latency_args *a, const struct model *m,
			       struct span_latency *l, const struct why_question *answers)
{
	static const struct latency_group none;
	struct latency_group *const *groups;
	const struct latency_span *worst;
	struct buf out = {0};
	size_t n;

	groups = latency_groups(l, &n);
	for (size_t i = 0; i < n; i++)
		add_group(a, groups[i], &out);
	if (!n && !a->by)
		add_group(a, &none, &out);
	worst = latency_worst(l, &n);
	if (n) {
		buf_addstr(&out, "\n# The longest, each with a command that shows the records "
			   "during it:\n");
		add_span_head(a, &out);
	}
	for (size_t i = 0; i < n; i++) {
		add_span(a, &worst[i], &out);
		buf_addstr(&out, "    ");
		span_add_report(&a->spans, worst[i].file, worst[i].begin, worst[i].end, &out);
		buf_addch(&out, '\n');
		if (answers)
			buf_add(&out, answers[i].text.data, answers[i].text.len);
	}
	latency_add_unknown(a, m, l, &out);
	fwrite(out.data ? out.data : "", 1, out.len, stdout);
	buf_release(&out);
}

/* --- JSON */

static json_t *span_object(const struct latency_args *a, const struct latency_span *s)
{
	struct buf report = {0};
	json_t *o;

	span_add_report(&a->spans, s->file, s->begin, s->end, &report);
	o = json_pack("{s:I, s:I, s:I, s:s, s:s, s:i, s:s}", "begin", (json_int_t)s->begin,
		      "end", (json_int_t)s->end, "duration", (json_int_t)s->duration,
		      "name", s->name, "task", s->task, "cpu", s->cpu, "report", report.data);
	buf_release(&report);
	return o;
}

static void set_account(json_t *o, const struct why_question *q)
{
	json_object_set_new(o, "why", q->rows ? json_incref(q->rows) : json_null());
}

static void set_number(json_t *o, const char *name, uint64_t v)
{
	json_object_set_new(o, name, json_integer(v));
}

static json_t *group_object(const struct latency_args *a, const struct latency_group *g)
{
	json_t *o = json_object(), *rows = json_array();
	struct profile_row row = { .d = g->d };
	size_t n = LATENCY_ROWS;
	struct profile_column field;

	if (a->by)
		json_object_set_new(o, "value", json_string(g->text));
	set_number(o, "count", g->d.count);
	set_number(o, "sum", g->d.sum);
	for (EACH_FIGURE(f))
		if (!field_parse(&field, f->column, NULL))
			set_number(o, f->column, llround(field_value(&field, &row)));
	while (n && !g->rows[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		json_array_append_new(rows, json_pack("{s:I, s:I, s:I}",
			"from", (json_int_t)log2_from(i), "to", (json_int_t)log2_to(i),
			"count", (json_int_t)g->rows[i]));
	json_object_set_new(o, "rows", rows);
	return o;
}

static void latency_print_json(const struct latency_args *a, struct span_latency *l,
			       const struct why_question *answers)
{
	struct latency_group *const *g;
	const struct latency_span *s;
	struct json_rows rows;
	json_t *marks = json_object(), *o;
	size_t n;

	json_rows_begin(&rows);
	json_rows_add_member(&rows, "of", json_string(a->of.data));
	json_rows_add_member(&rows, "unit", json_string(latency_label(a)));
	json_rows_add_member(&rows, "by", a->by ? json_string(a->by) : json_null());
	json_rows_begin_list(&rows, "groups");
	g = latency_groups(l, &n);
	for (size_t i = 0; i < n; i++)
		json_rows_add_row(&rows, group_object(a, g[i]));
	json_rows_end_list(&rows);
	json_rows_begin_list(&rows, "worst");
	s = latency_worst(l, &n);
	for (size_t i = 0; i < n; i++) {
		o = span_object(a, &s[i]);
		if (answers)
			set_account(o, &answers[i]);
		json_rows_add_row(&rows, o);
	}
	json_rows_end_list(&rows);
	for (size_t i = 0; i < SPAN_MARKS; i++)
		if (latency_marks(l)[i])
			set_number(marks, span_mark_names[i], latency_marks(l)[i]);
	if (latency_below_0(l))
		set_number(marks, "below 0", latency_below_0(l));
	json_rows_add_member(&rows, "marks", marks);
	json_rows_end(&rows);
}

/* --- operands */

static int hint_operands(struct ftr_error *err)
{
	struct buf kinds = {0};
	int ret;

	model_add_kinds(&kinds);
	ret = err_hint(err, "'ftr latency KIND [FILE...]', of wakeup, %s; 'ftr latency FUNCTION "
		       "[FILE...]'; or 'ftr latency SYSTEM:EVENT SYSTEM:EVENT [FILE...]'",
		       kinds.data);
	buf_release(&kinds);
	return ret;
}

/*
 * Parses the operands before the files: a kind, a function, or two events. Advances *first. Returns
 * -1 with @err if they are none of these.
 */
static int parse_operands(struct latency_args *a, int argc, char **argv, int *first,
			  struct ftr_error *err)
{
	const char *word = *first < argc ? argv[(*first)++] : NULL, *end;
	struct buf pair = {0};
	int kind;

	if (!word) {
		err_set(err, FTR_USAGE, "no kind of latency was given");
		return hint_operands(err);
	}
	if (strchr(word, ':')) {
		end = *first < argc ? argv[(*first)++] : NULL;
		if (!end || !strchr(end, ':')) {
			err_set(err, FTR_USAGE, "'%s' begins a span, but no event that ends it was "
				"given", word);
			return hint_operands(err);
		}
		buf_printf(&a->of, "%s %s", word, end);
		buf_printf(&pair, "%s=%s,%s%s%s", a->of.data, word, end, a->key ? "," : "",
			   a->key ? a->key : "");
		strv_take(&a->spans.pairs, buf_take(&pair));
		return 0;
	}
	kind = model_kind_of(word);
	buf_addstr(&a->of, word);
	a->wakeup = !strcmp(word, "wakeup");
	if (a->key)
		return err_set(err, FTR_USAGE, "--key is for two events: '%s' has its own key",
			       word);
	if (kind < 0 && !a->wakeup) {
		if (!access(word, F_OK)) {
			err_set(err, FTR_USAGE, "unknown kind '%s'", word);
			return hint_operands(err);
		}
		a->function = word;
		strv_add(&a->spans.names, word);
		kind = SPAN_FUNCTION_GRAPH;
	}
	a->kinds = a->wakeup ? 0 : 1u << kind;
	return 0;
}

/* --- one pass */

struct latency_pass {
	struct latency_args *args;
	const struct model *model;
	struct span_latency *latency;
	struct heat_map *heat;		/* --heatmap, or NULL */
	struct buf out;
	bool shows;			/* ->heat is filled, or slow spans are printed */
	struct latency_span *kept;	/* --slower with --why: they are printed at the end */
	size_t nr_kept, cap_kept;
	struct why_question *answers;	/* --why: accounts of the longest spans; or NULL */
	size_t nr_answers;
	bool started, stop;
};

/*
 * Prints a span that is longer than --slower. The pager starts with the first line; until then
 * progress is shown.
 */
static void print_slower(struct latency_pass *p, const struct span *s)
{
	struct latency_span span;
	json_t *o;

	latency_span_fill(&span, p->model, s);
	if (p->args->why) {
		p->kept = xgrow(p->kept, &p->cap_kept, p->nr_kept + 1, sizeof(*p->kept));
		p->kept[p->nr_kept++] = span;
		return;
	}
	if (!p->started)
		term_pager_start();
	if (p->args->spans.json) {
		fputs(p->started ? ",\n" : "[\n", stdout);
		o = span_object(p->args, &span);
		json_dumpf(o, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
		json_decref(o);
	} else {
		if (!p->started)
			add_span_head(p->args, &p->out);
		add_span(p->args, &span, &p->out);
		fwrite(p->out.data, 1, p->out.len, stdout);
		buf_reset(&p->out);
	}
	p->started = true;
	p->stop = ferror(stdout);
	latency_span_release(&span);
}

static __attribute__((noinline)) void show_span(struct latency_pass *p, const struct span *s)
{
	const struct latency_args *a = p->args;

	if (p->heat)
		heat_add(p->heat, s->end, latency_row(s->duration, divisor_of(a)));
	if (a->limit.given && s->duration > a->slower)
		print_slower(p, s);
}

static inline void count_span(struct latency_pass *p, const struct span *s)
{
	if (latency_end(p->latency, s) && p->shows)
		show_span(p, s);
}

static void span_begins(void *ctx, struct span *s, const struct trace_rec *r)
{
	struct latency_pass *p = ctx;

	s->is_shown = span_is_selected(&p->args->spans, r) &&
		      span_has_name(&p->args->spans, p->model, s);
	if (p->args->by && s->is_shown)
		latency_begin(p->latency, s, r);
}

static void span_ends(void *ctx, struct span *s, const struct trace_rec *r)
{
	(void)r;
	if (s->is_shown)
		count_span(ctx, s);
}

static void task_waited(void *ctx, struct span *s, const struct trace_rec *r)
{
	struct latency_pass *p = ctx;

	if (!span_task_is_selected(&p->args->spans, p->model, s->task))
		return;
	latency_begin(p->latency, s, r);
	count_span(p, s);
}

static const struct span_ops span_views = { .begin = span_begins, .end = span_ends };
static const struct span_ops wakeup_views = { .waited = task_waited };

/* --- output */

/*
 * Returns an empty heat map over the selected time, cut to the times of records. The caller frees.
 */
static struct heat_map *heat_new(const struct selection *s)
{
	struct heat_map *h = xcalloc(1, sizeof(*h));
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < s->nr_traces; i++)
		trace_bounds(s->traces[i], &first, &last);
	h->from = first > s->range.since ? first : s->range.since;
	h->to = last < s->range.until ? last : s->range.until - 1;
	if (h->from > h->to)
		h->from = h->to;
	return h;
}

static int write_heat(const struct latency_args *a, const struct heat_map *h, struct ftr_error *err)
{
	const struct selection *s = &a->spans.select;
	struct heat_words w = { .unit = latency_label(a), .is_ns = latency_is_ns(a) };
	struct buf title = {0}, svg = {0};
	int ret;

	buf_printf(&title, "Latency of %s, %s", a->of.data, s->traces[0]->dat->path);
	if (s->nr_traces > 1)
		buf_printf(&title, " and %zu more", s->nr_traces - 1);
	buf_addstr(&title, ", from ");
	trace_add_time(&title, s->traces[0], h->from, false);
	w.title = title.data;
	heat_draw(h, &w, &svg);
	ret = output_write(&svg, a->heatmap, err);
	buf_release(&title);
	buf_release(&svg);
	return ret;
}

static bool is_picture_alone(const struct latency_args *a)
{
	return a->heatmap && !strcmp(a->heatmap, "-");
}

/* Returns the accounts of @n spans, or NULL with @err; release them with release_accounts(). */
static struct why_question *explain_spans(const struct latency_args *a,
					  const struct latency_span *v, size_t n,
					  struct ftr_error *err)
{
	struct why_question *q = xcalloc(n + 1, sizeof(*q));

	for (size_t i = 0; i < n; i++)
		q[i] = (struct why_question){ .file = v[i].file, .pid = v[i].pid,
					      .begin = v[i].begin, .end = v[i].end };
	if (!why_explain(&a->spans, q, n, err))
		return q;
	free(q);
	return NULL;
}

static void release_accounts(struct why_question *q, size_t n)
{
	for (size_t i = 0; q && i < n; i++) {
		buf_release(&q[i].text);
		json_decref(q[i].rows);
	}
	free(q);
}

/* Prints the spans that are longer than --slower, each with its account. */
static int print_explained(struct latency_pass *p, struct ftr_error *err)
{
	const struct latency_args *a = p->args;
	struct why_question *q = explain_spans(a, p->kept, p->nr_kept, err);
	json_t *o;

	for (size_t i = 0; q && i < p->nr_kept; i++) {
		if (!p->started)
			term_pager_start();
		if (!p->started && !a->spans.json)
			add_span_head(a, &p->out);
		if (a->spans.json) {
			o = span_object(a, &p->kept[i]);
			set_account(o, &q[i]);
			fputs(p->started ? ",\n" : "[\n", stdout);
			json_dumpf(o, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
			json_decref(o);
		} else {
			add_span(a, &p->kept[i], &p->out);
			buf_add(&p->out, q[i].text.data, q[i].text.len);
			fwrite(p->out.data, 1, p->out.len, stdout);
			buf_reset(&p->out);
		}
		p->started = true;
	}
	release_accounts(q, p->nr_kept);
	return q ? 0 : -1;
}

static int explain_all(struct latency_pass *p, struct ftr_error *err)
{
	const struct latency_span *worst;

	if (p->args->limit.given)
		return print_explained(p, err);
	worst = latency_worst(p->latency, &p->nr_answers);
	p->answers = explain_spans(p->args, worst, p->nr_answers, err);
	return p->answers ? 0 : -1;
}

static void print_all(struct latency_pass *p)
{
	const struct latency_args *a = p->args;
	struct buf lines = {0};

	if (a->limit.given) {
		if (!p->started)
			term_pager_start();
		if (a->spans.json)
			fputs(p->started ? "\n]\n" : "[]\n", stdout);
		else
			latency_add_unknown(a, p->model, p->latency, &p->out);
		fwrite(p->out.data ? p->out.data : "", 1, p->out.len, stdout);
	} else if (is_picture_alone(a)) {
		return;
	} else {
		term_pager_start();
		if (a->spans.json)
			latency_print_json(a, p->latency, p->answers);
		else
			latency_print_text(a, p->model, p->latency, p->answers);
	}
	/* The JSON does not contain remarks. */
	if (a->spans.json) {
		span_add_unknown(&lines, p->model, a->wakeup);
		span_print_remarks(&lines);
		buf_release(&lines);
	}
}

/* --- the command */

static enum latency_by parse_by(const char *word)
{
	static const char *const words[] = { "task", "cpu", "name" };

	if (!word)
		return LATENCY_ALL;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(word, words[i]))
			return LATENCY_TASK + i;
	return LATENCY_FIELD;
}

/* Returns the kind with the nearest name, or NULL; the caller frees. */
static char *nearest_kind(const char *word)
{
	struct strv kinds = {0};
	struct buf text = {0};
	const char *near;
	char *kind;

	model_add_kinds(&text);
	strv_split(&kinds, text.data, ", ");
	strv_add(&kinds, "wakeup");
	near = text_closest(word, kinds.v);
	kind = near ? xstrdup(near) : NULL;
	buf_release(&text);
	strv_release(&kinds);
	return kind;
}

/* Sets an error for an operand that is no kind, with the nearest kind and functions as a hint. */
static int err_unknown_word(struct latency_args *a, const struct none_names *names,
			    struct ftr_error *err)
{
	char *kind = nearest_kind(a->function);
	struct buf near = {0};
	int ret;

	if (!names || !none_names_nr(names)) {
		err_set(err, FTR_USAGE, "unknown kind '%s'", a->function);
		ret = kind ? err_hint(err, "did you mean '%s'?", kind) : hint_operands(err);
		free(kind);
		return ret;
	}
	err_set(err, FTR_USAGE, "'%s' is no kind, and no function in '%s'", a->function,
		a->spans.select.traces[0]->dat->path);
	if (kind)
		buf_printf(&near, "did you mean '%s'? ", kind);
	none_names_add(names, "there are the functions ", a->function, &near);
	ret = err_hint(err, "%s", near.data);
	buf_release(&near);
	free(kind);
	return ret;
}

static int check_records(struct latency_args *a, const struct model *m, struct ftr_error *err)
{
	if (a->function && !model_met(m, SPAN_FUNCTION_GRAPH) && !a->spans.signal)
		return span_fail_range(&a->spans, "calls", err) ? -1 :
		       err_unknown_word(a, NULL, err);
	if (!a->wakeup)
		return span_check(&a->spans, m, a->kinds, false, err);
	if (model_met_switch(m) || a->spans.signal)
		return 0;
	return span_fail_no_switches(&a->spans, err);
}

/* Explains an empty result. It is an error for a picture; JSON is printed anyway, for programs. */
static int latency_explain_empty(struct latency_args *a, struct latency_pass *p,
				 const struct model_opts *o, struct ftr_error *err)
{
	struct none_names *names;
	struct buf why = {0};
	bool reported;
	int ret = 0;

	if (a->function) {
		names = span_read_names(&a->spans, o);
		if (!names || !none_names_match(names, &a->spans.names))
			ret = err_unknown_word(a, names, err);
		none_names_free(names);
		if (ret)
			return -1;
	}
	reported = span_add_none(&a->spans, o, a->wakeup ? SPAN_NONE_WAITS : SPAN_NONE_SPANS, &why);
	if (p->heat) {
		ret = -1;
		span_fail_empty(&a->spans, reported ? why.data : NULL, err);
	} else {
		if (reported)
			cmd_notice("%s", why.data);
		if (!reported || a->spans.json)
			print_all(p);
	}
	buf_release(&why);
	return ret;
}

/* Reads the records and prints the result. Returns -1 with @err. */
static int read_all(struct latency_args *a, struct latency_pass *p, struct model *m,
		    const struct model_opts *o, enum latency_by by, struct ftr_error *err)
{
	const struct latency_span *worst;
	size_t nr_groups, n;

	p->model = m;
	latency_bind(p->latency, m);
	span_read(&a->spans, m, &p->stop);
	if (check_records(a, m, err))
		return -1;
	latency_groups(p->latency, &nr_groups);
	if (by == LATENCY_FIELD && nr_groups && !latency_met_field(p->latency)) {
		err_set(err, FTR_FAILED, "no record that begins such a span has a field '%s'",
			a->by);
		return err_hint(err, "'ftr report --events FILE' prints the formats of events");
	}
	if (!nr_groups && !a->spans.signal)
		return latency_explain_empty(a, p, o, err);
	if (a->why && explain_all(p, err))
		return -1;
	print_all(p);
	if (a->limit.given && !p->started && !a->spans.signal) {
		worst = latency_worst(p->latency, &n);
		span_report_longest(&a->spans, a->wakeup ? "wait" : "span", "--slower",
				    n ? worst->duration : 0);
	}
	return p->heat ? write_heat(a, p->heat, err) : 0;
}

static int run_model(struct latency_args *a, struct ftr_error *err)
{
	struct latency_opts lo = { .by = parse_by(a->by), .field = a->by,
				   .unit = divisor_of(a) };
	struct model_opts o = { .kinds = a->kinds, .pairs = &a->spans.pairs,
				.instance = a->spans.instance };
	struct latency_pass p = { .args = a, .latency = latency_new(&lo) };
	struct model *m;
	int ret = -1;

	p.shows = a->heatmap || a->limit.given;
	if (a->heatmap)
		p.heat = heat_new(&a->spans.select);
	m = model_new(a->spans.select.traces, a->spans.select.nr_traces, &o,
		      a->wakeup ? &wakeup_views : &span_views, &p, err);
	if (m)
		ret = read_all(a, &p, m, &o, lo.by, err);
	for (size_t i = 0; i < p.nr_kept; i++)
		latency_span_release(&p.kept[i]);
	release_accounts(p.answers, p.nr_answers);
	free(p.kept);
	latency_free(p.latency);
	buf_release(&p.out);
	free(p.heat);
	model_free(m);
	return ret;
}

/*
 * Returns -1 with @err if options exclude each other. The two records of a wakeup are not the
 * waiting task's own, so options that select records do not apply.
 */
static int check_args(const struct latency_args *a, struct ftr_error *err)
{
	const struct filter_spec *f = &a->spans.select.spec;

	if (a->wakeup && (f->rules || f->events.n || f->no_hardirq || f->no_softirq)) {
		err_set(err, FTR_USAGE, "wakeup has no selection by events, filters or interrupts");
		return err_hint(err, "--pid, --comm and --cpu choose who waited, and where it came "
				"to run");
	}
	if (!a->limit.given || !is_picture_alone(a))
		return 0;
	err_set(err, FTR_USAGE, "--slower and a picture can't both go to standard output");
	return err_hint(err, "write --heatmap=FILE.svg");
}

static int run_latency(const struct cmd *self, int argc, char **argv)
{
	struct latency_args a = { .spans.fixed = true, .unit = USUAL_UNIT };
	struct ftr_error err = {0};
	int status, first = cmd_parse(self, argc, argv, &a, &status);

	if (first >= 0 && (parse_operands(&a, argc, argv, &first, &err) ||
			   check_args(&a, &err) ||
			   span_open(&a.spans, first, argc, argv, &err) ||
			   check_units(&a, &err) || run_model(&a, &err)))
		status = cmd_fail(&err);
	buf_release(&a.of);
	return span_close(&a.spans, status);
}

const struct cmd cmd_latency = {
	.name = "latency",
	.usage = "[OPTIONS] KIND | FUNCTION | BEGIN END [FILE...]",
	.summary = "show latencies of system calls, wakeups, functions, ...",
	.examples = examples,
	.options = options,
	.flags = CMD_EVERYDAY,
	.run = run_latency,
};
