/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What commands on the model share. */
#include "cmd/spans/spans.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sig.h"
#include "base/text.h"
#include "cmd/frame/cmd.h"
#include "cmd/frame/progress.h"

#define LOOK_EACH	(1u << 16)	/* records between two looks at the clock and at signals */

/* --- options */

static int unknown_kind(const char *name, struct ftr_error *err)
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
			ret = unknown_kind(names.v[i], err);
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

void span_read(struct span_args *a, struct model *m, const bool *stop)
{
	const struct out_range *range = &a->select.range;
	struct trace_iter *it = trace_iter_new_range(a->select.traces, a->select.nr_traces, NULL,
						     range->since, range->until);
	const struct trace_rec *r;
	struct progress progress;
	uint32_t n = 0;

	progress_start(&progress, &a->select);
	while ((r = trace_iter_next(it)) && !(stop && *stop)) {
		model_feed(m, r);
		if (++n % LOOK_EACH)
			continue;
		progress_say(&progress, r->ts);
		a->signal = sig_held();
		if (a->signal)
			break;
	}
	progress_end(&progress);
	trace_iter_free(it);
	model_end(m);
	if (model_refused(m))
		cmd_warn("%" PRIu64 " spans are missing: too many were open at once",
			 model_refused(m));
}

/* --- what is shown */

static bool has_pid(const struct filter_spec *f, int pid)
{
	for (size_t i = 0; i < f->nr_pids; i++)
		if (f->pids[i] == pid)
			return true;
	return !f->nr_pids;
}

static bool has_comm(const struct filter_spec *f, const char *name)
{
	for (size_t i = 0; i < f->comms.n; i++)
		if (!fnmatch(f->comms.v[i], name, 0))
			return true;
	return !f->comms.n;
}

bool span_cpu_is_selected(const struct span_args *a, int cpu)
{
	const uint64_t *cpus = a->select.spec.cpus;

	return !cpus || (cpu >= 0 && cpu < FILTER_CPU_BITS && cpus[cpu / 64] >> cpu % 64 & 1);
}

bool span_task_is_selected(const struct span_args *a, const struct model *m, const struct task *t)
{
	const struct filter_spec *f = &a->select.spec;

	return span_cpu_is_selected(a, t->cpu) && has_pid(f, t->pid) &&
	       has_comm(f, model_task_name(m, t));
}

/* --- the end */

/* How a kind is recorded. */
static const char *const record_words[SPAN_PAIR] = {
	"-p function_graph", "-e raw_syscalls", "-e irq", "-e irq", "-e workqueue", "-e lock",
	"-e block", "-e kprobes",
};

static const char *files_text(const struct span_args *a)
{
	return a->select.nr_traces == 1 ? a->select.traces[0]->dat->path : "the files";
}

static bool has_range(const struct span_args *a)
{
	return a->select.range.since || a->select.range.until != UINT64_MAX;
}

static int say_nothing(const struct span_args *a, const struct model *m, uint32_t kinds,
		       struct ftr_error *err)
{
	unsigned int kind = kinds ? __builtin_ctz(kinds) : SPAN_PAIR;

	if (has_range(a)) {
		err_set(err, FTR_FAILED, "no such records between --since and --until in '%s'",
			files_text(a));
		return err_hint(err, "'ftr info' tells the first and the last time");
	}
	if (kind >= SPAN_PAIR) {
		err_set(err, FTR_FAILED, "no records of %s in '%s'",
			a->fixed ? "these events" : "--pair", files_text(a));
		return err_hint(err, "'ftr info' counts the records of each event");
	}
	err_set(err, FTR_FAILED, "no records of %s in '%s'", model_kind_name(m, kind),
		files_text(a));
	return err_hint(err, "'ftr record %s' records them%s", record_words[kind],
			a->fixed ? "" : "; --kind takes another kind");
}

int span_say_no_switches(const struct span_args *a, struct ftr_error *err)
{
	err_set(err, FTR_FAILED, "no sched_switch in '%s'", files_text(a));
	return err_hint(err, "'ftr record -e sched ...' records when tasks run");
}

int span_check(const struct span_args *a, const struct model *m, uint32_t kinds, bool switches,
	       struct ftr_error *err)
{
	bool met = false;

	for (unsigned int i = 0; i < SPAN_KINDS_MAX; i++)
		met |= model_met(m, i);
	if (!met && !a->signal)
		return say_nothing(a, m, kinds, err);
	if (!switches || model_met_switch(m))
		return 0;
	return span_say_no_switches(a, err);
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
		buf_printf(out, "%s%" PRIu64 " below 0", before, below_0);
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

void span_say_lines(const struct buf *lines)
{
	const char *p = lines->data, *end = p ? p + lines->len : NULL, *nl;

	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		cmd_say("%.*s", (int)(nl - p - 2), p + 2);
	}
}

int span_close(struct span_args *a, int status)
{
	int damaged = selection_say_damages(&a->select);

	if (a->signal)
		cmd_warn("interrupted: only what was read until then is shown");
	selection_release(&a->select);
	strv_release(&a->kinds);
	strv_release(&a->pairs);
	if (a->signal)
		return 128 + a->signal;
	return status ? status : damaged;
}
