/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Colour for a terminal: a sink around the sink, which paints the line that was made. What is not
 * painted has no part in it.
 */
#include <stdio.h>
#include <string.h>

#include "output/open_calls.h"
#include "output/pipeline_priv.h"

#define RED	"\033[31;1m"
#define MAGENTA	"\033[35m"
#define YELLOW	"\033[33m"
#define CYAN	"\033[36m"
#define RESET	"\033[0m"

#define NEEDLE	320		/* a name of 256 bytes, and a number */
#define COMM_SHORT 8		/* letters of it in latency format */

/* [from, to) of a line, in a colour. */
struct stroke {
	const char *colour;
	size_t from, to;
};

static void add_code(struct out *o, const char *code)
{
	calls_moved(o->calls, o->buf.len, strlen(code));
	buf_addstr(&o->buf, code);
}

/* The line from @at on, made anew with its strokes, which are in order. */
static void paint_strokes(struct out *o, size_t at, const struct stroke *v, size_t n)
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

/* "bash-1234" where the line has it. */
static bool find_task(const struct out *o, const struct trace_rec *r, const char *line, size_t len,
		      struct stroke *s)
{
	char text[NEEDLE];
	const char *at;
	int n = snprintf(text, sizeof(text), "%.*s-%d", o->opts.latency ? COMM_SHORT : NEEDLE,
			 trace_comm(r->trace, r->pid), r->pid);

	at = n < NEEDLE ? memmem(line, len, text, n) : NULL;
	if (!at)
		return false;
	*s = (struct stroke){ CYAN, at - line, at - line + n };
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

/* By the mark that stands before it; the smallest durations have none, and no colour. */
static const char *colour_of(char mark)
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

/* "! 123.456 us " before the bar of a call, behind @from. */
static bool find_duration(const char *line, size_t len, size_t from, struct stroke *s)
{
	const char *bar = memmem(line + from, len - from, "|  ", 3);
	const char *us = bar ? memmem(line + from, bar - line - from, " us ", 4) : NULL;
	const char *at = us;

	while (at && at > line + from && (at[-1] == '.' || (at[-1] >= '0' && at[-1] <= '9')))
		at--;
	if (!us || at - line < (ptrdiff_t)from + 2 || !colour_of(at[-2]))
		return false;
	*s = (struct stroke){ colour_of(at[-2]), at - 2 - line, us + 3 - line };
	return true;
}

static void paint_event(struct out *o, const struct trace_rec *r, struct trace_iter *it)
{
	bool timed = is_fgraph_record(r) && !o->opts.raw;
	size_t from = o->buf.len, n = 0, len;
	struct stroke v[2];
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

/* But for the end of the line: what follows it shall not be red. */
static void paint_lost(struct out *o, const struct trace_rec *r)
{
	struct stroke all = { .colour = RED, .from = 0 };
	size_t from = o->buf.len;

	o->plain->lost(o, r);
	all.to = o->buf.len - from;
	if (all.to && o->buf.data[o->buf.len - 1] == '\n')
		all.to--;
	if (all.to)
		paint_strokes(o, from, &all, 1);
}

void out_paint(struct out *o)
{
	o->plain = o->ops;
	o->painted = *o->ops;
	if (o->ops->event)
		o->painted.event = paint_event;
	if (o->ops->lost)
		o->painted.lost = paint_lost;
	o->ops = &o->painted;
}
