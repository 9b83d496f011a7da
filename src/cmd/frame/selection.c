/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that a command reads: time stamps, plugins, the choice of records, the progress. */
#include "cmd/frame/selection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "base/text.h"
#include "cmd/frame/command.h"
#include "cmd/frame/trace_input.h"
#include "event/plugin/plugin.h"

#define CHECK_EACH    (1u << 16)	/* records between two reads of the clock */
#define SHOW_AFTER_NS 1000000000u
#define SHOW_EACH_NS  200000000u

/* --- plugins */

static bool is_missing(const struct ev_plugin *p, bool late)
{
	return p->why && !p->asked && !p->replaced && (p->late || !late);
}

/* Prints a line for each reason, such as the rights of a directory, why plugins are missing. */
static void print_missing(const struct ev_plugins *s, bool late)
{
	size_t i, k, same, n = ev_plugins_count(s);

	for (i = 0; i < n; i++) {
		const struct ev_plugin *p = ev_plugins_get(s, i), *other;
		bool reported = false;

		if (!is_missing(p, late))
			continue;
		for (k = same = 0; k < n && !reported; k++) {
			other = ev_plugins_get(s, k);
			if (!is_missing(other, late) || strcmp(p->why, other->why))
				continue;
			reported = k < i;
			same++;
		}
		if (!reported && same == 1)
			cmd_warn("cannot load plugin '%s': %s", p->path, p->why);
		else if (!reported)
			cmd_warn("cannot load %zu plugins, such as '%s': %s", same, p->path,
				 p->why);
	}
}

struct ev_plugins *plugins_load(const struct plugin_args *a, enum plugins_when when,
				struct ftr_error *err)
{
	struct ev_plugins *s = ev_plugins_new(when == PLUGINS_TRACEEVENT);
	size_t i;

	for (i = 0; i < a->options.n; i++)
		if (ev_plugins_option(s, a->options.v[i], err))
			goto fail;
	for (i = 0; i < a->paths.n; i++)
		if (ev_plugins_load(s, a->paths.v[i], err))
			goto fail;
	if (when == PLUGINS_LATE)
		ev_plugins_late(s);
	if (!a->none)
		ev_plugins_load_default(s);
	if (ev_plugins_check(s, err))
		goto fail;
	print_missing(s, false);
	return s;
fail:
	ev_plugins_free(s);
	return NULL;
}

void plugins_report_late(const struct ev_plugins *s)
{
	if (s && ev_plugins_are_late(s))
		print_missing(s, true);
}

void plugin_args_release(struct plugin_args *a)
{
	strv_release(&a->paths);
	strv_release(&a->options);
}

/* --- time stamps */

/* An offset after -i is for that file, one before all -i for the others, as in trace-cmd. */
int selection_set_ts_offset(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct selection *s = ctx;
	int64_t ns;

	(void)o;
	if (text_number(arg, INT64_MIN, INT64_MAX, &ns))
		return err_set(err, FTR_USAGE, "--ts-offset takes nanoseconds, not '%s'", arg);
	if (!s->files.n) {
		s->ts_offset_ns = ns;
		return 0;
	}
	s->offsets = xgrow(s->offsets, &s->cap_offsets, s->nr_offsets + 1, sizeof(*s->offsets));
	s->offsets[s->nr_offsets++] = (struct file_offset){ s->files.n - 1, ns };
	return 0;
}

/* Shifts time stamps, which may have any value: they wrap. */
static void shift_trace(struct trace *t, uint64_t by)
{
	t->ts_add_ns = (int64_t)((uint64_t)t->ts_add_ns + by);
}

/* Adds the time of day, unless the file was recorded with --date. */
static void add_date(struct trace *t)
{
	if (t->date_only_ns)
		return;
	if (!t->has_wall) {
		cmd_warn("'%s' has no time of day, so --date changes nothing", t->dat->path);
		return;
	}
	shift_trace(t, t->wall_ns);
	t->date_ns += t->wall_ns;
	t->date_only_ns = t->wall_ns;
}

/* Applies the options on time. */
static void selection_shift_times(struct selection *s)
{
	uint64_t first = UINT64_MAX, last = 0;
	struct trace *t;
	int64_t ns;
	size_t i, k;

	for (i = 0; i < s->nr_traces; i++) {
		t = s->traces[i];
		if (s->raw_ts) {
			t->ts_add_ns = t->date_ns = t->date_only_ns = 0;
			t->tsc_mult = t->tsc_shift = 0;
			trace_forget_guest(t);
			t->clock_is_ns = false;
			continue;
		}
		if (s->date)
			add_date(t);
		if (s->nodate) {
			shift_trace(t, -(uint64_t)t->date_only_ns);
			t->date_ns -= t->date_only_ns;
			t->date_only_ns = 0;
		}
		ns = s->ts_offset_ns;
		for (k = 0; k < s->nr_offsets; k++)
			if (s->offsets[k].file == s->file_of[i])
				ns = s->offsets[k].ns;
		shift_trace(t, (uint64_t)ns);
	}
	for (i = 0; s->align_ts && i < s->nr_traces; i++)
		trace_bounds(s->traces[i], &first, &last);
	for (i = 0; s->align_ts && first <= last && i < s->nr_traces; i++)
		shift_trace(s->traces[i], -first);
}

/* --- options and files */

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

/* Returns the first of the files before file @i that is the same file; NULL if there is none. */
static const struct dat *same_before(const struct selection *s, size_t i)
{
	const struct dat *d = s->traces[i]->dat;

	for (size_t k = 0; k < i; k++)
		if (s->traces[k]->dat->ino == d->ino && s->traces[k]->dat->dev == d->dev)
			return s->traces[k]->dat;
	return NULL;
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

/* Opens the traces of the file @i. Returns 0, or -1 with @err. */
static int open_file(struct selection *s, size_t i, struct ftr_error *err)
{
	struct trace_list l = {0};
	int ret = traces_open(&l, s->files.v[i], err);

	s->traces = xrealloc(s->traces, (s->nr_traces + l.n + 1) * sizeof(*s->traces));
	s->file_of = xrealloc(s->file_of, (s->nr_traces + l.n + 1) * sizeof(*s->file_of));
	for (size_t k = 0; k < l.n; k++) {
		s->traces[s->nr_traces] = l.v[k];
		s->file_of[s->nr_traces++] = i;
	}
	free(l.v);
	return ret;
}

int selection_open(struct selection *s, struct ftr_error *err)
{
	const struct dat *before;
	struct buf same = {0};
	size_t i;

	if (!s->files.n)
		strv_add(&s->files, TRACE_FILE);
	s->plugins = plugins_load(&s->plugin_args, selection_uses_tep(s) ? PLUGINS_TRACEEVENT :
				  PLUGINS_LATE, err);
	if (!s->plugins)
		return -1;
	for (i = 0; i < s->files.n; i++)
		if (open_file(s, i, err))
			return -1;
	for (i = 0; i < s->nr_traces; i++) {
		if (s->kernel_times)
			trace_text_times(s->traces[i]);
		s->traces[i]->meta.plugins = s->plugins;
		if (s->engine && trace_set_engine(s->traces[i], s->engine, err))
			return -1;
	}
	/* merged with itself a file has each record twice, which is hardly meant */
	for (i = 1; i < s->nr_traces; i++) {
		before = same_before(s, i);
		if (before)
			buf_printf(&same, "%s'%s' is the same file as '%s'", same.len ? ", " : "",
				   s->traces[i]->dat->path, before->path);
	}
	if (same.len)
		cmd_warn("%s: its records come more than once", same.data);
	buf_release(&same);
	selection_shift_times(s);
	return 0;
}

/* Sets the range of --since and --until, whose times are those of all files together. */
static int set_range(struct selection *s, struct ftr_error *err)
{
	struct filter_when *whens[] = { &s->spec.since, &s->spec.until };
	uint64_t first = UINT64_MAX, last = 0, until;
	size_t i;

	if (filter_needs_bounds(&s->spec))
		for (i = 0; i < s->nr_traces; i++)
			trace_bounds(s->traces[i], &first, &last);
	if (first > last)
		first = last;
	/* times are as they are shown: in the kernel's format without DATE and OFFSET */
	for (i = 0; i < 2; i++)
		if (s->kernel_times && whens[i]->kind == FILTER_AT)
			whens[i]->ns += (uint64_t)s->traces[0]->date_ns;
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
	const struct event_meta **metas = xcalloc(s->nr_traces, sizeof(*metas));
	size_t i;
	int ret;

	for (i = 0; i < s->nr_traces; i++)
		metas[i] = &s->traces[i]->meta;
	s->filters = xcalloc(s->nr_traces, sizeof(*s->filters));
	ret = filter_compile(&s->spec, metas, s->nr_traces, s->filters, err);
	free(metas);
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

/* Filters are immutable: all threads use the same ones. */
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

int selection_report_damages(const struct selection *s)
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
	plugins_report_late(s->plugins);
	for (size_t i = 0; s->filters && i < s->nr_traces; i++)
		filter_free(s->filters[i]);
	free(s->filters);
	filter_spec_release(&s->spec);
	for (size_t i = 0; i < s->nr_traces; i++)
		trace_close(s->traces[i]);
	free(s->traces);
	free(s->file_of);
	ev_plugins_free(s->plugins);
	plugin_args_release(&s->plugin_args);
	free(s->offsets);
	strv_release(&s->files);
}

/* --- the share of the files that was read */

void progress_start(struct read_progress *p, const struct selection *s)
{
	*p = (struct read_progress){ .wanted = line_wanted(false) && !cmd_quiet,
				.next = now_ns() + SHOW_AFTER_NS, .first = UINT64_MAX };
	pthread_mutex_init(&p->lock, NULL);
	for (size_t i = 0; p->wanted && i < s->nr_traces; i++)
		trace_bounds(s->traces[i], &p->first, &p->last);
}

void progress_show(struct read_progress *p, uint64_t ts)
{
	char text[64];
	uint64_t now = now_ns();

	if (!p->wanted || now < p->next || p->last <= p->first || ts < p->first)
		return;
	snprintf(text, sizeof(text), "ftr: read %d %%",
		 (int)(100.0 * (ts - p->first) / (p->last - p->first)));
	line_show(text);
	p->shown = true;
	p->next = now + SHOW_EACH_NS;
}

void progress_end(struct read_progress *p)
{
	if (p->shown)
		line_show(NULL);
	p->shown = false;
	pthread_mutex_destroy(&p->lock);
}

/* --- the match of out_render() */

static bool watch_match(void *ctx, const struct trace_rec *r)
{
	struct progress_watcher *w = ctx;

	if (!(++w->n % CHECK_EACH) && !pthread_mutex_trylock(&w->p->lock)) {
		progress_show(w->p, r->ts);
		pthread_mutex_unlock(&w->p->lock);
	}
	return !w->p->inner.match || w->p->inner.match(w->ctx, r);
}

static void *watch_fork(void *ctx, struct trace *const *views)
{
	const struct progress_watcher *of = ctx;
	struct progress_watcher *w = xcalloc(1, sizeof(*w));

	*w = (struct progress_watcher){ of->p, of->p->inner.fork(of->ctx, views), 0 };
	return w;
}

static void watch_unfork(void *ctx, void *forked)
{
	struct progress_watcher *of = ctx, *w = forked;

	of->p->inner.unfork(of->ctx, w->ctx);
	free(w);
}

void progress_watch(struct read_progress *p, const struct selection *s, struct out_match *m)
{
	progress_start(p, s);
	if (!p->wanted)
		return;
	p->inner = *m;
	p->outer = (struct progress_watcher){ p, m->ctx, 0 };
	*m = (struct out_match){
		watch_match, &p->outer, m->fork ? watch_fork : NULL, watch_unfork,
	};
}
