/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long tasks took from being woken to running: report -w. */
#include "output/wakeup_latency.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PRIO_RT_MAX 99		/* of the kernel's inner priorities; SCHED_OTHER is 100 to 139 */

/* What is asked of one file's events; ->fmt NULL when it has none. */
struct wakeup_event {
	const struct ev_format *fmt;
	const struct ev_field *pid, *prio, *success;
};

struct wakeup_file {
	struct wakeup_event wakeup, wakeup_new, sw;
	struct map since;		/* pid -> struct waiting * */
	unsigned int gaps;		/* streams that are in a gap */
	unsigned int nr_gaps;		/* beginnings and ends of gaps so far */
};

struct waiting {
	uint64_t ts;			/* of the wakeup; UINT64_MAX: it ran since */
	unsigned int nr_gaps;		/* of the file then */
};

struct latencies {
	uint64_t count, sum, max, min, max_ts, min_ts;
};

struct wakeup {
	size_t nr_files;
	struct wakeup_file *files;
	struct latencies all, rt;
	uint64_t unknown;		/* waits over a loss, where the task may have run */
};

static void find_sched_event(struct wakeup_event *e, const struct trace *t, const char *name,
			     const char *pid)
{
	const struct ev_format *fmt = ev_world_by_name(&t->world, "sched", name);

	e->pid = fmt ? ev_field(fmt, pid) : NULL;
	if (!e->pid)
		return;
	e->fmt = fmt;
	e->prio = ev_field(fmt, "next_prio");
	e->success = ev_field(fmt, "success");
}

struct wakeup *wakeup_new(const struct out *o)
{
	struct wakeup *w = xcalloc(1, sizeof(*w));
	size_t i;

	w->nr_files = o->nr_traces;
	w->files = xcalloc(w->nr_files, sizeof(*w->files));
	for (i = 0; i < w->nr_files; i++) {
		find_sched_event(&w->files[i].wakeup, o->traces[i], "sched_wakeup", "pid");
		find_sched_event(&w->files[i].wakeup_new, o->traces[i], "sched_wakeup_new", "pid");
		find_sched_event(&w->files[i].sw, o->traces[i], "sched_switch", "next_pid");
	}
	return w;
}

static void task_woken(struct wakeup_file *f, const struct wakeup_event *e,
		       const struct trace_rec *r)
{
	struct waiting *since;
	uint64_t pid, success;

	/* kernels before 2.6.3x said whether it did wake somebody */
	if (e->success && ev_get_num(&r->rec, e->success, &success) && !success)
		return;
	if (!ev_get_num(&r->rec, e->pid, &pid))
		return;
	since = map_get(&f->since, pid);
	if (!since) {
		since = xmalloc(sizeof(*since));
		map_put(&f->since, pid, since);
	}
	*since = (struct waiting){ r->ts, f->nr_gaps };
}

static void count_latency(struct latencies *l, uint64_t latency, uint64_t ts)
{
	if (!l->count || latency > l->max) {
		l->max = latency;
		l->max_ts = ts;
	}
	if (!l->count || latency < l->min) {
		l->min = latency;
		l->min_ts = ts;
	}
	l->count++;
	l->sum += latency;
}

static void task_runs(struct wakeup *w, struct wakeup_file *f, const struct trace_rec *r,
		      struct buf *b)
{
	uint64_t pid, prio, latency;
	struct waiting *since;

	if (!ev_get_num(&r->rec, f->sw.pid, &pid))
		return;
	since = map_get(&f->since, pid);
	if (!since || since->ts == UINT64_MAX)
		return;
	latency = r->ts - since->ts;
	since->ts = UINT64_MAX;
	if (f->gaps || since->nr_gaps != f->nr_gaps) {
		w->unknown++;
		return;
	}
	buf_printf(b, " Latency: %" PRIu64 ".%03u usecs", latency / 1000,
		   (unsigned int)(latency % 1000));
	count_latency(&w->all, latency, r->ts);
	if (f->sw.prio && ev_get_num(&r->rec, f->sw.prio, &prio) && prio <= PRIO_RT_MAX)
		count_latency(&w->rt, latency, r->ts);
}

void wakeup_record(struct wakeup *w, const struct trace_rec *r, struct buf *b)
{
	struct wakeup_file *f = &w->files[r->file];
	const struct ev_format *fmt = r->rec.fmt;

	for (const struct trace_rec *end = r->gaps; end; end = end->gaps) {
		f->gaps++;
		f->nr_gaps++;
	}
	if (!fmt)
		return;
	if (fmt == f->wakeup.fmt)
		task_woken(f, &f->wakeup, r);
	else if (fmt == f->wakeup_new.fmt)
		task_woken(f, &f->wakeup_new, r);
	else if (fmt == f->sw.fmt)
		task_runs(w, f, r, b);
}

void wakeup_lost(struct wakeup *w, const struct trace_rec *r)
{
	struct wakeup_file *f = &w->files[r->file];

	f->gaps -= f->gaps > 0;
	f->nr_gaps++;
}

static void add_extreme(struct buf *b, const char *name, uint64_t latency, uint64_t ts)
{
	uint64_t us = ts / 1000 + (ts % 1000 >= 500);

	buf_printf(b, "%s Latency: %" PRIu64 ".%03u usecs at timestamp: %" PRIu64 ".%06u\n", name,
		   latency / 1000, (unsigned int)(latency % 1000), us / 1000000,
		   (unsigned int)(us % 1000000));
}

static void add_latencies(struct buf *b, const struct latencies *l)
{
	uint64_t average = l->sum / l->count;

	buf_printf(b, "\nAverage wakeup latency: %" PRIu64 ".%03u usecs\n", average / 1000,
		   (unsigned int)(average % 1000));
	add_extreme(b, "Maximum", l->max, l->max_ts);
	add_extreme(b, "Minimum", l->min, l->min_ts);
	buf_addch(b, '\n');
}

void wakeup_summary(const struct wakeup *w, struct buf *b)
{
	if (w->all.count)
		add_latencies(b, &w->all);
	if (w->rt.count) {
		buf_addstr(b, "RT task timings:\n");
		add_latencies(b, &w->rt);
	}
	if (w->unknown)
		buf_printf(b, "Unknown latencies, as events were lost meanwhile: %" PRIu64 "\n",
			   w->unknown);
}

void wakeup_free(struct wakeup *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->nr_files; i++) {
		for (size_t k = 0; k < w->files[i].since.cap; k++)
			if (w->files[i].since.slots[k].val)
				free(w->files[i].since.slots[k].val);
		map_release(&w->files[i].since);
	}
	free(w->files);
	free(w);
}
