/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which files and which of their records a command reads. */
#include "cmd/frame/selection.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/frame/command.h"
#include "event/plugin/plugin.h"

int selection_set_filter(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct selection *s = ctx;

	(void)o;
	return filter_add(&s->spec, arg, s->negate, err);
}

int selection_set_pids(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct selection *s = ctx;

	(void)o;
	return filter_add_pids(&s->spec, arg, err);
}

int selection_set_cpus(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct selection *s = ctx;

	_Static_assert(FILTER_CPU_BITS == TRACE_CPU_BITS, "one bitmap for both");
	(void)o;
	free(s->spec.cpus);
	s->spec.cpus = xcalloc(FILTER_CPU_BITS / 64, sizeof(*s->spec.cpus));
	if (!text_cpulist(arg, s->spec.cpus, FILTER_CPU_BITS))
		return 0;
	err_set(err, FTR_USAGE, "'%s' is not a CPU list", arg);
	return err_hint(err, "write it as 0,2-5");
}

int selection_set_since(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct selection *s = ctx;

	(void)o;
	return filter_when_parse(&s->spec.since, arg, err);
}

int selection_set_until(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct selection *s = ctx;

	(void)o;
	return filter_when_parse(&s->spec.until, arg, err);
}

bool selection_uses_tep(const struct selection *s)
{
	return s->engine && !strcmp(s->engine, "traceevent");
}

/* The first of the files that is the same as file @i, or NULL. */
static const struct dat *same_before(const struct selection *s, size_t i)
{
	const struct dat *d = s->traces[i]->dat;

	for (size_t k = 0; k < i; k++)
		if (s->traces[k]->dat->ino == d->ino && s->traces[k]->dat->dev == d->dev)
			return s->traces[k]->dat;
	return NULL;
}

/* Merged with itself a file tells everything twice, which is hardly meant. */
static void warn_same(const struct selection *s)
{
	const struct dat *before;
	struct buf b = {0};

	for (size_t i = 1; i < s->nr_traces; i++) {
		before = same_before(s, i);
		if (before)
			buf_printf(&b, "%s'%s' is the same file as '%s'", b.len ? ", " : "",
				   s->traces[i]->dat->path, before->path);
	}
	if (b.len)
		cmd_warn("%s: its records come more than once", b.data);
	buf_release(&b);
}

int selection_set_threads(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct selection *s = ctx;
	int64_t n;

	(void)o;
	if (text_number(arg, 1, OUT_THREADS_MAX, &n))
		return err_set(err, FTR_USAGE, "-j takes a number from 1 to %d, not '%s'",
			       OUT_THREADS_MAX, arg);
	s->range.threads = n;
	return 0;
}

/* Opens all files; as many as could be are in s->traces. */
static int open_traces(struct selection *s, struct ftr_error *err)
{
	s->traces = xcalloc(s->files.n, sizeof(*s->traces));
	for (size_t i = 0; i < s->files.n; i++) {
		s->traces[i] = trace_open(s->files.v[i], err);
		if (!s->traces[i])
			return -1;
		s->nr_traces++;
		if (s->kernel_times)
			trace_text_times(s->traces[i]);
		s->traces[i]->world.plugins = s->plugins;
		if (s->engine && trace_set_engine(s->traces[i], s->engine, err))
			return -1;
	}
	return 0;
}

int selection_open(struct selection *s, struct ftr_error *err)
{
	if (!s->files.n)
		strv_add(&s->files, TRACE_FILE);
	s->plugins = plugins_load(&s->plugin_args, selection_uses_tep(s) ? PLUGINS_TRACEEVENT :
				  PLUGINS_LATE, err);
	if (!s->plugins || open_traces(s, err))
		return -1;
	warn_same(s);
	selection_shift_times(s);
	return 0;
}

/* Times are as they are shown, which in the kernel's format is without DATE and OFFSET. */
static void shift_when(const struct selection *s, struct filter_when *w)
{
	if (s->kernel_times && w->kind == FILTER_AT)
		w->ns += (uint64_t)s->traces[0]->date_ns;
}

/* Times are those of all files together. */
static int set_range(struct selection *s, struct ftr_error *err)
{
	uint64_t first = UINT64_MAX, last = 0, until;
	size_t i;

	if (filter_needs_bounds(&s->spec))
		for (i = 0; i < s->nr_traces; i++)
			trace_bounds(s->traces[i], &first, &last);
	if (first > last)
		first = last;
	shift_when(s, &s->spec.since);
	shift_when(s, &s->spec.until);
	if (filter_range(&s->spec, first, last, s->traces[0]->clock_is_ns, &s->range.since,
			 &until, err))
		return -1;
	s->range.until = until == UINT64_MAX ? until : until + 1;
	for (i = 0; i < s->nr_traces; i++)
		filter_set_range(s->filters[i], s->range.since, until);
	return 0;
}

int selection_compile(struct selection *s, struct ftr_error *err)
{
	const struct ev_world **worlds = xcalloc(s->nr_traces, sizeof(*worlds));
	size_t i;
	int ret;

	for (i = 0; i < s->nr_traces; i++)
		worlds[i] = &s->traces[i]->world;
	s->filters = xcalloc(s->nr_traces, sizeof(*s->filters));
	ret = filter_compile(&s->spec, worlds, s->nr_traces, s->filters, err);
	free(worlds);
	if (ret)
		return ret;
	s->range.cpus = s->spec.cpus;
	return set_range(s, err);
}

bool selection_has(const struct selection *s, const struct trace_rec *rec)
{
	return filter_match(s->filters[rec->file], rec->type, rec->pid, rec->cpu, rec->ts,
			    &rec->rec);
}

static bool match_record(void *ctx, const struct trace_rec *rec)
{
	return selection_has(ctx, rec);
}

/* Filters are immutable: all threads use the same. */
static void *fork_match(void *ctx, struct trace *const *views)
{
	(void)views;
	return ctx;
}

static void unfork_match(void *ctx, void *forked)
{
	(void)ctx;
	(void)forked;
}

void selection_match(struct selection *s, struct out_match *m)
{
	bool all = true;

	for (size_t i = 0; i < s->nr_traces; i++)
		all &= filter_all(s->filters[i]);
	*m = (struct out_match){
		.match = all ? NULL : match_record, .ctx = s,
		.fork = fork_match, .unfork = unfork_match,
	};
}

/* What was wrong with the files, said last so that a pager does not scroll it away. */
int selection_say_damages(const struct selection *s)
{
	int status = FTR_OK;
	size_t i;

	for (i = 0; i < s->nr_traces; i++)
		if (cmd_damages(trace_damages(s->traces[i])))
			status = FTR_DAMAGED;
	return status;
}

void selection_release(struct selection *s)
{
	plugins_say_late(s->plugins);
	for (size_t i = 0; s->filters && i < s->nr_traces; i++)
		filter_free(s->filters[i]);
	free(s->filters);
	filter_spec_release(&s->spec);
	for (size_t i = 0; i < s->nr_traces; i++)
		trace_close(s->traces[i]);
	free(s->traces);
	ev_plugins_free(s->plugins);
	plugin_args_release(&s->plugin_args);
	free(s->offsets);
	strv_release(&s->files);
}
