/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr report: which records are shown. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/report/report.h"

int report_filter(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct report *r = ctx;

	(void)o;
	return filter_add(&r->select, arg, r->negate, err);
}

int report_pids(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct report *r = ctx;

	(void)o;
	return filter_add_pids(&r->select, arg, err);
}

int report_cpus(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct report *r = ctx;

	_Static_assert(FILTER_CPU_BITS == TRACE_CPU_BITS, "one bitmap for both");
	(void)o;
	free(r->select.cpus);
	r->select.cpus = xcalloc(FILTER_CPU_BITS / 64, sizeof(*r->select.cpus));
	if (!text_cpulist(arg, r->select.cpus, FILTER_CPU_BITS))
		return 0;
	err_set(err, FTR_USAGE, "no CPU list: '%s'", arg);
	return err_hint(err, "write it as 0,2-5");
}

int report_since(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct report *r = ctx;

	(void)o;
	return filter_when_parse(&r->select.since, arg, err);
}

int report_until(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct report *r = ctx;

	(void)o;
	return filter_when_parse(&r->select.until, arg, err);
}

/* Times are as they are shown, which in the kernel's format is without DATE and OFFSET. */
static void shift_when(const struct report *r, struct filter_when *w)
{
	if (r->format == &out_kernel && w->kind == FILTER_AT)
		w->ns += (uint64_t)r->traces[0]->date_ns;
}

/* Times are those of all files together. */
static int set_range(struct report *r, struct ftr_error *err)
{
	uint64_t first = UINT64_MAX, last = 0, until;
	size_t i;

	if (filter_needs_bounds(&r->select))
		for (i = 0; i < r->nr_traces; i++)
			trace_bounds(r->traces[i], &first, &last);
	if (first > last)
		first = last;
	shift_when(r, &r->select.since);
	shift_when(r, &r->select.until);
	if (filter_range(&r->select, first, last, r->traces[0]->clock_is_ns, &r->range.since,
			 &until, err))
		return -1;
	r->range.until = until == UINT64_MAX ? until : until + 1;
	for (i = 0; i < r->nr_traces; i++)
		filter_set_range(r->filters[i], r->range.since, until);
	return 0;
}

int report_compile(struct report *r, struct ftr_error *err)
{
	const struct ev_world **worlds = xcalloc(r->nr_traces, sizeof(*worlds));
	size_t i;
	int ret;

	for (i = 0; i < r->nr_traces; i++)
		worlds[i] = &r->traces[i]->world;
	r->filters = xcalloc(r->nr_traces, sizeof(*r->filters));
	ret = filter_compile(&r->select, worlds, r->nr_traces, r->filters, err);
	free(worlds);
	if (ret)
		return ret;
	r->range.cpus = r->select.cpus;
	return set_range(r, err);
}

static bool match_filter(void *ctx, const struct trace_rec *rec)
{
	struct filter *const *filters = ctx;

	return filter_match(filters[rec->file], rec->type, rec->pid, rec->cpu, rec->ts, &rec->rec);
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

/* --- stacks behind the records that are shown, as trace-cmd shows them */

static bool is_stack_record(const struct trace_rec *rec)
{
	const struct ev_format *f = rec->rec.fmt;

	return f && !strcmp(f->system, "ftrace") &&
	       (!strcmp(f->name, "kernel_stack") || !strcmp(f->name, "user_stack"));
}

/* Records of a CPU tell of the one before: there is no other order than that of the file. */
static bool match_stacks(void *ctx, const struct trace_rec *rec)
{
	static char yes[] = "y", no[] = "n";
	uint64_t key = (uint64_t)rec->file << 48 | (uint64_t)rec->buffer << 32 | (uint32_t)rec->cpu;
	struct report *r = ctx;
	const char *before;
	bool hit = match_filter(r->filters, rec);

	if (!is_stack_record(rec)) {
		map_put(&r->shown, key, hit ? yes : no);
		return hit;
	}
	before = map_get(&r->shown, key);
	return hit || (before && *before == 'y');
}

void report_match(struct report *r, struct out_match *m)
{
	bool all = true;
	size_t i;

	for (i = 0; i < r->nr_traces; i++)
		all &= filter_all(r->filters[i]);
	*m = (struct out_match){
		.match = all ? NULL : match_filter, .ctx = r->filters,
		.fork = fork_match, .unfork = unfork_match,
	};
	if (r->stacks && !all)
		*m = (struct out_match){ .match = match_stacks, .ctx = r };
}

void report_select_release(struct report *r)
{
	size_t i;

	for (i = 0; r->filters && i < r->nr_traces; i++)
		filter_free(r->filters[i]);
	free(r->filters);
	map_release(&r->shown);
	filter_spec_release(&r->select);
}
