/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ftr latency prints. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cmd/frame/json_rows.h"
#include "cmd/latency_priv.h"
#include "output/svg/log2_hist.h"

/* --- figures of a distribution */

static const struct percentile {
	const char *name;
	double percent;
} percentiles[] = { { "p50", 50 }, { "p90", 90 }, { "p99", 99 }, { "p99.9", 99.9 } };
#define NR_PERCENTILES (sizeof(percentiles) / sizeof(*percentiles))

static void add_title(const struct latency_args *a, const char *name, struct buf *out)
{
	char title[16];

	snprintf(title, sizeof(title), "%s%s", name, latency_is_ns(a) ? " (us)" : "");
	buf_printf(out, " %10s", title);
}

static void add_figure(const struct latency_args *a, double v, struct buf *out)
{
	buf_printf(out, " %10.3f", latency_is_ns(a) ? v / 1000 : v);
}

/* In columns as those of ftr profile. */
static void add_figures(const struct latency_args *a, const struct dist *d, struct buf *out)
{
	buf_addch(out, '#');
	add_title(a, "Avg", out);
	for (size_t i = 0; i < NR_PERCENTILES; i++)
		add_title(a, percentiles[i].name, out);
	add_title(a, "Max", out);
	buf_printf(out, " %10s\n ", "Count");
	add_figure(a, dist_mean(d), out);
	for (size_t i = 0; i < NR_PERCENTILES; i++)
		add_figure(a, dist_percentile(d, percentiles[i].percent), out);
	add_figure(a, d->max, out);
	buf_printf(out, " %10" PRIu64 "\n", d->count);
}

static void add_group(const struct latency_args *a, const struct latency_group *g,
		      struct buf *out)
{
	if (a->by)
		buf_printf(out, "%s%s = %s\n", out->len ? "\n" : "", a->by, g->text);
	log2_draw(out, g->rows, LATENCY_ROWS, latency_label(a));
	add_figures(a, &g->d, out);
}

/* --- the report that shows a span */

static void add_offset(const struct selection *s, size_t file, struct buf *out)
{
	for (size_t i = 0; i < s->nr_offsets; i++)
		if (s->offsets[i].file == file)
			buf_printf(out, " --ts-offset %" PRId64, s->offsets[i].ns);
}

/* Times are told as they are here. Aligned ones are those of all files together. */
static void add_files(const struct selection *s, size_t file, struct buf *out)
{
	for (size_t i = 0; i < s->nr_traces; i++) {
		if (i != file && !s->align_ts)
			continue;
		buf_addstr(out, s->nr_offsets ? " -i " : " ");
		text_add_file(out, s->files.v[i]);
		add_offset(s, i, out);
	}
}

static void add_time_options(const struct selection *s, struct buf *out)
{
	if (s->ts_offset_ns)
		buf_printf(out, " --ts-offset %" PRId64, s->ts_offset_ns);
	if (s->date)
		buf_addstr(out, " --date");
	if (s->nodate)
		buf_addstr(out, " --nodate");
	if (s->align_ts)
		buf_addstr(out, " --align-ts");
	if (s->raw_ts)
		buf_addstr(out, " --raw-ts");
}

void latency_add_report(const struct latency_args *a, const struct latency_span *s,
			struct buf *out)
{
	const struct selection *sel = &a->spans.select;
	const struct trace *t = sel->traces[s->file];

	buf_addstr(out, "ftr report");
	add_time_options(sel, out);
	buf_addstr(out, " --since ");
	trace_add_time(out, t, s->begin, true);
	buf_addstr(out, " --until ");
	trace_add_time(out, t, s->end, true);
	add_files(sel, s->file, out);
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

void latency_add_slower_head(const struct latency_args *a, struct buf *out)
{
	add_span_head(a, out);
}

void latency_add_slower(const struct latency_args *a, const struct latency_span *s,
			struct buf *out)
{
	add_span(a, s, out);
}

static void add_worst(const struct latency_args *a, const struct latency *l, struct buf *out)
{
	size_t n;
	const struct latency_span *worst = latency_worst(l, &n);

	if (!n)
		return;
	buf_addstr(out, "\n# The longest, each with a command that shows what was recorded during "
		   "it:\n");
	add_span_head(a, out);
	for (size_t i = 0; i < n; i++) {
		add_span(a, &worst[i], out);
		buf_addstr(out, "    ");
		latency_add_report(a, &worst[i], out);
		buf_addch(out, '\n');
	}
}

void latency_add_unknown(const struct latency_args *a, const struct model *m,
			 const struct latency *l, struct buf *out)
{
	span_add_marks(out, latency_marks(l), latency_below_0(l));
	span_add_unknown(out, m, a->wakeup);
}

void latency_print_text(const struct latency_args *a, const struct model *m, struct latency *l)
{
	static const struct latency_group none;
	struct buf out = {0};
	struct latency_group *const *groups;
	size_t n;

	groups = latency_groups(l, &n);
	for (size_t i = 0; i < n; i++)
		add_group(a, groups[i], &out);
	if (!n && !a->by)
		add_group(a, &none, &out);
	add_worst(a, l, &out);
	latency_add_unknown(a, m, l, &out);
	fwrite(out.data ? out.data : "", 1, out.len, stdout);
	buf_release(&out);
}

/* --- JSON */

static json_t *span_object(const struct latency_args *a, const struct latency_span *s)
{
	struct buf report = {0};
	json_t *o;

	latency_add_report(a, s, &report);
	o = json_pack("{s:I, s:I, s:I, s:s, s:s, s:i, s:s}", "begin", (json_int_t)s->begin,
		      "end", (json_int_t)s->end, "duration", (json_int_t)s->duration,
		      "name", s->name, "task", s->task, "cpu", s->cpu, "report", report.data);
	buf_release(&report);
	return o;
}

void latency_print_span_json(const struct latency_args *a, const struct latency_span *s)
{
	json_t *o = span_object(a, s);

	json_dumpf(o, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
	json_decref(o);
}

static json_t *rows_array(const uint64_t *rows)
{
	json_t *all = json_array();
	size_t n = LATENCY_ROWS;

	while (n && !rows[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		json_array_append_new(all, json_pack("{s:I, s:I, s:I}",
			"from", (json_int_t)log2_from(i), "to", (json_int_t)log2_to(i),
			"count", (json_int_t)rows[i]));
	return all;
}

static void set_number(json_t *o, const char *name, uint64_t v)
{
	json_object_set_new(o, name, json_integer(v));
}

static json_t *group_object(const struct latency_args *a, const struct latency_group *g)
{
	json_t *o = json_object();

	if (a->by)
		json_object_set_new(o, "value", json_string(g->text));
	set_number(o, "count", g->d.count);
	set_number(o, "sum", g->d.sum);
	set_number(o, "avg", llround(dist_mean(&g->d)));
	set_number(o, "min", g->d.min);
	for (size_t i = 0; i < NR_PERCENTILES; i++)
		set_number(o, percentiles[i].name, dist_percentile(&g->d, percentiles[i].percent));
	set_number(o, "max", g->d.max);
	json_object_set_new(o, "rows", rows_array(g->rows));
	return o;
}

static json_t *marks_object(const struct latency *l)
{
	json_t *o = json_object();

	for (size_t i = 0; i < SPAN_MARKS; i++)
		if (latency_marks(l)[i])
			set_number(o, span_mark_names[i], latency_marks(l)[i]);
	if (latency_below_0(l))
		set_number(o, "below 0", latency_below_0(l));
	return o;
}

void latency_print_json(const struct latency_args *a, struct latency *l)
{
	struct latency_group *const *g;
	const struct latency_span *s;
	struct json_rows rows;
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
	for (size_t i = 0; i < n; i++)
		json_rows_add_row(&rows, span_object(a, &s[i]));
	json_rows_end_list(&rows);
	json_rows_add_member(&rows, "marks", marks_object(l));
	json_rows_end(&rows);
}
