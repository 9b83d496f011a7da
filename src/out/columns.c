/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines that are put together column by column. */
#include "out/columns.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "out/fgraph.h"
#include "out/label.h"
#include "out/tgids.h"
#include "out/wakeup.h"

/* A line being made. */
struct line {
	struct out *o;
	struct sink *x;
	const struct trace_rec *r;
	struct trace_iter *it;
	struct buf *b;
};

typedef void (*column_fn)(struct line *l);

struct columns {
	size_t n;
	struct column {
		column_fn fn;		/* NULL: a field of the event */
		char     *field;
		size_t    width;	/* blanks up to it, but for the last column */
	} v[COLUMNS_MAX];
};

struct sink_file {
	struct fgraph fgraph;
	struct map tgids;
};

struct sink {
	struct labels labels;
	struct sink_file *files;
	size_t nr_files;
	struct wakeup *wakeup;
	bool     any;			/* ->last is set */
	uint64_t last;			/* time of the line before, in units that are shown */
};

/* --- columns */

static void line_add_comm(struct line *l)
{
	buf_printf(l->b, "%16s", trace_comm(l->r->trace, l->r->pid));
}

static void line_add_pid(struct line *l)
{
	buf_printf(l->b, "%7d", l->r->pid);
}

static void line_add_task(struct line *l)
{
	buf_printf(l->b, "%16s-%-5d", trace_comm(l->r->trace, l->r->pid), l->r->pid);
}

static void line_add_tgid(struct line *l)
{
	void *tgid = map_get(&l->x->files[l->r->file].tgids, (uint32_t)l->r->pid);

	if (tgid)
		buf_printf(l->b, "%7u", (unsigned int)(uintptr_t)tgid);
	else
		buf_printf(l->b, "%7s", "-");
}

static void line_add_cpu(struct line *l)
{
	buf_printf(l->b, "[%03d]", l->r->cpu);
}

static void line_add_flags(struct line *l)
{
	char flags[6] = ".....";

	if (l->r->rec.fmt)
		ev_print_latency(&l->r->rec, flags);
	buf_addstr(l->b, flags);
}

/* Microseconds, rounded as trace-cmd does; nanoseconds with -t; else what the clock counts. */
static uint64_t shown_units(const struct line *l)
{
	uint64_t ts = l->r->ts;

	if (!l->r->trace->clock_is_ns || l->o->opts.nanoseconds)
		return ts;
	return ts / 1000 + (ts % 1000 >= 500);
}

static void line_add_time(struct line *l)
{
	uint64_t v = shown_units(l);
	bool nano = l->o->opts.nanoseconds;
	uint64_t unit = nano ? 1000000000 : 1000000;

	if (!l->r->trace->clock_is_ns)
		buf_printf(l->b, "%12" PRIu64, v);
	else
		buf_printf(l->b, "%5" PRIu64 ".%0*" PRIu64, v / unit, nano ? 9 : 6, v % unit);
}

/* "+12": from the line before, in the units of the last digit of the time. */
static void add_delta_text(struct line *l, char *text, size_t size)
{
	uint64_t now = shown_units(l);

	*text = '\0';
	if (l->x->any)
		snprintf(text, size, "%+" PRId64, (int64_t)(now - l->x->last));
	l->x->last = now;
	l->x->any = true;
}

static void add_delta(struct line *l)
{
	char text[32];

	add_delta_text(l, text, sizeof(text));
	buf_printf(l->b, "%9s", *text ? text : "-");
}

static void line_add_name(struct line *l)
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

static void line_add_text(struct line *l)
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

static void add_system(struct line *l)
{
	const char *system = l->r->rec.fmt ? l->r->rec.fmt->system : "-";

	text_sanitise(l->b, system, strlen(system), false);
}

static const struct {
	const char *name;
	column_fn fn;
	size_t width;
} known[] = {
	{ "comm", line_add_comm, 0 }, { "pid", line_add_pid, 0 }, { "task", line_add_task, 0 },
	{ "tgid", line_add_tgid, 0 }, { "cpu", line_add_cpu, 0 }, { "flags", line_add_flags, 0 },
	{ "time", line_add_time, 0 }, { "delta", add_delta, 0 }, { "system", add_system, 10 },
	{ "event", line_add_name, 20 }, { "text", line_add_text, 0 },
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
	err_set(err, FTR_USAGE, "'%s' is no column, and no event has such a field", name);
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
		c->v[c->n].fn = known[i].fn;
		c->v[c->n++].width = known[i].width;
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
		ret = err_set(err, FTR_USAGE, "no columns: '%s'", list);
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

/* --- the sink */

static void columns_begin(struct out *o)
{
	struct sink *x = xcalloc(1, sizeof(*x));
	size_t i;

	labels_init(&x->labels, o);
	x->nr_files = o->nr_traces;
	x->files = xcalloc(x->nr_files, sizeof(*x->files));
	for (i = 0; i < x->nr_files; i++) {
		fgraph_init(&x->files[i].fgraph, o->traces[i]);
		tgids_read(&x->files[i].tgids, o->traces[i]);
	}
	if (o->opts.wakeup)
		x->wakeup = wakeup_new(o);
	o->priv = x;
}

static void columns_end(struct out *o)
{
	struct sink *x = o->priv;
	size_t i;

	if (x->wakeup)
		wakeup_summary(x->wakeup, &o->buf);
	wakeup_free(x->wakeup);
	for (i = 0; i < x->nr_files; i++)
		map_release(&x->files[i].tgids);
	labels_release(&x->labels);
	free(x->files);
	free(x);
	o->priv = NULL;
}

static void line_add_field(struct line *l, const char *name)
{
	const struct ev_field *f = l->r->rec.fmt ? ev_field(l->r->rec.fmt, name) : NULL;
	size_t from = l->b->len;

	if (f)
		ev_render_field(&l->r->rec, f, l->b);
	if (l->b->len == from)
		buf_addch(l->b, '-');
}

static void chosen_line(struct line *l, const struct columns *c)
{
	size_t i, from;

	for (i = 0; i < c->n; i++) {
		from = l->b->len;
		if (c->v[i].fn)
			c->v[i].fn(l);
		else
			line_add_field(l, c->v[i].field);
		if (i + 1 == c->n)
			break;
		do
			buf_addch(l->b, ' ');
		while (l->b->len - from <= c->v[i].width);
	}
}

/* The line of text.c with the difference behind the time. */
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
	line_add_flags(l);
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
	line_add_name(l);
	buf_addstr(b, ": ");
	while (b->len - from < 22)
		buf_addch(b, ' ');
	line_add_text(l);
}

static void columns_event(struct out *o, const struct trace_rec *r, struct trace_iter *it)
{
	struct line l = { o, o->priv, r, it, &o->buf };

	if (o->opts.boundary && r->page_start) {
		labels_add(&l.x->labels, l.b, r);
		buf_printf(l.b, "CPU:%d [SUBBUFFER START]\n", r->cpu);
	}
	labels_add(&l.x->labels, l.b, r);
	if (o->opts.columns)
		chosen_line(&l, o->opts.columns);
	else
		default_line(&l);
	if (l.x->wakeup)
		wakeup_record(l.x->wakeup, r, l.b);
	buf_addch(l.b, '\n');
}

static void columns_lost(struct out *o, const struct trace_rec *r)
{
	const struct sink *x = o->priv;

	labels_lost(&x->labels, &o->buf, r);
}

static bool has_delta(const struct columns *c)
{
	for (size_t i = 0; c && i < c->n; i++)
		if (c->v[i].fn == add_delta)
			return true;
	return false;
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

	return has_delta(c) || opts->ts_diff || opts->wakeup || opts->boundary ? &ordered :
		&parallel;
}
