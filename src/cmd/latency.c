/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr latency: how long spans took, and how long tasks waited for a CPU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/term.h"
#include "base/text.h"
#include "cmd/frame/command.h"
#include "cmd/frame/command_output.h"
#include "cmd/latency_priv.h"
#include "output/svg.h"
#include "output/svg/heat_map.h"

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

bool latency_is_ns(const struct latency_args *a)
{
	return a->spans.select.traces[0]->clock_is_ns;
}

static uint64_t divisor_of(const struct latency_args *a)
{
	return latency_is_ns(a) ? a->unit->ns : 1;
}

const char *latency_label(const struct latency_args *a)
{
	return latency_is_ns(a) ? a->unit->label : "units";
}

/* What is told in seconds has no meaning for a clock that does not count them. */
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

/* --- operands */

static int say_operands(struct ftr_error *err)
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

static int take_pair(struct latency_args *a, const char *begin, const char *end,
		     struct ftr_error *err)
{
	struct buf pair = {0};

	if (!end || !strchr(end, ':')) {
		err_set(err, FTR_USAGE, "'%s' begins a span, but no event that ends it was given",
			begin);
		return say_operands(err);
	}
	buf_printf(&a->of, "%s %s", begin, end);
	buf_printf(&pair, "%s=%s,%s%s%s", a->of.data, begin, end, a->key ? "," : "",
		   a->key ? a->key : "");
	strv_take(&a->spans.pairs, buf_take(&pair));
	return 0;
}

static int take_kind(struct latency_args *a, const char *name, struct ftr_error *err)
{
	int kind = model_kind_of(name);

	buf_addstr(&a->of, name);
	a->wakeup = !strcmp(name, "wakeup");
	if (a->key)
		return err_set(err, FTR_USAGE, "--key is for two events: '%s' has a key of its own",
			       name);
	if (kind < 0 && !a->wakeup) {
		if (!access(name, F_OK)) {
			err_set(err, FTR_USAGE, "unknown kind '%s'", name);
			return say_operands(err);
		}
		a->function = name;
		strv_add(&a->spans.names, name);
		kind = SPAN_FUNCTION_GRAPH;
	}
	a->kinds = a->wakeup ? 0 : 1u << kind;
	return 0;
}

/* Takes the words before the files. */
static int take_operands(struct latency_args *a, int argc, char **argv, int *first,
			 struct ftr_error *err)
{
	const char *word = *first < argc ? argv[*first] : NULL;
	int ret;

	if (!word) {
		err_set(err, FTR_USAGE, "no kind of latency was given");
		return say_operands(err);
	}
	if (!strchr(word, ':')) {
		++*first;
		return take_kind(a, word, err);
	}
	ret = take_pair(a, word, *first + 1 < argc ? argv[*first + 1] : NULL, err);
	*first += 2;
	return ret;
}

/* A delay has two records, of which neither is its task's own. */
static int check_wakeup(const struct latency_args *a, struct ftr_error *err)
{
	const struct filter_spec *f = &a->spans.select.spec;

	if (!a->wakeup || (!f->rules && !f->events.n && !f->no_hardirq && !f->no_softirq))
		return 0;
	err_set(err, FTR_USAGE, "wakeup has no selection by events, filters or interrupts");
	return err_hint(err, "--pid, --comm and --cpu choose who waited, and where it came to run");
}

/* --- one pass */

struct reading {
	struct latency_args *args;
	const struct model *model;
	struct latency *latency;
	struct heat *heat;		/* NULL: none */
	struct buf out;
	bool shows;			/* a picture, or single spans */
	bool started, stop;
};

/* The pager comes with the first line, not before: until then progress is told. */
static void print_slower(struct reading *p, const struct span *s)
{
	struct latency_span span;

	latency_span_fill(&span, p->model, s);
	if (!p->started)
		term_pager_start();
	if (p->args->spans.json) {
		fputs(p->started ? ",\n" : "[\n", stdout);
		latency_print_span_json(p->args, &span);
	} else {
		if (!p->started)
			latency_add_slower_head(p->args, &p->out);
		latency_add_slower(p->args, &span, &p->out);
		fwrite(p->out.data, 1, p->out.len, stdout);
		buf_reset(&p->out);
	}
	p->started = true;
	p->stop = ferror(stdout);
	latency_span_release(&span);
}

static __attribute__((noinline)) void show_span(struct reading *p, const struct span *s)
{
	const struct latency_args *a = p->args;

	if (p->heat)
		heat_add(p->heat, s->end, latency_row(s->duration, divisor_of(a)));
	if (a->limit.given && s->duration > a->slower)
		print_slower(p, s);
}

static inline void take_span(struct reading *p, const struct span *s)
{
	if (latency_end(p->latency, s) && p->shows)
		show_span(p, s);
}

static void span_begins(void *ctx, struct span *s, const struct trace_rec *r)
{
	struct reading *p = ctx;

	s->is_shown = span_is_selected(&p->args->spans, r) &&
		      span_has_name(&p->args->spans, p->model, s);
	if (p->args->by && s->is_shown)
		latency_begin(p->latency, s, r);
}

static void span_ends(void *ctx, struct span *s, const struct trace_rec *r)
{
	(void)r;
	if (s->is_shown)
		take_span(ctx, s);
}

static void task_waited(void *ctx, struct span *s, const struct trace_rec *r)
{
	struct reading *p = ctx;

	if (!span_task_is_selected(&p->args->spans, p->model, s->task))
		return;
	latency_begin(p->latency, s, r);
	take_span(p, s);
}

static const struct span_ops span_views = { .begin = span_begins, .end = span_ends };
static const struct span_ops wakeup_views = { .waited = task_waited };

/* --- output */

/* What JSON does not have. */
static void say_unknown(const struct reading *p)
{
	struct buf lines = {0};

	span_add_unknown(&lines, p->model, p->args->wakeup);
	span_say_lines(&lines);
	buf_release(&lines);
}

static void finish_slower(struct reading *p)
{
	if (!p->started)
		term_pager_start();
	if (p->args->spans.json)
		fputs(p->started ? "\n]\n" : "[]\n", stdout);
	else
		latency_add_unknown(p->args, p->model, p->latency, &p->out);
	fwrite(p->out.data ? p->out.data : "", 1, p->out.len, stdout);
	if (p->args->spans.json)
		say_unknown(p);
}

/* The time that is read, as far as there are records. */
static struct heat *heat_new(const struct selection *s)
{
	struct heat *h = xcalloc(1, sizeof(*h));
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < s->nr_traces; i++)
		trace_bounds(s->traces[i], &first, &last);
	h->from = first > s->range.since ? first : s->range.since;
	h->to = last < s->range.until ? last : s->range.until - 1;
	if (h->from > h->to)
		h->from = h->to;
	return h;
}

static int write_heat(const struct latency_args *a, const struct heat *h, struct ftr_error *err)
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

static void print_all(struct reading *p)
{
	const struct latency_args *a = p->args;

	if (a->limit.given) {
		finish_slower(p);
		return;
	}
	if (is_picture_alone(a))
		return;
	term_pager_start();
	if (!a->spans.json) {
		latency_print_text(a, p->model, p->latency);
		return;
	}
	latency_print_json(a, p->latency);
	say_unknown(p);
}

/* --- the command */

static int check_field(const struct latency_args *a, const struct latency *l,
		       struct ftr_error *err)
{
	size_t n;

	if (latency_met_field(l))
		return 0;
	latency_groups((struct latency *)l, &n);
	if (!n)
		return 0;
	err_set(err, FTR_FAILED, "no record that begins such a span has a field '%s'", a->by);
	return err_hint(err, "'ftr report --events FILE' prints the formats of events");
}

static enum latency_by by_of(const char *word)
{
	static const char *const words[] = { "task", "cpu", "name" };

	if (!word)
		return LATENCY_ALL;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(word, words[i]))
			return LATENCY_TASK + i;
	return LATENCY_FIELD;
}

/* The kind that was most likely meant, or NULL; the caller frees. */
static char *near_kind(const char *word)
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

/* A word that is no kind: the kind and the functions that are near. */
static int say_unknown_word(struct latency_args *a, const struct none_names *names,
			    struct ftr_error *err)
{
	char *kind = near_kind(a->function);
	struct buf near = {0};
	int ret;

	if (!names || !none_names_nr(names)) {
		err_set(err, FTR_USAGE, "unknown kind '%s'", a->function);
		ret = kind ? err_hint(err, "did you mean '%s'?", kind) : say_operands(err);
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

static int check_function(struct latency_args *a, const struct model_opts *o,
			  struct ftr_error *err)
{
	struct none_names *names = span_read_names(&a->spans, o);
	int ret = 0;

	if (!names || !none_names_match(names, &a->spans.names))
		ret = say_unknown_word(a, names, err);
	none_names_free(names);
	return ret;
}

static int check_records(struct latency_args *a, const struct model *m, struct ftr_error *err)
{
	if (a->function && !model_met(m, SPAN_FUNCTION_GRAPH) && !a->spans.signal)
		return span_fail_range(&a->spans, "calls", err) ? -1 :
		       say_unknown_word(a, NULL, err);
	if (!a->wakeup)
		return span_check(&a->spans, m, a->kinds, false, err);
	if (model_met_switch(m) || a->spans.signal)
		return 0;
	return span_say_no_switches(&a->spans, err);
}

static uint64_t longest_of(const struct latency *l)
{
	size_t n;
	const struct latency_span *worst = latency_worst(l, &n);

	return n ? worst->duration : 0;
}

static bool has_spans(struct latency *l)
{
	size_t n;

	latency_groups(l, &n);
	return n;
}

/* Nothing was measured: an empty picture is no answer. JSON is for programs, and complete. */
static int show_none(struct latency_args *a, struct reading *p, const struct model_opts *o,
		     struct ftr_error *err)
{
	struct buf why = {0};
	bool says;

	if (a->function && check_function(a, o, err))
		return -1;
	says = span_add_none(&a->spans, o, a->wakeup ? SPAN_NONE_WAITS : SPAN_NONE_SPANS, &why);
	if (p->heat) {
		span_fail_empty(&a->spans, says ? why.data : NULL, err);
		buf_release(&why);
		return -1;
	}
	if (says)
		cmd_say("%s", why.data);
	if (!says || a->spans.json)
		print_all(p);
	buf_release(&why);
	return 0;
}

static int read_all(struct latency_args *a, struct reading *p, struct model *m,
		    const struct model_opts *o, enum latency_by by, struct ftr_error *err)
{
	p->model = m;
	latency_bind(p->latency, m);
	span_read(&a->spans, m, &p->stop);
	if (check_records(a, m, err) ||
	    (by == LATENCY_FIELD && check_field(a, p->latency, err)))
		return -1;
	if (!has_spans(p->latency) && !a->spans.signal)
		return show_none(a, p, o, err);
	print_all(p);
	if (a->limit.given && !p->started && !a->spans.signal)
		span_say_longest(&a->spans, a->wakeup ? "wait" : "span", "--slower",
				 longest_of(p->latency));
	return p->heat ? write_heat(a, p->heat, err) : 0;
}

static int run_model(struct latency_args *a, struct ftr_error *err)
{
	struct latency_opts lo = { .by = by_of(a->by), .field = a->by,
				   .unit = divisor_of(a) };
	struct model_opts o = { .kinds = a->kinds, .pairs = &a->spans.pairs,
				.instance = a->spans.instance };
	struct reading p = { .args = a, .latency = latency_new(&lo) };
	struct model *m;
	int ret = -1;

	p.shows = a->heatmap || a->limit.given;
	if (a->heatmap)
		p.heat = heat_new(&a->spans.select);
	m = model_new(a->spans.select.traces, a->spans.select.nr_traces, &o,
		      a->wakeup ? &wakeup_views : &span_views, &p, err);
	if (m)
		ret = read_all(a, &p, m, &o, lo.by, err);
	latency_free(p.latency);
	buf_release(&p.out);
	free(p.heat);
	model_free(m);
	return ret;
}

static int check_output(const struct latency_args *a, struct ftr_error *err)
{
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

	if (first >= 0 && (take_operands(&a, argc, argv, &first, &err) ||
			   check_wakeup(&a, &err) || check_output(&a, &err) ||
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
