/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pipeline: merged records through a filter into a sink, and its bytes to a file descriptor.
 *
 * Each line may need another format, or another part of the symbols. So the first line is written
 * at once and the next ones in blocks that grow: a report into head(1) ends with the first write
 * that nobody reads. With a block of hundreds of lines after the first one, head would wait for
 * all that they need.
 *
 * Colour is a sink around the sink, which finds task and duration in a finished line. So all
 * outputs except the kernel's text have the same colours, and no other output has code for
 * colours.
 */
#include "output/pipeline.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "output/open_calls.h"
#include "output/pipeline_priv.h"

#define THREADS_AUTO 8		/* with more, all wait for the thread that writes */

/* --- colours: a sink around the sink, which paints the line that the inner one added */

#define RED	"\033[31;1m"
#define MAGENTA	"\033[35m"
#define YELLOW	"\033[33m"
#define CYAN	"\033[36m"
#define RESET	"\033[0m"

#define NEEDLE	320		/* a name of 256 bytes, and a number */
#define COMM_SHORT 8		/* letters of a comm in latency format */

/* The bytes [from, to) of a line, in a colour. */
struct colour_range {
	const char *colour;
	size_t from, to;
};

static void add_code(struct out_state *o, const char *code)
{
	calls_moved(o->calls, o->buf.len, strlen(code));
	buf_addstr(&o->buf, code);
}

/* Rewrites the line at @at with its strokes, which are in order. */
static void paint_strokes(struct out_state *o, size_t at, const struct colour_range *v, size_t n)
{
	struct buf line = {0}, *b = &o->buf;
	size_t i;

	buf_add(&line, b->data + at, b->len - at);
	b->len = at;
	for (i = 0, at = 0; i < n; at = v[i++].to) {
		buf_add(b, line.data + at, v[i].from - at);
		add_code(o, v[i].colour);
		buf_add(b, line.data + v[i].from, v[i].to - v[i].from);
		add_code(o, RESET);
	}
	buf_add(b, line.data + at, line.len - at);
	buf_release(&line);
}

/* Finds "bash-1234" in the line. */
static bool find_task(const struct out_state *o, const struct trace_rec *r, const char *line,
		      size_t len, struct colour_range *s)
{
	char text[NEEDLE];
	const char *at;
	int n = snprintf(text, sizeof(text), "%.*s-%d", o->opts.latency ? COMM_SHORT : NEEDLE,
			 trace_comm(r->trace, r->pid), r->pid);

	at = n < NEEDLE ? memmem(line, len, text, n) : NULL;
	if (!at)
		return false;
	*s = (struct colour_range){ CYAN, at - line, at - line + n };
	return true;
}

static bool is_fgraph_record(const struct trace_rec *r)
{
	static const char *const names[] = {
		"funcgraph_entry", "funcgraph_exit", "fgraph_retaddr_entry",
	};
	const struct ev_format *f = r->rec.fmt;
	size_t i;

	for (i = 0; f && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(f->name, names[i]))
			return !strcmp(f->system, "ftrace");
	return false;
}

/* Returns the colour of a duration by its mark; NULL for the smallest ones, which have no mark. */
static const char *mark_colour(char mark)
{
	switch (mark) {
	case '+':
		return YELLOW;
	case '!':
		return MAGENTA;
	case '#': case '*': case '@': case '$':
		return RED;
	default:
		return NULL;
	}
}

/* Finds "! 123.456 us " before the bar of a call, after offset @from. */
static bool find_duration(const char *line, size_t len, size_t from, struct colour_range *s)
{
	const char *bar = memmem(line + from, len - from, "|  ", 3);
	const char *us = bar ? memmem(line + from, bar - line - from, " us ", 4) : NULL;
	const char *at = us;

	while (at && at > line + from && (at[-1] == '.' || (at[-1] >= '0' && at[-1] <= '9')))
		at--;
	if (!us || at - line < (ptrdiff_t)from + 2 || !mark_colour(at[-2]))
		return false;
	*s = (struct colour_range){ mark_colour(at[-2]), at - 2 - line, us + 3 - line };
	return true;
}

static void paint_event(struct out_state *o, const struct trace_rec *r, struct trace_iter *it)
{
	bool timed = is_fgraph_record(r) && !o->opts.raw;
	size_t from = o->buf.len, n = 0, len;
	struct colour_range v[2];
	const char *line;

	o->plain->event(o, r, it);
	line = o->buf.data + from;
	len = o->buf.len - from;
	if (find_task(o, r, line, len, &v[n]))
		n++;
	if (timed && find_duration(line, len, n ? v[0].to : 0, &v[n]))
		n++;
	if (n)
		paint_strokes(o, from, v, n);
}

/* Paints all except the end of the line: the following text must not be red. */
static void paint_lost(struct out_state *o, const struct trace_rec *r)
{
	struct colour_range all = { .colour = RED, .from = 0 };
	size_t from = o->buf.len;

	o->plain->lost(o, r);
	all.to = o->buf.len - from;
	if (all.to && o->buf.data[o->buf.len - 1] == '\n')
		all.to--;
	if (all.to)
		paint_strokes(o, from, &all, 1);
}

static void paint_lines(struct out_state *o)
{
	o->plain = o->ops;
	o->painted = *o->ops;
	if (o->ops->event)
		o->painted.event = paint_event;
	if (o->ops->lost)
		o->painted.lost = paint_lost;
	o->ops = &o->painted;
}

/* --- the pipeline */

int out_flush(struct out_state *o, struct ftr_error *err)
{
	if (io_write_all(o->fd, o->buf.data, o->buf.len))
		return err_write(err, "cannot write to standard output");
	buf_reset(&o->buf);
	return 0;
}

struct out_match out_match_fork(const struct out_match *which, struct trace *const *views)
{
	struct out_match forked = which ? *which : (struct out_match){0};

	if (forked.match)
		forked.ctx = which->fork(which->ctx, views);
	return forked;
}

void out_match_unfork(const struct out_match *which, const struct out_match *forked)
{
	if (forked->match && forked->unfork)
		forked->unfork(which->ctx, forked->ctx);
}

static int out_drive(struct out_state *o, struct trace_iter *it, const struct out_match *which,
		     struct ftr_error *err)
{
	const struct trace_rec *r;
	/*
	 * The first line is written before the next one is read; and if the reader wants no more
	 * lines, ftr ends after a few, not after hundreds.
	 */
	size_t flush_at = 1, next = OUT_FLUSH_FEW;

	while ((r = trace_iter_next(it))) {
		out_record(o, r, it, which);
		if (o->buf.len < flush_at)
			continue;
		if (out_flush(o, err))
			return -1;
		flush_at = next;
		next = next < OUT_FLUSH_AT ? 2 * next : next;
	}
	return 0;
}

struct call_tracker *out_calls(const struct out_state *o)
{
	return calls_new(trace_nr_streams(o->traces, o->nr_traces));
}

static void timed_event(struct out_state *o, const struct trace_rec *r, struct trace_iter *it)
{
	ev_engine_at(r->trace->engine, r->ts);
	o->under->event(o, r, it);
}

void out_begin(struct out_state *o)
{
	bool timed = false;
	size_t i;

	buf_reserve(&o->buf, 2 * OUT_FLUSH_AT);
	o->own_calls = !o->calls;
	if (o->own_calls)
		o->calls = out_calls(o);
	if (o->opts.colour)
		paint_lines(o);
	for (i = 0; i < o->nr_traces; i++)
		timed |= ev_syms_timed(o->traces[i]->meta.syms);
	/* without timed symbols the engine need not know the time of each record */
	if (timed && o->ops->event) {
		o->under = o->ops;
		o->timed = *o->ops;
		o->timed.event = timed_event;
		o->ops = &o->timed;
	}
	if (o->ops->begin)
		o->ops->begin(o);
}

static int out_end(struct out_state *o, int ret, struct ftr_error *err)
{
	if (o->ops->end)
		o->ops->end(o);
	if (!ret)
		ret = out_flush(o, err);
	buf_release(&o->buf);
	if (o->own_calls)
		calls_free(o->calls);
	return ret;
}

int out_run(struct out_state *o, struct trace_iter *it, const struct out_match *which,
	    struct ftr_error *err)
{
	out_begin(o);
	return out_end(o, out_drive(o, it, which, err), err);
}

int out_render(struct out_state *o, const struct out_range *range, const struct out_match *which,
	       struct ftr_error *err)
{
	unsigned int threads = range->threads;
	struct trace_iter *it;
	cpu_set_t online;
	int ret = 1;

	if (!o->ops->parallel || (which && which->match && !which->fork))
		threads = 1;
	else if (threads)
		threads = threads < OUT_THREADS_MAX ? threads : OUT_THREADS_MAX;
	else if (!sched_getaffinity(0, sizeof(online), &online))
		threads = CPU_COUNT(&online) < THREADS_AUTO ? CPU_COUNT(&online) : THREADS_AUTO;
	out_begin(o);
	if (threads > 1)
		ret = out_parallel(o, range, which, threads, err);
	if (ret == 1) {
		it = trace_iter_new_range(o->traces, o->nr_traces, range->cpus, range->since,
					  range->until);
		ret = out_drive(o, it, which, err);
		trace_iter_free(it);
	}
	return out_end(o, ret, err);
}
