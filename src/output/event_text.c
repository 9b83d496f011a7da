/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event lines in the columns of trace-cmd 3.4: task-pid, [cpu], flags, time, event, text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/poke.h"
#include "base/text.h"
#include "output/fgraph_text.h"
#include "output/line_head.h"

#define IDS	   65536
#define NAME_WIDTH 22		/* of "event:" with the blanks behind it */

/* What stays the same for all records of one event. */
struct text_event {
	struct text_event *next;	/* of those of one file */
	struct ev_latency flags;
	bool   fgraph;
	size_t len;
	char   name[];			/* " event:" padded, for poke_text() */
};

/* What stays the same for all records of one file. */
struct text_file {
	struct fgraph fgraph;
	struct text_event **events;	/* by event id, those that were met */
	struct text_event *met;
};

struct text {
	struct text_file *files;
	size_t nr_files;
	struct labels labels;
	struct heads *heads;
};

static __attribute__((noinline)) struct text_event *new_event(struct text_file *f,
							      const struct trace_rec *r)
{
	const struct ev_format *fmt = r->rec.fmt;
	struct buf name = {0};
	struct text_event *e;

	buf_addch(&name, ' ');
	text_sanitise(&name, fmt->name, strlen(fmt->name), false);
	buf_addch(&name, ':');
	do {
		buf_addch(&name, ' ');
	} while (name.len <= NAME_WIDTH);
	e = xcalloc(1, sizeof(*e) + POKE_TEXT_ROOM(name.len));
	e->len = name.len;
	memcpy(e->name, name.data, name.len);
	e->next = f->met;
	f->met = e;
	e->fgraph = fgraph_has(&f->fgraph, fmt);
	ev_latency_of(&r->trace->world, fmt, &e->flags);
	buf_release(&name);
	return e;
}

static void text_begin(struct out *o)
{
	struct text *x = xcalloc(1, sizeof(*x));
	size_t i;

	x->nr_files = o->nr_traces;
	x->files = xcalloc(x->nr_files + 1, sizeof(*x->files));
	for (i = 0; i < x->nr_files; i++) {
		const struct trace *t = o->traces[i];

		fgraph_init(&x->files[i].fgraph, t);
		x->files[i].events = xcalloc(IDS, sizeof(struct text_event *));
	}
	labels_init(&x->labels, o);
	x->heads = heads_new(o, &x->labels);
	o->priv = x;
}

static void text_end(struct out *o)
{
	struct text *x = o->priv;
	struct text_event *e;
	size_t i;

	for (i = 0; i < x->nr_files; i++) {
		for (; (e = x->files[i].met); free(e))
			x->files[i].met = e->next;
		free(x->files[i].events);
	}
	heads_free(x->heads);
	labels_release(&x->labels);
	free(x->files);
	free(x);
	o->priv = NULL;
}

/* A type without a format: the number and the bytes are all there is to say. */
static void add_unknown(struct buf *b, const struct trace_rec *r)
{
	static const char hex[] = "0123456789abcdef";
	uint32_t i;

	buf_printf(b, " [type %u]:%*s", r->type, r->type > 999 ? 8 : 10, "");
	for (i = 0; i < r->rec.len; i++) {
		buf_addch(b, hex[r->rec.data[i] >> 4]);
		buf_addch(b, hex[r->rec.data[i] & 15]);
	}
}

/* A record is one line in --raw whatever its strings hold. */
static void flatten_raw(struct buf *b, size_t from)
{
	for (; from < b->len; from++)
		if (b->data[from] == '\n')
			b->data[from] = ' ';
}

static __attribute__((noinline)) void add_raw(struct buf *b, const struct trace_rec *r)
{
	size_t from = b->len;

	ev_render_raw(r->trace->engine, &r->rec, b);
	flatten_raw(b, from);
	buf_addch(b, '\n');
}

static inline void add_rendered(struct buf *b, const struct trace_rec *r)
{
	size_t from = b->len;

	ev_render(r->trace->engine, &r->rec, r->cpu, r->ts, b);
	if (b->len == from || b->data[b->len - 1] != '\n')
		buf_addch(b, '\n');
}

static inline void add_known(struct out *o, const struct text_file *f, const struct text_event *e,
			     const struct trace_rec *r, struct trace_iter *it)
{
	const struct text *x = o->priv;
	struct buf *b = &o->buf;
	char *p = heads_poke(x->heads, b, r, &e->flags, POKE_TEXT_ROOM(e->len));

	buf_poked(b, poke_text(p, e->name, e->len));
	if (o->opts.raw)
		add_raw(b, r);
	else if (e->fgraph && fgraph_text(&f->fgraph, r, it, o->calls, b))
		buf_addch(b, '\n');
	else
		add_rendered(b, r);
}

/* The one type that never has a format file. */
static bool add_blk(struct buf *b, const struct trace_rec *r)
{
	size_t from = b->len;

	buf_printf(b, " %-*s", NAME_WIDTH - 1, "blk:");
	if (ev_render_blk(r->trace->engine, &r->rec, r->cpu, r->ts, b))
		return true;
	b->len = from;
	return false;
}

static __attribute__((noinline)) void add_other(struct out *o, const struct trace_rec *r)
{
	static const struct ev_latency usual = { .flags_off = 2, .count_off = 3 };
	const struct text *x = o->priv;
	struct buf *b = &o->buf;

	buf_poked(b, heads_poke(x->heads, b, r, &usual, 0));
	if (o->opts.raw || !add_blk(b, r))
		add_unknown(b, r);
	buf_addch(b, '\n');
}

static inline const struct text_event *find_text_event(struct text_file *f,
						       const struct trace_rec *r)
{
	struct text_event **e = &f->events[r->rec.fmt->id];

	if (__builtin_expect(!*e, 0))
		*e = new_event(f, r);
	return *e;
}

static void text_event(struct out *o, const struct trace_rec *r, struct trace_iter *it)
{
	const struct text *x = o->priv;
	struct text_file *f = &x->files[r->file];

	if (r->rec.fmt)
		add_known(o, f, find_text_event(f, r), r, it);
	else
		add_other(o, r);
}

static void text_lost(struct out *o, const struct trace_rec *r)
{
	const struct text *x = o->priv;

	labels_lost(&x->labels, &o->buf, r);
}

const struct out_ops out_text = {
	.parallel = true,
	.begin = text_begin,
	.event = text_event,
	.lost = text_lost,
	.end = text_end,
};
