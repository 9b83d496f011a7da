/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines that are put together column by column. */
#include "output/line_columns.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/fgraph_text.h"
#include "output/line_label.h"
#include "output/task_tgids.h"
#include "output/wakeup_latency.h"

/* A line being made. */
struct line {
	struct out *o;
	struct cells *x;
	const struct trace_rec *r;
	struct trace_iter *it;
	struct buf *b;
	bool ordered;		/* the line before was looked at */
};

typedef void (*column_fn)(struct line *l);

struct column_kind {
	const char *name;
	column_fn cell;		/* adds the bare value, or nothing */
	column_fn line;		/* as it stands in a line; NULL: the value, "-" where it is none */
	size_t    align;	/* blanks before it, up to this width */
	size_t    width;	/* and behind it, but for the last column */
};

struct columns {
	size_t n;
	struct column {
		const struct column_kind *kind;	/* NULL: a field of the event */
		char *field;
	} v[COLUMNS_MAX];
};

struct cells_file {
	struct fgraph fgraph;
	struct map tgids;
};

struct cells {
	struct cells_file *files;
	size_t nr_files;
};

struct sink {
	struct labels labels;
	struct cells *cells;
	struct wakeup *wakeup;
};

/* --- columns */

/* Puts blanks before what stands behind @from. */
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

static void cell_add_comm(struct line *l)
{
	buf_addstr(l->b, trace_comm(l->r->trace, l->r->pid));
}

static void cell_add_pid(struct line *l)
{
	buf_printf(l->b, "%d", l->r->pid);
}

static void cell_add_task(struct line *l)
{
	buf_printf(l->b, "%s-%d", trace_comm(l->r->trace, l->r->pid), l->r->pid);
}

static void line_add_task(struct line *l)
{
	buf_printf(l->b, "%16s-%-5d", trace_comm(l->r->trace, l->r->pid), l->r->pid);
}

static void cell_add_tgid(struct line *l)
{
	void *tgid = map_get(&l->x->files[l->r->file].tgids, (uint32_t)l->r->pid);

	if (tgid)
		buf_printf(l->b, "%u", (unsigned int)(uintptr_t)tgid);
}

static void cell_add_cpu(struct line *l)
{
	buf_printf(l->b, "%d", l->r->cpu);
}

static void line_add_cpu(struct line *l)
{
	buf_printf(l->b, "[%03d]", l->r->cpu);
}

static void cell_add_flags(struct line *l)
{
	char flags[6] = ".....";

	if (l->r->rec.fmt)
		ev_print_latency(&l->r->trace->world, &l->r->rec, flags);
	buf_addstr(l->b, flags);
}

/* Microseconds, rounded as trace-cmd does; nanoseconds with -t; else what the clock counts. */
static uint64_t shown_units(const struct line *l, uint64_t ts)
{
	if (!l->r->trace->clock_is_ns || l->o->opts.nanoseconds)
		return ts;
	return ts / 1000 + (ts % 1000 >= 500);
}

/* A time that is not the record's; false: there is none. */
static bool add_other_time(struct line *l)
{
	const struct out_opts *o = &l->o->opts;
	const struct trace *t = l->r->trace;

	switch (o->time) {
	case OUT_TIME_OF_DAY:
		return times_add_day(l->b, t, l->r->ts, o->nanoseconds, false);
	case OUT_TIME_SINCE:
		times_add_since(l->b, t, o->time_zero, l->r->ts, o->nanoseconds);
		return true;
	case OUT_TIME_DIFF:
		l->ordered = true;
		if (l->o->any_line)
			times_add_since(l->b, t, l->o->last_ts, l->r->ts, o->nanoseconds);
		else
			buf_addch(l->b, '-');
		return true;
	default:
		return false;
	}
}

static void cell_add_time(struct line *l)
{
	uint64_t v = shown_units(l, l->r->ts);
	bool nano = l->o->opts.nanoseconds;
	uint64_t unit = nano ? 1000000000 : 1000000;

	if (l->o->opts.time && add_other_time(l))
		return;
	if (!l->r->trace->clock_is_ns)
		buf_printf(l->b, "%" PRIu64, v);
	else
		buf_printf(l->b, "%" PRIu64 ".%0*" PRIu64, v / unit, nano ? 9 : 6, v % unit);
}

static void line_add_time(struct line *l)
{
	bool nano = l->o->opts.nanoseconds && l->r->trace->clock_is_ns;
	size_t from = l->b->len;

	cell_add_time(l);
	align_right(l->b, from, nano ? 15 : 12);
}

/* "+12": from the line before, in the units of the last digit of the time. */
static void add_delta_text(struct line *l, char *text, size_t size)
{
	*text = '\0';
	if (l->o->any_line)
		snprintf(text, size, "%+" PRId64,
			 (int64_t)(shown_units(l, l->r->ts) - shown_units(l, l->o->last_ts)));
	l->ordered = true;
}

static void end_line(struct line *l)
{
	if (!l->ordered)
		return;
	l->o->any_line = true;
	l->o->last_ts = l->r->ts;
}

static void cell_add_delta(struct line *l)
{
	char text[32];

	add_delta_text(l, text, sizeof(text));
	buf_addstr(l->b, text);
}

static void cell_add_name(struct line *l)
{
	if (l->r->rec.fmt)
		text_sanitise(l->b, l->r->rec.fmt->name, strlen(l->r->rec.fmt->name), false);
	else
		buf_printf(l->b, "[type %u]", l->r->type);
}

static void add_hex_dump(struct buf *b, const struct ev_rec *r)
{
	static const char hex[] = "0123456789abcdef";

	for (uint32_t i = 0; i < r->len; i++) {
		buf_addch(b, hex[r->data[i] >> 4]);
		buf_addch(b, hex[r->data[i] & 15]);
	}
}

static void flatten_column(struct buf *b, size_t from)
{
	for (; from < b->len; from++)
		if (b->data[from] == '\n')
			b->data[from] = ' ';
}

static void cell_add_text(struct line *l)
{
	const struct trace_rec *r = l->r;
	struct buf *b = l->b;
	size_t from = b->len;

	if (!r->rec.fmt)
		add_hex_dump(b, &r->rec);
	else if (l->o->opts.raw)
		ev_render_raw(r->trace->engine, &r->rec, b);
	else if (!fgraph_text(&l->x->files[r->file].fgraph, r, l->it, l->o->calls, b))
		ev_render(r->trace->engine, &r->rec, r->cpu, r->ts, b);
	if (l->o->opts.raw)
		flatten_column(b, from);
	if (b->len > from && b->data[b->len - 1] == '\n')
		b->data[--b->len] = '\0';
}

static void cell_add_system(struct line *l)
{
	const char *system = l->r->rec.fmt ? l->r->rec.fmt->system : "";

	text_sanitise(l->b, system, strlen(system), false);
}

static void cell_add_field(struct line *l, const char *name)
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

/* --- which columns */

static bool event_has(struct trace *const *traces, size_t n, const char *field)
{
	struct ev_format *v;
	size_t i, k;

	for (i = 0; i < n; i++)
		for (k = ev_world_formats(&traces[i]->world, NULL, &v); k--;)
			if (ev_field(&v[k], field))
				return true;
	return false;
}

static int unknown_column(const char *name, struct trace *const *traces, size_t n,
			  struct ftr_error *err)
{
	struct strv names = {0};
	struct ev_format *v;
	const char *near;
	size_t i, k, j;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++)
		strv_add(&names, known[i].name);
	for (i = 0; i < n; i++)
		for (k = ev_world_formats(&traces[i]->world, NULL, &v); k--;)
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

static int columns_add(struct columns *c, const char *name, struct trace *const *traces, size_t n,
		       struct ftr_error *err)
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
	if (!event_has(traces, n, name))
		return unknown_column(name, traces, n, err);
	c->v[c->n++].field = xstrdup(name);
	return 0;
}

struct columns *columns_parse(const char *list, struct trace *const *traces, size_t nr_traces,
			      struct ftr_error *err)
{
	struct columns *c = xcalloc(1, sizeof(*c));
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

void columns_free(struct columns *c)
{
	for (size_t i = 0; c && i < c->n; i++)
		free(c->v[i].field);
	free(c);
}

size_t columns_count(const struct columns *c)
{
	return c->n;
}

const char *columns_name(const struct columns *c, size_t i)
{
	return c->v[i].kind ? c->v[i].kind->name : c->v[i].field;
}

bool columns_ordered(const struct columns *c)
{
	for (size_t i = 0; c && i < c->n; i++)
		if (c->v[i].kind && c->v[i].kind->cell == cell_add_delta)
			return true;
	return false;
}

/* --- cells */

struct cells *cells_new(const struct out *o)
{
	struct cells *x = xcalloc(1, sizeof(*x));
	size_t i;

	x->nr_files = o->nr_traces;
	x->files = xcalloc(x->nr_files, sizeof(*x->files));
	for (i = 0; i < x->nr_files; i++) {
		fgraph_init(&x->files[i].fgraph, o->traces[i]);
		tgids_read(&x->files[i].tgids, o->traces[i]);
	}
	return x;
}

void cells_free(struct cells *x)
{
	for (size_t i = 0; i < x->nr_files; i++)
		map_release(&x->files[i].tgids);
	free(x->files);
	free(x);
}

void cells_add(struct cells *x, struct out *o, const struct trace_rec *r, const struct columns *c,
	       size_t i)
{
	struct line l = { o, x, r, NULL, &o->buf, false };

	if (c->v[i].kind)
		c->v[i].kind->cell(&l);
	else
		cell_add_field(&l, c->v[i].field);
	end_line(&l);
}

/* --- the sink */

static void columns_begin(struct out *o)
{
	struct sink *x = xcalloc(1, sizeof(*x));

	labels_init(&x->labels, o);
	x->cells = cells_new(o);
	if (o->opts.wakeup)
		x->wakeup = wakeup_new(o);
	o->priv = x;
}

static void columns_end(struct out *o)
{
	struct sink *x = o->priv;

	if (x->wakeup)
		wakeup_summary(x->wakeup, &o->buf);
	wakeup_free(x->wakeup);
	cells_free(x->cells);
	labels_release(&x->labels);
	free(x);
	o->priv = NULL;
}

/* A value as it stands in a line; without @kind it is a field of the event. */
static void add_column(struct line *l, const struct column_kind *kind, const char *field)
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

static void chosen_line(struct line *l, const struct columns *c)
{
	size_t i, from;

	for (i = 0; i < c->n; i++) {
		from = l->b->len;
		add_column(l, c->v[i].kind, c->v[i].field);
		if (i + 1 == c->n)
			break;
		do
			buf_addch(l->b, ' ');
		while (l->b->len - from <= (c->v[i].kind ? c->v[i].kind->width : 0));
	}
}

/* The line of event_text.c with the difference behind the time. */
static void default_line(struct line *l)
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

static void columns_event(struct out *o, const struct trace_rec *r, struct trace_iter *it)
{
	const struct sink *x = o->priv;
	struct line l = { o, x->cells, r, it, &o->buf, false };

	if (o->opts.boundary && r->page_start) {
		labels_add(&x->labels, l.b, r);
		buf_printf(l.b, "CPU:%d [SUBBUFFER START]\n", r->cpu);
	}
	labels_add(&x->labels, l.b, r);
	if (o->opts.columns)
		chosen_line(&l, o->opts.columns);
	else
		default_line(&l);
	if (x->wakeup)
		wakeup_record(x->wakeup, r, l.b);
	buf_addch(l.b, '\n');
	end_line(&l);
}

static void columns_lost(struct out *o, const struct trace_rec *r)
{
	const struct sink *x = o->priv;

	labels_lost(&x->labels, &o->buf, r);
	if (x->wakeup)
		wakeup_lost(x->wakeup, r);
}

const struct out_ops *columns_ops(const struct columns *c, const struct out_opts *opts)
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
