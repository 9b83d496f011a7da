/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by commands on the model: options, the pass over all records, remarks at its end. */
#include "cmd/frame/span_commands.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sig.h"
#include "base/text.h"
#include "cmd/frame/command.h"
#include "model/span_profile.h"

#define CHECK_EACH	(1u << 16)	/* records between two checks of the clock and of signals */

/* --- options */

static int fail_unknown_kind(const char *name, struct ftr_error *err)
{
	const char *near = model_kind_near(name);
	struct buf kinds = {0};
	int ret;

	err_set(err, FTR_USAGE, "unknown kind '%s'", name);
	if (near)
		return err_hint(err, "did you mean '%s'?", near);
	model_add_kinds(&kinds);
	ret = err_hint(err, "there are: %s", kinds.data);
	buf_release(&kinds);
	return ret;
}

int span_kinds(const struct span_args *a, uint32_t usual, uint32_t *kinds, struct ftr_error *err)
{
	struct strv names = {0};
	int kind, ret = 0;

	*kinds = a->kinds.n || a->pairs.n ? 0 : usual;
	for (size_t i = 0; i < a->kinds.n; i++)
		strv_split(&names, a->kinds.v[i], ",");
	for (size_t i = 0; i < names.n && !ret; i++) {
		kind = model_kind_of(names.v[i]);
		if (kind < 0)
			ret = fail_unknown_kind(names.v[i], err);
		else
			*kinds |= 1u << kind;
	}
	strv_release(&names);
	return ret;
}

int span_open(struct span_args *a, int first, int argc, char **argv, struct ftr_error *err)
{
	for (; first < argc; first++)
		strv_add(&a->select.files, argv[first]);
	if (selection_open(&a->select, err) || selection_compile(&a->select, err))
		return -1;
	a->all = true;
	for (size_t i = 0; i < a->select.nr_traces; i++)
		a->all &= filter_all(a->select.filters[i]);
	sig_hold();
	return 0;
}

/* --- clocks */

int span_limit_parse(struct span_limit *l, const char *text)
{
	char *end;

	*l = (struct span_limit){ .given = true };
	if (text_duration(text, &l->ns))
		return -1;
	errno = 0;
	l->units = strtoull(text, &end, 10);
	l->whole = !errno && !*end;
	return 0;
}

int span_check_clocks_of(const struct trace *a, const struct trace *b, struct ftr_error *err)
{
	if (a->clock_is_ns == b->clock_is_ns)
		return 0;
	err_set(err, FTR_FAILED, "'%s' and '%s' count time in different units", a->dat->path,
		b->dat->path);
	return err_hint(err, "record both with one clock, as by -C mono");
}

int span_check_clocks(const struct span_args *a, struct ftr_error *err)
{
	int ret = 0;

	for (size_t i = 1; i < a->select.nr_traces && !ret; i++)
		ret = span_check_clocks_of(a->select.traces[0], a->select.traces[i], err);
	return ret;
}

int span_limit_of(const struct span_args *a, const char *option, const struct span_limit *l,
		  uint64_t *value, struct ftr_error *err)
{
	if (span_check_clocks(a, err))
		return -1;
	*value = a->select.traces[0]->clock_is_ns ? l->ns : l->units;
	if (a->select.traces[0]->clock_is_ns || l->whole)
		return 0;
	err_set(err, FTR_USAGE, "%s is told in seconds, which the clock of '%s' does not count",
		option, a->select.traces[0]->dat->path);
	return err_hint(err, "give a whole number, in the units of that clock");
}

/* --- the pass */

/* Runs the pass over @traces, which are those of @a or views of them. */
static void read_traces(struct span_args *a, struct trace *const *traces, struct model *m,
			const bool *stop)
{
	const struct out_range *range = &a->select.range;
	struct trace_iter *it = trace_iter_new_range(traces, a->select.nr_traces, NULL,
						     range->since, range->until);
	const struct trace_rec *r;
	struct read_progress progress;
	uint32_t n = 0, looked = 0;

	progress_start(&progress, &a->select);
	while ((r = model_next(m, it, &n)) && !(stop && *stop)) {
		model_feed(m, r);
		if (n - looked < CHECK_EACH)
			continue;
		looked = n;
		progress_show(&progress, r->ts);
		a->signal = sig_held();
		if (a->signal)
			break;
	}
	progress_end(&progress);
	trace_iter_free(it);
	model_end(m);
}

void span_read(struct span_args *a, struct model *m, const bool *stop)
{
	/* texts that a model owns have other addresses in the next one */
	slots_release(&a->verdicts);
	read_traces(a, a->select.traces, m, stop);
	if (model_refused(m))
		cmd_warn("%" PRIu64 " spans are missing: too many were open at once",
			 model_refused(m));
}

/* --- the command that shows a span */

void span_add_report(const struct span_args *a, uint32_t file, uint64_t from, uint64_t to,
		     struct buf *out)
{
	const struct selection *s = &a->select;
	const struct trace *t = s->traces[file];

	buf_addstr(out, "ftr report");
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
	buf_addstr(out, " --since ");
	trace_add_time(out, t, from, true);
	buf_addstr(out, " --until ");
	trace_add_time(out, t, to, true);
	for (size_t i = 0; i < s->nr_traces; i++) {
		if (i != file && !s->align_ts)
			continue;
		buf_addstr(out, s->nr_offsets ? " -i " : " ");
		text_add_file(out, s->files.v[i]);
		for (size_t k = 0; k < s->nr_offsets; k++)
			if (s->offsets[k].file == i)
				buf_printf(out, " --ts-offset %" PRId64, s->offsets[k].ns);
	}
}

/* --- the choice of spans and tasks */

enum verdict { NAME_IS_NEW, NAME_MATCHES, NAME_DIFFERS };

static enum verdict judge_name(const struct span_args *a, const struct model *m,
			       const struct span *s)
{
	enum verdict verdict = NAME_DIFFERS;
	struct buf name = {0}, full = {0};
	const char *module;
	size_t i, len;

	model_add_name(m, s, &name);
	buf_add(&full, name.data, name.len);
	module = model_module_of(m, s, &len);
	if (module)
		buf_printf(&full, " %.*s", (int)len, module);
	for (i = 0; i < a->names.n; i++)
		if (!fnmatch(a->names.v[i], name.data, 0) || !fnmatch(a->names.v[i], full.data, 0))
			verdict = NAME_MATCHES;
	buf_release(&name);
	buf_release(&full);
	return verdict;
}

bool span_has_name(struct span_args *a, const struct model *m, const struct span *s)
{
	uint64_t key = (uint64_t)s->how << 32 | s->file;
	uint32_t verdict;

	if (!a->names.n)
		return true;
	if (!a->verdicts.v)
		slots_init(&a->verdicts);
	verdict = slots_find(&a->verdicts, s->name, key);
	if (verdict == NAME_IS_NEW) {
		verdict = judge_name(a, m, s);
		slots_add(&a->verdicts, s->name, key, verdict);
	}
	return verdict == NAME_MATCHES;
}

bool span_cpu_is_selected(const struct span_args *a, int cpu)
{
	const uint64_t *cpus = a->select.spec.cpus;

	return !cpus || (cpu >= 0 && cpu < FILTER_CPU_BITS && cpus[cpu / 64] >> cpu % 64 & 1);
}

bool span_task_is_selected(const struct span_args *a, const struct model *m, const struct task *t)
{
	return filter_has_task(&a->select.spec, t->cpu, t->pid, model_task_name(m, t));
}

/* --- nothing is shown */

static const char *files_text(const struct span_args *a)
{
	return a->select.nr_traces == 1 ? a->select.traces[0]->dat->path : "the files";
}

/* The state of another pass over the files. */
struct second_pass {
	struct span_args *args;
	struct select_none *none;
	struct span_profile *profile;	/* of all spans, or NULL */
	struct none_names *names;	/* names of the rows of ->profile */
	struct buf kinds;		/* the kinds that have records: "function_graph, irq" */
	const struct model *model;
	bool done;
};

static void account_span(void *ctx, struct span *s, const struct trace_rec *r)
{
	struct second_pass *p = ctx;

	if (span_has_name(p->args, p->model, s))
		p->done = select_none_see(p->none, r);
}

static void account_wait(void *ctx, struct span *s, const struct trace_rec *r)
{
	struct second_pass *p = ctx;

	(void)r;
	select_none_see_task(p->none, s->task->file, s->task->cpu, s->task->pid,
			     model_task_name(p->model, s->task));
}

static void account_switch(void *ctx, struct task *prev, struct task *next,
			   const struct trace_rec *r)
{
	struct second_pass *p = ctx;

	(void)prev;
	(void)next;
	p->done = select_none_see(p->none, r);
}

static void count_span(void *ctx, struct span *s, const struct trace_rec *r)
{
	struct second_pass *p = ctx;

	(void)r;
	profile_end(p->profile, s);
}

/*
 * Runs another pass; @use, which may be NULL, is called before the model is freed. Returns 0, or -1
 * if the files were not read to the end.
 */
static int read_again(struct span_args *a, const struct model_opts *o, const struct span_ops *ops,
		      struct second_pass *p, void (*use)(struct second_pass *p))
{
	struct trace **views = trace_views(a->select.traces, a->select.nr_traces);
	struct ftr_error err = {0};
	struct model *m;

	if (!views)
		return -1;
	m = model_new(views, a->select.nr_traces, o, ops, p, &err);
	p->args = a;
	p->model = m;
	slots_release(&a->verdicts);
	if (m && p->profile)
		profile_bind(p->profile, m);
	if (m)
		read_traces(a, views, m, &p->done);
	if (m && use)
		use(p);
	model_free(m);
	select_views_close(&a->select, views);
	return m && !a->signal ? 0 : -1;
}

static const struct {
	const char *what;
	struct span_ops ops;
} items[] = {
	[SPAN_NONE_SPANS] = { "span", { .begin = account_span } },
	[SPAN_NONE_WAITS] = { "wait", { .waited = account_wait } },
	[SPAN_NONE_SWITCHES] = { "switch", { .switched = account_switch } },
};

bool span_add_none(struct span_args *a, const struct model_opts *o, enum span_none which,
		   struct buf *out)
{
	struct second_pass p = {0};
	bool reported;

	if (!selection_chooses(&a->select) || a->signal)
		return false;
	p.none = select_none_new(&a->select);
	reported = !read_again(a, o, &items[which].ops, &p, NULL) &&
	       select_none_add(p.none, items[which].what, false, out);
	select_none_free(p.none);
	return reported;
}

bool span_report_none(struct span_args *a, const struct model_opts *o, enum span_none which)
{
	struct buf b = {0};
	bool reported = !cmd_quiet && span_add_none(a, o, which, &b);

	if (reported)
		cmd_notice("%s", b.data);
	buf_release(&b);
	return reported;
}

static void count_rows(struct second_pass *p)
{
	const struct profile_row *r;
	struct buf name = {0};

	for (size_t i = 1; i < profile_rows(p->profile); i++) {
		r = profile_row(p->profile, i);
		buf_reset(&name);
		profile_add_name(p->profile, r, &name);
		none_names_count(p->names, name.data, r->count);
	}
	buf_release(&name);
}

struct none_names *span_read_names(struct span_args *a, const struct model_opts *o)
{
	static const struct span_ops ops = { .end = count_span };
	static const struct profile_opts po = { .by = PROFILE_FUNCTION };
	struct second_pass p = { .profile = profile_new(&po), .names = none_names_new() };

	if (read_again(a, o, &ops, &p, count_rows)) {
		none_names_free(p.names);
		p.names = NULL;
	}
	profile_free(p.profile);
	return p.names;
}

bool span_report_no_name(struct span_args *a, const struct model_opts *o, const char *option,
			 const struct strv *globs)
{
	struct none_names *names = globs->n && !cmd_quiet ? span_read_names(a, o) : NULL;
	bool reported = names && none_names_nr(names) && !none_names_match(names, globs);
	struct buf b = {0};

	if (reported) {
		none_names_add(names, "; there are ", globs->v[0], &b);
		cmd_notice("no function matches %s '%s'%s%s", option, globs->v[0],
			   globs->n > 1 ? ", ..." : "", b.data);
	}
	none_names_free(names);
	buf_release(&b);
	return reported;
}

int span_fail_empty(const struct span_args *a, const char *why, struct ftr_error *err)
{
	enum ftr_status code = FTR_FAILED;

	for (size_t i = 0; i < a->select.nr_traces; i++)
		if (trace_damages(a->select.traces[i])->n)
			code = FTR_DAMAGED;
	return err_set(err, code, "%s", why ? why : "there is nothing to draw");
}

void span_report_longest(const struct span_args *a, const char *what, const char *option,
			 uint64_t longest)
{
	if (a->select.traces[0]->clock_is_ns)
		cmd_notice("no %s is as long as %s wants; the longest takes %.3f us", what, option,
			   longest / 1000.0);
	else
		cmd_notice("no %s is as long as %s wants; the longest takes %" PRIu64, what, option,
			   longest);
}

bool span_add_no_task(const struct span_args *a, const struct model *m, struct buf *out)
{
	struct select_none *n;
	bool reported;

	if (!selection_chooses(&a->select) || a->signal)
		return false;
	n = select_none_new(&a->select);
	for (const struct task *t = model_tasks(m); t; t = t->next)
		if (t->pid && model_has_states(m, t->file))
			select_none_see_task(n, t->file, t->cpu, t->pid, model_task_name(m, t));
	reported = select_none_add(n, "task", false, out);
	select_none_free(n);
	return reported;
}

bool span_report_no_task(const struct span_args *a, const struct model *m)
{
	struct buf b = {0};
	bool reported = !cmd_quiet && span_add_no_task(a, m, &b);

	if (reported)
		cmd_notice("%s", b.data);
	buf_release(&b);
	return reported;
}

/* --- the end */

/* The words of ftr record for each kind; marks are recorded without any option. */
static const char *const record_words[SPAN_PAIR] = {
	"-p function_graph", "-e raw_syscalls", "-e irq", "-e irq", "-e workqueue", "-e lock",
	"-e block", "-e kprobes", "COMMAND", "COMMAND",
};

/* Adds the times of all records as a hint. Returns -1. */
static int hint_times(const struct span_args *a, struct ftr_error *err)
{
	const struct selection *s = &a->select;
	uint64_t first = UINT64_MAX, last = 0;
	struct buf b = {0};
	int ret;

	for (size_t i = 0; i < s->nr_traces; i++)
		trace_bounds(s->traces[i], &first, &last);
	if (first > last)
		return err_hint(err, "%s has no records", files_text(a));
	trace_add_time(&b, s->traces[0], first, false);
	buf_addstr(&b, " to ");
	trace_add_time(&b, s->traces[0], last, false);
	ret = err_hint(err, "there are records from %s", b.data);
	buf_release(&b);
	return ret;
}

int span_fail_range(const struct span_args *a, const char *what, struct ftr_error *err)
{
	if (!a->select.range.since && a->select.range.until == UINT64_MAX)
		return 0;
	err_set(err, FTR_FAILED, "no %s between --since and --until in '%s'", what, files_text(a));
	return hint_times(a, err);
}

static void add_kinds_met(struct second_pass *p)
{
	for (unsigned int i = 0; i < SPAN_PAIR; i++)
		if (model_met(p->model, i))
			buf_printf(&p->kinds, "%s%s", p->kinds.len ? ", " : "",
				   model_kind_name(p->model, i));
}

/* Fails as the files have no records of @kinds. Returns -1 with @err. */
static int fail_no_kinds(struct span_args *a, const struct model *m, uint32_t kinds,
			 struct ftr_error *err)
{
	static const struct span_ops ops;
	struct model_opts o = { .kinds = (1u << SPAN_PAIR) - 1, .instance = a->instance };
	unsigned int kind = kinds ? __builtin_ctz(kinds) : SPAN_PAIR;
	struct second_pass p = {0};

	if (span_fail_range(a, "such records", err))
		return -1;
	if (kind >= SPAN_PAIR) {
		err_set(err, FTR_FAILED, "no records of %s in '%s'",
			a->fixed ? "these events" : "--pair", files_text(a));
		return err_hint(err, "'ftr info' counts the records of each event");
	}
	err_set(err, FTR_FAILED, "no records of %s in '%s'", model_kind_name(m, kind),
		files_text(a));
	read_again(a, &o, &ops, &p, add_kinds_met);
	if (p.kinds.len)
		err_hint(err, "there are records of %s; 'ftr record %s' records %s", p.kinds.data,
			 record_words[kind], model_kind_name(m, kind));
	else
		err_hint(err, "'ftr record %s' records them", record_words[kind]);
	buf_release(&p.kinds);
	return -1;
}

int span_fail_no_records(const struct span_args *a, struct ftr_error *err)
{
	err_set(err, FTR_FAILED, "no records to be shown in '%s'", files_text(a));
	return hint_times(a, err);
}

int span_fail_no_switches(const struct span_args *a, struct ftr_error *err)
{
	if (span_fail_range(a, "sched_switch", err))
		return -1;
	err_set(err, FTR_FAILED, "no sched_switch in '%s'", files_text(a));
	return err_hint(err, "'ftr record -e sched ...' records when tasks run");
}

int span_check(struct span_args *a, const struct model *m, uint32_t kinds, bool switches,
	       struct ftr_error *err)
{
	bool met = false;

	for (unsigned int i = 0; i < SPAN_KINDS_MAX; i++)
		met |= model_met(m, i);
	if (!met && !a->signal)
		return fail_no_kinds(a, m, kinds, err);
	if (!switches || model_met_switch(m))
		return 0;
	return span_fail_no_switches(a, err);
}

void span_add_marks(struct buf *out, const uint64_t *marks, uint64_t below_0)
{
	const char *before = "# in no sum: ";

	for (size_t i = 0; i < SPAN_MARKS; i++) {
		if (!marks[i])
			continue;
		buf_printf(out, "%s%" PRIu64 " %s", before, marks[i], span_mark_names[i]);
		before = ", ";
	}
	if (below_0)
		buf_printf(out, "%s%" PRIu64 " with times that go back", before, below_0);
	if (*before == ',' || below_0)
		buf_addch(out, '\n');
}

void span_add_unknown(struct buf *out, const struct model *m, bool states)
{
	if (states) {
		model_add_losses(m, out);
		model_add_missed(m, out);
	}
	model_add_filters(m, out);
}

void span_print_remarks(const struct buf *lines)
{
	const char *p = lines->data, *end = p ? p + lines->len : NULL, *nl;

	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		cmd_notice("%.*s", (int)(nl - p - 2), p + 2);
	}
}

int span_close(struct span_args *a, int status)
{
	int damaged = selection_report_damages(&a->select);

	if (a->signal)
		cmd_warn("interrupted: only the records read until then are shown");
	selection_release(&a->select);
	strv_release(&a->kinds);
	strv_release(&a->pairs);
	strv_release(&a->names);
	slots_release(&a->verdicts);
	if (a->signal)
		return 128 + a->signal;
	return status ? status : damaged;
}
