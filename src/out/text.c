/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event lines in the columns of trace-cmd 3.4: task-pid, [cpu], flags, time, event, text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "out/fgraph.h"
#include "out/label.h"

#define IDS	   65536
#define NAME_WIDTH 22		/* of "event:" with the blanks behind it */

/* What stays the same for all records of one file, made once. */
struct text_file {
	struct fgraph fgraph;
	char **names;			/* by event id, those that were met: " event:" padded */
};

struct text {
	struct text_file *files;
	size_t nr_files;
	struct labels labels;
};

static char *padded_name(const char *name)
{
	struct buf clean = {0};
	char *text;

	text_sanitise(&clean, name, strlen(name), false);
	text = xasprintf(" %s:%*s", clean.data, clean.len + 2 > NAME_WIDTH ? 1 :
			 (int)(NAME_WIDTH - 1 - clean.len), "");
	buf_release(&clean);
	return text;
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
		x->files[i].names = xcalloc(IDS, sizeof(char *));
	}
	labels_init(&x->labels, o);
	o->priv = x;
}

static void text_end(struct out *o)
{
	struct text *x = o->priv;
	size_t i, k;

	for (i = 0; i < x->nr_files; i++) {
		for (k = 0; k < IDS; k++)
			free(x->files[i].names[k]);
		free(x->files[i].names);
	}
	labels_release(&x->labels);
	free(x->files);
	free(x);
	o->priv = NULL;
}

static void add_blanks(struct buf *b, size_t n)
{
	static const char blanks[] = "                                ";

	buf_add(b, blanks, n < sizeof(blanks) ? n : sizeof(blanks) - 1);
}

/* @v in decimal, at least @width places, filled with @fill. */
static void add_decimal(struct buf *b, uint64_t v, unsigned int width, char fill)
{
	char text[32], *p = text + sizeof(text);

	do {
		*--p = '0' + v % 10;
		v /= 10;
	} while (v);
	while (p > text && (size_t)(text + sizeof(text) - p) < width)
		*--p = fill;
	buf_add(b, p, text + sizeof(text) - p);
}

static void add_pid(struct buf *b, int pid)
{
	size_t before = b->len, width;

	buf_addch(b, '-');
	if (pid < 0)
		buf_printf(b, "%d", pid);
	else
		add_decimal(b, pid, 1, ' ');
	width = b->len - before;
	add_blanks(b, width < 6 ? 6 - width : 0);
}

static void add_task(struct buf *b, const struct trace_rec *r, bool latency)
{
	const char *comm = trace_comm(r->trace, r->pid);
	size_t len = strlen(comm), width = latency ? 8 : 16;

	if (latency && len > width)
		len = width;
	add_blanks(b, len < width ? width - len : 0);
	buf_add(b, comm, len);
	add_pid(b, r->pid);
	buf_addstr(b, latency ? " " : " [");
	add_decimal(b, (unsigned int)r->cpu, 3, latency ? ' ' : '0');
	buf_addstr(b, latency ? "" : "] ");
}

static void add_time(struct buf *b, const struct trace_rec *r, bool nanoseconds)
{
	uint64_t unit = nanoseconds ? 1000000000 : 1000000, v = r->ts;

	buf_addch(b, ' ');
	if (!r->trace->clock_is_ns) {
		add_decimal(b, v, 12, ' ');
		buf_addch(b, ':');
		return;
	}
	if (!nanoseconds)
		v = v / 1000 + (v % 1000 >= 500);	/* trace-cmd rounds */
	add_decimal(b, v / unit, 5, ' ');
	buf_addch(b, '.');
	add_decimal(b, v % unit, nanoseconds ? 9 : 6, '0');
	buf_addch(b, ':');
}

static void add_latency(struct buf *b, const struct trace_rec *r)
{
	char flags[6];

	ev_print_latency(&r->rec, flags);
	buf_addstr(b, flags);
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
static void one_line(struct buf *b, size_t from)
{
	for (; from < b->len; from++)
		if (b->data[from] == '\n')
			b->data[from] = ' ';
}

static void add_text(struct out *o, const struct text_file *f, const struct trace_rec *r,
		     struct trace_iter *it)
{
	struct buf *b = &o->buf;
	size_t from = b->len;

	if (o->opts.raw) {
		ev_render_raw(r->trace->engine, &r->rec, b);
		one_line(b, from);
	} else if (!fgraph_text(&f->fgraph, r, it, b)) {
		ev_render(r->trace->engine, &r->rec, r->cpu, r->ts, b);
	}
	if (b->len > from && b->data[b->len - 1] == '\n')
		b->data[--b->len] = '\0';
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

static const char *name_of(const struct text_file *f, const struct ev_format *fmt)
{
	char **name = &f->names[fmt->id];

	if (!*name)
		*name = padded_name(fmt->name);
	return *name;
}

static void text_event(struct out *o, const struct trace_rec *r, struct trace_iter *it)
{
	const struct text *x = o->priv;
	const struct text_file *f = &x->files[r->file];
	struct buf *b = &o->buf;

	labels_add(&x->labels, b, r);
	add_task(b, r, o->opts.latency);
	add_latency(b, r);
	add_time(b, r, o->opts.nanoseconds);
	if (r->rec.fmt) {
		buf_addstr(b, name_of(f, r->rec.fmt));
		add_text(o, f, r, it);
	} else if (o->opts.raw || !add_blk(b, r)) {
		add_unknown(b, r);
	}
	buf_addch(b, '\n');
}

static void text_lost(struct out *o, const struct trace_rec *r)
{
	const struct text *x = o->priv;

	labels_add(&x->labels, &o->buf, r);
	if (r->lost == RING_LOST_UNKNOWN)
		buf_printf(&o->buf, "CPU:%d [EVENTS DROPPED]\n", r->cpu);
	else
		buf_printf(&o->buf, "CPU:%d [%" PRIu64 " EVENTS DROPPED]\n", r->cpu, r->lost);
}

const struct out_ops out_text = {
	.parallel = true,
	.name = "text",
	.begin = text_begin,
	.event = text_event,
	.lost = text_lost,
	.end = text_end,
};
