/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines that are put together column by column; wakeup latencies for report -w.
 *
 * --fields, --ts-diff, --boundary and -w must not slow the default line down, which stays a
 * straight path in event_text.c. Columns that look at the previous line (delta) or at earlier
 * records (-w) are left to one thread, others are not. tests/cli/report-options.sh compares the
 * texts with trace-cmd's.
 */
#include "output/line_columns.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "output/fgraph_text.h"
#include "output/line_source.h"

#define NS	    1000000000ull
#define PRIO_RT_MAX 99	/* of the kernel's inner priorities; SCHED_OTHER is 100 to 139 */

/* --- wakeup latencies: how long tasks took from being woken to running */

/* The fields of a sched event in one file; ->fmt is NULL if the file lacks the event. */
struct wakeup_event {
	const struct ev_format *fmt;
	const struct ev_field *pid, *prio, *success;
};

struct wakeup_file {
	struct wakeup_event wakeup, wakeup_new, sw;
	struct map since;		/* pid -> struct waiting_task * */
	unsigned int gaps;		/* streams that are in a gap */
	unsigned int nr_gaps;		/* starts and ends of gaps so far */
};

struct waiting_task {
	uint64_t ts;			/* time of the wakeup; UINT64_MAX: the task ran since */
	unsigned int nr_gaps;		/* wakeup_file.nr_gaps at the wakeup */
};

/* Times in ns. */
struct latency_sums {
	uint64_t count, sum, max, min, max_ts, min_ts;
};

struct wakeup_latency {
	size_t nr_files;
	struct wakeup_file *files;
	struct latency_sums all, rt;
	uint64_t unknown;		/* waits over a loss, where the task may have run */
};

static void find_sched_event(struct wakeup_event *e, const struct trace *t, const char *name,
			     const char *pid)
{
	const struct ev_format *fmt = event_meta_find_name(&t->meta, "sched", name);

	e->pid = fmt ? ev_field(fmt, pid) : NULL;
	if (!e->pid)
		return;
	e->fmt = fmt;
	e->prio = ev_field(fmt, "next_prio");
	e->success = ev_field(fmt, "success");
}

static struct wakeup_latency *wakeup_new(const struct out_state *o)
{
	struct wakeup_latency *w = xcalloc(1, sizeof(*w));
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
	struct waiting_task *since;
	uint64_t pid, success;

	/* before 2.6.3x the event was also recorded if the task was not woken: success=0 */
	if (e->success && ev_get_num(&r->rec, e->success, &success) && !success)
		return;
	if (!ev_get_num(&r->rec, e->pid, &pid))
		return;
	since = map_get(&f->since, pid);
	if (!since) {
		since = xmalloc(sizeof(*since));
		map_put(&f->since, pid, since);
	}
	*since = (struct waiting_task){ r->ts, f->nr_gaps };
}

static void count_latency(struct latency_sums *l, uint64_t latency, uint64_t ts)
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

static void task_runs(struct wakeup_latency *w, struct wakeup_file *f, const struct trace_rec *r,
		      struct buf *b)
{
	uint64_t pid, prio, latency;
	struct waiting_task *since;

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

/*
 * Accounts @r. After the sched_switch to a task whose wakeup was recorded, appends
 * " Latency: 12.345 usecs".
 */
static void wakeup_record(struct wakeup_latency *w, const struct trace_rec *r, struct buf *b)
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

static void add_extreme(struct buf *b, const char *name, uint64_t latency, uint64_t ts)
{
	uint64_t us = ts / 1000 + (ts % 1000 >= 500);

	buf_printf(b, "%s Latency: %" PRIu64 ".%03u usecs at timestamp: %" PRIu64 ".%06u\n", name,
		   latency / 1000, (unsigned int)(latency % 1000), us / 1000000,
		   (unsigned int)(us % 1000000));
}

static void add_latencies(struct buf *b, const struct latency_sums *l)
{
	uint64_t average = l->sum / l->count;

	buf_printf(b, "\nAverage wakeup latency: %" PRIu64 ".%03u usecs\n", average / 1000,
		   (unsigned int)(average % 1000));
	add_extreme(b, "Maximum", l->max, l->max_ts);
	add_extreme(b, "Minimum", l->min, l->min_ts);
	buf_addch(b, '\n');
}

/*
 * Appends average, longest and shortest latency of all tasks and of realtime tasks; nothing if
 * there is none.
 */
static void wakeup_summary(const struct wakeup_latency *w, struct buf *b)
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

static void wakeup_free(struct wakeup_latency *w)
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

/* Rounds to microseconds as trace-cmd does. */
static uint64_t round_ns(uint64_t ns, bool nanoseconds)
{
	return !nanoseconds && ns < UINT64_MAX - 500 ? ns + 500 : ns;
}

bool times_add_day(struct buf *b, const struct trace *t, uint64_t ts, bool nanoseconds,
		   bool with_date)
{
	char text[64] = "";
	uint64_t ns;
	struct tm tm;
	time_t s;

	if (!trace_time_of_day(t, ts, &ns))
		return false;
	ns = round_ns(ns, nanoseconds);
	s = (time_t)(ns / NS);
	if (!gmtime_r(&s, &tm) ||
	    !strftime(text, sizeof(text), with_date ? "%Y-%m-%d %H:%M:%S" : "%H:%M:%S", &tm))
		return false;
	buf_addstr(b, text);
	if (nanoseconds)
		buf_printf(b, ".%09u", (unsigned int)(ns % NS));
	else
		buf_printf(b, ".%06u", (unsigned int)(ns % NS / 1000));
	return true;
}

/* Subtracts the shown times, as --ts-diff does: lines and their differences agree. */
void times_add_since(struct buf *b, const struct trace *t, uint64_t zero, uint64_t ts,
		     bool nanoseconds)
{
	uint64_t unit = nanoseconds || !t->clock_is_ns ? 1 : 1000;
	uint64_t from = round_ns(zero, nanoseconds || !t->clock_is_ns) / unit;
	uint64_t to = round_ns(ts, nanoseconds || !t->clock_is_ns) / unit;

	buf_addch(b, to < from ? '-' : '+');
	trace_add_time(b, t, (to < from ? from - to : to - from) * unit, nanoseconds);
}

/* --- columns */

/* A line that is being made. */
struct column_line {
	struct out_state *o;
	struct column_state *x;
	const struct trace_rec *r;
	struct trace_iter *it;
	struct buf *b;
	bool ordered;		/* the line depends on the line before */
};

typedef void (*column_fn)(struct column_line *l);

struct column_kind {
	const char *name;
	column_fn cell;		/* adds the bare value, or nothing */
	column_fn line;		/* adds the text for a line; NULL: the value, "-" if empty */
	size_t    align;	/* blanks before it, up to this width */
	size_t    width;	/* blanks after it, except after the last column */
};

struct line_columns {
	size_t n;
	struct line_column {
		const struct column_kind *kind;	/* NULL: a field of the event */
		char *field;
	} v[COLUMNS_MAX];
};

struct cells_file {
	struct fgraph fgraph;
	struct map tgids;
};

struct column_state {
	struct cells_file *files;
	size_t nr_files;
};

struct columns_sink {
	struct buffer_labels labels;
	struct column_state *cells;
	struct wakeup_latency *wakeup;
};

/* Inserts blanks at @from: the text after it ends in column @width. */
static void align_right(struct buf *b, size_t from, size_t width)
{
	size_t len = b->len - from, pad = len < width ? width - len : 0;

	if (!pad)
		return;
	buf_reserve(b, pad);
	memmove(b->data + from + pad, b->data + from, len + 1);
	memset(b->data + from, ' ', pad);
	b->len += pad;
}

static void cell_add_comm(struct column_line *l)
{
	buf_addstr(l->b, trace_comm(l->r->trace, l->r->pid));
}

static void cell_add_pid(struct column_line *l)
{
	buf_printf(l->b, "%d", l->r->pid);
}

static void cell_add_task(struct column_line *l)
{
	buf_printf(l->b, "%s-%d", trace_comm(l->r->trace, l->r->pid), l->r->pid);
}

static void line_add_task(struct column_line *l)
{
	buf_printf(l->b, "%16s-%-5d", trace_comm(l->r->trace, l->r->pid), l->r->pid);
}

static void cell_add_tgid(struct column_line *l)
{
	void *tgid = map_get(&l->x->files[l->r->file].tgids, (uint32_t)l->r->pid);

	if (tgid)
		buf_printf(l->b, "%u", (unsigned int)(uintptr_t)tgid);
}

static void cell_add_cpu(struct column_line *l)
{
	buf_printf(l->b, "%d", l->r->cpu);
}

static void line_add_cpu(struct column_line *l)
{
	buf_printf(l->b, "[%03d]", l->r->cpu);
}

static void cell_add_flags(struct column_line *l)
{
	char flags[6] = ".....";

	if (l->r->rec.fmt)
		ev_print_latency(&l->r->trace->meta, &l->r->rec, flags);
	buf_addstr(l->b, flags);
}

/*
 * Returns microseconds, round_ns as trace-cmd does; nanoseconds with -t; units of the clock if it
 * does not count ns.
 */
static uint64_t shown_units(const struct column_line *l, uint64_t ts)
{
	if (!l->r->trace->clock_is_ns || l->o->opts.nanoseconds)
		return ts;
	return ts / 1000 + (ts % 1000 >= 500);
}

static void cell_add_time(struct column_line *l)
{
	const struct out_opts *o = &l->o->opts;
	const struct trace *t = l->r->trace;
	uint64_t v = shown_units(l, l->r->ts);
	bool nano = o->nanoseconds;
	uint64_t unit = nano ? 1000000000 : 1000000;

	switch (o->time) {
	case OUT_TIME_OF_DAY:
		if (times_add_day(l->b, t, l->r->ts, nano, false))
			return;
		break;
	case OUT_TIME_SINCE:
		times_add_since(l->b, t, o->time_zero, l->r->ts, nano);
		return;
	case OUT_TIME_DIFF:
		l->ordered = true;
		if (l->o->any_line)
			times_add_since(l->b, t, l->o->last_ts, l->r->ts, nano);
		else
			buf_addch(l->b, '-');
		return;
	default:
		break;
	}
	if (!t->clock_is_ns)
		buf_printf(l->b, "%" PRIu64, v);
	else
		buf_printf(l->b, "%" PRIu64 ".%0*" PRIu64, v / unit, nano ? 9 : 6, v % unit);
}

static void line_add_time(struct column_line *l)
{
	bool nano = l->o->opts.nanoseconds && l->r->trace->clock_is_ns;
	size_t from = l->b->len;

	cell_add_time(l);
	align_right(l->b, from, nano ? 15 : 12);
}

/* Prints "+12" to @text: since the line before, in units of the last digit of the time. */
static void add_delta_text(struct column_line *l, char *text, size_t size)
{
	*text = '\0';
	if (l->o->any_line)
		snprintf(text, size, "%+" PRId64,
			 (int64_t)(shown_units(l, l->r->ts) - shown_units(l, l->o->last_ts)));
	l->ordered = true;
}

static void end_line(struct column_line *l)
{
	if (!l->ordered)
		return;
	l->o->any_line = true;
	l->o->last_ts = l->r->ts;
}

static void cell_add_delta(struct column_line *l)
{
	char text[32];

	add_delta_text(l, text, sizeof(text));
	buf_addstr(l->b, text);
}

static void cell_add_name(struct column_line *l)
{
	if (l->r->rec.fmt)
		text_sanitise(l->b, l->r->rec.fmt->name, strlen(l->r->rec.fmt->name), false);
	else
		buf_printf(l->b, "[type %u]", l->r->type);
}

static void cell_add_text(struct column_line *l)
{
	static const char hex[] = "0123456789abcdef";
	const struct trace_rec *r = l->r;
	struct buf *b = l->b;
	size_t from = b->len;

	if (!r->rec.fmt) {
		for (uint32_t i = 0; i < r->rec.len; i++) {
			buf_addch(b, hex[r->rec.data[i] >> 4]);
			buf_addch(b, hex[r->rec.data[i] & 15]);
		}
	} else if (l->o->opts.raw) {
		ev_render_raw(r->trace->engine, &r->rec, b);
	} else if (!fgraph_text(&l->x->files[r->file].fgraph, r, l->it, l->o->calls, b)) {
		ev_render(r->trace->engine, &r->rec, r->cpu, r->ts, b);
	}
	for (size_t i = from; l->o->opts.raw && i < b->len; i++)
		if (b->data[i] == '\n')
			b->data[i] = ' ';
	if (b->len > from && b->data[b->len - 1] == '\n')
		b->data[--b->len] = '\0';
}

static void cell_add_system(struct column_line *l)
{
	const char *system = l->r->rec.fmt ? l->r->rec.fmt->system : "";

	text_sanitise(l->b, system, strlen(system), false);
}

static void cell_add_field(struct column_line *l, const char *name)
{
	const struct ev_field *f = l->r->rec.fmt ? ev_field(l->r->rec.fmt, name) : NULL;

	if (f)
		ev_render_field(&l->r->rec, f, l->b);
}

static const struct column_kind known[] = {
	{ "comm", cell_add_comm, NULL, 16, 0 }, { "pid", cell_add_pid, NULL, 7, 0 },
	{ "task", cell_add_task, line_add_task, 0, 0 }, { "tgid", cell_add_tgid, NULL, 7, 0 },
	{ "cpu", cell_add_cpu, line_add_cpu, 0, 0 }, { "flags", cell_add_flags, NULL, 0, 0 },
	{ "time", cell_add_time, line_add_time, 0, 0 }, { "delta", cell_add_delta, NULL, 9, 0 },
	{ "system", cell_add_system, NULL, 0, 10 }, { "event", cell_add_name, NULL, 0, 20 },
	{ "text", cell_add_text, cell_add_text, 0, 0 },
};

/* --- the choice of columns */

/* Returns true if an event of the @n files has the field. */
static bool has_field(struct trace *const *traces, size_t n, const char *field)
{
	struct ev_format *v;
	size_t i, k;

	for (i = 0; i < n; i++)
		for (k = event_meta_formats(&traces[i]->meta, NULL, &v); k--;)
			if (ev_field(&v[k], field))
				return true;
	return false;
}

/* Fills @err for a name that is neither a column nor a field. Returns -1. */
static int fail_unknown_column(const char *name, struct trace *const *traces, size_t n,
			       struct ftr_error *err)
{
	struct strv names = {0};
	struct ev_format *v;
	const char *near;
	size_t i, k, j;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++)
		strv_add(&names, known[i].name);
	for (i = 0; i < n; i++)
		for (k = event_meta_formats(&traces[i]->meta, NULL, &v); k--;)
			for (j = 0; !ev_format_ready(&v[k]) && j < v[k].nr_fields; j++)
				strv_add(&names, v[k].fields[j].name);
	near = text_closest(name, names.v);
	err_set(err, FTR_USAGE, "'%s' is neither a column nor a field of an event", name);
	if (near)
		err_hint(err, "did you mean '%s'?", near);
	else
		err_hint(err, "there are comm, pid, task, tgid, cpu, flags, time, delta, system, "
			 "event, text and all fields of events");
	strv_release(&names);
	return -1;
}

static int columns_add(struct line_columns *c, const char *name, struct trace *const *traces,
		       size_t n, struct ftr_error *err)
{
	size_t i;

	if (c->n == COLUMNS_MAX)
		return err_set(err, FTR_USAGE, "more than %d columns", COLUMNS_MAX);
	for (i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (strcmp(known[i].name, name))
			continue;
		c->v[c->n++].kind = &known[i];
		return 0;
	}
	if (!has_field(traces, n, name))
		return fail_unknown_column(name, traces, n, err);
	c->v[c->n++].field = xstrdup(name);
	return 0;
}

struct line_columns *columns_parse(const char *list, struct trace *const *traces, size_t nr_traces,
				   struct ftr_error *err)
{
	struct line_columns *c = xcalloc(1, sizeof(*c));
	struct strv names = {0};
	int ret = 0;

	strv_split(&names, list, ", ");
	for (size_t i = 0; i < names.n && !ret; i++)
		ret = columns_add(c, names.v[i], traces, nr_traces, err);
	if (!names.n) {
		ret = err_set(err, FTR_USAGE, "'%s' names no columns", list);
		err_hint(err, "write them as comm,pid,time,event,text");
	}
	strv_release(&names);
	if (!ret)
		return c;
	columns_free(c);
	return NULL;
}

const char *columns_known(size_t i)
{
	return i < sizeof(known) / sizeof(*known) ? known[i].name : NULL;
}

void columns_free(struct line_columns *c)
{
	for (size_t i = 0; c && i < c->n; i++)
		free(c->v[i].field);
	free(c);
}

size_t columns_count(const struct line_columns *c)
{
	return c->n;
}

const char *columns_name(const struct line_columns *c, size_t i)
{
	return c->v[i].kind ? c->v[i].kind->name : c->v[i].field;
}

bool columns_ordered(const struct line_columns *c)
{
	for (size_t i = 0; c && i < c->n; i++)
		if (c->v[i].kind && c->v[i].kind->cell == cell_add_delta)
			return true;
	return false;
}

/* --- cells */

struct column_state *cells_new(const struct out_state *o)
{
	struct column_state *x = xcalloc(1, sizeof(*x));
	size_t i;

	x->nr_files = o->nr_traces;
	x->files = xcalloc(x->nr_files, sizeof(*x->files));
	for (i = 0; i < x->nr_files; i++) {
		fgraph_init(&x->files[i].fgraph, o->traces[i]);
		tgids_read(&x->files[i].tgids, o->traces[i]);
	}
	return x;
}

void cells_free(struct column_state *x)
{
	for (size_t i = 0; i < x->nr_files; i++)
		map_release(&x->files[i].tgids);
	free(x->files);
	free(x);
}

void cells_add(struct column_state *x, struct out_state *o, const struct trace_rec *r,
	       const struct line_columns *c, size_t i)
{
	struct column_line l = { o, x, r, NULL, &o->buf, false };

	if (c->v[i].kind)
		c->v[i].kind->cell(&l);
	else
		cell_add_field(&l, c->v[i].field);
	end_line(&l);
}

/* --- the sink */

static void columns_begin(struct out_state *o)
{
	struct columns_sink *x = xcalloc(1, sizeof(*x));

	labels_init(&x->labels, o);
	x->cells = cells_new(o);
	if (o->opts.wakeup)
		x->wakeup = wakeup_new(o);
	o->priv = x;
}

static void columns_end(struct out_state *o)
{
	struct columns_sink *x = o->priv;

	if (x->wakeup)
		wakeup_summary(x->wakeup, &o->buf);
	wakeup_free(x->wakeup);
	cells_free(x->cells);
	labels_release(&x->labels);
	free(x);
	o->priv = NULL;
}

/* Adds a value with its padding for a line; without @kind it is a field of the event. */
static void add_column(struct column_line *l, const struct column_kind *kind, const char *field)
{
	size_t from = l->b->len;

	if (kind && kind->line) {
		kind->line(l);
		return;
	}
	if (kind)
		kind->cell(l);
	else
		cell_add_field(l, field);
	if (l->b->len == from)
		buf_addch(l->b, '-');
	align_right(l->b, from, kind ? kind->align : 0);
}

/* Adds the line of event_text.c, with the time since the line before after the time. */
static void add_default_line(struct column_line *l)
{
	struct buf *b = l->b;
	char delta[32], text[40] = "";
	size_t from;

	if (l->o->opts.latency) {
		buf_printf(b, "%8.8s-%-5d %3d", trace_comm(l->r->trace, l->r->pid), l->r->pid,
			   l->r->cpu);
	} else {
		line_add_task(l);
		buf_printf(b, " [%03d] ", l->r->cpu);
	}
	cell_add_flags(l);
	buf_addch(b, ' ');
	line_add_time(l);
	buf_addch(b, ':');
	if (l->o->opts.ts_diff) {
		add_delta_text(l, delta, sizeof(delta));
		if (*delta)
			snprintf(text, sizeof(text), "(%s)", delta);
		buf_printf(b, " %-8s", text);
	}
	buf_addch(b, ' ');
	from = b->len;
	cell_add_name(l);
	buf_addstr(b, ": ");
	while (b->len - from < 22)
		buf_addch(b, ' ');
	cell_add_text(l);
}

static void columns_event(struct out_state *o, const struct trace_rec *r, struct trace_iter *it)
{
	const struct line_columns *c = o->opts.columns;
	const struct columns_sink *x = o->priv;
	struct column_line l = { o, x->cells, r, it, &o->buf, false };
	size_t from;

	if (o->opts.boundary && r->page_start) {
		labels_add(&x->labels, l.b, r);
		buf_printf(l.b, "CPU:%d [SUBBUFFER START]\n", r->cpu);
	}
	labels_add(&x->labels, l.b, r);
	if (!c)
		add_default_line(&l);
	for (size_t i = 0; c && i < c->n; i++) {
		from = l.b->len;
		add_column(&l, c->v[i].kind, c->v[i].field);
		if (i + 1 == c->n)
			break;
		do
			buf_addch(l.b, ' ');
		while (l.b->len - from <= (c->v[i].kind ? c->v[i].kind->width : 0));
	}
	if (x->wakeup)
		wakeup_record(x->wakeup, r, l.b);
	buf_addch(l.b, '\n');
	end_line(&l);
}

static void columns_lost(struct out_state *o, const struct trace_rec *r)
{
	const struct columns_sink *x = o->priv;
	struct wakeup_file *f;

	labels_lost(&x->labels, &o->buf, r);
	if (!x->wakeup)
		return;
	/* a task that waited meanwhile may have run in the gap */
	f = &x->wakeup->files[r->file];
	f->gaps -= f->gaps > 0;
	f->nr_gaps++;
}

const struct out_ops *columns_ops(const struct line_columns *c, const struct out_opts *opts)
{
	static const struct out_ops ordered = {
		.begin = columns_begin, .event = columns_event, .lost = columns_lost,
		.end = columns_end,
	};
	static const struct out_ops parallel = {
		.parallel = true, .begin = columns_begin, .event = columns_event,
		.lost = columns_lost, .end = columns_end,
	};

	return columns_ordered(c) || opts->ts_diff || opts->wakeup || opts->boundary ||
	       opts->time == OUT_TIME_DIFF ? &ordered : &parallel;
}
